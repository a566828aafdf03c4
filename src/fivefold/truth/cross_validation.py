"""Cross-validation, its interval by nested cross-validation, by size of the training set, and the hold-out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fivefold.errors import InputError
from fivefold.formulas import binomial_limits, worth
from fivefold.inputs.groups import Groups
from fivefold.inputs.options import RandomState, as_generator, one_of, open_fraction, positive_int, yes_or_no
from fivefold.results import LOWER, Result, declared
from fivefold.training.fit_predict import Codes, check_fits_and_predicts, read_labelled_table
from fivefold.training.splits import (
    FoldSplits,
    GivenSplits,
    Rows,
    check_folds,
    deal,
    deal_whole,
    draw,
    draw_groups,
    n_test_rows,
    read_splits,
)
from fivefold.truth.error_estimate import ErrorEstimate, Floats, Interval, error_limits
from fivefold.truth.refits import ERROR, RefitAnswers, Refits

# a training set is halved so often
HALVINGS = 3
FEWEST_CASES = 10
NO_INTERVAL = (
    "This is one data set: trained on another sample of the same size, the learner may err much more or less, and "
    'the spread of the folds does not show it. For an interval use method="cv" with interval="nested-cv".'
)
ONE_SPLIT = "Another random split would give another number; the interval holds for this one fitted model."
OF_THIS_RULE = "it says nothing about models trained on other samples"
NESTED = (
    "holds for the error of the model trained on these cases, and roughly for the mean over samples of this size; "
    "folds share training cases, so these count only for as many independent ones as nested cross-validation "
    "(Bates, Hastie and Tibshirani) finds; of exact binomial and normal limits, the wider are given, around the "
    "error that a curve of two sizes of training sets leads to and the one measured after nearly all cases"
)
# nearly all cases: so many times as many folds
FINER = 10


def holdout(
    refits: Refits, *, test_size: float | int = 1 / 3, stratify: bool = True, confidence: float = 0.95
) -> ErrorEstimate:
    """Give the measure on the rows that were held out."""
    yes_or_no(stratify, "stratify")
    open_fraction(confidence, "confidence")
    split = one_split(refits, test_size, stratify=stratify)
    answers, test = refits.run(split), split.test(0)
    interval = None
    if refits.measure.kind == "error":
        groups = refits.table.groups and refits.table.groups.part(test)
        interval = binomial_interval(answers.answers[0] != refits.table.codes[test], confidence, groups)
    return answers.estimate(
        float(answers.scores()[0]),
        "holdout",
        f"{test.size} of {len(refits.table)} cases held out",
        interval=interval,
        warnings=(ONE_SPLIT, *answers.warnings()),
    )


def one_split(refits: Refits, test_size: float | int, *, stratify: bool) -> GivenSplits:
    """Draw the rows to be held out: a share or a number of them."""
    n = len(refits.table)
    n_test = n_test_rows(test_size, n)
    y, groups = refits.table.codes if stratify else None, refits.table.groups
    test = draw(n, n_test, refits.rng, y) if groups is None else draw_groups(groups, n_test, refits.rng, y)
    return GivenSplits(n, [(np.setdiff1d(np.arange(n), test), test)])


def binomial_interval(wrong: NDArray[np.bool_], confidence: float, groups: Groups | None = None) -> Interval:
    """Give Clopper and Pearson's exact interval for the error of one fitted rule."""
    n_wrong, n = int(np.count_nonzero(wrong)), wrong.size
    cases, error = float(n), n_wrong / n
    why = (
        f"the {n} test cases had no part in learning, so their answers by this one fitted model are independent "
        f"trials, {n_wrong} of them wrong"
    )
    if groups is not None:
        cases = worth(wrong, groups, confidence)
        why = f"the {n} test cases are of {groups}, worth {cases:.0f} independent ones"
    ends = binomial_limits(error * cases, cases, confidence)
    return Interval(*ends, confidence, "binomial", f"{why}; {OF_THIS_RULE}", error, cases)


