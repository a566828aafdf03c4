"""Where does a model err, and where do two models differ? The paper's MErr and MDiff."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypedDict, Unpack, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Term
from fivefold.data.cut_points import Bins
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.answers import as_answers
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.frames import Labels, check_length
from fivefold.inputs.groups import find_unnamed_groups, warn_of_groups
from fivefold.inputs.labels import (
    distinct,
    encode_together,
    encode_truth,
    read_answers,
    read_labels,
    refuse_strange_answers,
)
from fivefold.inputs.options import RandomState, as_generator, fraction, instance_of, yes_or_no
from fivefold.progress import shows_progress
from fivefold.slices import significance
from fivefold.slices.attributes import Attributes
from fivefold.slices.causes import GroupMeasure, Suspects, find_causes
from fivefold.slices.contrast_search import (
    Findings,
    ReadAttributes,
    SearchOptions,
    TooManyError,
    crowd,
    mine_rows,
    pack_rows,
    read_rows,
)
from fivefold.slices.dask_tables import GroupedRows, RowsOnWorkers
from fivefold.slices.items import (
    Conjunction,
    RowsInMemory,
    count_conjunctions,
    joined_columns,
    pack_conjunctions,
)
from fivefold.slices.sentences import judged_by_holm, tell_slices
from fivefold.slices.significance import Correction
from fivefold.slices.slice_set import Differences, Errors, Proven, SliceSet, Wording
from fivefold.slices.stucco import Stucco

PLUG_IN_SHARE = 0.5
# of more cases, bitsets are packed again where they are asked for once more
MOST_KEPT_PACKED = 1_000_000


class StuccoOptions(TypedDict, total=False):
    """The rarer options of `Stucco`, which `find_errors` and `find_differences` hand on."""

    test: str
    missing_as_value: bool
    min_surprise: float | None
    n_permutations: int
    categorical_features: CategoricalFeatures
    device: str


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


@shows_progress
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
    keep: Sequence[str] = (),
    include_target: bool = True,
    hold_back: float = 0.0,
    summary: str = "causes",
    correction: str = "auto",
    model: str = "The model",
    target: str | None = None,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    progress: bool | None = None,
    **options: Unpack[StuccoOptions],
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
        How columns of numbers and dates become intervals, as in `Stucco`. Of a column of numbers that is not
        named here, every two neighbouring quarters are also asked together.
    keep : sequence of str
        Columns to take as they are, though they look like identifiers or text: names, or patterns (``"id*"``).
    include_target : bool
        Whether the true class may describe a slice. Such slices cannot be used before the truth is known:
        ``.deployable()`` leaves them out.
    hold_back : float
        The share of the cases on which the slices are measured again after the search.
    summary : {"causes", "paper", "none"}
        What to show of all that was proven. ``"causes"``: the few slices because of which all the others deviate;
        ``.explained`` gives these. ``"paper"``: single conditions, and what a log-linear model of shorter shown
        slices does not explain. ``"none"``: everything.
    correction : {"auto", "layered", "westfall-young"}
        How the many tests are corrected for each other, as `Stucco` has it. ``"auto"``: by permutations where they
        take about two seconds at most; ``.tests`` says which it was.
    model : str
        The name of the model, for the sentences.
    target : str, optional
        The name of the true class in the slices; by default that of the column, or ``y_true``.
    groups : array-like or str, optional
        Which cases belong together, such as all of one customer: their outcomes are not independent, and without
        this the tests promise too much. A column, or the name of one, which is then no attribute. The layered test
        counts as many cases as the groups are worth, with Student's tails; permutations turn the signs of groups.
    n_jobs : int or None
        Threads; the result is the same for any number.
    random_state : int, Generator or None
        For permutations and for holding back.
    progress : bool, optional
        Whether to tell on standard error what is being done; by default on a terminal and in a notebook.
    **options
        Rarer options of `Stucco`: test, min_surprise, n_permutations, categorical_features and device; and
        missing_as_value=False, where a missing value shall not be a condition.

    Returns
    -------
    SliceSet
        Causes by the strength of their evidence; otherwise the largest effect first.

    References
    ----------
    S. D. Bay and M. J. Pazzani, "Characterizing model errors and differences", ICML 2000.

    Examples
    --------
    >>> import numpy as np
    >>> import fivefold as ff
    >>> mushrooms = ff.data.load("MU")
    >>> answers = np.where(mushrooms.X["odor"].is_in(["none", "almond", "anise"]), "edible", "poisonous")
    >>> slices = find_errors(mushrooms.X, mushrooms.y, answers, max_terms=1, include_target=False)
    >>> worst = slices.worse()[0]
    >>> print(worst.conditions, worst.n, worst.n_agree)
    spore-print-color = green 72 0
    """
    target = _label_name(y_true, target, "y_true") if yes_or_no(include_target, "include_target") else None
    miner = SearchOptions(
        alpha=alpha,
        min_support_difference=min_support_difference,
        max_terms=max_terms,
        bins=bins,
        keep=keep,
        summary=summary,
        n_jobs=n_jobs,
        random_state=as_generator(random_state),
        correction=correction,
        **options,
    )
    read = partial(_read_errors, target=target)
    rows = read_rows(read, X, (y_true, y_pred), options=miner, groups=groups, twins=False)
    afterwards = frozenset(() if target is None else (target,))
    wording = Errors(model, rows.one_class_each)
    return find_slices(rows, wording, miner, engine=engine, afterwards=afterwards, hold_back=hold_back)


