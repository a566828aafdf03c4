"""Confidence in the given answer: is this answer right, and how accurate are the surest ones?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypedDict

import numpy as np

from fivefold.bets.confidence import RiskCoverage, trace_coverage
from fivefold.evaluation.bets_view import BetsView
from fivefold.evaluation.findings import Finding
from fivefold.inputs.predictions import Predictions
from fivefold.results import HIGHER, Count, Interval, Share, View, declared, forwarded, number, say_rows

CLASSES = np.array(["wrong", "right"])
_POINTS = 200


class CoveragePoints(TypedDict):
    """Points of the curve: the share answered, the accuracy on it, and the least confidence in it."""

    coverage: list[Share]
    accuracy: list[Share]
    threshold: list[float]


@dataclass(frozen=True, eq=False)
class ConfidenceView(View, view="confidence"):
    """What a model's confidence in its answers is worth: a question of two classes, wrong and right.

    Parameters
    ----------
    model : str
        The model's name.
    bets : BetsView
        Reward and calibration of the confidence, as the probability that the answer is right.
    curve : RiskCoverage
        Accuracy against the share of the cases that is answered, the surest first.
    n_left_out : int
        Cases without an answer or without a confidence.
    """

    model: str
    bets: BetsView = field(
        repr=False,
        metadata=declared(meaning="Reward and calibration of the confidence that an answer is right."),
    )
    curve: RiskCoverage = field(repr=False)
    n_left_out: Count = field(
        default=0, metadata=declared(meaning="Cases without an answer or without a confidence.")
    )

    @classmethod
    def of(cls, predictions: Predictions, random_state: int) -> ConfidenceView | None:
        """Look at a model's confidence; none where it is known of fewer than two answers."""
        sure = predictions.confidence
        assert sure is not None
        given = predictions.answers >= 0 if predictions.answers.ndim == 1 else predictions.answers.any(axis=1)
        if predictions.unknown is not None:
            given = given | predictions.unknown
        known = given & ~np.isnan(sure)
        if np.count_nonzero(known) < 2:
            return None
        right = predictions.right()[known].astype(np.int32)
        groups = predictions.groups and predictions.groups.part(known)
        question = Predictions(predictions.name, CLASSES, right, right, sure[known], groups=groups)
        rows = np.flatnonzero(known) if predictions.rows is None else predictions.rows[known]
        bets = BetsView.of(replace(question, rows=rows.astype(np.int64)), random_state)
        curve = trace_coverage(right.astype(bool), sure[known], groups)
        return cls(predictions.name, bets, curve, int(np.count_nonzero(~known)))

    n_cases = forwarded("curve.n_cases", Count, "Cases that have an answer and a confidence.")
    area = forwarded(
        "curve.value",
        Share,
        "Mean accuracy over all shares of the cases that could be answered, the surest first.",
        "Area under accuracy and coverage",
        unit="mean accuracy",
        direction=HIGHER,
        format=".1%",
        tables=("evidence",),
        below=("area_interval",),
        column="coverage_area",
    )

    @number("95% interval", unit="mean accuracy", format=".1%")
    def area_interval(self) -> Interval:
        """95% interval of the area."""
        return self.curve.interval

    @number("Surest half", unit="share of cases", direction=HIGHER, format=".1%", tables=("page",))
    def accuracy_of_surest_half(self) -> Share:
        """Accuracy on the half of the answers that are surest."""
        return self.curve.at(0.5)

    accuracy = forwarded(
        "curve.accuracy", Share, "Accuracy on all answers.", "All", format=".1%", tables=("page",)
    )
    best_area = forwarded(
        "curve.best",
        Share,
        "The area if all right answers were surer than all wrong ones.",
        "Best possible area",
        format=".1%",
        tables=("evidence",),
    )
    reward = forwarded(
        "bets.mean_reward",
        float,
        "Mean reward of betting by the confidence that the answer is right.",
        "Bits won",
        unit="bits a case",
        direction=HIGHER,
        format="+.3f",
        tables=("page",),
        note="a case, betting by it",
        column="confidence_reward",
    )
    calibration_p = forwarded(
        "bets.calibration_p",
        Share,
        "Probability that chance alone makes right confidence look so wrong.",
        "Calibration",
        format="p",
        tables=("page",),
        note="p",
        column="confidence_calibration_p",
    )

    @number(key="curve")
    def points(self) -> CoveragePoints:
        """Accuracy against the share answered: at most 200 points."""
        curve = self.curve
        places = np.unique(np.linspace(0, curve.coverage.size - 1, _POINTS).round().astype(int))
        return {
            "coverage": curve.coverage[places].tolist(),
            "accuracy": curve.selective_accuracy[places].tolist(),
            "threshold": curve.threshold[places].tolist(),
        }

    def finding(self) -> Finding:
        """Say how accurate the surest answers are, and whether the confidence is right."""
        low, high = self.area_interval
        said = self.bets.say_calibration().replace("its probabilities are", "its confidence is")
        if self.bets.n_impossible:
            rows = say_rows(self.bets.impossible_rows)
            said = f"It was certain, and wrong, in {rows}: betting by that loses everything (ruin). {said}"
        sentence = (
            f"{self.model}: right on {self.accuracy_of_surest_half:.1%} of the half of its answers that it is "
            f"surest of, on {self.curve.accuracy:.1%} of all; mean accuracy over all shares answered "
            f"{self.area:.1%} (95% interval {low:.1%} to {high:.1%}). {said}"
        )
        evidence: dict[str, object] = {
            "area": self.area,
            "area_interval": self.area_interval,
            "accuracy_of_surest_half": self.accuracy_of_surest_half,
            "calibration_p_value": self.bets.calibration_p,
            "reward": self.bets.mean_reward,
        }
        return Finding("bets", (self.model,), sentence, evidence, claims=self.bets.claims)
