"""A score taken apart: what miscalibration costs, what discrimination earns, what the problem imposes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, rel_entr

from fivefold.bets.calibration import Events, make_cells, read_events
from fivefold.errors import InputError
from fivefold.formulas import Floats
from fivefold.inputs import _kernels
from fivefold.inputs.answers import SUM_TOLERANCE
from fivefold.inputs.frames import as_numbers
from fivefold.inputs.options import one_of
from fivefold.results import Result


@dataclass(frozen=True)
class Decomposition(Result, title="Decomposition of a score", unit="the score's own"):
    r"""A score as miscalibration - discrimination + uncertainty + within.

    Parameters
    ----------
    score : float
        Mean score of the event.
    miscalibration : float
        What stated probabilities that differ from what happened cost (reliability).
    discrimination : float
        What telling cases apart earns (resolution).
    uncertainty : float
        Score of stating the base rate always.
    within : float
        What differences inside cells add; 0 where each distinct probability is a cell of its own.
    kind : str
        Which score, and how it was taken apart.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    within: float
    kind: str

    def columns(self) -> Mapping[str, Any]:
        """Give the parts as one row."""
        return {part: [number] for part, number in vars(self).items()}

    def __str__(self) -> str:
        within = f" + {self.within:.4f} within cells" if self.within else ""
        return (
            f"{self.score:.4f} = {self.miscalibration:.4f} miscalibration - {self.discrimination:.4f} "
            f"discrimination + {self.uncertainty:.4f} uncertainty{within} ({self.kind})"
        )


def brier_decomposition(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    event: object = None,
    by: str = "distinct",
    min_cases: int = 10,
) -> Decomposition:
    r"""Murphy's decomposition of the Brier score of one event.

    .. math:: \overline{(p - f)^2} = \sum_i \frac{n_i}{N} (\bar p_i - \bar f_i)^2
        - \sum_i \frac{n_i}{N} (\bar f_i - \bar f)^2 + \bar f (1 - \bar f)
        + \frac1N \sum_i \sum_{j \in i} \left[(p_{ij} - \bar p_i)^2 - 2 (p_{ij} - \bar p_i) f_{ij}\right]

    The last term vanishes when every cell holds one distinct probability.

    Parameters
    ----------
    y_true, y_prob, classes
        As in `information_reward`.
    event : None, "selected" or a class
        The event that is judged; by default the second of two classes, else the selected class.
    by : {"distinct", "cells"}
        Whether each distinct probability is a cell, or `miscalibration`'s cells are used.
    min_cases : int
        Least number of cases in a cell, for ``by="cells"``.

    References
    ----------
    A. H. Murphy, "A new vector partition of the probability score", 1973; D. B. Stephenson et al., "Two extra
    components in the Brier score decomposition", 2008.

    Examples
    --------
    >>> import fivefold as ff
    >>> print(ff.bets.brier_decomposition([1, 1, 0, 0], [0.9, 0.9, 0.9, 0.1]))
    0.2100 = 0.0433 miscalibration - 0.0833 discrimination + 0.2500 uncertainty (Brier score by distinct)
    """
    one_of(by, ("distinct", "cells"), "by")
    events = read_events(y_true, y_prob, classes, event)
    if by == "distinct":
        p, f, cell = _distinct(events)
    else:
        cells = make_cells(events, min_cases, "together")
        p, f = cells.p, cells.happened.astype(np.float64)
        cell = np.repeat(np.arange(cells.cases.size), cells.cases)
    n, base = np.bincount(cell), float(f.mean())
    stated, rate = np.bincount(cell, p) / n, np.bincount(cell, f) / n
    inner = p - stated[cell]
    within = 0.0 if by == "distinct" else float(np.mean(inner**2 - 2 * inner * f))
    return Decomposition(
        score=_mean_brier(p, f),
        miscalibration=float(n @ (stated - rate) ** 2 / p.size),
        discrimination=float(n @ (rate - base) ** 2 / p.size),
        uncertainty=base * (1 - base),
        within=within,
        kind=f"Brier score by {by}",
    )


def log_score_decomposition(
    y_true: object, y_prob: object, *, classes: object = None, event: object = None
) -> Decomposition:
    r"""Decomposition of the log score of one event over its distinct probabilities, in bits.

    .. math:: -\overline{\lg P} = \sum_i \frac{n_i}{N} \mathrm{KL}(\bar f_i \| p_i)
        - \sum_i \frac{n_i}{N} \mathrm{KL}(\bar f_i \| \bar f) + H(\bar f)

    Parameters
    ----------
    y_true, y_prob, classes, event
        As in `brier_decomposition`.

    Examples
    --------
    >>> import fivefold as ff
    >>> told = ff.bets.log_score_decomposition([1, 0, 1, 0], [0.75, 0.75, 0.25, 0.25])
    >>> told.uncertainty, told.discrimination, round(told.miscalibration, 4)
    (1.0, 0.0, 0.2075)
    """
    p, f, cell = _distinct(read_events(y_true, y_prob, classes, event))
    n, base = np.bincount(cell), float(f.mean())
    stated, rate = np.bincount(cell, p) / n, np.bincount(cell, f) / n
    return Decomposition(
        score=_mean_log_score(p, f),
        miscalibration=float(n @ _binary_kl(rate, stated) / p.size),
        discrimination=float(n @ _binary_kl(rate, np.full_like(rate, base)) / p.size),
        uncertainty=float((entr(base) + entr(1 - base)) / np.log(2)),
        within=0.0,
        kind="log score by distinct",
    )


