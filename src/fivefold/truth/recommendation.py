"""A recommendation: which estimate of error to trust on data like these, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from fivefold.results.metric import Direction
from fivefold.results.result import Result
from fivefold.truth.similar_concepts import Likeness
from fivefold.truth.simulation import SUMMARY, Quality, Simulation

FAR = 0.05


@dataclass(frozen=True, eq=False)
class Recommendation(Result):
    """What each estimate is worth on known concepts that are like the data.

    Parameters
    ----------
    data : Likeness
        What the concepts were to share with the data.
    simulations : tuple of Simulation
        One for each concept.
    """

    title: ClassVar[str] = "Recommended estimate of error"
    unit: ClassVar[str] = "share of wrong answers"
    direction: ClassVar[Direction] = "lower is better"

    data: Likeness
    simulations: tuple[Simulation, ...] = field(repr=False)

    @cached_property
    def quality(self) -> dict[str, Quality]:
        """The quality of each estimate over all concepts, the best first."""
        labels = self.simulations[0].estimates
        found = {label: _pool([each.quality[label] for each in self.simulations]) for label in labels}
        return dict(sorted(found.items(), key=lambda pair: pair[1].rmse))

    @property
    def method(self) -> str:
        """The estimate with the smallest root mean squared error."""
        return next(iter(self.quality))

    @cached_property
    def clear(self) -> bool:
        """Whether the best estimate beats the next by more than two standard errors of the difference."""
        if len(self.quality) < 2:
            return True
        first, second = list(self.quality)[:2]
        gains = [_gain(each, first, second) for each in self.simulations]
        mean = np.mean([gain.mean() for gain in gains])
        variance = np.sum([gain.var(ddof=1) / gain.size for gain in gains]) / len(gains) ** 2
        return bool(mean > 2 * math.sqrt(variance))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the recommendation takes for granted."""
        data = self.data
        reached = [each.true_mean for each in self.simulations]
        widths = " or ".join(str(width) for width in dict.fromkeys((data.n_columns, data.n_bits)))
        told = [
            f"the data are like {len(self.simulations)} random formulas over {widths} fair, independent bits",
            f"there are two classes, one of which has {data.balance:.0%} of the cases (further classes are taken "
            "together)",
            f"the learner errs in about {data.difficulty:.1%} of cases, as cross-validation says (on the formulas "
            f"in {', '.join(f'{error:.1%}' for error in reached)})",
            f"the {data.n:,} cases are independent",
        ]
        if min(abs(error - data.difficulty) for error in reached) > max(FAR, data.difficulty / 2):
            told.append("it matters little that none of the formulas is about as hard as the data")
        return tuple(told)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each estimate, the best first."""
        table: dict[str, list[Any]] = {"estimate": list(self.quality)}
        for name in SUMMARY:
            table[name] = [getattr(found, name) for found in self.quality.values()]
        return table

    def sentence(self) -> str:
        """Say which estimate to use, how good it is, and what that rests on."""
        best = self.quality[self.method]
        head = (
            f"Use {self.method}: on concepts like these data it misses the true error by {100 * best.rmse:.1f} "
            f"points (bias {100 * best.bias:+.1f}, spread {100 * best.spread:.1f})."
        )
        return " ".join([head, *self._runner_up(), f"This assumes that {'; that '.join(self.assumptions)}."])

    def _runner_up(self) -> list[str]:
        if len(self.quality) < 2:
            return []
        name, found = list(self.quality.items())[1]
        verdict = "clearly worse" if self.clear else "not clearly worse"
        return [
            f"Next is {name}, {verdict}, with {100 * found.rmse:.1f} points (bias {100 * found.bias:+.1f})."
        ]

    def __str__(self) -> str:
        rest = ", ".join(f"{label} {100 * found.rmse:.1f}" for label, found in self.quality.items())
        return f"use {self.method}{'' if self.clear else ' (no clear winner)'}; points off the truth: {rest}"


def _pool(parts: Sequence[Quality]) -> Quality:
    known = [part.correlation for part in parts if not math.isnan(part.correlation)]
    return Quality(
        mean=float(np.mean([part.mean for part in parts])),
        bias=float(np.mean([part.bias for part in parts])),
        bias_standard_error=math.sqrt(sum(part.bias_standard_error**2 for part in parts)) / len(parts),
        spread=math.sqrt(np.mean([part.spread**2 for part in parts])),
        rmse=math.sqrt(np.mean([part.rmse**2 for part in parts])),
        correlation=float(np.mean(known)) if known else float("nan"),
    )


def _gain(found: Simulation, first: str, second: str) -> Any:
    """Give for each training set how much nearer the first estimate came, in squares."""
    off = {label: (found.estimates[label] - found.true_error) ** 2 for label in (first, second)}
    return off[second] - off[first]