@shows_progress
def find_differences(
    X: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    y_true: Any = None,
    include_predictions: bool = False,
    engine: str | Stucco | Engine = "stucco",
    alpha: float = 0.05,
    min_support_difference: float = 0.02,
    max_terms: int = 3,
    bins: Bins = None,
    keep: Sequence[str] = (),
    hold_back: float = 0.0,
    summary: str = "causes",
    correction: str = "auto",
    names: tuple[str, str] = ("Model A", "Model B"),
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    progress: bool | None = None,
    **options: Unpack[StuccoOptions],
) -> SliceSet:
    """Find the cases on which two models agree more or less often than average.

    The numbers are those of `find_errors`, with "the answers are the same" in place of "the answer is right".
    Two missing answers are the same.

    Parameters
    ----------
    X : dataframe or 2-D array-like
        The attributes of cases that no model was trained on; may be a Dask DataFrame.
    y_pred_a, y_pred_b : array-like, or str
        The answers of the two models: one class for each case, or none (None). Or names of columns of `X`.
    y_true : array-like or str, optional
        The classes. With them, each slice says who is right where the two differ.
    include_predictions : bool
        Whether the answers may stand in a slice. ``.deployable()`` leaves such slices out,
        ``.naming_afterwards()`` gives them alone.
    engine, alpha, min_support_difference, max_terms, bins, keep, hold_back, summary, correction
        As in `find_errors`.
    groups, n_jobs, random_state, progress
        As in `find_errors`.
    names : tuple of str
        The names of the models, for the sentences.
    **options
        As in `find_errors`.

    Returns
    -------
    SliceSet
        Ordered as in `find_errors`.

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
    >>> slices = find_differences(mushrooms.X, first, second, y_true=mushrooms.y, max_terms=1)
    >>> print(slices[0].conditions, slices[0].who_is_right.n_first, slices[0].who_is_right.n_second)
    spore-print-color = chocolate 1632 0
    """
    _check_names(names)
    answers: tuple[str, ...] = ()
    if yes_or_no(include_predictions, "include_predictions"):
        answers = _label_name(y_pred_a, None, names[0]), _label_name(y_pred_b, None, names[1])
    miner = SearchOptions(
        alpha=alpha,
        min_support_difference=min_support_difference,
        max_terms=max_terms,
        bins=bins,
        keep=keep,
        summary=summary,
        n_jobs=n_jobs,
        random_state=as_generator(random_state),
        correction=correction,
        **options,
    )
    labels = (y_pred_a, y_pred_b) if y_true is None else (y_pred_a, y_pred_b, y_true)
    read = partial(_read_differences, answers=answers)
    needed = 2 if len(labels) > 2 else 0
    rows = read_rows(read, X, labels, needed=needed, options=miner, groups=groups, twins=False)
    wording, afterwards = Differences(*names, judged=y_true is not None), frozenset(answers)
    return find_slices(rows, wording, miner, engine=engine, afterwards=afterwards, hold_back=hold_back)