def leave_one_out(refits: Refits) -> ErrorEstimate:
    """Leave out one row at a time."""
    groups = refits.table.groups
    parts = np.arange(len(refits.table)) if groups is None else groups.codes
    n, words = int(parts.max()) + 1, "leave-one-out" if groups is None else "leave-one-group-out"
    answers = refits.run(FoldSplits(parts, [(part,) for part in range(n)]))
    return _estimate(answers, [range(n)], "loo", words, [NO_INTERVAL, *answers.warnings()])


def cross_validation(
    refits: Refits,
    *,
    n_splits: int = 10,
    n_repeats: int = 1,
    stratify: bool = True,
    cv: Any = None,
    interval: str | None = None,
    nested_repeats: int = 50,
    confidence: float = 0.95,
) -> ErrorEstimate:
    """Leave out one fold at a time, in one or several deals."""
    check_fold_options(n_splits, n_repeats, stratify)
    positive_int(nested_repeats, "nested_repeats")
    open_fraction(confidence, "confidence")
    _check_interval(interval, cv, n_repeats, refits)
    if cv is not None:
        labels = refits.table.classes[refits.table.codes]
        answers = refits.run(read_splits(cv, labels, refits.table.groups, refits.rng))
        n = len(answers.splits)
        return _estimate(answers, [range(n)], "cv", f"{n} given splits", [NO_INTERVAL, *answers.warnings()])
    answers = refits.run(repeated_folds(refits, n_splits, n_repeats, stratify=stratify))
    deals = [range(start, start + n_splits) for start in range(0, n_splits * n_repeats, n_splits)]
    times = f", {n_repeats} times" if n_repeats > 1 else ""
    whole = "" if refits.table.groups is None else f" of {refits.table.groups}"
    words = f"{'stratified ' if stratify else ''}{n_splits}-fold cross-validation{times}{whole}"
    warnings = [*_about_small_folds(refits, n_splits), *answers.warnings()]
    if interval is None:
        return _estimate(answers, deals, "cv", words, [NO_INTERVAL, *warnings])
    limits = nested_interval(refits, n_splits, nested_repeats, confidence, stratify=stratify)
    return _estimate(answers, deals, "cv", words, warnings, interval=limits)


def repeated_folds(refits: Refits, n_splits: int, n_repeats: int, *, stratify: bool) -> FoldSplits:
    """Deal the rows as often as there are repetitions."""
    table, n = refits.table, len(refits.table)
    check_folds(n_splits, n)
    y = table.codes if stratify else None
    deals = [deal_whole(table.groups, n, n_splits, refits.rng, y) for _ in range(n_repeats)]
    return FoldSplits(np.array(deals), [(fold,) for fold in range(n_splits)])


def check_fold_options(n_splits: int, n_repeats: int, stratify: bool) -> None:
    """Check how folds are asked for."""
    positive_int(n_splits, "n_splits", least=2)
    positive_int(n_repeats, "n_repeats")
    yes_or_no(stratify, "stratify")


def _check_interval(interval: str | None, cv: Any, n_repeats: int, refits: Refits) -> None:
    if interval is not None:
        one_of(interval, ("nested-cv",), "interval, if not None,")
    if cv is not None and (n_repeats > 1 or interval is not None):
        raise InputError("cv alone", "cv with n_repeats or interval", "these draw random folds of their own")
    if interval is not None and refits.measure.kind != "error":
        raise InputError(
            'metric="error" with interval="nested-cv"',
            f'metric="{refits.measure.name}"',
            "leave interval out",
        )


def _about_small_folds(refits: Refits, n_splits: int) -> list[str]:
    """Say that some folds have no row of a class."""
    rarest = int(np.bincount(refits.table.codes).min())
    if rarest >= n_splits:
        return []
    return [
        f"The rarest class has {rarest} case{'s' if rarest != 1 else ''} for {n_splits} folds: some folds cannot "
        "show whether it is recognised."
    ]


