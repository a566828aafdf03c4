"""The bits view of one model: how much its answers tell about the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fivefold.bits.cells import AnswerCells
from fivefold.bits.codes import Encoding, encode_cells, null_of_counts, run_code, shuffle_totals
from fivefold.bits.coverage import SetCoverage
from fivefold.bits.curve import expected_significance
from fivefold.bits.evidence import PROOF, deal_again, last_gains, saved_interval
from fivefold.evaluation.findings import Finding, Importance
from fivefold.formulas import Pooled, binomial_limits, worth
from fivefold.inputs.groups import Groups
from fivefold.inputs.predictions import Predictions
from fivefold.report.summary import percent
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
)

ORDERINGS = 20
_PRINTED_ORDERS, _PRINTED_CASES = 5, 400_000
_SHUFFLED_CASES = 4_000_000
# Answers that know nothing save k bits with probability 2^-k at most: beyond this no dealing is needed.
_BEYOND_CHANCE = 10.0
# Time would grow with the square of the number of models: beyond 200 of them, proof takes more than dealings show.
_MOST_DEALINGS = 8_000


def share_interval(count: int, n: int, n_worth: float | None = None) -> Interval:
    """Give Clopper and Pearson's exact 95% interval of a share, of cases that may be worth fewer."""
    return binomial_limits(count / n * (n_worth or n), n_worth or n)