def corp_decomposition(
    y_true: object, y_prob: object, *, classes: object = None, event: object = None, score: str = "log"
) -> Decomposition:
    r"""Decomposition by isotonic recalibration: no cells to choose.

    With :math:`S` the mean score, :math:`\hat p` the isotonic (PAV) fit of outcomes on probabilities and
    :math:`\bar f` the base rate, miscalibration is :math:`S(p) - S(\hat p)`, discrimination
    :math:`S(\bar f) - S(\hat p)`, and uncertainty :math:`S(\bar f)`. The fit sees the outcomes it is judged
    by, so chance adds to the first two; `recalibrate` measures what can be recovered on unseen cases.

    Parameters
    ----------
    y_true, y_prob, classes, event
        As in `brier_decomposition`.
    score : {"log", "brier"}
        The score that is taken apart; ``"log"`` in bits.

    References
    ----------
    T. Dimitriadis, T. Gneiting and A. I. Jordan, "Stable reliability diagrams for probabilistic classifiers",
    PNAS 2021.

    Examples
    --------
    >>> import fivefold as ff
    >>> print(ff.bets.corp_decomposition([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8], score="brier"))
    0.2000 = 0.0750 miscalibration - 0.1250 discrimination + 0.2500 uncertainty (brier score, isotonic)
    """
    from scipy.optimize import isotonic_regression

    one_of(score, ("log", "brier"), "score")
    mean = _mean_log_score if score == "log" else _mean_brier
    p, f, cell = _distinct(read_events(y_true, y_prob, classes, event))
    n = np.bincount(cell)
    fitted = np.clip(isotonic_regression(np.bincount(cell, f) / n, weights=n).x, 0.0, 1.0)
    base, best, reached = mean(np.full_like(p, f.mean()), f), mean(fitted[cell], f), mean(p, f)
    return Decomposition(reached, reached - best, base - best, base, 0.0, f"{score} score, isotonic")


def _distinct(events: Events) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Give probabilities and outcomes, and the number of each different probability as its cell."""
    return events.p, events.happened.astype(np.float64), np.unique(events.p, return_inverse=True)[1]


def _binary_kl(p: Floats, q: Floats) -> Floats:
    return np.asarray((rel_entr(p, q) + rel_entr(1 - p, 1 - q)) / np.log(2))


def _mean_log_score(p: Floats, f: Floats) -> float:
    with np.errstate(divide="ignore"):
        # a probability may exceed 1 by the tolerance of its row's sum
        return float(-np.log2(np.where(f == 1, p, np.maximum(1 - p, 0))).mean())


def _mean_brier(p: Floats, f: Floats) -> float:
    return float(np.mean((p - f) ** 2))


def kl_distance(p: object, q: object) -> float:
    r"""Mean bits lost by betting by ``q`` where ``p`` is true, :math:`\sum_k p_k \lg (p_k / q_k)`.

    For two classes it is exactly what the expected information reward at ``q`` falls short of that at ``p``. It is
    infinite where ``q`` rules out what ``p`` allows.

    Parameters
    ----------
    p, q : array-like of shape (k,) or (n, k)
        One distribution each, or one for each case, over which the mean is taken.

    References
    ----------
    K. B. Korb, L. R. Hope and M. J. Hughes, ECML 2001, equation 1.

    Examples
    --------
    >>> import fivefold as ff
    >>> round(ff.bets.kl_distance([0.5, 0.5], [0.25, 0.75]), 4)
    0.2075
    >>> ff.bets.kl_distance([0.5, 0.5], [0.0, 1.0])
    inf
    """
    true, stated = _distributions(p, "p"), _distributions(q, "q")
    if true.shape != stated.shape:
        raise InputError("p and q of the same shape", f"{true.shape} and {stated.shape}")
    return float(rel_entr(true, stated).sum(axis=1).mean() / np.log(2))


def _distributions(values: object, name: str) -> Floats:
    array = as_numbers(values, name)
    rows = np.atleast_2d(array.astype(np.float64))
    if rows.ndim != 2 or rows.size == 0:
        raise InputError(f"{name} of shape (k,) or (n, k)", f"an array of shape {array.shape}")
    row, reason = _kernels.first_bad_row(rows, SUM_TOLERANCE)
    if reason:
        raise InputError(
            f"every row of {name} to be a distribution that sums to 1", f"{rows[row]} in row {row}"
        )
    return rows