def _estimate(
    answers: RefitAnswers, deals: Sequence[range], method: str, words: str, warnings: list[str], **more: Any
) -> ErrorEstimate:
    """Average over deals; a metric of all answers together has one score for each deal."""
    means = np.array([answers.together(places) for places in deals])
    which, tested = np.arange(len(deals)), answers.n_tested()
    if answers.measure.kind in ("error", "scorer"):
        scores = answers.scores()
        which = np.repeat(which, [len(places) for places in deals])
        more["sd_folds"] = _spread_within(scores, deals)
    else:
        scores = means
        tested = np.array([tested[places.start : places.stop].sum() for places in deals], dtype=np.int64)
    sd = float(means.std(ddof=1)) if len(means) > 1 else None
    return answers.estimate(
        float(means.mean()),
        method,
        words,
        scores=scores,
        n_tested=tested,
        repetition=which,
        sd_repetitions=sd,
        standard_error=None if sd is None else sd / float(np.sqrt(len(means))),
        warnings=tuple(warnings),
        **more,
    )


def _spread_within(scores: Floats, deals: Sequence[range]) -> float | None:
    """Give the standard deviation of folds around the mean of their own deal."""
    groups = [scores[places.start : places.stop] for places in deals]
    freedom = sum(len(group) - 1 for group in groups)
    if freedom == 0:
        return None
    return float(np.sqrt(sum(((group - group.mean()) ** 2).sum() for group in groups) / freedom))


def nested_interval(
    refits: Refits, n_splits: int, n_repeats: int, confidence: float, *, stratify: bool = True
) -> Interval:
    """Make the interval from several deals, in which each fold and each pair of folds is left out in turn.

    Their training sets lead to the error after all cases if it goes on as it went. It need not: linear rules err
    most where there are as many training cases as columns. So it is also measured after nearly all cases.
    """
    groups, codes = refits.table.groups, refits.table.codes
    n, what = (len(refits.table), "cases") if groups is None else (groups.n_groups, "groups")
    if n_splits < 3 or n // n_splits < 2:
        raise InputError(
            f"at least 3 folds, and twice as many {what} as folds",
            f"{n_splits} folds of {n} {what}",
            'interval="nested-cv" leaves out two folds at a time',
        )
    # a fold with more of a class than its share leaves less of it to learn from, and looks harder than it is
    y = codes if stratify and groups is None else None
    parts = np.array([_deal_evenly(n, n_splits, refits.rng, y) for _ in range(n_repeats)])
    if groups is not None:
        parts = parts[:, groups.codes]
    left_out = [(fold,) for fold in range(n_splits)] + [*combinations(range(n_splits), 2)]
    wrong = _wrong_beside(refits.run(FoldSplits(parts, left_out)), parts, left_out)
    if groups is None:
        ahead, n_effective = nested_error(*_by_fold(wrong, parts, codes), n)
    else:
        ahead, n_effective = nested_error_of_groups(wrong, parts, groups, confidence)
    measured = _error_after_nearly_all(refits, n_splits, stratify=stratify)
    found = (ahead + measured) / 2, n_effective, abs(ahead - measured) / 2
    return Interval(*error_limits(*found, confidence), confidence, "nested-cv", NESTED, *found)


def _error_after_nearly_all(refits: Refits, n_splits: int, *, stratify: bool) -> float:
    """Measure the error with small folds left out, of as many cases as classes or more.

    Where two classes are as frequent, single cases left out make the other class the more frequent one each time.
    """
    table = refits.table
    most = len(table) // table.classes.size if table.groups is None else table.groups.n_groups
    n_folds = min(max(most, 2 * n_splits), FINER * n_splits)
    answers = refits.run(repeated_folds(refits, n_folds, 1, stratify=stratify))
    return answers.together(range(n_folds))


