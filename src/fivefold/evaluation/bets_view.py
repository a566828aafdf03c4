"""The bets view of one model: what its probabilities are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NotRequired, TypedDict, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtrc

from fivefold.bets.calibration import SELECTED, Events, Reliability, measure_reliability, pick_events
from fivefold.bets.calibration_tests import CalibrationTest, measure_calibration
from fivefold.bets.recalibration import Recalibration, recalibrate
from fivefold.bets.scores import Reward, base_rate_reward, information_reward_details, over_base_rate
from fivefold.evaluation.findings import ALPHA, Finding, Importance
from fivefold.inputs.frames import as_few
from fivefold.inputs.labels import plain_item
from fivefold.inputs.predictions import Predictions
from fivefold.plain_text import counted
from fivefold.results import (
    HIGHER,
    LOWER,
    Count,
    Interval,
    Share,
    View,
    declared,
    forwarded,
    measure_registered,
    number,
    say_p,
    say_won,
)

_DIAGRAM_CELLS = 15
_STATED_BINS = 20
_DRAWN_CLASSES = 8
_RECALIBRATED_CASES = 100_000
_FOLDS = 5
_LEAST_GAIN = 0.0005  # what rounds to nothing is not worth a sentence


class Diagram(TypedDict):
    """Columns of the reliability diagram, a cell in each row."""

    cases: list[Count]
    stated: list[Share]
    happened: list[Share]
    signed: list[float]
    low: list[Share]
    high: list[Share]


class ClassDiagram(TypedDict):
    """The reliability diagram of a class against the rest, and how often which probability of it was stated."""

    event: str
    diagram: Diagram
    stated_counts: list[Count]


class Maps(TypedDict):
    """What calibration maps recover on unseen cases; without maps, the reason why there are none."""

    maps: list[dict[str, Any]] | None
    lost: NotRequired[float]
    gain: NotRequired[float]
    gain_interval: NotRequired[Interval]
    best: NotRequired[str | None]
    n_folds: NotRequired[Count]
    note: str | None


@dataclass(frozen=True, eq=False)
class BetsView(View, view="bets"):
    """What a gambler wins on a model's probabilities.

    Parameters
    ----------
    model : str
        The model's name.
    reward, log_reward : Reward
        Rewards in the contrast and in the log reading; the same for two classes.
    base_reward, base_log_reward : float
        Rewards of always stating the shares that the classes have among these cases, in both readings.
    over_base : pair of float
        95% interval of what bets on all classes win beyond the true shares of the classes; not a number where one
        case loses without limit.
    calibration : CalibrationTest
        Whether the stated probabilities are right: of two classes the second, of more each against the rest.
    reliability : Reliability
        The paper's miscalibration of the selected class in its cells, with its noise floor.
    large_cells : Reliability
        A few large cells for drawing: of the second of two classes, of more classes the selected one.
    recalibration : Recalibration or None
        What calibration maps recover on unseen cases.
    recalibration_note : str or None
        Why there is none, or from how many of the cases it comes.
    rows : ndarray of shape (n,) or None
        Where each case stood in the table from which these were held out.
    metrics : mapping of str to float or None
        Metrics that were registered for this view, such as the Brier score and AUC.
    calibration_adjusted_p : float
        The p-value of calibration, adjusted by Holm's method for all models of the report.
    stated_counts : tuple of int
        How often which probability of the drawn event was stated, in twentieths from 0 to 1.
    class_diagrams : tuple of ClassDiagram
        Of more than two classes the diagram of each against the rest, the most frequent eight at most.
    """

    model: str
    reward: Reward = field(repr=False)
    log_reward: Reward = field(repr=False)
    base_reward: float = field(repr=False)
    base_log_reward: float = field(repr=False)
    over_base: Interval = field(repr=False)
    calibration: CalibrationTest = field(repr=False)
    reliability: Reliability = field(repr=False)
    large_cells: Reliability = field(repr=False)
    recalibration: Recalibration | None = field(repr=False)
    recalibration_note: str | None
    rows: NDArray[np.int64] | None = field(repr=False)
    metrics: Mapping[str, float | None]
    calibration_adjusted_p: Share = field(
        default=1.0,
        metadata=declared(
            "Calibration",
            format="p",
            tables=("terminal", "page"),
            heading="cal. p",
            note="adjusted p",
            column="calibration_adjusted_p",
            key="calibration_adjusted_p_value",
            meaning="The p-value of calibration, adjusted by Holm's method for all models of the report.",
        ),
    )
    stated_counts: tuple[Count, ...] = field(
        default=(),
        repr=False,
        metadata=declared(meaning="How often each probability was stated, in twentieths from 0 to 1."),
    )
    class_diagrams: tuple[ClassDiagram, ...] = field(
        default=(),
        repr=False,
        metadata=declared(
            meaning="Of more than two classes the diagram of each, the most frequent eight at most."
        ),
    )

    @classmethod
    def of(cls, predictions: Predictions, random_state: int) -> BetsView:
        """Look at one model's probabilities."""
        # Positions instead of labels: they were checked before, and are coded again in no time.
        y, prob, classes = predictions.truth, predictions.probabilities, np.arange(predictions.n_classes)
        assert prob is not None
        groups, events = predictions.groups, pick_events(y, prob, classes, SELECTED)
        large_cell = max(10, predictions.n_cases // _DIAGRAM_CELLS)
        drawn_event = pick_events(y, prob, classes, None)
        drawn, note = _draw_cases(predictions, random_state)
        recalibration, reason = _recalibrate(predictions, drawn, random_state)
        calibration = measure_calibration(
            y[drawn],
            np.asarray(prob[drawn]),
            predictions.classes,
            random_state=random_state,
            groups=groups and groups.part(drawn),
        )
        reward = information_reward_details(y, prob, classes=classes, groups=groups)
        log_reward = reward
        if classes.size > 2:
            log_reward = information_reward_details(y, prob, classes=classes, multiclass="log", groups=groups)
        return cls(
            predictions.name,
            reward,
            log_reward,
            base_rate_reward(y, classes.size),
            base_rate_reward(y, classes.size, "log"),
            over_base_rate(log_reward, y),
            calibration,
            measure_reliability(events, random_state=random_state),
            measure_reliability(drawn_event, large_cell, n_resamples=1),
            recalibration,
            reason or note,
            predictions.rows,
            measure_registered("bets", predictions),
            calibration.p_value,
            _count_stated(drawn_event),
            _draw_classes(predictions, large_cell),
        )

    mean_reward = forwarded(
        "reward.mean",
        float,
        "Mean reward of betting by the probability of the selected class, in bits a case.",
        "Reward",
        unit="bits a case",
        direction=HIGHER,
        format="+.3f",
        tables=("evidence",),
        below=("interval", "base_rate"),
        column="reward",
        key="reward",
    )
    standard_error = forwarded(
        "reward.standard_error",
        float,
        "Standard error of the mean reward; not a number for one case, or where a reward is infinite.",
        column="reward_se",
        key="reward_standard_error",
    )

    @number("95% interval", unit="bits a case", format="+.3f", key="reward_interval")
    def interval(self) -> Interval:
        """95% interval of the mean reward; what has not happened yet counts as the worst that was stated.

        Not a number where a reward is infinite.
        """
        return self.reward.interval

    base_rate = forwarded(
        "base_reward",
        float,
        "Reward of always stating how frequent each class is among these cases.",
        "Base rate",
        unit="bits a case",
        format="+.3f",
        column="base_rate_reward",
        key="base_rate_reward",
    )
    mean_log_reward = forwarded(
        "log_reward.mean",
        float,
        "Mean reward of betting on all classes, in bits a case.",
        "Bits won",
        unit="bits a case",
        direction=HIGHER,
        format="+.3f",
        tables=("terminal", "page"),
        heading="reward",
        note="a case",
        below=("log_interval", "base_log_rate"),
        column="log_reward",
        key="log_reward",
    )

    @number(
        "95% interval", unit="bits a case", format="+.3f", tables=("terminal",), key="log_reward_interval"
    )
    def log_interval(self) -> Interval:
        """95% interval of the mean reward of betting on all classes; not a number where a reward is infinite."""
        return self.log_reward.interval

    base_log_rate = forwarded(
        "base_log_reward",
        float,
        "Reward on all classes of always stating how frequent each is among these cases.",
        "Base rate",
        unit="bits a case",
        format="+.3f",
        tables=("terminal",),
        heading="base",
        column="base_rate_log_reward",
        key="base_rate_log_reward",
    )
    calibration_p = forwarded(
        "calibration.p_value",
        Share,
        "Probability that chance alone makes right probabilities look so wrong.",
        column="calibration_p",
        key="calibration_p_value",
    )

    @number()
    def miscalibrated(self) -> bool:
        """Whether chance is ruled out as the reason why its probabilities are wrong, for all models together."""
        return self.calibration_adjusted_p < ALPHA and not self.rounded_to

    @number(
        "Recalibration",
        unit="bits a case",
        direction=LOWER,
        format="+.3f",
        tables=("terminal", "page"),
        heading="recal.",
        note="would win, a case",
        below=("recalibration_interval",),
        column="recalibration_gain",
    )
    def recalibration_gain(self) -> float | None:
        """Bits a case that recalibration would win on cases that neither chose nor fitted it."""
        return None if self.recalibration is None else self.recalibration.gain

    @number("95% interval", unit="bits a case", format="+.3f")
    def recalibration_interval(self) -> Interval | None:
        """95% interval of what recalibration would win."""
        return None if self.recalibration is None else self.recalibration.interval

    @number(key="calibration")
    def calibration_by_class(self) -> list[dict[str, Any]]:
        """Calibration of each class against the rest; of two classes the second. NaN where there is no slope."""
        return [asdict(judged) | {"event": str(judged.event)} for judged in self.calibration.classes]

    miscalibration = forwarded(
        "reliability.miscalibration",
        float,
        "The paper's measure for the selected class; it grows with the number of cells and compares no models.",
    )
    noise_floor = forwarded(
        "reliability.floor.mean", float, "Mean of the paper's measure that chance alone gives."
    )
    noise_floor_q95 = forwarded(
        "reliability.floor.q95", float, "The paper's measure that chance alone exceeds in one of 20 samples."
    )
    noise_floor_p_value = forwarded(
        "reliability.floor.p_value",
        Share | None,
        "Probability that chance alone gives as large a value of the paper's measure.",
    )
    draws = forwarded("reliability.floor.draws", Count | None, "How often chance was tried.")
    rms = forwarded(
        "reliability.rms",
        float,
        "Root mean square distance of stated probabilities from what happened, over cases.",
        "Rms distance",
        direction=LOWER,
        tables=("evidence",),
    )
    signed = forwarded(
        "reliability.signed",
        float,
        "Mean stated probability less the share that happened: above 0 is over-confident.",
        "Stated less happened",
        format="+.3f",
        tables=("evidence",),
        below=("signed_standard_error",),
    )
    signed_standard_error = forwarded(
        "reliability.signed_standard_error",
        float,
        "Standard error of stated less happened, if the probabilities are right.",
        "± s.e.",
        format="±.3f",
    )

    @number("Advice", format="text", tables=("page",))
    def advice(self) -> str:
        """Which way the probabilities err, if chance does not explain it."""
        if self.n_impossible:
            return "never state 0 for what can happen"
        if not self.miscalibrated:
            return "the test found nothing wrong"
        judged, extreme = self.calibration.worst, self.calibration.too_extreme
        if extreme is None:
            stated, happened = judged.stated, judged.happened
            chance = 3 * np.sqrt(happened * (1 - happened) / self.log_reward.per_example.size)
            # the score knows of groups, the other of outcomes that vary more than what was stated allows;
            # of two classes the rarer counts, whichever was judged
            large = 0.1 * min(happened, 1 - happened)
            if abs(judged.shift) > 3 and abs(stated - happened) > max(large, chance):
                way = "high" if stated > happened else "low"
                means = f"{stated:.1%} on average where {happened:.1%} happened"
                return f"{str(judged.event)!r} is stated too {way}, {means}"
            extreme = judged.too_extreme if len(self.calibration.classes) == 1 else 0.0
        if abs(extreme) <= 1.96:
            return "neither over- nor under-confident, but off"
        return "over-confident: shrink" if extreme > 0 else "under-confident: sharpen"

    @number()
    def diagram(self) -> Diagram:
        """Columns of the reliability diagram, a cell in each row."""
        return cast(Diagram, self.large_cells.columns())

    @number(key="recalibration")
    def maps(self) -> Maps:
        """What calibration maps recover on unseen cases."""
        if self.recalibration is None:
            return {"maps": None, "note": self.recalibration_note}
        best = self.recalibration.best
        return {
            "maps": self.recalibration.frame().to_dicts(),
            "lost": self.recalibration.lost,
            "gain": self.recalibration.gain,
            "gain_interval": self.recalibration.interval,
            "best": best.method if best else None,
            "n_folds": self.recalibration.n_splits,
            "note": self.recalibration_note,
        }

    n_impossible = forwarded(
        "log_reward.impossible.size", Count, "Cases that happened although they had been given probability 0."
    )

    @number(key="impossible_rows")
    def first_impossible_rows(self) -> list[Count]:
        """Rows that happened although they had been given probability 0: the first hundred, counted from 0."""
        return list(map(int, self.impossible_rows[:100]))

    @property
    def impossible_rows(self) -> NDArray[np.int64]:
        """Rows that happened although they had been given probability 0, counted from 0."""
        cases = self.log_reward.impossible
        return cases if self.rows is None else np.unique(self.rows[cases])

    def finding(self) -> Finding:
        """Say what the probabilities are worth."""
        if self.n_impossible:
            text = self.log_reward.sentence(self.rows)
            verdict = f"{self.model}: {text[0].lower()}{text[1:]}"
        else:
            verdict = f"{self.model}: {self._won()}"
        importance = Importance.ALARM if self.n_impossible else Importance.VERDICT
        sentence = f"{verdict} {self.say_calibration()}"
        return Finding("bets", (self.model,), sentence, self._evidence(), importance, self.claims)

    @property
    def rounded_to(self) -> int:
        """To how many digits it may have been rounded, if so much could happen that it stated 0 for; else 0."""
        if not self.n_impossible:
            return 0
        n_classes = self.log_reward.n_classes
        stated = np.exp2(np.asarray(self.log_reward.per_example)) / n_classes
        digits = next((d for d in range(5) if np.abs(stated - stated.round(d)).max() < 1e-7), 0)
        most = stated.size * (n_classes - 1) * 0.5 * 10.0**-digits
        return digits if pdtrc(self.n_impossible - 1, most) >= ALPHA else 0

    @property
    def claims(self) -> tuple[str, ...]:
        """What is claimed of the probabilities."""
        claimed = {"ruin": self.n_impossible > 0, "miscalibrated": self.miscalibrated}
        return tuple(claim for claim, holds in claimed.items() if holds)

    def _won(self) -> str:
        low, high = self.log_interval
        reach = f"95% interval {low:+.3f} to {high:+.3f}"
        if not np.isfinite(low):
            reach = f"at most {high:+.3f}; no lower limit, because it states 0 somewhere"
        return (
            f"betting by its probabilities {say_won(self.mean_log_reward)} bits a case ({reach}); betting by the "
            f"base rate {say_won(self.base_log_rate)}."
        )

    def say_calibration(self) -> str:
        """Say whether the probabilities are right, and what recalibration would win."""
        if self.n_impossible:
            digits = counted(self.rounded_to, "digit")
            unless = f", unless what it stated was rounded (to {digits})" if self.rounded_to else ""
            return f"No calibrated model does that{unless}.{self._recovery()}"
        adjusted = "adjusted " if self.calibration_adjusted_p > self.calibration_p else ""
        chance = f"{adjusted}{say_p(self.calibration_adjusted_p)}"
        if not self.miscalibrated:
            return f"Chance can explain how far its probabilities are from what happened ({chance})."
        return f"{self.calibration.sentence(chance)}{self._recovery()}"

    def _recovery(self) -> str:
        found = self.recalibration
        if found is None or found.gain < _LEAST_GAIN or (found.best is None and np.isnan(found.gain)):
            return ""
        low, high = found.interval
        if np.isnan(low):
            return f" Recalibration ({found.method}) would save the gambler from ruin."
        reach = f"{low:z.3f} to {high:.3f}" if np.isfinite(high) else f"{low:z.3f} or more"
        wins = "may win" if found.best is None else "would win"
        return f" Recalibration {wins} {found.gain:.3f} bits a case (95% interval {reach})."

    def _evidence(self) -> dict[str, object]:
        return {
            "mean_reward": self.mean_reward,
            "mean_reward_interval": self.interval,
            "base_rate_reward": self.base_rate,
            "log_reward": self.mean_log_reward,
            "log_reward_interval": self.log_interval,
            "base_rate_log_reward": self.base_log_rate,
            "impossible_rows": self.first_impossible_rows,
            "n_impossible": self.n_impossible,
            "calibration_p_value": self.calibration_p,
            "calibration_adjusted_p_value": self.calibration_adjusted_p,
            "calibration": self.calibration_by_class,
            "recalibration_gain": self.recalibration_gain,
            "recalibration_interval": self.recalibration_interval,
            "miscalibration": self.miscalibration,
            "miscalibration_by_chance": self.noise_floor,
            "signed_confidence": self.signed,
        }


def _count_stated(events: Events) -> tuple[int, ...]:
    few = as_few(events.p)
    stated, times = (events.p, None) if few is None else (few.levels, few.counts)
    return tuple(np.histogram(stated, _STATED_BINS, (0.0, 1.0), weights=times)[0].tolist())


def _draw_classes(predictions: Predictions, min_cases: int) -> tuple[ClassDiagram, ...]:
    """Draw the most frequent classes against the rest; of two classes one diagram says it all."""
    if predictions.n_classes == 2:
        return ()
    y, prob, k = predictions.truth, predictions.probabilities, predictions.n_classes
    assert prob is not None
    frequent = np.sort(np.argsort(-np.bincount(y, minlength=k), kind="stable")[:_DRAWN_CLASSES])
    diagrams: list[ClassDiagram] = []
    for code in frequent.tolist():
        events = pick_events(y, prob, np.arange(k), code)
        drawn = cast(Diagram, measure_reliability(events, min_cases, n_resamples=1).columns())
        counts = list(_count_stated(events))
        diagrams.append({"event": str(predictions.classes[code]), "diagram": drawn, "stated_counts": counts})
    return tuple(diagrams)


def _draw_cases(predictions: Predictions, random_state: int) -> tuple[Any, str | None]:
    """Choose the cases on which calibration is judged: all, or of very many as many as suffice."""
    n = predictions.n_cases
    if n <= _RECALIBRATED_CASES:
        return slice(None), None
    rows = np.random.default_rng(random_state).choice(n, _RECALIBRATED_CASES, replace=False)
    return rows, f"measured on {_RECALIBRATED_CASES:,} of the cases, drawn at random"


def _recalibrate(
    predictions: Predictions, drawn: Any, random_state: int
) -> tuple[Recalibration | None, str | None]:
    assert predictions.probabilities is not None
    y, prob = predictions.truth[drawn], np.asarray(predictions.probabilities[drawn])
    counts = np.bincount(y, minlength=predictions.n_classes)
    if counts.min() < _FOLDS:
        rare = plain_item(predictions.classes[counts.argmin()])
        return None, f"recalibration needs {_FOLDS} cases of every class, but {rare!r} has {counts.min()}"
    groups = predictions.groups and predictions.groups.part(drawn)
    if groups is not None and groups.n_groups < _FOLDS:
        return None, f"recalibration needs {_FOLDS} groups, but there are {groups.n_groups}"
    options: Any = {"classes": np.arange(counts.size), "n_splits": _FOLDS, "random_state": random_state}
    return recalibrate(y, prob, groups=groups, **options), None
