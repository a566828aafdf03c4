"""What was found, as data: sentences with their evidence, models against each other, headlines and figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Annotated, Any

from fivefold.plain_text import listed, visible
from fivefold.results import VIEW_NAMES, Interval, PValue, Share, declared, number, say_p

CAME_FITTED = "a model that comes already fitted does not say which cases it was trained on"
NOT_ASKED = "it was not asked for"
POINTS = "points"
BEST, NOT_APART, WORSE = "best", "not told apart from the best", "worse"
MOST_ROWS = 10_000_000
"""More cases than these nobody gathers to tell two models apart."""
FIGURES = ("coverage", "size", "calibration", "confidence", "group", "error", "borders")
"""What the scorecard shows of each model beside accuracy, bits and bets, by which models are compared."""
OFTEN = 0.1
"""Share of answers with several classes beyond which accuracy says little: sets with the truth are not wrong."""
ALPHA = 0.05
"""How often a report may hold a false statement of a kind: "is better", "is miscalibrated", "fails on"."""

_OF_MODELS = ("better", "disagreement", "learned", "promise", "miscalibrated", "ruin", "slice")
CLAIMS = (*_OF_MODELS, "known cases", "other cases", "groups")
"""What sentences claim of models: each has its promise, which docs/promises.md tells."""


def few(names: Sequence[str], most: int = 3) -> str:
    """Write names, of many the first and how many more there are."""
    return listed(names, most if len(names) <= most else most - 1)


def decimals(difference: float, least: int) -> int:
    """Give as many decimals as a difference needs not to be written as 0, and at least some.

    Examples
    --------
    >>> decimals(0.04, 1), decimals(4.0, 1), decimals(0.0, 3)
    (2, 1, 3)
    """
    size = abs(difference)
    return max(least, -math.floor(math.log10(size))) if 0 < size < math.inf else least


def roughly(number: int) -> str:
    """Write an estimated number, which nobody knows to more than two digits."""
    return f"{round(number, 2 - len(str(number))):,}"


class Importance(IntEnum):
    """How soon a reader must hear of it; what is more important is lower."""

    NO_TEST = 0
    DISAGREEMENT = 1
    ALARM = 2
    VERDICT = 3
    DETAIL = 4


@dataclass(frozen=True)
class Finding:
    """Something that was found, said in plain English.

    Parameters
    ----------
    view : str
        Which view found it: "bits", "bets", "truth", "slices", "borders", or "views" for a disagreement between
        them.
    models : tuple of str
        The models it is about.
    sentence : str
        What was found.
    evidence : mapping
        The numbers behind the sentence; NaN for those that are not defined, null in JSON.
    importance : Importance
        How soon it must be heard.
    claims : tuple of str
        What the sentence says beyond chance: "better", "disagreement", "learned", "promise" (of sets, broken or
        more than kept), "miscalibrated", "ruin", "slice", "known cases" and "other cases" (test cases that are
        training cases, or unlike them), "groups" (a column that looks so). Empty where nothing is proven.
    """

    view: Annotated[str, ("views", *VIEW_NAMES)]
    models: tuple[str, ...]
    sentence: Annotated[str, (1, None)]
    evidence: Annotated[Mapping[str, Any], (1, None)]
    importance: Importance = Importance.VERDICT
    claims: tuple[Annotated[str, CLAIMS], ...] = ()

    def __str__(self) -> str:
        return visible(self.sentence)


@dataclass(frozen=True)
class Advantage:
    """The best model of a view against another, on the same cases.

    Parameters
    ----------
    view : str
        The view.
    better, worse : str
        The two models.
    difference : float
        Mean advantage of the better one for each case, in ``unit``; NaN where models are ruined.
    interval : (float, float)
        Its interval; those of all pairs of models in all views hold together in 95% of samples. NaN where there
        is no difference.
    adjusted_p_value : float
        Two-sided, of no difference; adjusted for all pairs of models in all views, so that it is below 0.05 where
        the interval excludes 0.
    unit : str
        Unit of the difference; a point is a hundredth of the cases.
    test : str
        The test.
    ruined : tuple of str
        Models of the pair that gave probability 0 to what happened, so that no mean compares them.
    level : float
        Level of this test alone at which all tests together err in at most 5% of samples.
    """

    view: Annotated[str, ("accuracy", "bits", "bets")] = field(metadata=declared())
    better: str = field(metadata=declared())
    worse: str = field(metadata=declared())
    difference: float = field(metadata=declared(meaning="Mean advantage of the better one for each case."))
    interval: Interval = field(metadata=declared(meaning="95% interval, for all pairs and views together."))
    adjusted_p_value: PValue = field(metadata=declared(meaning="Adjusted for all pairs and views together."))
    unit: str = field(metadata=declared())
    test: str = field(default="mean of bounded numbers, paired over cases", metadata=declared())
    ruined: tuple[str, ...] = field(
        default=(), metadata=declared(meaning="Models that gave probability 0 to what happened.")
    )
    level: Share = field(
        default=ALPHA, metadata=declared(meaning="Level of this test alone; of all together 5%.")
    )

    def __str__(self) -> str:
        return str(self.finding())

    @number()
    def proven(self) -> bool:
        """Whether chance is ruled out at the 5% level."""
        return self.adjusted_p_value < ALPHA

    def finding(self) -> Finding:
        """Say which model is better, or that it cannot be told."""
        measured = self.measured()
        if self.ruined:
            verdict = (
                f"{self.better} and {self.worse} cannot be compared: {' and '.join(self.ruined)} gave the "
                "true class probability 0"
            )
        elif self.proven:
            verdict = f"{self.better} is better than {self.worse} by {measured}"
        else:
            verdict = f"{self.better} and {self.worse} cannot be told apart: the difference is {measured}"
        importance = Importance.VERDICT if self.proven else Importance.DETAIL
        sentence = f"By {self.view}, {verdict}."
        claims = ("better",) if self.proven else ()
        return Finding(self.view, (self.better, self.worse), sentence, self.evidence(), importance, claims)

    def measured(self) -> str:
        """Write the difference with its interval and its p-value."""
        digits = decimals(self.difference, 1 if self.unit == POINTS else 3)
        low, high = (f"{end:+.{digits}f}".replace("inf", "∞") for end in self.interval)
        return (
            f"{self.difference:.{digits}f} {self.unit} (95% interval {low} to {high}, "
            f"adjusted {say_p(self.adjusted_p_value)})"
        )

    def evidence(self) -> dict[str, object]:
        """Give the numbers behind the sentence."""
        return {
            "difference": self.difference,
            "interval": self.interval,
            "adjusted_p_value": self.adjusted_p_value,
            "unit": self.unit,
            "test": self.test,
        }


@dataclass(frozen=True)
class Standing:
    """One model's place in one view.

    Parameters
    ----------
    model : str
        The model.
    place : int
        Its place, from 1; equal values share one.
    value : float
        What it is ranked by.
    interval : (float, float) or None
        The 95% interval of the value, where there is one.
    apart_from_best : bool or None
        Whether chance is ruled out as the reason why it stands below the best; None for the best, and where no
        test was made.
    about : str
        Which cases the value is about, where it is not about all.
    """

    model: str
    place: Annotated[int, (1, None)]
    value: float
    interval: Interval | None
    apart_from_best: bool | None
    about: str = ""

    def __str__(self) -> str:
        apart = {True: ", worse beyond chance", False: ", could be chance", None: ""}[self.apart_from_best]
        return visible(f"{self.place}. {self.model} {self.value:.4g}{apart}")


@dataclass(frozen=True)
class Ranking:
    """The models in the order in which a view prefers them.

    Parameters
    ----------
    view : str
        The view; "accuracy" beside the five.
    measure : str
        What the models are ranked by.
    unit : str
        Its unit.
    standings : tuple of Standing
        The best first.
    """

    view: Annotated[str, ("accuracy", *VIEW_NAMES)]
    measure: str
    unit: str
    standings: tuple[Standing, ...]

    def __str__(self) -> str:
        return f"{self.view} ({self.measure}): {'; '.join(map(str, self.standings))}"

    @property
    def best(self) -> tuple[str, ...]:
        """The model in the first place, or several."""
        return tuple(standing.model for standing in self.standings if standing.place == 1)


@dataclass(frozen=True)
class Remark:
    """Something to know at first sight, in a line: which view says it, of which models."""

    view: Annotated[str, ("views", *VIEW_NAMES)]
    models: tuple[str, ...]
    sentence: Annotated[str, (1, None)]

    def __str__(self) -> str:
        return visible(self.sentence)


@dataclass(frozen=True)
class Headline:
    """The decision in a sentence: which models it is about, and what else to know about it.

    Parameters
    ----------
    kind : str
        "recommendation" of a model, a "tie" of the best, a "disagreement" of the views about them, an "alarm" that
        overrides these, or the "description" of a single model.
    models : tuple of str
        The models that it names first.
    sentence : str
        The decision.
    detail : str
        Figures beside it.
    """

    kind: Annotated[str, ("recommendation", "tie", "disagreement", "alarm", "description")]
    models: tuple[str, ...]
    sentence: Annotated[str, (1, None)]
    detail: str

    def __str__(self) -> str:
        return visible(self.sentence)


@dataclass(frozen=True)
class ScoreColumn:
    """A column of the scorecard, and what it means in a sentence."""

    key: Annotated[str, ("accuracy", "bits", "bets", *FIGURES)]
    title: str
    note: str
    meaning: str
    heading: str = ""
    lower_is_better: bool = False

    def __str__(self) -> str:
        return f"{self.title}: {self.meaning}"


@dataclass(frozen=True)
class Score:
    """A figure of a model.

    Parameters
    ----------
    value : float or None
        To sort by; None where a view has not judged the model.
    text : str
        To read.
    interval : (float, float) or None
        Its 95% interval.
    detail : str
        Small print; why there is no value, where there is none.
    standing : str
        Whether it is the best of its column, or told apart from it by a test that counts all others; empty where
        there was none.
    """

    value: float | None
    text: str
    interval: Interval | None = None
    detail: str = ""
    standing: Annotated[str, (BEST, NOT_APART, WORSE, "")] = ""

    def __str__(self) -> str:
        return visible(f"{self.text} ({self.standing})" if self.standing else self.text)


@dataclass(frozen=True)
class ScoreRow:
    """The figures of a model, or of always naming the most frequent class and stating the base rate."""

    name: str
    baseline: bool
    scores: tuple[Score, ...]

    def __str__(self) -> str:
        return visible(f"{self.name}: {'; '.join(str(score) for score in self.scores if score.text)}")