def _deal_evenly(n_rows: int, n_splits: int, rng: np.random.Generator, y: Codes | None) -> Rows:
    """Deal folds of equal size; what is left over, in fold -1, always teaches."""
    parts = np.full(n_rows, -1, dtype=np.int64)
    dealt = rng.permutation(n_rows)[: n_rows // n_splits * n_splits]
    parts[dealt] = deal(rng.permutation(dealt.size), n_splits, None if y is None else y[dealt])
    return parts


def _wrong_beside(answers: RefitAnswers, parts: Rows, left_out: Sequence[tuple[int, ...]]) -> Floats:
    """Give the errors of all rows in each deal with each fold left out beside their own, or their own alone."""
    wrong = np.zeros((len(parts), int(parts.max()) + 1, parts.shape[1]))
    for place, labels in enumerate(answers.answers):
        number, turn = divmod(place, len(left_out))
        rows, folds = answers.splits.test(place), left_out[turn]
        for fold, beside in zip(folds, reversed(folds), strict=True):
            own = parts[number, rows] == fold
            wrong[number, beside, rows[own]] = (labels != answers.table.codes[rows])[own]
    return wrong


def _by_fold(wrong: Floats, parts: Rows, codes: Codes) -> tuple[Floats, Floats, Codes]:
    """Give the m errors of each fold alone, (n_deals, K, m), beside another, (n_deals, K, K, m), and classes."""
    k = wrong.shape[1]
    deals, folds = np.arange(len(parts))[:, None, None], np.arange(k)[:, None]
    rows = np.array([[np.flatnonzero(dealt == fold) for fold in range(k)] for dealt in parts])
    return wrong[deals, folds, rows], wrong[deals[..., None], folds, rows[:, :, None]], codes[rows]


def nested_error(alone: Floats, paired: Floats, classes: Codes, n_rows: int) -> tuple[float, float]:
    """Compute the error after all rows from the errors of all deals, and how many independent rows it is worth.

    Folds have the same shares of the classes, and other samples have not: errors count around the mean of their
    class, and the variance of these means is added.
    """
    k, m = alone.shape[1:]
    off = ~np.eye(k, dtype=np.bool_)
    nested, asked = paired[:, off], np.broadcast_to(classes[:, :, None], paired.shape)[:, off].ravel()
    centre, plain, variance = float(nested.mean()), float(alone.mean()), float(nested.var(ddof=1))
    times = np.bincount(asked)
    means = np.bincount(asked, nested.ravel()) / np.maximum(times, 1)
    between = float(times @ (means - centre) ** 2) / asked.size
    # the mean squared error of cross-validation in the other folds as an estimate for each fold
    outer, beside = alone - means[classes], paired - means[classes][:, :, None]
    inner = beside.mean(axis=(1, 3), where=off[:, :, None])
    mse = float(np.mean((inner - outer.mean(axis=2)) ** 2 - outer.var(axis=2, ddof=1) / m))
    # folds leave n (k - 1) / k rows for the cross-validation whose error was measured.
    # The authors allow k at most, but rules that are right in one sample and far off in the next are worth less.
    inflation = (mse * n_rows * (k - 1) / k + between) / variance if variance > 0 else 1.0
    return _after_all_cases(centre, plain, k), n_rows / float(np.clip(inflation, 1.0, n_rows / 2))


def _after_all_cases(after_fewer: float, after_more: float, k: int) -> float:
    """Give the error after all cases by those after k - 2 and k - 1 of k folds, if it goes on as it went."""
    return float(np.clip(after_more - ((k - 2) / k) ** 1.5 * (after_fewer - after_more), 0.0, 1.0))


def nested_error_of_groups(
    wrong: Floats, parts: Rows, groups: Groups, confidence: float
) -> tuple[float, float]:
    """Compute the same from folds of whole groups, which differ in size; the groups are the independent draws."""
    k = wrong.shape[1]
    plain, centre, mse, cases = [], [], [], []
    for folds, errors in zip(parts, wrong, strict=True):
        asked = folds >= 0
        alone = errors[np.maximum(folds, 0), np.arange(folds.size)]
        inner = [errors[f, asked & (folds != f)].mean() for f in range(k)]
        for f, inside in enumerate(inner):
            own = folds == f
            mse.append((inside - alone[own].mean()) ** 2 - _variance(alone[own], groups.part(own)))
        plain.append(alone[asked].mean())
        centre.append(np.mean(inner))
        cases.append(worth(alone[asked], groups.part(asked), confidence))
    middle, n_cases = float(np.mean(centre)), float(np.mean(cases))
    variance = middle * (1 - middle)
    inflation = float(np.mean(mse)) * n_cases * (k - 1) / k / variance if variance > 0 else 1.0
    estimate = _after_all_cases(middle, float(np.mean(plain)), k)
    return estimate, n_cases / float(np.clip(inflation, 1.0, k))


@dataclass(frozen=True, eq=False)
class ErrorBySize(Result, title="Error by size", unit="share of wrong answers", direction=LOWER):
    """The error of an estimator after training sets of several sizes, on cases that taught none of them.

    Parameters
    ----------
    sizes : tuple of int
        Cases in the training sets, in ascending order.
    errors : tuple of float
        Mean error after training sets of each size.
    gain : float
        How much lower the error is after the largest training sets than after those of half their size.
    gain_interval : (float, float)
        95% interval of that gain.
    """

    sizes: tuple[int, ...] = field(metadata=declared(meaning="Cases in the training sets."))
    errors: tuple[float, ...] = field(
        metadata=declared(meaning="Mean error on cases left out, for each size.")
    )
    gain: float = field(
        metadata=declared(meaning="How much lower the error is after the largest than after half of them.")
    )
    gain_interval: tuple[float, float] = field(metadata=declared(meaning="95% interval of that gain."))

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each size."""
        return {"n": list(self.sizes), "error": list(self.errors)}

    @property
    def sentence(self) -> str:
        """What twice the training cases brought, in words."""
        low, high = (100 * end for end in self.gain_interval)
        half, whole = self.sizes[-2:]
        start = f"Doubling the training cases from {half:,} to {whole:,}"
        if low > 0:
            gain = f"{100 * self.gain:.1f} points off its error (95% interval {low:.1f} to {high:.1f})"
            return f"{start} took {gain}."
        reach = f"95% interval {-high:+.1f} to {-low:+.1f}"
        change = f"its error changed by {-100 * self.gain:+z.1f} points, {reach}"
        if high < 0:
            return f"{start} made it worse ({change})."
        return f"{start} brought no proven gain ({change})."

    def __str__(self) -> str:
        points = ", ".join(
            f"{100 * error:.1f}% of {n:,}" for n, error in zip(self.sizes, self.errors, strict=True)
        )
        return f"error by size of the training set: {points}"


def error_by_size(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    n_splits: int = 5,
    n_repeats: int = 4,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> ErrorBySize:
    r"""Find how the error falls as the training set grows, from parts of one table of cases.

    Of each fold that is left out, the others teach: all of their cases, and a half, a quarter and an eighth of
    them, drawn class by class. The gain by the last doubling is the mean of :math:`d_i`, by how many of its
    answers to case i the estimator was wrong less often after twice the cases, with the interval

    .. math:: \bar d \pm t_{n - 1} \sqrt{2 s_d^2 / n + (1/J + 1/(k - 1))\, \tau^2 + (1.6 / n)^2}.

    Each case is asked and also teaches: hence its variance twice. What the J means of folds spread beyond their
    cases, :math:`\tau^2`, is due to training sets that share cases (Nadeau and Bengio's correction, k folds).
    And where no answer changed among n cases, a difference of some cases in n may still have been missed.

    Parameters
    ----------
    estimator, X, y, groups, n_jobs, random_state
        As in `estimate_error`; with groups, parts of folds keep them whole as well.
    n_splits, n_repeats : int
        Folds, and how often cases are dealt into them.

    Returns
    -------
    ErrorBySize
        ``.frame()`` has the mean error after each size, ``.gain`` what the last doubling brought.

    References
    ----------
    C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> import fivefold as ff
    >>> votes = ff.data.load("VO")
    >>> curve = ff.truth.error_by_size(ff.learners.NaiveBayes(), votes.X, votes.y)
    >>> curve.sizes
    (44, 87, 174, 348)
    """
    check_fits_and_predicts(estimator)
    check_fold_options(n_splits, n_repeats, stratify=True)
    refits = Refits(estimator, read_labelled_table(X, y, groups), ERROR, n_jobs, as_generator(random_state))
    folds = repeated_folds(refits, n_splits, n_repeats, stratify=True)
    whole = len(refits.table) - len(refits.table) // n_splits
    halved = {round(whole / 2**times) for times in range(HALVINGS + 1)}
    sizes = sorted(size for size in halved if size >= FEWEST_CASES)
    if len(sizes) < 2:
        raise InputError(
            f"at least {FEWEST_CASES} cases in half of a training set",
            f"{len(refits.table)} cases in {n_splits} folds",
        )
    wrong = [_wrong_after(refits, folds, size) for size in sizes]
    errors = [float(answers.mean()) for answers in wrong]
    gain = errors[-2] - errors[-1]
    half = _half_width(wrong[-2] - wrong[-1], folds.parts, refits.table.groups)
    return ErrorBySize(tuple(sizes), tuple(errors), gain, (max(gain - half, -1.0), min(gain + half, 1.0)))


def _wrong_after(refits: Refits, folds: FoldSplits, size: int) -> Floats:
    """Tell which cases were answered wrongly after training sets of one size, in each deal."""
    places = range(len(folds))
    pairs = [(_part_of(refits, folds.train(place), size), folds.test(place)) for place in places]
    answers = refits.labels(GivenSplits(len(refits.table), pairs))
    wrong = np.zeros(folds.parts.shape)
    for place, (_, asked) in enumerate(pairs):
        wrong[place // len(folds.left_out), asked] = answers[place] != refits.table.codes[asked]
    return wrong


def _part_of(refits: Refits, rows: Rows, size: int) -> Rows:
    """Draw so many of the rows, class by class, or whole groups of about so many."""
    if size >= rows.size:
        return rows
    classes, groups = refits.table.codes[rows], refits.table.groups
    if groups is None:
        return rows[draw(rows.size, size, refits.rng, classes)]
    return rows[draw_groups(groups.part(rows), size, refits.rng, classes)]


def _half_width(differences: Floats, parts: Rows, groups: Groups | None) -> float:
    """Give half of the interval of a mean difference from those of each case in each deal."""
    n_deals, n = differences.shape
    n_folds = int(parts.max()) + 1
    means = [
        deal[folds == k].mean()
        for deal, folds in zip(differences, parts, strict=True)
        for k in range(n_folds)
    ]
    of_fold = n_folds * float(np.mean([_variance(deal, groups) for deal in differences]))
    spread = max(0.0, float(np.var(means, ddof=1)) - of_fold)
    shared = (1 / (n_deals * n_folds) + 1 / (n_folds - 1)) * spread
    variance = 2 * _variance(differences.mean(axis=0), groups) + shared + (1.6 / n) ** 2
    freedom = (n if groups is None else groups.n_groups) - 1
    return float(stdtrit(freedom, 0.975)) * float(np.sqrt(variance))


def _variance(values: Floats, groups: Groups | None) -> float:
    """Give the variance of a mean; the cases of a group count as one."""
    apart = values - values.mean()
    sums = apart if groups is None else groups.totals(apart)
    return float(np.sum(sums**2)) / values.size**2 * sums.size / (sums.size - 1)
