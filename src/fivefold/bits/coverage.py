"""Coverage: how often answers of several classes hold the truth, in all and class by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.formulas import binomial_limits, worth
from fivefold.inputs.answers import as_answers
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.options import open_fraction
from fivefold.results import Count, Interval, Result, Share


@dataclass(frozen=True)
class HeldTruth:
    """How often sets hold the truth among some cases.

    Parameters
    ----------
    label : str
        The class of these cases; empty for all cases.
    n_cases, n_held : int
        The cases, and those whose true class is in the answer.
    share : float
        The share that is held.
    interval : (float, float)
        Its exact interval (Clopper and Pearson).
    against_promise : str
        Whether the interval lies below or above the promised share: "less", "more", or "" if neither is proven.
    """

    label: str
    n_cases: Count
    n_held: Count
    share: Share
    interval: Interval
    against_promise: str

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.share:.1%} of {self.n_cases:,} cases (95% interval {low:.1%} to {high:.1%})"


@dataclass(frozen=True, eq=False)
class SetCoverage(Result, title="Coverage", unit="share of cases"):
    """How often sets of classes hold the truth, beside what was promised.

    Parameters
    ----------
    whole : HeldTruth
        All cases.
    by_class : tuple of HeldTruth
        The cases of each class; their intervals hold together.
    promised : float or None
        The share that was promised.
    """

    whole: HeldTruth
    by_class: tuple[HeldTruth, ...]
    promised: Share | None

    @property
    def value(self) -> float:
        """The share of all cases whose true class is in the answer."""
        return self.whole.share

    @property
    def short(self) -> tuple[HeldTruth, ...]:
        """The classes of which less is held than promised, beyond chance; the least first."""
        below = [held for held in self.by_class if held.against_promise == "less"]
        return tuple(sorted(below, key=lambda held: held.share))

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each class."""
        names = ("label", "n_cases", "n_held", "share", "against_promise")
        columns: dict[str, Any] = {name: [getattr(held, name) for held in self.by_class] for name in names}
        low, high = zip(*(held.interval for held in self.by_class), strict=True)
        return columns | {"low": list(low), "high": list(high)}

    def __str__(self) -> str:
        text = f"sets hold the truth in {self.whole}"
        if self.promised is None:
            return text
        kept = {"": "may be as promised", "less": "less than promised", "more": "more than promised"}
        text += f": {kept[self.whole.against_promise]} ({self.promised:.1%})"
        if self.short:
            worst = self.short[0]
            low, high = worst.interval
            least = "least often for" if self.whole.against_promise == "less" else "but for"
            text += (
                f"; {least} class {worst.label!r}, in only {worst.share:.1%} of {worst.n_cases:,} "
                f"({low:.1%} to {high:.1%}, all classes together)"
            )
        return text


def set_coverage(
    y_true: object,
    y_pred: object,
    *,
    promised: float | None = None,
    classes: object = None,
    alpha: float = 0.05,
    groups: object = None,
) -> SetCoverage:
    r"""Count how often sets hold the truth, in all and class by class, and compare that with a promise.

    The interval of all cases misses with probability :math:`\alpha` at most, and so do those of the K classes
    together, each being exact at :math:`\alpha / K`. A promise counts as broken where the interval lies below it.

    Parameters
    ----------
    y_true, y_pred, classes
        As in `code_length`.
    promised : float, optional
        The coverage that the sets were made for, such as 0.9.
    alpha : float
        How often an interval, and with it a verdict about the promise, may be wrong.
    groups : array-like, optional
        Which cases belong together; the intervals are of as many cases as groups are worth.

    Notes
    -----
    Split conformal sets promise their coverage on average over all draws of the cases that calibrated them. What
    is measured here is the coverage of *these* sets on cases like the given ones; with c calibration cases it
    varies by about :math:`\sqrt{q(1-q)/c}` around a promise of q, which a large test will show. For single classes
    plain conformal sets promise nothing.

    Examples
    --------
    >>> import fivefold as ff
    >>> truth = ["a", "b"] * 100
    >>> sets = [["a"], ["a", "b"]] * 80 + [["b"], ["b"]] * 10 + [["a"], ["a"]] * 10
    >>> print(ff.bits.set_coverage(truth, sets, promised=0.9))
    sets hold the truth in 90.0% of 200 cases (95% interval 85.0% to 93.8%): may be as promised (90.0%)
    """
    if promised is not None:
        open_fraction(promised, "promised")
    open_fraction(alpha, "alpha")
    truth, answers, universe = as_answers(y_true, y_pred, classes)
    held = answers == truth if answers.ndim == 1 else answers[np.arange(truth.size), truth]
    belonging = read_groups(groups, truth.size)
    return cover(truth, np.asarray(held), universe.tolist(), promised, alpha, belonging)


def cover(
    truth: NDArray[Any],
    held: NDArray[np.bool_],
    labels: list[Any],
    promised: float | None,
    alpha: float,
    groups: Groups | None = None,
) -> SetCoverage:
    """Judge the coverage of checked answers."""
    by_class, present = [], np.unique(truth)
    for place in present:
        cases = truth == place
        belonging = groups and groups.part(cases)
        by_class.append(_held(str(labels[place]), held[cases], promised, alpha / present.size, belonging))
    return SetCoverage(_held("", held, promised, alpha, groups), tuple(by_class), promised)


def _held(
    label: str, held: NDArray[np.bool_], promised: float | None, alpha: float, groups: Groups | None
) -> HeldTruth:
    n, n_held = held.size, int(np.count_nonzero(held))
    cases = float(n) if groups is None else worth(held, groups, 1 - alpha)
    low, high = binomial_limits(n_held / n * cases, cases, 1 - alpha)
    against = "" if promised is None else "less" if high < promised else "more" if low > promised else ""
    return HeldTruth(label, n, n_held, n_held / n, (low, high), against)
