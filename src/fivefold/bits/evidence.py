"""What chance can do: whether answers tell anything at all, and how many bits they would save on other cases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri, softmax, stdtrit, xlogy

from fivefold.bits.cells import AnswerCells, number_answers
from fivefold.bits.codes import MEMORIES, ODDS, Encoding
from fivefold.formulas import Floats, Pooled, log2_arrangements, mean_interval
from fivefold.inputs.answers import as_answers
from fivefold.inputs.groups import Groups, deal_between, in_one_order, intraclass_correlation, read_groups
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.results import LOWER, Interval, Result, say_p

# answers, classes, and how often they meet
Counts: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]

# Besag and Clifford: so many dealings as good as the answers are enough to see that chance explains them.
_ENOUGH = 20
# Drawing a cell of the table of answers and classes takes as long as dealing classes to so many cases.
_DRAW_COST = 50
# The level of a proof that something was learned.
PROOF = 0.025
# A little more than the one bit that listening may cost.
_OFFSET = 1.2
# Information (in bits) is the square of a normal number, whose spread hides so much in 2.5 % of samples.
_HIDES = float(ndtri(0.975)) / math.sqrt(2 * math.log(2))
_LOG_ODDS = np.log(ODDS)


@dataclass(frozen=True)
class ChanceTest(Result, title="By chance", unit="p-value", direction=LOWER):
    """Whether answers tell more than chance.

    Parameters
    ----------
    p_value : float
        Probability that answers which know nothing tell as much.
    n_cases : int
        Number of cases.
    """

    p_value: float
    n_cases: int

    @property
    def value(self) -> float:
        """The p-value."""
        return self.p_value

    def columns(self) -> Mapping[str, Any]:
        """Give one row."""
        return {"p_value": [self.p_value], "n_cases": [self.n_cases]}

    def __str__(self) -> str:
        verdict = "the answers tell more than chance" if self.p_value <= PROOF else "no proof of learning"
        return f"{verdict} ({say_p(self.p_value)}, {self.n_cases:,} cases)"


def chance_test(
    y_true: object,
    y_pred: object,
    *,
    classes: object = None,
    n_resamples: int = 999,
    groups: object = None,
    random_state: RandomState = 0,
) -> ChanceTest:
    r"""Test whether the answers tell anything about the true classes.

    The true classes are dealt to the answers at random, again and again; the p-value is the share of dealings in
    which the answers tell as much. It is exact for any number of cases and classes and any frequencies, whether
    the answers are constant, thrown by dice or follow the order of the rows, if the cases do not depend on each
    other. What the answers tell is measured by the probability that the mixture of codes gives to the classes,

    .. math:: \sum_w \pi_w \prod_t \frac{w^{[y_t \in R_t]}}{w r_t + 1 - r_t} + \sum_s \pi_s \prod_R L_{Rs}
        + \sum_q \pi_q \prod_R \Bigl(1 - q + q \sum_s \frac{L_{Rs}}{6}\Bigr), \quad
        L_{Rs} = \frac{\Gamma(s)}{\Gamma(n_R + s)} \prod_y
        \frac{\Gamma(n_{Ry} + s p_y)}{\Gamma(s p_y)\, p_y^{n_{Ry}}},

    with :math:`r_t` the frequency of the classes answered and :math:`n_{Ry}` how often *y* was true when *R* was
    answered; the last sum, for the test alone, lets each answer be listened to or not.

    Parameters
    ----------
    y_true, y_pred, classes
        As in `code_length`.
    n_resamples : int
        Most dealings; fewer where chance explains the answers easily. Of two answers and two classes that can meet
        in so many ways at most, all ways are counted instead, and the p-value does not depend on the seed.
    groups : array-like, optional
        Which cases belong together: the classes of a group are dealt to another group, all of them. A case counts
        for what it is worth, :math:`1 / (1 + (m - 1) \rho)` in a group of m whose classes correlate by
        :math:`\rho`, for else a few large groups would drown all others.
    random_state : int, Generator, RandomState or None
        Seed of the dealings.

    References
    ----------
    J. Besag and P. Clifford, "Sequential Monte Carlo p-values", 1991.

    Examples
    --------
    >>> import fivefold as ff
    >>> truth = ["ill", "well", "well", "well"] * 25
    >>> print(ff.bits.chance_test(truth, ["well"] * 100))      # 75 % correct, nothing told
    no proof of learning (p = 1, 100 cases)
    >>> print(ff.bits.chance_test(truth, ["well", "well", "well", "ill"] * 25))   # wrong, and yet it tells
    the answers tell more than chance (p = 0.00023, 100 cases)
    """
    positive_int(n_resamples, "n_resamples")
    truth, answers, universe = as_answers(y_true, y_pred, classes)
    belonging = read_groups(groups, truth.size)
    p_value = deal_again(truth, answers, universe.size, n_resamples, random_state, belonging)
    return ChanceTest(p_value, truth.size)


def deal_again(
    truth: NDArray[np.int32],
    answers: NDArray[Any],
    n_classes: int,
    n_resamples: int,
    random_state: RandomState,
    groups: Groups | None = None,
) -> float:
    """Give the p-value of checked input."""
    table = _Table(truth, answers, n_classes)
    if table.n_answers < 2:
        return 1.0
    rng, as_good = as_generator(random_state), 0
    # sorted, here and below, so that the p-value does not depend on the order of the rows
    if groups is not None:
        rows, groups = in_one_order(table.symbols * n_classes + truth, groups)
        truth, table.symbols = truth[rows], table.symbols[rows]
        table.weigh(1 / (1 + (groups.sizes[groups.codes] - 1) * _alike(truth, groups)))
    measured = table.tell(table.count(truth))
    if groups is None and table.n_answers == n_classes == 2 and table.ways().size <= n_resamples:
        return _count_all(table, measured)
    if groups is None:
        truth, table.symbols = np.sort(truth), np.sort(table.symbols)
    if groups is None and _DRAW_COST * table.n_answers * n_classes < truth.size:
        dealt: Iterator[Counts] = (table.draw(rng) for _ in range(n_resamples))
    else:
        dealt = map(table.count, deals_of(truth, groups, n_resamples, rng))
    for n_dealt, counts in enumerate(dealt, start=1):
        as_good += table.tell(counts) >= measured - 1e-9
        if as_good == _ENOUGH:
            return as_good / n_dealt
    return (as_good + 1) / (n_resamples + 1)


def _count_all(table: _Table, measured: float) -> float:
    """Give the probability of all tables of two answers and two classes in which the answers tell as much."""
    (ours, others), (n_first, _) = table.totals, table.n_of_answer
    ways = table.ways()
    tables = np.stack([[ways, n_first - ways], [ours - ways, others - n_first + ways]]).transpose(2, 0, 1)
    told = np.array([table.tell(_present(counts)) for counts in tables])
    chances = softmax(-gammaln(tables + 1).sum(axis=(1, 2)))
    p_value = chances[told >= measured - 1e-9].sum()
    return float(np.clip(p_value, np.finfo(float).tiny, 1.0))


def deals_of(
    truth: NDArray[np.int32], groups: Groups | None, n_resamples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int32]]:
    """Deal true classes out at random, or between groups those of a group together."""
    if groups is None:
        yield from (rng.permutation(truth) for _ in range(n_resamples))
        return
    dealt = deal_between(groups, _alike(truth, groups), rng, n_resamples)
    yield from (truth[source] for source in dealt)


def _alike(truth: NDArray[np.int32], groups: Groups) -> float:
    """Give the largest correlation that any class has within groups."""
    return max(intraclass_correlation(truth == place, groups) for place in np.unique(truth))


def saved_interval(encoding: Encoding, groups: Groups | None = None) -> Interval:
    r"""95% interval of the share of all bits that a model saves, on average, of as many cases drawn alike.

    It is the share, for no interval of the bits themselves can be right and possible at once. A perfect model
    saves all bits there are; where classes are skewed, every other sample has more of them than this one.

    Another sample has more of some cases, so each counts by what it gains if it is sent last; less
    the share times the bits of the class, for a sample with more rare classes has more bits in all, too (the delta
    method of a ratio). The ends are those of `mean_interval`, in which what was not seen counts: at worst an
    answer meets a class that it had never met, at best the rarest class is named. Where few bits are saved, their
    spread grows like their root, hence the square: with :math:`d` from the interval of the mean, the ends in bits
    are :math:`(\sqrt{S + 1.2} \pm d / 2\sqrt{S + 1.2})^2 - 1.2`, then divided by all
    bits. Where hardly any bits are saved this upper end says nothing: what was not seen does not grow by the root,
    and of the information :math:`I` that answers and classes share, chance hides no more than
    :math:`3.3 \sqrt I + 2.8` bits (and 15 %, for few cases). So it is :math:`S` and the larger of both at most.
    Nothing lies beyond the possible, from one bit lost to all. Of cases that belong together, only groups are
    independent, and the upper end is that of the square.
    """
    cells, saved, n_cases = encoding.cells, encoding.mean_significance, encoding.cells.n_cases
    if n_cases < 2:
        return -1.0 / encoding.null, 1.0
    bits = -np.log2(np.maximum(cells.totals, 1) / n_cases)
    due = max(saved / encoding.null, 0.0) * (bits - bits @ cells.totals / n_cases)
    worst = -np.log2(cells.trusted + 1)
    best = np.log2((n_cases + cells.n_classes) / (cells.totals.min() + 1))

    def reach(each: Floats, unseen: float) -> Floats:
        values = Pooled.counted(each, cells.counts)
        bounds = min(values.min(), worst - unseen), max(values.max(), best - unseen)
        cases = values if groups is None else each[cells.codes]
        return np.array(mean_interval(cases, *bounds, groups=groups)) - values.mean

    gains = last_gains(cells)
    ends = reach(gains - due[cells.labels], due.max())
    if encoding.answers.accuracy == 1:  # then nothing but the classes varies what is saved
        ends = np.maximum(ends, reach(gains, 0.0))
    few_cases = stdtrit(max((groups.n_groups if groups else n_cases) - 1, 1), 0.975) / ndtri(0.975)
    root = np.sqrt(max(saved, -1.0) + _OFFSET)
    ends *= few_cases * n_cases
    low, high = np.maximum(root + ends / (2 * root), 0.0) ** 2 - _OFFSET
    if groups is None:
        expected = cells.answered * cells.totals[cells.labels] / n_cases
        shared = float(xlogy(cells.counts, cells.met / np.maximum(expected, 1e-300)).sum() / math.log(2))
        hidden = 1.15 * (2 * _HIDES * math.sqrt(max(shared, 0.0)) + _HIDES**2)
        high = saved + max(ends[1], min(high - saved, hidden))
    low = 0.0 if abs(low) < 1e-9 else max(-1.0, float(low))  # not what roots are rounded by
    return low / encoding.null, min(1.0, float(high) / encoding.null)


def last_gains(cells: AnswerCells) -> Floats:
    """Bits that a case of each cell saves if it is sent last, by the weights of the codes after all cases.

    On average cases save less, because the code had to learn first: a fifth less where it saves 30 bits.
    """
    counts, met, answered, shares = cells.counts, cells.met, cells.answered, cells.totals / cells.n_cases
    share = np.maximum(shares, 1 / cells.n_cases)[cells.labels]
    mass = np.append(shares, 0.0)[cells.answers] if cells.answers.ndim == 1 else cells.answers @ shares
    # logs of the weight of each code, and of that times what it gives; trust in no answer comes first
    weight, given = 0.0, np.zeros(counts.size)
    for odds in ODDS:
        gives = np.where(cells.held, np.log(odds), 0.0) - np.log(odds * mass + 1 - mass)
        proven = counts @ gives - np.log(2 * ODDS.size)
        weight, given = np.logaddexp(weight, proven), np.logaddexp(given, proven + gives)
    for start in MEMORIES:
        seen, asked = np.maximum(met - 1, 0), np.maximum(answered - 1, 0)
        gives = np.log((seen + start * share) / ((asked + start) * share))
        each = gammaln(met + start * share) - gammaln(start * share) - met * np.log(share)
        proven = counts / np.maximum(met, 1) @ each - np.log(2 * MEMORIES.size)
        proven += counts / np.maximum(answered, 1) @ (gammaln(start) - gammaln(answered + start))
        weight, given = np.logaddexp(weight, proven), np.logaddexp(given, proven + gives)
    # the last cases of a class are known without answers, which counts where classes have few
    apart = log2_arrangements(cells.totals.tolist()) / max(-float(counts @ np.log2(share)), 1.0)
    return np.asarray((given - weight) / np.log(2) * apart)


class _Table:
    """Answers and class frequencies, to which true classes can be dealt."""

    def __init__(self, truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int) -> None:
        numbers, _, symbols = number_answers(answers, n_classes)
        _, first, self.symbols = np.unique(symbols[numbers], return_index=True, return_inverse=True)
        self.n_answers, self.n_classes = first.size, n_classes
        self.totals = np.bincount(truth, minlength=n_classes)
        shares = self.totals / truth.size
        self.first = answers[first]
        self.masses = np.append(shares, 0.0)[self.first] if answers.ndim == 1 else self.first @ shares
        self.pseudo = np.outer(MEMORIES, shares)
        self.class_rest = gammaln(self.pseudo)
        with np.errstate(divide="ignore"):
            self.class_bits = np.where(shares > 0, -np.log(shares), 0.0)
        self.weigh(None)

    def weigh(self, weights: Floats | None) -> None:
        """Count each case by so much, or by one, in what does not depend on how the classes are dealt."""
        self.weights = weights
        self.n_of_answer = np.bincount(self.symbols, weights)
        unlike = np.log(np.outer(ODDS, self.masses) + 1 - self.masses)
        self.odds_rest = -unlike @ self.n_of_answer - np.log(ODDS.size)
        starts = MEMORIES[:, np.newaxis]
        self.memory_rest = gammaln(starts) - gammaln(self.n_of_answer + starts)

    def ways(self) -> NDArray[np.int64]:
        """Give how often the first of two classes can be dealt to the first of two answers."""
        (ours, others), (n_first, _) = self.totals, self.n_of_answer
        return np.arange(max(0, n_first - others), min(ours, n_first) + 1)

    def count(self, truth: NDArray[np.int32]) -> Counts:
        """Count the classes that were dealt to each answer."""
        pair = self.symbols * self.n_classes + truth
        if self.n_answers * self.n_classes > truth.size:
            pairs, places = np.unique(pair, return_inverse=True)
            return *np.divmod(pairs, self.n_classes), np.bincount(places, self.weights)
        counts = np.bincount(pair, self.weights, self.n_answers * self.n_classes)
        return _present(counts.reshape(-1, self.n_classes))

    def draw(self, rng: np.random.Generator) -> Counts:
        """Draw such counts as a deal of all classes would give, without dealing to each case."""
        counts, left = np.empty((self.n_answers, self.n_classes), dtype=np.int64), self.totals
        for place, n_cases in enumerate(self.n_of_answer[:-1]):
            counts[place] = rng.multivariate_hypergeometric(left, n_cases, method="marginals")
            left = left - counts[place]
        counts[-1] = left
        return _present(counts)

    def tell(self, table: Counts) -> float:
        """Log of the probability that the codes give to classes so dealt, up to a constant."""
        answer, label, counts = table
        held = self.first[answer] == label if self.first.ndim == 1 else self.first[answer, label]
        each = gammaln(counts + self.pseudo[:, label]) - self.class_rest[:, label]
        each += counts * self.class_bits[label]
        starts = np.searchsorted(answer, np.arange(self.n_answers))
        each = np.add.reduceat(each, starts, axis=1) + self.memory_rest
        # where few answers tell anything, one memory for all would drown them in what the others cost
        told = np.logaddexp.reduce(each) - np.log(MEMORIES.size)
        alone = [np.logaddexp(told + np.log(q), np.log1p(-q)).sum() for q in (0.5, 1 / self.n_answers)]
        memories = np.append(each.sum(axis=1), alone) - np.log(MEMORIES.size + 2)
        logs = np.concatenate([counts[held].sum() * _LOG_ODDS + self.odds_rest, memories])
        return float(np.logaddexp.reduce(logs))


def _present(counts: NDArray[np.int64]) -> Counts:
    answer, label = np.nonzero(counts)
    return answer, label, counts[answer, label]
