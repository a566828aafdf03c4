"""Where does a model err, and where do two models differ? The paper's MErr and MDiff."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from fivefold.data.conditions import Term
from fivefold.errors import InputError, InputTypeError, show
from fivefold.formulas import holm
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import RandomState, as_generator, yes_or_no
from fivefold.results import say_p
from fivefold.slices import significance
from fivefold.slices.items import Bins, GroupedRows, RowsInMemory
from fivefold.slices.measuring import Measured, count_conjunctions, make_slices, measure_again, tested_by_holm
from fivefold.slices.slice_set import Correction, Slice, SliceSet, WhoIsRight
from fivefold.slices.stucco import Stucco, label_name, read_differences, read_errors, read_rows
from fivefold.slices.wording import Differences, Errors, Wording


@runtime_checkable
class Engine(Protocol):
    """What an engine of one's own must do.

    It need not test anything: it sees one part of the cases, and what it proposes is tested on the other part,
    with Holm's correction for the number of proposals. So its findings are as honest as the miner's.
    """

    def propose(self, columns: Sequence[Column], agree: NDArray[np.bool_]) -> Iterable[Sequence[Term]]:
        """Propose conjunctions, each a sequence of terms from `fivefold.data.conditions`.

        Parameters
        ----------
        columns : sequence of Column
            The attributes of the cases, as `fivefold.inputs.columns.read_columns` gives them.
        agree : ndarray of bool
            Whether the answer agrees, for each case.
        """
        ...


def as_engine(engine: object, stucco: Stucco) -> Stucco | Engine:
    """Give an engine by its name, or as it is; `stucco` is the one that the other options describe."""
    if isinstance(engine, Stucco | Engine):
        return engine
    if engine == "stucco":
        return stucco
    if engine in ("c5", "discrimination"):
        from fivefold.slices.learner_engines import C5Engine, DiscriminationEngine

        return C5Engine() if engine == "c5" else DiscriminationEngine()
    raise InputTypeError(
        "engine to be 'stucco', 'c5', 'discrimination', a Stucco, or an object with propose(columns, agree)",
        f"{show(engine)} ({type(engine).__name__})",
    )


PLUG_IN_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class Question:
    """Cases that disagree (group 0) or agree (1), and how to say what is found."""

    cases: GroupedRows
    afterwards: frozenset[str]
    wording: Wording

    def held(self, what: str) -> RowsInMemory:
        """Give the cases themselves, for what cannot be done from counts alone."""
        if not isinstance(self.cases, RowsInMemory):
            raise InputError(
                f"cases in memory for {what}",
                "a Dask DataFrame",
                "search a sample: X.sample(frac=0.01).compute(); or use engine='stucco' without hold_back",
            )
        return self.cases

    def part(self, rows: NDArray[Any], what: str) -> Question:
        """Ask the same of some of the cases."""
        return replace(self, cases=self.held(what).part(rows))


def ask(
    question: Question,
    engine: Stucco | Engine,
    hold_back: float,
    rng: np.random.Generator,
    alpha: float,
    delta: float,
) -> SliceSet:
    """Find slices by an engine.

    The miner corrects its own tests; the share `hold_back` of the cases, if any, serves to measure again. The
    proposals of another engine are tested on the cases held back, half of them if nothing else is said.
    """
    mining = isinstance(engine, Stucco)
    share = hold_back if mining or hold_back > 0 else PLUG_IN_SHARE
    if not 0.0 <= share < 1.0:
        raise InputError("hold_back from 0 to below 1", show(hold_back))
    if not share:
        assert isinstance(engine, Stucco)
        return _mine(question, replace(engine, random_state=rng))
    what = "hold_back" if mining else "an engine that proposes slices"
    rows = rng.permutation(question.held(what).groups.size)
    n_held = round(share * rows.size)
    searched, held = (question.part(np.sort(some), what) for some in (rows[n_held:], rows[:n_held]))
    if not isinstance(engine, Stucco):
        return _test_proposals(engine, searched, held, alpha, delta)
    found = _mine(searched, replace(engine, random_state=rng))
    kept = held.held(what)
    again = measure_again(found.slices, kept.columns, kept.groups, engine.alpha, question.wording)
    return replace(found, slices=again, note=f"{n_held:,} cases were held back to measure the slices again.")


def _mine(question: Question, miner: Stucco) -> SliceSet:
    cases = question.cases
    if cases.sizes.min() == 0:
        return _nothing(question, miner.correction, miner.alpha)
    # samples are later searched with the same intervals: other intervals would be other slices
    miner = miner.with_cuts(cases)
    items, found = miner.mine_cases(cases)
    shown = np.flatnonzero(found.shown)
    measured = Measured(
        [tuple(items.terms[i] for i in found.sets[place]) for place in shown],
        found.counts[shown],
        found.statistic[shown],
        found.p_value[shown],
        found.adjusted_p_value[shown],
        found.level[shown],
    )
    permutations = miner.n_permutations if miner.correction == "westfall-young" else 0
    tests = Correction(miner.correction, miner.alpha, found.n_tests, found.alphas, permutations)
    slices = make_slices(measured, items.sizes, question.wording, miner.alpha, tests.total)
    find_again = _FindAgain(cases, miner) if isinstance(cases, RowsInMemory) else None
    return _slice_set(question, slices, tests, find_again)


@dataclass(frozen=True, eq=False)
class _FindAgain:
    """Search some of the cases again with the same miner."""

    cases: RowsInMemory
    miner: Stucco

    def __call__(self, rows: NDArray[np.intp]) -> frozenset[frozenset[Term]]:
        part = self.cases.part(rows)
        if part.sizes.min() == 0:
            return frozenset()
        items, found = self.miner.mine_cases(part)
        return frozenset(
            frozenset(items.terms[i] for i in found.sets[place]) for place in np.flatnonzero(found.shown)
        )


def _test_proposals(
    engine: Engine, searched: Question, held: Question, alpha: float, delta: float
) -> SliceSet:
    sizes = held.cases.sizes
    if sizes.min() == 0 or searched.cases.sizes.min() == 0:
        return _nothing(held, "holm", alpha)
    seen, kept = searched.held("proposals"), held.held("proposals")
    proposed = _checked(engine.propose(seen.columns, seen.groups))
    if not proposed:
        return _slice_set(held, (), Correction("holm", alpha, (), ()), None)
    counts = count_conjunctions(kept.columns, kept.groups, proposed)
    statistic, p_value, adjusted = tested_by_holm(counts, sizes)
    level = np.full(len(proposed), alpha / len(proposed))
    found = (adjusted <= alpha) & (significance.support_difference(counts, sizes) >= delta)
    places = np.flatnonzero(found & ~significance.untestable(counts.sum(axis=1), sizes))
    measured = Measured(
        [proposed[place] for place in places],
        counts[places],
        statistic[places],
        p_value[places],
        adjusted[places],
        level[places],
    )
    tests = Correction("holm", alpha, (len(proposed),), (alpha / len(proposed),))
    slices = make_slices(measured, sizes, held.wording, alpha, tests.total)
    note = f"Proposed on {seen.groups.size:,} other cases by {_name(engine)}, tested on these."
    return replace(_slice_set(held, slices, tests, None), note=note)


def _name(engine: Engine) -> str:
    return str(engine) if type(engine).__str__ is not object.__str__ else type(engine).__name__


def _checked(proposals: Any) -> list[tuple[Term, ...]]:
    """Keep each conjunction once; complain about anything else."""
    conjunctions = [tuple(proposal) for proposal in proposals]
    for conjunction in conjunctions:
        if not conjunction or not all(isinstance(term, Term) for term in conjunction):
            raise InputError("the engine to propose sequences of terms", show(conjunction))
    return list({frozenset(conjunction): conjunction for conjunction in conjunctions}.values())


def _nothing(question: Question, correction: str, alpha: float) -> SliceSet:
    what = "All cases agree" if question.cases.sizes[0] == 0 else "No case agrees"
    return replace(
        _slice_set(question, (), Correction(correction, alpha, (), ()), None),
        note=f"{what}, so there is nothing to tell apart.",
    )


def _slice_set(
    question: Question, slices: Sequence[Slice], tests: Correction, find_again: _FindAgain | None
) -> SliceSet:
    sizes = question.cases.sizes
    return SliceSet(
        tuple(slices),
        int(sizes.sum()),
        int(sizes[1]),
        float(sizes[1] / sizes.sum()),
        tests,
        question.cases.schema,
        question.afterwards,
        find_again=find_again,
    )


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
    cases = read_rows(read, X, (y_true, y_pred), categorical_features=categorical_features)
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
    cases = read_rows(read, X, labels, needed=2, categorical_features=categorical_features)
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


def say_who(found: SliceSet, cases: GroupedRows, names: tuple[str, str]) -> SliceSet:
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
