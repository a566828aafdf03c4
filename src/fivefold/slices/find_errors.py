"""Where does a model err? The paper's MErr."""

from __future__ import annotations

from functools import partial
from typing import Any

from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.options import RandomState, as_generator, yes_or_no
from fivefold.slices.asking import Question, ask
from fivefold.slices.bins import Bins
from fivefold.slices.engines import Engine, as_engine
from fivefold.slices.extra_columns import label_name
from fivefold.slices.reading import read_errors
from fivefold.slices.slice_set import SliceSet
from fivefold.slices.spread.opening import read_cases
from fivefold.slices.stucco import Stucco
from fivefold.slices.wording import Errors


def find_errors(
    X: Any,
    y_true: Any,
    y_pred: Any,
    *,
    engine: str | Stucco | Engine = "stucco",
    alpha: float = 0.05,
    min_support_difference: float = 0.02,
    max_terms: int = 3,
    bins: Bins = None,
    include_target: bool = True,
    correction: str = "layered",
    missing_as_value: bool = False,
    summarise: bool = True,
    hold_back: float = 0.0,
    n_permutations: int = 999,
    model: str = "The model",
    target: str | None = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> SliceSet:
    r"""Find the cases on which a model is more or less accurate than average, and say them in words.

    A case agrees if its answer is right. A slice with n cases, a of them right, is reported if the share of
    all right answers that lie in it differs from the share of all wrong ones by at least
    `min_support_difference`, and if that survives a correction for all the slices that were looked at. With
    A of T answers right, its difference is :math:`a/n - A/T` and its effect size :math:`a - nA/T`.

    Parameters
    ----------
    X : dataframe or 2-D array-like
        The attributes of cases that the model was *not* trained on. May be a Dask DataFrame, whose partitions then
        count their own cases; the result is the same.
    y_true : array-like, or str
        Their classes; or the name of a column of `X`, which is then no attribute.
    y_pred : array-like, or str
        The answers; none (None) or several at once are not right. Or the name of a column of `X`.
    engine : "stucco", "c5", "discrimination", Stucco or Engine
        Who proposes the slices. A `Stucco` keeps its own options; the proposals of any other engine (the rules of
        C5.0, parsimonious discrimination, one of your own) are tested on cases that it has not seen.
    alpha : float
        The chance of any false slice at all in data without a pattern.
    min_support_difference : float
        The least difference that matters.
    max_terms : int
        The most conditions in a slice.
    bins : int, "quantile", "mdlp", mapping or None
        How numeric columns become intervals, as in `Stucco`.
    include_target : bool
        Whether the true class may stand in a slice. Such slices cannot be told before the truth is known:
        ``.deployable()`` leaves them out.
    correction : {"layered", "westfall-young"}
        As in `Stucco`.
    missing_as_value : bool
        Whether "is missing" is a condition.
    summarise : bool
        Whether to leave out slices that shorter ones explain.
    hold_back : float
        The share of the cases on which the slices are measured again after the search.
    n_permutations : int
        For ``"westfall-young"``.
    model : str
        The name of the model, for the sentences.
    target : str, optional
        The name of the true class in the slices; by default that of the column, or ``y_true``.
    categorical_features : "from_dtype", array-like or None
        Which columns of X are nominal.
    n_jobs : int or None
        Threads; the result is the same for any number.
    random_state : int, Generator or None
        For permutations and for holding back.

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
    >>> answers = np.where(mushrooms.X["odor"].is_in(["none", "almond", "anise"]), "edible", "poisonous")
    >>> found = find_errors(mushrooms.X, mushrooms.y, answers, max_terms=1, include_target=False)
    >>> worst = found.worse()[0]
    >>> print(worst.conditions, worst.n, worst.n_agree)
    stalk-shape = enlarging 3516 3396
    """
    extra = label_name(y_true, target, "y_true") if yes_or_no(include_target, "include_target") else None
    read = partial(read_errors, target=extra)
    cases = read_cases(read, X, (y_true, y_pred), categorical_features=categorical_features)
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
    question = Question(cases, frozenset(() if extra is None else (extra,)), Errors(model))
    return ask(
        question,
        as_engine(engine, miner),
        hold_back,
        as_generator(random_state),
        alpha,
        min_support_difference,
    )
