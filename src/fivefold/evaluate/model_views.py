"""All views of one model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fivefold.evaluate.bets_view import BetsView
from fivefold.evaluate.bits_view import BitsView
from fivefold.evaluate.slices_view import SlicesView
from fivefold.evaluate.truth_view import TruthView
from fivefold.inputs.predictions import Predictions

if TYPE_CHECKING:
    from fivefold.evaluate.borders_view import BordersView


VIEWS = ("bits", "bets", "truth", "slices", "borders")


@dataclass(frozen=True, eq=False)
class ModelViews:
    """All views of one model.

    Parameters
    ----------
    name : str
        The model's name.
    predictions : Predictions
        What it said.
    bits : BitsView
        How much it learned.
    bets : BetsView or None
        What its probabilities are worth.
    absent : mapping of view to reason
        Views that do not apply, and why.
    slices : SlicesView or None
        Where it errs.
    borders : BordersView or None
        The shape of its regions.
    truth : TruthView or None
        How far its error can be trusted.
    """

    name: str
    predictions: Predictions = field(repr=False)
    bits: BitsView = field(repr=False)
    bets: BetsView | None = field(repr=False)
    absent: Mapping[str, str]
    slices: SlicesView | None = field(default=None, repr=False)
    borders: BordersView | None = field(default=None, repr=False)
    truth: TruthView | None = field(default=None, repr=False)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Which cases it answered with the true class and nothing else."""
        said = self.predictions
        if said.answers.ndim == 1:
            return np.asarray(said.answers == said.truth)
        alone = said.answers.sum(axis=1) == 1
        return np.asarray(alone & said.answers[np.arange(said.n_cases), said.truth])
