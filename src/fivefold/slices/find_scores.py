"""Where is a number of each case, such as bits, a reward or a loss, higher or lower than average?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.inputs.columns import CategoricalFeatures, read_columns
from fivefold.inputs.frames import as_numbers, check_length
from fivefold.inputs.options import RandomState, as_generator, one_of
from fivefold.slices.bins import Bins, cut_points
from fivefold.slices.explained import unexplained
from fivefold.slices.intervals import mean_interval
from fivefold.slices.items import PackedItems, code_column, pack_items
from fivefold.slices.layout import lay_out
from fivefold.slices.measuring import say_slice
from fivefold.slices.score_search import LEAST_CASES, ScoredSets, search_scores
from fivefold.slices.slice import Slice
from fivefold.slices.slice_set import Correction, SliceSet
from fivefold.slices.spread.opening import refuse_dask
from fivefold.slices.stucco import Stucco
from fivefold.slices.wording import Evidence, Scores


def find_scores(
    X: Any,
    scores: Any,
    *,
    test: str = "permutation",
    alpha: float = 0.05,
    min_support_difference: float = 0.02,
    max_terms: int = 3,
    bins: Bins = None,
    missing_as_value: bool = False,
    summarise: bool = True,
    n_permutations: int = 999,
    score: str = "The score",
    categorical_features: CategoricalFeatures = "from_dtype",
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> SliceSet:
    r"""Find the cases on which a number is higher or lower than average.

    Any number will do, so that models that answer with sets or probabilities can be sliced as well: the
    ``per_example`` of an encoding or a reward, a loss, a difference between two models. A slice with n cases has
    the effect :math:`n(\bar x_S - \bar x)`, and is reported if this is at least a share `min_support_difference`
    of :math:`\frac12 \sum_i |x_i - \bar x|` (for numbers 0 and 1 that is the support difference of `find_errors`)
    and if it survives a correction for all the slices that were looked at.

    Parameters
    ----------
    X : dataframe or 2-D array-like
        The attributes.
    scores : array-like
        A finite number for each case.
    test : {"permutation", "rank"}
        ``"permutation"``: deals the numbers out anew, and compares the largest standardised effect (Westfall and
        Young, step-down). ``"rank"``: Wilcoxon's rank sum at the layered levels of `Stucco`, which no outlier
        impresses.
    alpha, min_support_difference, max_terms, bins, missing_as_value
        As in `find_errors`.
    summarise : bool
        Whether to leave out slices that look like a random sample of a shorter one.
    n_permutations : int
        For ``"permutation"``.
    score : str
        What the number is called, for the sentences.
    categorical_features, n_jobs, random_state
        As in `find_errors`.

    Returns
    -------
    SliceSet
        The largest effect first; ``n_agree`` is None.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> X = pl.DataFrame({"colour": ["red", "blue"] * 200})
    >>> loss = np.tile([1.0, 0.2], 200) + np.random.default_rng(0).random(400)
    >>> found = find_scores(X, loss, score="The loss", random_state=0)
    >>> print(found[0].conditions, round(found[0].difference, 1), len(found))
    colour = blue -0.4 2
    """
    refuse_dask(X, "find_scores")
    columns = read_columns(X, categorical_features=categorical_features)
    values = _checked(scores, len(columns[0]))
    settings = Stucco(
        alpha=alpha,
        min_support_difference=min_support_difference,
        max_terms=max_terms,
        summarise=summarise,
        n_permutations=n_permutations,
        n_jobs=n_jobs,
    ).settings()
    one_of(test, ("permutation", "rank"), "test")
    layout = lay_out(np.zeros(values.size, dtype=np.uint8), 1)
    cuts = cut_points(columns, "quantile" if bins is None else bins, None)
    coded = [code_column(column, cuts, missing_as_value) for column in columns]
    items = pack_items(coded, layout, LEAST_CASES, settings.threads)
    found = search_scores(items, values, settings, test, as_generator(random_state))
    shown = unexplained(items, found, values, settings.min_surprise) if summarise else np.arange(found.n.size)
    permutations = n_permutations if test == "permutation" else 0
    tests = Correction(
        "westfall-young" if permutations else "layered", alpha, found.n_tests, found.alphas, permutations
    )
    return SliceSet(
        _say(items, found, shown, values, tests, Scores(score)),
        values.size,
        None,
        float(values.mean()),
        tests,
        tuple(column.schema() for column in columns),
    )


def _checked(scores: Any, n_cases: int) -> NDArray[np.float64]:
    values = np.asarray(as_numbers(scores, "scores"), dtype=np.float64)
    if values.ndim != 1:
        raise InputError("scores to be one-dimensional", f"an array of shape {values.shape}")
    check_length(values, n_cases, "scores")
    wild = np.flatnonzero(~np.isfinite(values))
    if wild.size:
        raise InputError(
            "a finite number for every case",
            f"{values[wild[0]]} (inf or nan) in row {wild[0]} ({wild.size} in all)",
            "an infinite loss has no mean: slice its rank, or a bounded score",
        )
    if np.ptp(values) == 0:
        raise InputError("numbers that differ", f"{values[0]} in every row")
    return values


def _say(
    items: PackedItems,
    found: ScoredSets,
    shown: NDArray[np.intp],
    values: NDArray[np.float64],
    tests: Correction,
    wording: Scores,
) -> tuple[Slice, ...]:
    deviations = values - values.mean()
    total = (values.size, 0.0, float((deviations**2).sum()))
    low, high = mean_interval(found.n, found.sums, found.squares, total, found.level)
    average = float(values.mean())
    slices = []
    for place in shown[np.argsort(-np.abs(found.sums[shown]), kind="stable")]:
        terms = tuple(items.terms[i] for i in found.sets[place])
        difference = float(found.sums[place] / found.n[place])
        told = Evidence(
            " and ".join(term.to_text() for term in terms),
            int(found.n[place]),
            None,
            average + difference,
            average,
            difference,
            float(found.sums[place]),
            (float(low[place]), float(high[place])),
            float(found.adjusted_p_value[place]),
            tests.total,
            tests.alpha,
        )
        statistic, p_value = float(found.statistic[place]), float(found.p_value[place])
        slices.append(say_slice(terms, told, statistic, p_value, wording))
    return tuple(slices)
