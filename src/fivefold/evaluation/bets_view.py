"""The bets view of one model: what its probabilities are worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.bets.calibration import SELECTED, Reliability, measure_reliability, pick_events
from fivefold.bets.ranking import auc
from fivefold.bets.recalibration import Recalibration, recalibrate
from fivefold.bets.scores import Reward, brier_score, information_reward_details
from fivefold.errors import InputError
from fivefold.evaluation.findings import Finding, Importance
from fivefold.inputs.predictions import Predictions
from fivefold.results import say_p, say_rows, say_won

_DIAGRAM_CELLS = 15
_RECALIBRATED_CASES = 100_000
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class BetsView:
    """What a gambler wins on a model's probabilities.

    Parameters
    ----------
    model : str
        The model's name.
    reward, log_reward : Reward
        Rewards in the contrast and in the log reading; the same for two classes.
    reliability : Reliability
        Miscalibration in the paper's cells, with its noise floor.
    diagram : Reliability
        The same in a few large cells, for drawing.
    brier : float
        Brier score.
    area : float or None
        AUC; None where only one class occurs.
    recalibration : Recalibration or None
        What calibration maps recover on unseen cases.
    recalibration_note : str or None
        Why there is none, or from how many of the cases it comes.
    rows : ndarray of shape (n,) or None
        Where each case stood in the table from which these were held out.
    """

    model: str
    reward: Reward = field(repr=False)
    log_reward: Reward = field(repr=False)
    reliability: Reliability = field(repr=False)
    diagram: Reliability = field(repr=False)
    brier: float
    area: float | None
    recalibration: Recalibration | None = field(repr=False)
    recalibration_note: str | None
    rows: NDArray[np.int64] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, predictions: Predictions, random_state: int) -> BetsView:
        """Look at one model's probabilities."""
        # Positions instead of labels: they were checked before, and are coded again in no time.
        y, prob, classes = predictions.truth, predictions.probabilities, np.arange(predictions.n_classes)
        assert prob is not None
        events = pick_events(y, prob, classes, SELECTED)
        large_cell = max(10, predictions.n_cases // _DIAGRAM_CELLS)
        recalibration, note = _recalibrate(predictions, prob, random_state)
        return cls(
            predictions.name,
            information_reward_details(y, prob, classes=classes),
            information_reward_details(y, prob, classes=classes, multiclass="log"),
            measure_reliability(events, random_state=random_state),
            measure_reliability(events, large_cell, n_resamples=1, random_state=random_state),
            brier_score(y, prob, classes=classes),
            _area(y, prob, classes),
            recalibration,
            note,
            predictions.rows,
        )

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of the mean reward."""
        margin = 1.96 * self.reward.standard_error
        return self.reward.mean - margin, self.reward.mean + margin

    @property
    def impossible_rows(self) -> NDArray[np.int64]:
        """Rows that happened although they had been given probability 0, counted from 0."""
        return self._places(self.reward.impossible)

    def _places(self, cases: NDArray[np.int64]) -> NDArray[np.int64]:
        return cases if self.rows is None else self.rows[cases]

    def finding(self) -> Finding:
        """Say what the probabilities are worth."""
        ruined = self.reward.impossible
        if ruined.size:
            sentence = self.reward.sentence(self.rows)
            told = f"{self.model}: {sentence[0].lower()}{sentence[1:]}"
        else:
            low, high = self.interval
            told = (
                f"{self.model}: a gambler betting by its probabilities {say_won(self.reward.mean)} bits a case "
                f"(95% interval of the reward {low:+.3f} to {high:+.3f}; 1 is perfect, 0 is a coin)."
            )
            told += self._ruled_out()
        importance = Importance.ALARM if ruined.size else Importance.VERDICT
        return Finding("bets", (self.model,), f"{told} {self._calibration()}", self._evidence(), importance)

    def _ruled_out(self) -> str:
        """Name the cases whose class had probability 0, though the class bet on was another."""
        rows = self._places(self.log_reward.impossible)
        if not rows.size:
            return ""
        return (
            f" One who bets on every class is ruined: the true class of {say_rows(rows)} had been given "
            f"probability 0."
        )

    def _calibration(self) -> str:
        floor, signed = self.reliability.floor, self.reliability.signed
        measured = (
            f"(miscalibration {self.reliability.miscalibration:.3f}, by chance alone {floor.mean:.3f}, "
            f"{say_p(floor.p_value)})"
        )
        if self.reward.impossible.size:
            return f"No calibrated model does that.{self._recovery()}"
        if floor.p_value >= 0.05:
            return f"Chance explains its miscalibration {measured}."
        if abs(signed) > 1.96 * self.reliability.signed_standard_error:
            way = "more" if signed > 0 else "less"
            told = f"It is {way} confident than right, by {abs(signed):.1%} on average {measured}."
        else:
            told = f"It is miscalibrated, though right on average {measured}."
        return f"{told}{self._recovery()}"

    def _recovery(self) -> str:
        best = self.recalibration.best if self.recalibration else None
        if best is None:
            return ""
        if np.isinf(best.gain):
            return f" Recalibration ({best.method}) would save the gambler from ruin."
        return f" Recalibration ({best.method}) would recover {best.gain:.3f} bits a case on unseen cases."

    def _evidence(self) -> dict[str, object]:
        return {
            "mean_reward": self.reward.mean,
            "mean_reward_interval": self.interval,
            "impossible_rows": self.impossible_rows[:100].tolist(),
            "n_impossible": int(self.reward.impossible.size),
            "n_ruled_out": int(self.log_reward.impossible.size),
            "miscalibration": self.reliability.miscalibration,
            "noise_floor": self.reliability.floor.mean,
            "p_value": self.reliability.floor.p_value,
            "signed_confidence": self.reliability.signed,
        }


def _area(y: NDArray[np.int32], prob: NDArray[Any], classes: NDArray[Any]) -> float | None:
    try:
        return auc(y, prob, classes=classes)
    except InputError:
        return None


def _recalibrate(
    predictions: Predictions, prob: NDArray[Any], random_state: int
) -> tuple[Recalibration | None, str | None]:
    y, note = predictions.truth, None
    if y.size > _RECALIBRATED_CASES:
        rows = np.random.default_rng(random_state).choice(y.size, _RECALIBRATED_CASES, replace=False)
        y, prob = y[rows], prob[rows]
        note = f"measured on {_RECALIBRATED_CASES:,} of the cases, drawn at random"
    counts = np.bincount(y, minlength=predictions.n_classes)
    if counts.min() < _FOLDS:
        rare = predictions.classes[counts.argmin()].item()
        return None, f"recalibration needs {_FOLDS} cases of every class, and {rare!r} has {counts.min()}"
    positions = np.arange(predictions.n_classes)
    # where model and map each rule out what happened elsewhere, the gain has no mean, which is no accident
    with np.errstate(invalid="ignore"):
        return recalibrate(y, prob, classes=positions, n_splits=_FOLDS, random_state=random_state), note