def _check_names(names: Any) -> None:
    pair = names if isinstance(names, list | tuple) else ()
    if len(pair) != 2 or pair[0] == pair[1] or not all(isinstance(name, str) for name in pair):
        raise InputError("two different names", show(names))


def _label_name(values: Any, given: str | None, otherwise: str) -> str:
    """Give the name to use: the given one, or that of a named column, or another."""
    if given is not None:
        instance_of(given, (str,), "the name of the labels as a text")
        return given
    if isinstance(values, str):
        return values
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else otherwise


def _read_errors(
    X: Any, y_true: Any, y_pred: Any, *, target: str | None, read_attributes: ReadAttributes
) -> RowsInMemory:
    """Read wrong (0) and right (1) answers; the truth becomes an attribute `target`, unless that is None."""
    attributes = read_attributes(X)
    agree, truth, classes, one_class_each = _agreement(y_true, y_pred)
    check_length(agree, len(attributes.columns[0]), "y_true")
    extra = [] if target is None else [Column(target, "nominal", truth, classes)]
    return replace(grouped_rows(attributes, agree, extra), one_class_each=one_class_each)


def _agreement(y_true: Any, y_pred: Any) -> tuple[NDArray[np.bool_], NDArray[Any], tuple[Any, ...], bool]:
    """Say where the answer is the truth and nothing but it; give truth, classes, and whether each names one."""
    labels = read_labels(y_true, "y_true")
    given = read_answers(y_pred, labels)
    check_length(given, len(labels), "y_pred")
    if isinstance(given, Labels):
        (_, answers), classes = encode_together((labels, given), ("y_true", "y_pred"))
        refuse_strange_answers(distinct(labels, "y_true"), distinct(given, "y_pred"), "y_pred", "")
        truth = encode_truth(labels, np.array(classes, dtype=object))
        return truth == answers, truth, classes, bool((answers >= 0).all())
    truth, sets, universe = as_answers(labels, y_pred)
    alone = sets.sum(axis=1) == 1
    right = np.asarray(sets[np.arange(truth.size), truth] & alone)
    return right, truth, tuple(universe.tolist()), bool(alone.all())


def _read_differences(
    X: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    y_true: Any = None,
    *,
    answers: tuple[str, ...],
    read_attributes: ReadAttributes,
) -> RowsInMemory:
    """Read different (0) and same (1) answers; with two names in `answers` they become attributes."""
    attributes = read_attributes(X)
    (codes_a, codes_b), classes = encode_together((y_pred_a, y_pred_b), ("y_pred_a", "y_pred_b"))
    check_length(codes_b, len(codes_a), "y_pred_b")
    check_length(codes_a, len(attributes.columns[0]), "y_pred_a")
    extra = [
        Column(name, "nominal", codes, classes)
        for name, codes in zip(answers, (codes_a, codes_b), strict=False)
    ]
    models = () if y_true is None else (y_pred_a, y_pred_b)
    right = tuple(_agreement(y_true, y_pred)[0] for y_pred in models)
    return replace(grouped_rows(attributes, codes_a == codes_b, extra), right=right)


def grouped_rows(
    attributes: Attributes, agree: NDArray[np.bool_], extra: Sequence[Column] = ()
) -> RowsInMemory:
    """Put the attributes of rows beside whether they agree, and beside further columns."""
    rows = RowsInMemory(_add_columns(attributes.columns, extra), agree, repeated=attributes.repeated)
    return replace(rows, left_out=attributes.left_out, read_as=attributes.read_as)


