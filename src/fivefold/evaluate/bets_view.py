"""The bets view of one model: what its probabilities are worth."""

from __future__ import annotations

from dataclasses import dataclass, field

from fivefold.bets.cells import SELECTED, pick_events
from fivefold.bets.ranking import auc
from fivefold.bets.recalibration import Recalibration, recalibrate
from fivefold.bets.reliability import Reliability, measure_reliability
from fivefold.bets.reward import Reward, reward
from fivefold.bets.scores import brier_score
from fivefold.errors import InputError
from fivefold.evaluate.finding import Finding
from fivefold.predictions import Predictions

_DIAGRAM_CELLS = 15
_RECALIBRATED_CASES = 1_000_000


@dataclass(frozen=True)
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
    no_recalibration : str or None
        Why there is none.
    """

    model: str
    reward: Reward = field(repr=False)
    log_reward: Reward = field(repr=False)
    reliability: Reliability = field(repr=False)
    diagram: Reliability = field(repr=False)
    brier: float
    area: float | None
    recalibration: Recalibration | None = field(repr=False)
    no_recalibration: str | None

    @classmethod
    def of(cls, predictions: Predictions, random_state: int) -> BetsView:
        """Look at one model's probabilities."""
        y, prob, classes = predictions.y_true, predictions.probabilities, predictions.classes
        assert prob is not None
        events = pick_events(predictions.truth, prob, classes, SELECTED)
        large_cell = max(10, predictions.n_cases // _DIAGRAM_CELLS)
        recalibration, reason = _recalibrate(predictions, random_state)
        return cls(
            predictions.name,
            reward(y, prob, classes=classes),
            reward(y, prob, classes=classes, multiclass="log"),
            measure_reliability(events, random_state=random_state),
            measure_reliability(events, large_cell, draws=1, random_state=random_state),
            brier_score(y, prob, classes=classes),
            _area(predictions),
            recalibration,
            reason,
        )

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the mean reward."""
        margin = 1.96 * self.reward.standard_error
        return self.reward.mean - margin, self.reward.mean + margin

    def finding(self) -> Finding:
        """Say what the probabilities are worth."""
        ruined = self.reward.impossible
        if ruined.size:
            told = f"{self.model}: {self.reward.sentence()[0].lower()}{self.reward.sentence()[1:]}"
        else:
            low, high = self.interval
            told = (
                f"{self.model}: a gambler betting by its probabilities wins {self.reward.mean:+.3f} bits a case "
                f"(95 % interval {low:+.3f} to {high:+.3f}; 1 is perfect, 0 is a coin)."
            )
        return Finding("bets", (self.model,), f"{told} {self._calibration()}", self._evidence())

    def _calibration(self) -> str:
        floor, signed = self.reliability.floor, self.reliability.signed
        measured = (
            f"(miscalibration {self.reliability.miscalibration:.3f}, by chance alone {floor.mean:.3f}, "
            f"p = {floor.p_value:.2g})"
        )
        if floor.p_value >= 0.05:
            return f"Chance explains its miscalibration {measured}."
        if abs(signed) > 1.96 * self.reliability.signed_standard_error:
            way = "more" if signed > 0 else "less"
            told = f"It is {way} confident than right, by {abs(signed):.1%} on average {measured}."
        else:
            told = f"It is miscalibrated, though right on average {measured}."
        best = self.recalibration.best if self.recalibration else None
        if best is None:
            return told
        if self.reward.impossible.size:
            return f"{told} Recalibration ({best.method}) would save the gambler from ruin."
        return (
            f"{told} Recalibration ({best.method}) would recover {best.gain:.3f} bits a case on unseen cases."
        )

    def _evidence(self) -> dict[str, object]:
        return {
            "mean_reward": self.reward.mean,
            "mean_reward_interval": self.interval,
            "impossible_rows": self.reward.impossible[:100].tolist(),
            "n_impossible": int(self.reward.impossible.size),
            "miscalibration": self.reliability.miscalibration,
            "noise_floor": self.reliability.floor.mean,
            "p_value": self.reliability.floor.p_value,
            "signed_confidence": self.reliability.signed,
        }


def _area(predictions: Predictions) -> float | None:
    try:
        return auc(predictions.y_true, predictions.probabilities, classes=predictions.classes)
    except InputError:
        return None


def _recalibrate(predictions: Predictions, random_state: int) -> tuple[Recalibration | None, str | None]:
    if predictions.n_cases > _RECALIBRATED_CASES:
        return None, f"skipped above {_RECALIBRATED_CASES:,} cases"
    try:
        told = recalibrate(
            predictions.y_true,
            predictions.probabilities,
            classes=predictions.classes,
            random_state=random_state,
        )
    except InputError as problem:
        return None, str(problem)
    return told, None
