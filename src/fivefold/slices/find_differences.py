"""Where do two models differ? The paper's MDiff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from fivefold.checks import as_generator
from fivefold.checks.arrays import check_length
from fivefold.checks.randomness import RandomState
from fivefold.data.columns import CategoricalFeatures, Column, read_columns
from fivefold.errors import InputError, show
from fivefold.formulas.multiplicity import holm
from fivefold.results.wording import say_p
from fivefold.slices.asking import Question, ask
from fivefold.slices.bins import Bins
from fivefold.slices.engines import Engine, as_engine
from fivefold.slices.extra_columns import add_columns, name_of
from fivefold.slices.labels import agreement, code_together
from fivefold.slices.measuring import holds
from fivefold.slices.slice import Slice, WhoIsRight
from fivefold.slices.slice_set import SliceSet
from fivefold.slices.stucco import Stucco
from fivefold.slices.wording import Differences

__all__ = ["find_differences"]


def find_differences(
    X: Any,
    pred_a: Any,
    pred_b: Any,
    *,
    y_true: Any = None,
    include_predictions: bool = False,
    engine: str | Stucco | Engine = "stucco",
    alpha: float = 0.05,
    min_support_difference: float = 0.02,
    max_terms: int = 3,
    bins: Bins = None,
    correction: str = "layered",
    missing_as_value: bool = False,
    summarise: bool = True,
    hold_back: float = 0.0,
    n_permutations: int = 999,
    names: tuple[str, str] = ("Model A", "Model B"),
    categorical_features: CategoricalFeatures = "from_dtype",
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> SliceSet:
    """Find the cases on which two models agree more or less often than average.

    The numbers are those of `find_errors`, with "the answers are the same" in place of "the answer is right".
    Two missing answers are the same.

    Parameters
    ----------
    X : dataframe or 2-D array-like
        The attributes of cases that no model was trained on.
    pred_a, pred_b : array-like
        The answers of the two models: one class for each case, or none (None).
    y_true : array-like, optional
        The classes. With them, each slice says who is right where the two differ.
    include_predictions : bool
        Whether the answers may stand in a slice. ``.deployable()`` leaves such slices out,
        ``.naming_afterwards()`` gives them alone.
    engine, alpha, min_support_difference, max_terms, bins, correction, missing_as_value
        As in `find_errors`.
    summarise, hold_back, n_permutations, categorical_features, n_jobs, random_state
        As in `find_errors`.
    names : tuple of str
        The names of the models, for the sentences.

    Returns
    -------
    SliceSet
        The largest effect first.

    References
    ----------
    S. D. Bay and M. J. Pazzani, "Characterizing model errors and differences", ICML 2000.

    Examples
    --------
    >>> import numpy as np
    >>> import fivefold as ff
    >>> mushrooms = ff.data.load("MU")
    >>> first = np.where(mushrooms.X["odor"].is_in(["none", "almond", "anise"]), "edible", "poisonous")
    >>> second = np.where(mushrooms.X["gill-size"] == "broad", "edible", "poisonous")
    >>> found = find_differences(mushrooms.X, first, second, y_true=mushrooms.y, max_terms=1)
    >>> print(found[0].conditions, found[0].who_is_right.n_first, found[0].who_is_right.n_second)
    spore-print-color = chocolate 1632 0
    """
    columns = read_columns(X, categorical_features=categorical_features)
    first, second, classes = code_together(pred_a, pred_b, ("pred_a", "pred_b"))
    check_length(first, len(columns[0]), "pred_a")
    _check_names(names)
    afterwards: frozenset[str] = frozenset()
    if include_predictions:
        extra = [
            Column(name_of(values, None, name), "nominal", codes, classes)
            for values, name, codes in zip((pred_a, pred_b), names, (first, second), strict=True)
        ]
        columns = add_columns(columns, extra)
        afterwards = frozenset(column.name for column in extra)
    miner = Stucco(
        alpha=alpha,
        min_support_difference=min_support_difference,
        max_terms=max_terms,
        correction=correction,
        bins=bins,
        missing_as_value=missing_as_value,
        summarise=summarise,
        n_permutations=n_permutations,
        n_jobs=n_jobs,
    )
    question = Question(columns, first == second, afterwards, Differences(*names))
    found = ask(
        question,
        as_engine(engine, miner),
        hold_back,
        as_generator(random_state),
        alpha,
        min_support_difference,
    )
    if y_true is None:
        return found
    right = [agreement(y_true, said)[0] for said in (pred_a, pred_b)]
    return replace(found, slices=_say_who(found.slices, question, right, names))


def _check_names(names: Any) -> None:
    if len(names) != 2 or names[0] == names[1] or not all(isinstance(name, str) for name in names):
        raise InputError("two different names", show(names))


def _say_who(
    slices: Sequence[Slice],
    question: Question,
    right: Sequence[NDArray[np.bool_]],
    names: tuple[str, str],
) -> tuple[Slice, ...]:
    """Count who is right where the models differ, over all cases of each slice."""
    differ = ~question.agree
    counts = []
    for one in slices:
        inside = holds(question.columns, one.terms) & differ
        counts.append(
            [int(np.count_nonzero(inside & hit)) for hit in right] + [int(np.count_nonzero(inside))]
        )
    tests = [binomtest(a, a + b).pvalue if a + b else 1.0 for a, b, _ in counts]
    told = []
    for one, (a, b, n), p_value in zip(slices, counts, holm(np.array(tests)), strict=True):
        who = WhoIsRight(n, a, b, n - a - b, float(p_value))
        told.append(replace(one, who_is_right=who, sentence=f"{one.sentence} {_say_right(who, names)}"))
    return tuple(told)


def _say_right(who: WhoIsRight, names: tuple[str, str]) -> str:
    if who.n_differ == 0:
        return "They never differ there."
    return (
        f"Where they differ there ({who.n_differ:,} cases), {names[0]} is right in {who.n_first:,}, {names[1]} in "
        f"{who.n_second:,} and neither in {who.n_neither:,} ({say_p(who.adjusted_p_value)} after correction)."
    )
