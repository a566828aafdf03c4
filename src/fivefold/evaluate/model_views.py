"""All views of one model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fivefold.evaluate.bets_view import BetsView
from fivefold.evaluate.bits_view import BitsView
from fivefold.evaluate.slices_view import SlicesView
from fivefold.predictions import Predictions

if TYPE_CHECKING:
    from fivefold.evaluate.borders_view import BordersView

ANSWERS_ONLY = "only its answers are known, not the model itself"


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
    """

    name: str
    predictions: Predictions = field(repr=False)
    bits: BitsView = field(repr=False)
    bets: BetsView | None = field(repr=False)
    absent: Mapping[str, str]
    slices: SlicesView | None = field(default=None, repr=False)
    borders: BordersView | None = field(default=None, repr=False)