def _add_columns(columns: Sequence[Column], extra: Sequence[Column]) -> tuple[Column, ...]:
    taken = {column.name for column in columns}
    for column in extra:
        if column.name in taken:
            raise InputError(
                f"another name for the column {show(column.name)} of labels",
                "an attribute of that name",
                "drop it from X, or rename the labels",
            )
        taken.add(column.name)
    return (*columns, *extra)


def find_slices(
    rows: GroupedRows,
    wording: Wording,
    miner: SearchOptions,
    *,
    engine: str | Stucco | Engine = "stucco",
    afterwards: frozenset[str] = frozenset(),
    hold_back: float = 0.0,
) -> SliceSet:
    """Find slices of rows that disagree (group 0) or agree (group 1).

    The miner corrects its own tests; the share `hold_back` of the rows, if any, serves to measure again. The
    proposals of another engine are tested on the rows held back, half of them if nothing else is said, at the
    levels of `miner`.
    """
    rng = as_generator(miner.random_state)
    chosen, share = _engine(engine, miner), fraction(hold_back, "hold_back")
    if share == 1.0:
        raise InputError("hold_back from 0 to below 1", show(hold_back))
    mining = isinstance(chosen, SearchOptions)
    if isinstance(chosen, SearchOptions) and not share:
        return _mine(rows, wording, afterwards, replace(chosen, random_state=rng))
    whole = _in_memory(rows, "hold_back" if mining else "an engine that proposes slices")
    order, n_held = _order_to_hold_back(whole, share or PLUG_IN_SHARE, rng)
    searched, held = whole.part(np.sort(order[n_held:])), whole.part(np.sort(order[:n_held]))
    if not isinstance(chosen, SearchOptions):
        return _test_proposals(chosen, searched, held, wording, afterwards, miner)
    slices = _mine(searched, wording, afterwards, replace(chosen, random_state=rng), held)
    many = "case was" if n_held == 1 else "cases were"
    note = f"{n_held:,} {many} held back to measure the slices again."
    return replace(slices, note=f"{note} {slices.note}".rstrip())


def _order_to_hold_back(
    rows: RowsInMemory, share: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], int]:
    """Put the rows in random order, and say how many to hold back; those that belong together stay together."""
    order = rng.permutation(rows.groups.size)
    n_held = round(share * order.size)
    if rows.belonging is None:
        if not 0 < n_held < order.size:
            got = f"{share:g}, which holds back {n_held:,} of {order.size:,} cases"
            raise InputError("hold_back that leaves a case to search and one to measure on", got)
        return order, n_held
    turns = rng.permutation(rows.belonging.n_groups)
    order = order[np.argsort(turns[rows.belonging.codes[order]], kind="stable")]
    ends = np.cumsum(rows.belonging.sizes[np.argsort(turns)])
    # a group at least is searched
    return order, int(ends[np.argmin(np.abs(ends[:-1] - n_held))])


def _engine(engine: object, miner: SearchOptions) -> SearchOptions | Engine:
    if isinstance(engine, SearchOptions | Engine):
        return engine
    word = engine if isinstance(engine, str) else ""
    if word == "stucco":
        return miner
    if word in ("c5", "discrimination"):
        from fivefold.slices.engines import C5Engine, DiscriminationEngine

        return C5Engine() if word == "c5" else DiscriminationEngine()
    raise InputTypeError(
        "engine to be 'stucco', 'c5', 'discrimination', a Stucco, or an object with propose(columns, agree)",
        f"{show(engine)} ({type(engine).__name__})",
    )


def _in_memory(rows: GroupedRows, what: str) -> RowsInMemory:
    if isinstance(rows, RowsOnWorkers):
        raise InputError(
            f"cases in memory for {what}",
            "a Dask DataFrame",
            "search a sample: X.sample(frac=0.01).compute(); or use engine='stucco' without hold_back",
        )
    return rows