@dataclass(frozen=True, eq=False)
class BitsView(View, view="bits"):
    """How much a model really learned.

    Parameters
    ----------
    model : str
        The model's name.
    encoding : Encoding
        The truth under the mixture code, the one to decide by, over random orders of the cases.
    as_printed : float
        Significance under the frequency code as the paper prints it, in the given order.
    default_class : str
        The most frequent class.
    default_rate : float
        Its share: the accuracy of a model that has learned nothing else.
    order_matters : bool
        Whether the given order of the rows carries class information that random orders do not.
    chance_p_value : float
        Probability that answers which know nothing tell as much.
    chance_adjusted_p : float
        The same, adjusted by Holm's method for all models of the report that do not answer all cases alike.
    saved_share_interval : pair of float
        95% interval of the share of all bits that is saved, on average, of as many cases drawn alike.
    metrics : mapping of str to float or None
        Metrics that were registered for this view.
    sets : SetCoverage or None
        How often answers of several classes hold the truth, in all and class by class; None for single answers.
    n_worth : (float, float) or (None, None)
        How many independent cases tell as much about right answers, and about answers with the truth among them.
    groups : Groups or None
        Which cases belong together.
    n_models : int
        How many models the report judges.
    """

    model: str
    encoding: Encoding = field(repr=False)
    as_printed: float = field(
        metadata=declared(
            "As printed",
            unit="bits",
            direction=HIGHER,
            format=",.1f",
            meaning="Bits saved under the frequency code as the paper prints it, in the given order.",
            tables=("page",),
            note="frequency code",
        )
    )
    default_class: str = field(metadata=declared(meaning="The most frequent class."))
    default_rate: Share = field(metadata=declared(meaning="Share of the most frequent class."))
    order_matters: bool = field(
        metadata=declared(
            meaning="Whether the given order of the rows carries class information that random orders do not."
        )
    )
    chance_p_value: Share = field(
        metadata=declared(
            meaning="Probability that answers which know nothing tell as much about the classes."
        )
    )
    chance_adjusted_p: Share = field(
        metadata=declared(
            "By chance",
            direction=LOWER,
            format="p",
            meaning="The p-value of chance, adjusted by Holm's method for all models of the report.",
            tables=("page",),
            note="adjusted p",
            key="chance_adjusted_p_value",
        )
    )
    saved_share_interval: Interval = field(
        metadata=declared(
            "95% interval",
            format=".1%",
            meaning="95% interval of the share of all bits that is saved of as many cases drawn alike.",
            tables=("terminal",),
            column="bits_saved_share",
        )
    )
    metrics: Mapping[str, float | None] = field(repr=False)
    sets: SetCoverage | None = field(
        default=None,
        repr=False,
        metadata=declared(
            meaning="How often answers of several classes hold the truth, and as promised or not."
        ),
    )
    n_worth: tuple[float | None, float | None] = field(default=(None, None), repr=False)
    groups: Groups | None = field(default=None, repr=False)
    n_models: int = field(default=1, repr=False)

    @classmethod
    def of(cls, predictions: Predictions, random_state: int, n_models: int = 1) -> BitsView:
        """Look at the answers of one model of several; the p-value is adjusted when all were looked at."""
        n, k = predictions.n_cases, predictions.n_classes
        orderings = max(2, min(ORDERINGS, _SHUFFLED_CASES // n))
        cells = AnswerCells.of(predictions.truth, predictions.answers, k)
        encoding = encode_cells(cells, "mixture", orderings, random_state)
        printed = run_code("frequency", predictions.truth, predictions.answers, k)
        orders = min(orderings, max(_PRINTED_ORDERS, _PRINTED_CASES // n))
        shuffled = shuffle_totals(cells, "frequency", orders, random_state)
        counts, groups = cells.totals, predictions.groups
        largest = int(counts.argmax())
        chance = _chance(predictions, encoding.mean_significance, random_state, n_models)
        right, held = predictions.right(), predictions.covered()
        n_worth = (worth(right, groups), worth(held, groups)) if groups else (None, None)
        return cls(
            predictions.name,
            encoding,
            null_of_counts("frequency", counts) - printed,
            str(predictions.classes[largest]),
            float(counts[largest] / n),
            n >= 20 and abs(printed - float(shuffled.mean())) > _spread_by_chance(shuffled),
            chance,
            chance,
            saved_interval(encoding, groups),
            measure_registered("bits", predictions),
            n_worth=n_worth,
            groups=groups,
            n_models=n_models,
        )

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return self.encoding.cells.n_cases

    accuracy = forwarded(
        "encoding.answers.accuracy",
        Share,
        "Share of cases answered with the true class alone.",
        "Accuracy",
        direction=HIGHER,
        format=".1%",
        tables=("terminal", "page"),
        heading="right",
        below=("accuracy_interval",),
        column="accuracy",
    )

    @number("95% interval", format=".1%", column="accuracy")
    def accuracy_interval(self) -> Interval:
        """95% interval of the accuracy: exact, of all cases or of as many cases as groups are worth."""
        return share_interval(int(self.encoding.answers.right_by_size[1]), self.n_cases, self.n_worth[0])

    saved = forwarded(
        "encoding.mean_significance",
        float,
        "Bits that the answers save, averaged over random orders of the cases.",
        "Bits saved",
        unit="bits",
        direction=HIGHER,
        format=",.1f",
        tables=("terminal", "page"),
        column="bits_saved",
    )

    @number(column="bits_saved_se")
    def standard_error(self) -> float:
        """Standard error of the bits saved: other cases drawn alike, other orders of them; NaN for one case."""
        cells, gains = self.encoding.cells, last_gains(self.encoding.cells)
        values = Pooled.counted(gains, cells.counts)
        sampling = values.variance() * self.n_cases if self.n_cases > 1 else np.nan
        if self.groups is not None:
            n, sums = self.groups.n_groups, self.groups.totals((gains - values.mean)[cells.codes])
            sampling = float((sums**2).sum()) * n / (n - 1)
        return float(np.sqrt(sampling + self.encoding.sd**2 / self.encoding.shuffled.size))

    null = forwarded(
        "encoding.null", float, "Bits of the classes with no information (null code).", column="null_bits"
    )

    @number(
        "Of all bits",
        direction=HIGHER,
        format=".0%",
        tables=("terminal", "page"),
        heading="share",
        note="0% is no information (null code)",
        below=("saved_share_interval",),
        column="bits_saved_share",
    )
    def share(self) -> float:
        """Share of all bits that is saved: 0 for no information (null code), near 1 for a perfect model."""
        return float(self.saved / self.null) if self.null else 0.0

    @number("Per case", unit="bits", direction=HIGHER, tables=("page",))
    def per_case(self) -> float:
        """Bits saved for each case."""
        return float(self.saved / self.n_cases)

    order_sd = forwarded(
        "encoding.sd",
        float,
        "Standard deviation of the bits over random orders of the cases.",
        "Spread over orders",
        unit="bits",
        direction=LOWER,
        format=",.1f",
        tables=("page",),
        note="s.d.",
    )

    @number("Curve", direction=HIGHER, format=",.1f", tables=("page",), note="for this accuracy")
    def expected_from_accuracy(self) -> float | None:
        """Bits that the analytic curve promises for this accuracy; null unless two classes, one answer each."""
        answers = self.encoding.answers
        if answers.n_classes != 2 or answers.share_single < 1:
            return None
        return expected_significance(self.n_cases, self.default_rate, self.accuracy)

    coverage = forwarded(
        "encoding.answers.coverage",
        Share,
        "Share of cases in which the true class is among the answers.",
        "Truth among answers",
        direction=HIGHER,
        format=".1%",
        tables=("page",),
        column="coverage",
    )
    mean_size = forwarded(
        "encoding.answers.mean_size",
        float,
        "Mean number of classes in an answer.",
        "Classes in an answer",
        direction=LOWER,
        format=",.2f",
        tables=("page",),
        note="mean",
        column="mean_size",
    )

    @number(
        "One / several / none",
        format=".0%",
        tables=("terminal", "page"),
        heading="one/several/none",
        note="share of cases answered so",
        key=None,
        reads=("share_single", "share_several", "share_empty"),
    )
    def answered(self) -> tuple[Share, Share, Share]:
        """Shares of cases answered with one class, with several and with none."""
        return self.share_single, self.share_several, self.share_empty

    share_single = forwarded(
        "encoding.answers.share_single", Share, "Share of cases answered with one class."
    )
    share_several = forwarded(
        "encoding.answers.share_several", Share, "Share of cases answered with several classes."
    )
    share_empty = forwarded("encoding.answers.share_empty", Share, "Share of cases without an answer.")
    share_full = forwarded("encoding.answers.share_full", Share, "Share of cases answered with all classes.")
    code = forwarded("encoding.code", str, "Name of the code.")
    orders = forwarded("encoding.shuffled.size", Count, "How many random orders of the cases were coded.")

    @number()
    def learned(self) -> bool | None:
        """Whether the answers tell more than chance (adjusted p-value of 2.5% at most); null if not proven."""
        return True if self.chance_adjusted_p <= PROOF else None

    def adjust(self, chance_adjusted_p: float) -> BitsView:
        """Adjust the p-value; where nothing is proven the interval of what is saved reaches down to 0.

        Within groups answers save bits by chance, and so they do on average of other samples of as many groups.
        """
        view, (low, high) = replace(self, chance_adjusted_p=chance_adjusted_p), self.saved_share_interval
        return view if view.learned else replace(view, saved_share_interval=(min(low, 0.0), high))

    def finding(self) -> Finding:
        """Say what the model learned."""
        low, high = self.saved_share_interval
        bits = f"{self.saved:z,.1f} of {self.null:,.1f} bits"
        adjusted = "adjusted " if self.chance_adjusted_p > self.chance_p_value else ""
        chance = f"{adjusted}{say_p(self.chance_adjusted_p)}"
        if self.default_rate == 1:
            verdict = "all true classes are the same, so there are no bits to save"
        elif not self.learned:
            verdict = f"no proof that it learned anything ({chance}); its answers save {bits}"
        elif self.saved > 0:
            interval = f"95% interval {low:z.1%} to {high:.1%}"
            verdict = f"its answers save {bits} ({percent(self.share, 0)}; {interval})"
        else:
            verdict = f"its answers tell more than chance ({chance}), but too little to save bits"
        importance = Importance.VERDICT if self.learned or self.default_rate == 1 else Importance.ALARM
        sentence = f"{self.model}: {verdict}. {self._how_it_answers()}."
        claims = ("learned",) if self.learned else ()
        return Finding("bits", (self.model,), sentence, self._evidence(), importance, claims)

    def _how_it_answers(self) -> str:
        answers = self.encoding.answers
        if answers.share_single == 1:
            return f"It is right on {self.accuracy:.1%} of the cases"
        if answers.share_several == 0:
            silent = f"It names no class in {answers.share_empty:.1%} of the cases"
            return f"{silent} and is right on {self.accuracy:.1%} of all"
        return (
            f"It answers with one class in {answers.share_single:.1%} of the cases, with several in "
            f"{answers.share_several:.1%} and with none in {answers.share_empty:.1%}; the truth is among its "
            f"answers in {answers.coverage:.1%}, and is the only answer in {self.accuracy:.1%}"
        )

    def _evidence(self) -> dict[str, object]:
        return {
            "bits_saved": self.saved,
            "bits_saved_share": self.share,
            "bits_saved_share_interval": self.saved_share_interval,
            "chance_p_value": self.chance_p_value,
            "chance_adjusted_p_value": self.chance_adjusted_p,
            "null_bits": self.null,
            "accuracy": self.accuracy,
            "accuracy_interval": self.accuracy_interval,
            "default_rate": self.default_rate,
            "n_cases": self.n_cases,
            "orders": self.orders,
        }


def _spread_by_chance(shuffled: NDArray[np.float64]) -> float:
    """Give how far from the mean of random orders another one is in one of 10,000 normal samples, or 0.3 bits."""
    n, sd = shuffled.size, float(shuffled.std(ddof=1))
    return max(float(stdtrit(n - 1, 0.99995)) * sd * math.sqrt(1 + 1 / n), 0.3)


def _chance(predictions: Predictions, saved: float, random_state: int, n_models: int) -> float:
    groups = predictions.groups
    if saved >= _BEYOND_CHANCE and groups is None:
        return float(2.0**-saved)
    # of several models, so many dealings that none as good is still a proof after adjusting
    needed = min(math.ceil(n_models / PROOF), _MOST_DEALINGS)
    n_resamples = max(199, min(999, _SHUFFLED_CASES // predictions.n_cases), needed)
    return deal_again(
        predictions.truth, predictions.answers, predictions.n_classes, n_resamples, random_state, groups
    )
