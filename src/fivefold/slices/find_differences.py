"""Where do two models differ? The paper's MDiff."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import binomtest

from fivefold.errors import InputError, show
from fivefold.formulas import holm
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.options import RandomState, as_generator
from fivefold.results.wording import say_p
from fivefold.slices.asking import Question, ask
from fivefold.slices.bins import Bins
from fivefold.slices.cases import Cases
from fivefold.slices.engines import Engine, as_engine
from fivefold.slices.extra_columns import label_name
from fivefold.slices.reading import read_differences
from fivefold.slices.slice import WhoIsRight
from fivefold.slices.slice_set import SliceSet
from fivefold.slices.spread.opening import read_cases
from fivefold.slices.stucco import Stucco
from fivefold.slices.wording import Differences


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
        The attributes of cases that no model was trained on; may be a Dask DataFrame.
    pred_a, pred_b : array-like, or str
        The answers of the two models: one class for each case, or none (None). Or names of columns of `X`.
    y_true : array-like or str, optional
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
    _check_names(names)
    extra: tuple[str, ...] = ()
    if include_predictions:
        extra = label_name(pred_a, None, names[0]), label_name(pred_b, None, names[1])
    labels = (pred_a, pred_b) if y_true is None else (pred_a, pred_b, y_true)
    read = partial(read_differences, answers=extra)
    cases = read_cases(read, X, labels, needed=2, categorical_features=categorical_features)
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
    question = Question(cases, frozenset(extra), Differences(*names))
    found = ask(
        question,
        as_engine(engine, miner),
        hold_back,
        as_generator(random_state),
        alpha,
        min_support_difference,
    )
    return found if y_true is None else say_who(found, cases, names)


def _check_names(names: Any) -> None:
    given = names if isinstance(names, list | tuple) else ()
    if len(given) != 2 or given[0] == given[1] or not all(isinstance(name, str) for name in given):
        raise InputError("two different names", show(names))


def say_who(found: SliceSet, cases: Cases, names: tuple[str, str]) -> SliceSet:
    """Count who is right where the models differ, over all cases of each slice."""
    slices = found.slices
    if not slices:
        return found
    counts = cases.count_right([one.terms for one in slices]).tolist()
    tests = [binomtest(a, a + b).pvalue if a + b else 1.0 for a, b, _ in counts]
    told = []
    for one, (a, b, n), p_value in zip(slices, counts, holm(np.array(tests)), strict=True):
        who = WhoIsRight(n, a, b, n - a - b, float(p_value))
        told.append(replace(one, who_is_right=who, sentence=f"{one.sentence} {_say_right(who, names)}"))
    return replace(found, slices=tuple(told))


def _say_right(who: WhoIsRight, names: tuple[str, str]) -> str:
    if who.n_differ == 0:
        return "They never differ there."
    return (
        f"Where they differ there ({who.n_differ:,} cases), {names[0]} is right in {who.n_first:,}, {names[1]} in "
        f"{who.n_second:,} and neither in {who.n_neither:,} ({say_p(who.adjusted_p_value)} after correction)."
    )