def _mine(
    rows: GroupedRows,
    wording: Wording,
    afterwards: frozenset[str],
    miner: SearchOptions,
    held: RowsInMemory | None = None,
) -> SliceSet:
    if rows.sizes.min() == 0:
        return _nothing(rows, afterwards, wording, "layered", miner.alpha)
    cuts = rows.cut_points(miner.bins)
    joined = frozenset[str]() if miner.summary == "paper" else joined_columns(cuts, rows.schema, miner.bins)
    search = partial(mine_rows, cuts=cuts, afterwards=afterwards, joined=joined)
    shorter = ""
    try:
        findings = search(miner, rows)
    except TooManyError as problem:
        miner = replace(miner, max_terms=problem.max_terms)
        findings = search(miner, rows)
        shorter = f"Combinations of {problem.max_terms + 1} conditions were too many to be searched."
    correction = "westfall-young" if findings.n_permutations else "layered"
    tests = Correction(correction, miner.alpha, findings.n_tests, findings.alphas, findings.n_permutations)
    if isinstance(rows, RowsInMemory) and rows.groups.size > MOST_KEPT_PACKED:
        suspects = findings.suspects.let_go(partial(pack_rows, miner, rows, cuts, joined))
        findings = replace(findings, suspects=suspects)
    slices = _told(findings, rows, tests, wording, afterwards, miner.summary, held)
    where = f"Counted on {findings.counted_on}." if findings.counted_on else ""
    # with the same intervals: others would be other slices
    again = None if isinstance(rows, RowsOnWorkers) else partial(_find_again, rows, search, miner)
    n_groups = None if rows.belonging is None else rows.belonging.n_groups
    note = " ".join(filter(None, (slices.note, where, shorter)))
    slices = replace(slices, cuts=cuts, note=note, find_again=again, n_groups=n_groups)
    if isinstance(rows, RowsOnWorkers):
        # while the workers are there, who may be asked who is right
        _ = slices.slices
    return slices


def _told(
    findings: Findings,
    rows: GroupedRows,
    tests: Correction,
    wording: Wording,
    afterwards: frozenset[str],
    summary: str,
    held: RowsInMemory | None = None,
) -> SliceSet:
    n, agree = findings.counts.sum(axis=1), findings.counts[:, 1]
    average = rows.sizes[1] / rows.sizes.sum()
    effect = agree - n * average
    shown, explain = findings.shown, findings.suspects.explain if summary == "causes" else None
    if explain is None:
        shown = shown[np.argsort(-np.abs(effect[shown]), kind="stable")]
    tell = partial(tell_slices, findings, rows, tests, wording, held)
    told = agree / n - average, effect, shown, findings.because, np.arange(n.size), tell, explain
    return _slice_set(rows, afterwards, Proven(findings.conjunctions, *told), tests)


def about_groups(rows: GroupedRows, afterwards: frozenset[str] = frozenset(), outcomes: Any = None) -> str:
    """Say which groups the tests respect, and warn of a column that looks like others, as outcomes agree there."""
    respected = "" if rows.belonging is None else f"Tests and intervals respect {rows.belonging}."
    if isinstance(rows, RowsOnWorkers):
        return respected
    attributes = [c for c in (*rows.columns, *rows.repeated) if c.name not in afterwards and not c.is_part]
    agree = rows.groups if outcomes is None else outcomes
    return f"{respected} {warn_of_groups(find_unnamed_groups(attributes, agree, rows.belonging))}".strip()


def _find_again(
    rows: RowsInMemory, search: Callable[..., Findings], miner: SearchOptions, places: NDArray[np.intp]
) -> frozenset[frozenset[Term]]:
    """Search the rows at some places again; where rows belong together, the groups."""
    # the same permutations whenever the same rows are searched
    miner = replace(miner, random_state=np.random.default_rng(places))
    if rows.belonging is not None:
        places = np.flatnonzero(np.isin(rows.belonging.codes, places))
    part = rows.part(places)
    if part.sizes.min() == 0:
        return frozenset()
    findings = search(miner, part)
    return frozenset(frozenset(findings.conjunctions[place]) for place in findings.shown)


def _test_proposals(
    engine: Engine,
    searched: RowsInMemory,
    held: RowsInMemory,
    wording: Wording,
    afterwards: frozenset[str],
    miner: SearchOptions,
) -> SliceSet:
    alpha, sizes = miner.alpha, held.sizes
    if sizes.min() == 0 or searched.sizes.min() == 0:
        return _nothing(held, afterwards, wording, "holm", alpha)
    proposed = _checked(engine.propose(searched.columns, searched.groups))
    if not proposed:
        return _slice_set(held, afterwards, None, Correction("holm", alpha, (), ()))
    findings, tests = _test_held(held, proposed, miner, afterwards)
    slices = _told(findings, held, tests, wording, afterwards, miner.summary)
    named = type(engine).__str__ is not object.__str__
    name = str(engine) if named else type(engine).__name__
    note = f"Proposed on {searched.groups.size:,} other cases by {name}, tested on these."
    return replace(slices, note=f"{note} {slices.note}".rstrip())


def _test_held(
    held: RowsInMemory, proposed: list[Conjunction], miner: SearchOptions, afterwards: frozenset[str]
) -> tuple[Findings, Correction]:
    """Test what was proposed, by Holm's method, on rows that the proposals do not know."""
    alpha, sizes = miner.alpha, held.sizes
    counts = count_conjunctions(held.columns, held.groups, proposed)
    statistic, p_value, adjusted, crowding = judged_by_holm(held, proposed, counts)
    large = significance.support_difference(counts, sizes) >= miner.min_support_difference
    passed = np.flatnonzero((adjusted <= alpha) & large & ~significance.untestable(counts.sum(axis=1), sizes))
    tests = Correction("holm", alpha, (len(proposed),), (alpha / len(proposed),))
    conjunctions = [proposed[place] for place in passed]
    late = [any(term.column in afterwards for term in terms) for terms in conjunctions]
    suspects = Suspects(
        pack_conjunctions(held, conjunctions).cells(),
        GroupMeasure(sizes),
        np.arange(passed.size, dtype=np.int32)[:, None],
        counts[passed, None],
        np.full(passed.size, tests.alphas[0]),
        np.log(2.0) * np.array([len(terms) for terms in conjunctions], dtype=np.float64),
        miner.min_support_difference,
        crowding[passed],
        np.array(late, dtype=bool),
    )
    shown, because = np.arange(passed.size), np.full(passed.size, -1)
    if miner.summary == "causes":
        shown, because = find_causes(suspects)
    tested: list[Any] = [each[passed] for each in (counts, statistic, p_value, adjusted)]
    how: tuple[Any, ...] = suspects.levels, tests.n_tests, tests.alphas, suspects, shown, because
    findings = Findings(conjunctions, *tested, *how)
    if held.clusters is not None:
        findings = crowd(findings, held.clusters, crowding[passed], sizes)
    return findings, tests


def _checked(proposals: Iterable[Sequence[Term]]) -> list[Conjunction]:
    """Keep each conjunction once; complain about anything else."""
    conjunctions = [tuple(proposal) for proposal in proposals]
    for conjunction in conjunctions:
        if not conjunction or not all(isinstance(term, Term) for term in conjunction):
            raise InputError("the engine to propose sequences of terms", show(conjunction))
    return list({frozenset(conjunction): conjunction for conjunction in conjunctions}.values())


def _nothing(
    rows: GroupedRows, afterwards: frozenset[str], wording: Wording, correction: str, alpha: float
) -> SliceSet:
    many = "every" if rows.sizes[1] else "no"
    empty = _slice_set(rows, afterwards, None, Correction(correction, alpha, (), ()))
    note = f"{wording.agrees.capitalize()} on {many} case, so there is nothing to tell apart."
    return replace(empty, note=note)


def _slice_set(
    rows: GroupedRows, afterwards: frozenset[str], proven: Proven | None, tests: Correction
) -> SliceSet:
    total, agree = int(rows.sizes.sum()), int(rows.sizes[1])
    note = about_groups(rows, afterwards)
    found = SliceSet(total, agree, float(agree / total), tests, rows.schema, afterwards, note, proven=proven)
    return replace(found, left_out=rows.left_out, read_as=rows.read_as)
