"""The answer first: a headline, at most three warnings, and a row of figures for each model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from fivefold.bets.ranking import auc
from fivefold.bets.scores import base_rate_reward
from fivefold.evaluation.findings import ALPHA, MOST_ROWS, Advantage, Finding, Importance
from fivefold.formulas import sign_test
from fivefold.inputs._kernels import count_codes
from fivefold.plain_text import visible
from fivefold.report.summary import ABSENT, number, p_value, percent
from fivefold.results import Interval, plain

MOST_WARNINGS = 3
BEST, NOT_APART, WORSE = "best", "not told apart from the best", "worse"
_MOST_NAMES = 3
_OFTEN = 0.1
_COMPARED = ("accuracy", "bits", "bets")
_ASKS = {
    "accuracy": "Accuracy counts right answers",
    "bits": "bits count what they tell, and rare classes tell more",
    "bets": "bets judge the probabilities",
}


@dataclass(frozen=True)
class Remark:
    """Something to know at first sight, in a line: which view says it, of which models."""

    view: Annotated[str, ("views", "bits", "bets", "truth", "slices", "borders")]
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

    key: Annotated[
        str, (*_COMPARED, "coverage", "size", "calibration", "confidence", "group", "error", "borders")
    ]
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
        Its 95 % interval.
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


@dataclass(frozen=True)
class Scorecard:
    """What to see in ten seconds, on page, terminal and notebook alike.

    Parameters
    ----------
    headline : Headline
        The decision.
    warnings : tuple of Remark
        At most three things that matter.
    columns : tuple of ScoreColumn
        What the figures are.
    rows : tuple of ScoreRow
        The figures of each model, and last of the baseline, unless all true classes are the same.
    disagreements : tuple of Remark
        Where the views disagree about which model is better.
    """

    headline: Headline
    warnings: tuple[Remark, ...]
    columns: Annotated[tuple[ScoreColumn, ...], (1, None)]
    rows: Annotated[tuple[ScoreRow, ...], (1, None)]
    disagreements: tuple[Remark, ...] = field(default=())

    def __str__(self) -> str:
        from io import StringIO

        from rich.console import Console

        from fivefold.report.terminal import print_scorecard

        text = StringIO()
        print_scorecard(plain(self), Console(file=text, width=80, color_system=None))
        return "\n".join(visible(line) for line in text.getvalue().rstrip("\n").split("\n"))


def make_scorecard(
    models: Sequence[Any], comparisons: Sequence[Advantage], findings: Sequence[Finding]
) -> Scorecard:
    """Say the decision that the comparisons allow, and put the figures of all models beside each other.

    Parameters
    ----------
    models : sequence of ModelViews
        All views of each model.
    comparisons : sequence of Advantage
        The best model of each view against every other, adjusted for all pairs and views.
    findings : sequence of Finding
        What was found, in order of importance.
    """
    if _with_sets(models):
        # a set that holds the truth counts as wrong there, so that accuracy compares nothing
        comparisons = [pair for pair in comparisons if pair.view != "accuracy"]
        findings = [finding for finding in findings if finding.view != "views"]
    headline = _headline(models, comparisons, findings)
    warnings = _warnings(models, headline, findings)
    columns = [column for column in _COLUMNS if _is_shown(column, models)]
    standings = _standings(comparisons)
    rows = [
        ScoreRow(model.name, False, tuple(_stand(model, column, standings) for column in columns))
        for model in models
    ]
    if _differ(models):
        baseline = _baseline(models)
        scores = tuple(baseline.get(column.key, Score(None, "")) for column in columns)
        rows.append(ScoreRow(f"always {models[0].bits.default_class!r}", True, scores))
    disagreements = [_disagreement(finding) for finding in findings if finding.view == "views"]
    return Scorecard(
        headline, tuple(warnings[:MOST_WARNINGS]), tuple(columns), tuple(rows), tuple(disagreements)
    )


def _with_sets(models: Sequence[Any]) -> bool:
    """Tell whether some models answer with several classes so often that accuracy says little of them."""
    return any(model.bits.share_several > _OFTEN for model in models)


def _is_shown(column: ScoreColumn, models: Sequence[Any]) -> bool:
    """Leave out what nobody has; of sets tell how often they hold the truth instead of how often it is alone."""
    if column.key in ("coverage", "size"):
        return _with_sets(models)
    if (column.key in ("accuracy", "error") and _with_sets(models)) or (
        column.key == "bits" and not _differ(models)
    ):
        return False
    return any(_COLUMNS[column](model).value is not None for model in models)


def _headline(
    models: Sequence[Any], comparisons: Sequence[Advantage], findings: Sequence[Finding]
) -> Headline:
    worse = {pair.worse for pair in comparisons if pair.proven}
    leaders = [model for model in models if model.name not in worse]
    decision = _decide(leaders, models, comparisons, findings)
    seen = [_seen(finding) for finding in findings if _is_seen(finding)]
    turned = _upside_down(models) if _upside_down(leaders or models) else None
    other = _nothing_learned(leaders or models) or _mixed_up(leaders or models)
    if seen or turned or other:
        alarm = seen[0] if seen else turned or other
        assert alarm is not None
        detail = _read_as(models[0]) if alarm is turned else _how_right(models)
        return Headline("alarm", alarm.models, alarm.sentence, detail)
    # these are about probabilities: the decision by answers stands
    alarm = _ruin(leaders) or _below_base_rate(leaders)
    return decision if alarm is None else Headline("alarm", alarm.models, alarm.sentence, decision.sentence)


def _decide(
    leaders: Sequence[Any],
    models: Sequence[Any],
    comparisons: Sequence[Advantage],
    findings: Sequence[Finding],
) -> Headline:
    if len(models) == 1:
        return _describe(models[0])
    if not leaders:
        return _disagree(comparisons)
    if len(leaders) > 1:
        return _tie(leaders, models, findings)
    sentence = _recommend(leaders[0], models, comparisons)
    return Headline("recommendation", (leaders[0].name,), sentence, _how_right(leaders))


def _recommend(leader: Any, models: Sequence[Any], comparisons: Sequence[Advantage]) -> str:
    """Name the views in which a model is proven better than every other."""
    others = [model.name for model in models if model is not leader]
    views = [
        view
        for view in _COMPARED
        if {
            pair.worse
            for pair in comparisons
            if pair.view == view and pair.better == leader.name and pair.proven
        }
        == set(others)
    ]
    if not views:
        return f"Take {leader.name}: the only model that no view proves worse than another."
    than = _list(others) if len(others) <= _MOST_NAMES else f"all {len(others)} others"
    return f"Take {leader.name}: by {_list(views)} it is better than {than}, beyond chance."


def _disagree(comparisons: Sequence[Advantage]) -> Headline:
    preferred: dict[str, list[str]] = {}
    for pair in comparisons:
        if pair.proven and pair.view not in preferred.get(pair.better, []):
            preferred.setdefault(pair.better, []).append(pair.view)
    each = [f"by {_list(views)} take {name}" for name, views in preferred.items()]
    sentence = f"The views disagree beyond chance: {', '.join(each)}."
    asked = [_ASKS[view] for view in _ASKS if any(view in views for views in preferred.values())]
    return Headline("disagreement", tuple(preferred), sentence, f"{'; '.join(asked)}.")


def _tie(leaders: Sequence[Any], models: Sequence[Any], findings: Sequence[Finding]) -> Headline:
    names, n_cases, groups = (
        [model.name for model in leaders],
        leaders[0].bits.n_cases,
        leaders[0].bits.groups,
    )
    key, n, unit = ("rows_needed", n_cases, "")
    if groups is not None:
        key, n, unit = ("groups_needed", groups.n_groups, " groups")
    settled = next(
        (finding for finding in findings if key in finding.evidence and set(finding.models) <= set(names)),
        None,
    )
    needed = settled.evidence[key] if settled else None
    more = (
        f"; about {_roughly(needed):,}{unit} would settle it"
        f"{'' if len(names) == 2 else f' between {_pair(settled.models, names)}'}, if they differ as here"
        if settled and needed is not None and n < needed <= MOST_ROWS
        else ""
    )
    worse = [model.name for model in models if model.name not in names]
    detail = [f"Worse beyond chance: {_few(worse)}."] if worse else []
    detail += ["They may be equal: take the cheapest or simplest."]
    sentence = (
        f"{_few(names)} cannot be told apart by {n_cases:,} cases{f' in {groups}' if groups else ''}{more}."
    )
    return Headline("tie", tuple(names), sentence, " ".join(detail))


def _differ(models: Sequence[Any]) -> bool:
    """Tell whether the true classes differ; where they do not, as of answers right or wrong, none is learned."""
    return bool(models[0].bits.default_rate < 1)


def _describe(model: Any) -> Headline:
    if not _differ([model]):
        low, high = model.bits.accuracy_interval
        interval = f"(95% interval {low:.1%} to {high:.1%})"
        same = f"All cases have the same true class, {model.bits.default_class!r}."
        return Headline("description", (model.name,), f"{_how_right([model])[:-1]} {interval}.", same)
    tells = f"tell {model.bits.share:.0%} of all there is to learn (bits)"
    if model.bits.saved <= 0:
        tells = "tell more than chance, but too little to save bits"
    however = "" if _may_be_default(model) or model.bits.accuracy > model.bits.default_rate else "Yet "
    detail = f"{however}its answers {tells}."
    return Headline("description", (model.name,), _how_right([model]), f"{detail[0].upper()}{detail[1:]}")


def _how_right(models: Sequence[Any]) -> str:
    best = max(models, key=lambda model: model.bits.accuracy)
    bits = best.bits
    if bits.share_several > _OFTEN:
        held = f"hold the truth in {bits.coverage:.1%} of {bits.n_cases:,} cases"
        size = f"{bits.mean_size:.1f} of {best.predictions.n_classes} classes on average"
        return f"The answers of {best.name} {held}, with {size}."
    right = f"{best.name} is right on {bits.accuracy:.1%} of {bits.n_cases:,} cases"
    baseline = f"; always {bits.default_class!r} would be on {bits.default_rate:.1%}"
    chance = ", no clear difference" if _may_be_default(best) else ""
    return f"{right}{baseline + chance if _differ(models) else ''}."


def _may_be_default(model: Any) -> bool:
    """Say whether a model's right answers and those of the most frequent class differ no more than by chance."""
    labels = [str(label) for label in model.predictions.classes]
    default = model.predictions.truth == labels.index(model.bits.default_class)
    right = model.predictions.right()
    gained, lost = int(np.sum(right & ~default)), int(np.sum(~right & default))
    return sign_test(gained, lost) > ALPHA


def _pair(models: Sequence[str], names: Sequence[str]) -> str:
    """Name two models, shortly where they have just been named."""
    return "the first two" if set(models) == set(names[:2]) else _list(models)


def _roughly(n: int) -> int:
    """Round to two digits: an estimate knows no more."""
    return round(n, 2 - len(str(n)))


def _is_seen(finding: Finding) -> bool:
    """Tell findings that say that test cases were seen in training."""
    return finding.importance == Importance.NO_TEST or (
        finding.importance == Importance.ALARM and "repeated" in finding.evidence
    )


def _seen(finding: Finding) -> Remark:
    repeated, n_cases = finding.evidence.get("repeated", 0), finding.evidence["n_cases"]
    sentence = finding.sentence
    if finding.importance != Importance.NO_TEST:
        sentence = (
            f"No fair test: {repeated:,} of {n_cases:,} test cases ({repeated / n_cases:.0%}) equal a training "
            "case, more than chance explains."
        )
    return Remark("truth", finding.models, sentence)


def _upside_down(models: Sequence[Any]) -> Remark | None:
    """Name models whose probabilities rank the second of two classes below the first, far beyond chance."""
    names = tuple(model.name for model in models if _is_turned(model))
    if not names:
        return None
    ranks = "ranks" if len(names) == 1 else "rank"
    first = str(models[0].predictions.classes[0])
    sentence = (
        f"{_few(names)} {ranks} the classes upside down: are {_its(names)} probabilities those of {first!r}?"
    )
    return Remark("bets", names, sentence)


def _is_turned(model: Any) -> bool:
    """Tell whether the area under ROC is below one half by four of the largest standard errors it can have."""
    predictions = model.predictions
    if predictions.n_classes != 2 or not _is_below_base_rate(model):
        return False
    fewest = int(count_codes(predictions.truth, 2).min())
    if predictions.groups is not None:
        fewest = min(fewest, predictions.groups.n_groups)
    area = auc(predictions.truth, predictions.probabilities, classes=[0, 1]) if fewest else 0.5
    return bool(0.5 - area > 2 / np.sqrt(max(fewest, 1)))


def _read_as(model: Any) -> str:
    first, second = (str(label) for label in model.predictions.classes)
    return (
        f"They were read as those of {second!r}, the second class. To turn them around, give the classes as "
        f"{second}, {first} (--class or classes=)."
    )


def _knows(model: Any) -> bool:
    """Tell whether the answers, or else the probabilities, of a model are proven to tell more than chance."""
    if model.bits.learned or model.bets is None:
        return bool(model.bits.learned)
    return bool(model.bets.log_reward.interval[0] > _base_reward(model))


def _idle_answers(models: Sequence[Any]) -> Remark | None:
    names = tuple(model.name for model in models if not model.bits.learned and _knows(model))
    if not names:
        return None
    advice = ": choose another threshold" if models[0].predictions.n_classes == 2 else ""
    do = f"{_its(names)} probabilities do{advice}"
    return Remark("bits", names, f"No proof that the answers of {_few(names)} tell anything; {do}.")


def _nothing_learned(models: Sequence[Any]) -> Remark | None:
    if not models or not _differ(models) or any(_knows(model) for model in models):
        return None
    names = tuple(model.name for model in models)
    return Remark("bits", names, f"No proof that {_few(names)} learned anything: chance may answer as well.")


def _mixed_up(models: Sequence[Any]) -> Remark | None:
    """Name models that know the classes, but are right less often than the same answers dealt out at random."""
    names = tuple(model.name for model in models if _is_mixed_up(model))
    if len(names) < len(models):
        return None
    are = "is" if len(names) == 1 else "are"
    sentence = (
        f"{_few(names)} {are} right less often than chance would be: are {_its(names)} classes mixed up?"
    )
    return Remark("bits", names, sentence)


def _is_mixed_up(model: Any) -> bool:
    """Tell whether as many answers dealt out at random are right more often, by three standard errors."""
    answers, k = model.predictions.answers, model.predictions.n_classes
    if answers.ndim != 1 or not model.bits.learned:
        return False
    together = np.dot(count_codes(model.predictions.truth, k), count_codes(answers, k))
    by_chance = float(together) / answers.size**2
    error = np.sqrt(by_chance * (1 - by_chance) / (model.bits.n_worth[0] or answers.size))
    return bool(by_chance - model.bits.accuracy > 3 * error)


def _ruined(models: Sequence[Any]) -> list[Any]:
    return [model for model in models if model.bets and model.bets.log_reward.impossible.size]


def _ruin(models: Sequence[Any]) -> Remark | None:
    ruined = _ruined(models)
    if not ruined:
        return None
    names = tuple(model.name for model in ruined)
    most = max(model.bets.log_reward.impossible.size for model in ruined)
    many = f"{'up to ' if len(names) > 1 else ''}{most:,} case{'s' if most > 1 else ''}"
    sentence = (
        f"{_few(names)} called impossible what happened in {many}: do not use {_its(names)} probabilities."
    )
    return Remark("bets", names, sentence)


def _below_base_rate(models: Sequence[Any]) -> Remark | None:
    """Name models whose probabilities win less than stating how frequent the classes are, if all of these do."""
    stating = [model for model in models if model.bets]
    below = [model for model in stating if _is_below_base_rate(model)]
    if not below or len(below) < len(stating):
        return None
    names = tuple(model.name for model in below)
    return Remark("bets", names, f"The probabilities of {_few(names)} win less than the base rate does.")


def _is_below_base_rate(model: Any) -> bool:
    return bool(model.bets and model.bets.log_reward.interval[1] < _base_reward(model))


def _base_reward(model: Any) -> float:
    predictions = model.predictions
    return base_rate_reward(predictions.truth, predictions.n_classes, "log")


def _warnings(models: Sequence[Any], headline: Headline, findings: Sequence[Finding]) -> list[Remark]:
    """Collect what matters beside the headline, the gravest first."""
    leaders = [model for model in models if model.name in headline.models]
    upright = [model for model in models if not _is_turned(model)]
    remarks = [
        *(_seen(finding) for finding in findings if _is_seen(finding)),
        _beside(headline, _upside_down, models),
        _beside(headline, _ruin, models),
        _beside(headline, _nothing_learned, [model for model in upright if not _knows(model)]),
        _beside(headline, _below_base_rate, [model for model in upright if _is_below_base_rate(model)]),
        _idle_answers(models),
        *(_broken_promise(finding) for finding in findings),
        _strange_cases(models),
        _miscalibrated(upright),
        _unsure(models),
        _worst_group([model for model in leaders or models if model in upright]),
    ]
    return [remark for remark in remarks if remark is not None and remark.sentence != headline.sentence]


def _beside(
    headline: Headline, say: Callable[[Sequence[Any]], Remark | None], models: Sequence[Any]
) -> Remark | None:
    """Say something of all models, or of those that the headline has not said the same of."""
    named = say([model for model in models if model.name in headline.models])
    if named is not None and named.sentence == headline.sentence:
        models = [model for model in models if model.name not in headline.models]
    return say(models)


def _broken_promise(finding: Finding) -> Remark | None:
    if finding.importance != Importance.ALARM:
        return None
    if "promised" in finding.evidence:
        return Remark("bits", finding.models, _say_held(finding))
    if "trained_on" in finding.evidence:
        sentence = (
            f"{_few(finding.models)} came fitted: the comparison is fair only if these cases were not seen."
        )
    else:
        return None
    return Remark("truth", finding.models, sentence)


def _say_held(finding: Finding) -> str:
    """Say how often answers hold the truth: of all cases, or of the class that is held least often."""
    evidence: Mapping[str, Any] = finding.evidence
    held, n_cases, cases = evidence["held"], evidence["n_cases"], "cases"
    if evidence["interval"][1] >= evidence["promised"]:
        label, (held, n_cases, *_) = min(evidence["classes"].items(), key=lambda item: item[1][3])
        cases = f"the cases of {label!r}"
    return (
        f"The answers of {finding.models[0]} hold the truth in {held / n_cases:.1%} of {cases}; "
        f"{evidence['promised']:.1%} was promised."
    )


def _strange_cases(models: Sequence[Any]) -> Remark | None:
    names = tuple(model.name for model in models if model.truth and model.truth.at_odds)
    if not names:
        return None
    return Remark("truth", names, f"The test cases are not like the training cases of {_few(names)}.")


def _miscalibrated(models: Sequence[Any]) -> Remark | None:
    ruined = [model.name for model in _ruined(models)]
    names = tuple(
        model.name for model in models if model.bets and model.bets.miscalibrated and model.name not in ruined
    )
    if not names:
        return None
    advice = next(model.bets.advice for model in models if model.name == names[0])
    known = len(names) == 1 and not advice.startswith("neither")
    which = f": {advice.removesuffix(': sharpen').removesuffix(': shrink')}" if known else ""
    return Remark("bets", names, f"The probabilities of {_few(names)} are off (miscalibrated){which}.")


def _unsure(models: Sequence[Any]) -> Remark | None:
    names = tuple(model.name for model in models if model.confidence and model.confidence.bets.miscalibrated)
    if not names:
        return None
    return Remark("bets", names, f"The confidence of {_few(names)} is off (miscalibrated).")


def _worst_group(models: Sequence[Any]) -> Remark | None:
    failing = [model for model in models if model.slices and model.slices.worst]
    if not failing:
        return None
    model = min(failing, key=lambda model: model.slices.worst.effect_size)
    worst = model.slices.worst
    below = f"{100 * abs(worst.difference):.0f}"
    points = "1 point" if below == "1" else f"{below} points"
    again = f"{100 * (worst.held_back.difference if worst.held_back else worst.shrunk):+.0f}"
    expected = f" ({again} to expect on new cases)" if again != f"-{below}" else ""
    sentence = f"{model.name} is {points} less accurate where {worst.conditions}{expected}."
    return Remark("slices", (model.name,), sentence)


def _disagreement(finding: Finding) -> Remark:
    """Shorten a disagreement: who is right most often, and which views prefer whom by how much."""
    other, favourite = finding.models
    evidence: Mapping[str, Any] = finding.evidence
    says = {"bits": ("answers", "tell"), "bets": ("probabilities", "win")}
    better = " and ".join(
        f"the {what} of {other} {do} {evidence[view]['difference']:.3f} {evidence[view]['unit']} more"
        for view, (what, do) in says.items()
        if view in evidence
    )
    doubt = "" if evidence["accuracy_adjusted_p_value"] < ALPHA else ", perhaps by chance"
    right = evidence["accuracy"]
    sentence = (
        f"{favourite} is right more often ({right[favourite]:.1%} against {right[other]:.1%}{doubt}); "
        f"{better}."
    )
    return Remark("views", finding.models, sentence)


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _few(names: Sequence[str]) -> str:
    if len(names) <= _MOST_NAMES:
        return _list(names)
    return f"{', '.join(names[: _MOST_NAMES - 1])} and {len(names) - _MOST_NAMES + 1} more"


def _its(names: Sequence[str]) -> str:
    return "its" if len(names) == 1 else "their"


def _standings(comparisons: Sequence[Advantage]) -> dict[tuple[str, str], str]:
    """Say by view and model whether it is the best, or told apart from it."""
    standings = {}
    for pair in comparisons:
        if not pair.ruined:
            standings[pair.view, pair.better] = BEST
            standings[pair.view, pair.worse] = WORSE if pair.proven else NOT_APART
    return standings


def _stand(model: Any, column: ScoreColumn, standings: Mapping[tuple[str, str], str]) -> Score:
    """Add to a figure whether it is told apart from the best of its column."""
    score = _COLUMNS[column](model)
    standing = standings.get((column.key, model.name), "")
    return Score(score.value, score.text, score.interval, score.detail, standing)


def _accuracy(model: Any) -> Score:
    bits = model.bits
    return Score(bits.accuracy, percent(bits.accuracy), bits.accuracy_interval, _answered(bits))


def _answered(bits: Any) -> str:
    return f"{percent(1 - bits.share_empty, 0)} answered" if bits.share_empty else ""


def _bits(model: Any) -> Score:
    bits = model.bits
    return Score(bits.share, percent(bits.share, 0), bits.saved_share_interval)


def _coverage(model: Any) -> Score:
    bits = model.bits
    interval = bits.sets.whole.interval if bits.sets else bits.accuracy_interval
    return Score(bits.coverage, percent(bits.coverage), interval, _answered(bits))


def _size(model: Any) -> Score:
    return Score(model.bits.mean_size, number(model.bits.mean_size, 1))


def _bets(model: Any) -> Score:
    if model.bets is None:
        return _not_judged(model, "bets")
    mean = model.bets.mean_log_reward
    interval = model.bets.log_reward.interval
    return Score(mean, number(plain(mean), 3, signed=True), None if np.isnan(interval[0]) else interval)


def _calibration(model: Any) -> Score:
    if model.bets is None:
        return _not_judged(model, "bets")
    if model.bets.log_reward.impossible.size:
        return Score(0.0, "broken", detail="said 0, happened")
    adjusted = model.bets.calibration_adjusted_p
    text = p_value(adjusted)
    return Score(
        adjusted,
        "off" if model.bets.miscalibrated else "passed",
        detail=f"p {text}" if text.startswith("<") else f"p = {text}",
    )


def _confidence(model: Any) -> Score:
    view = model.confidence
    if view is None:
        return Score(None, ABSENT, detail="no confidence in the answers is known")
    sure = view.accuracy_of_surest_half
    detail = "confidence off" if view.bets.miscalibrated else "confidence passed"
    return Score(sure, percent(sure), detail=detail)


def _group(model: Any) -> Score:
    if model.slices is None:
        return _not_judged(model, "slices")
    worst = model.slices.worst
    if worst is None:
        return Score(0.0, "none proven")
    text = f"{number(100 * worst.difference, 1)} points"
    return Score(worst.difference, text, worst.interval, worst.conditions)


def _error(model: Any) -> Score:
    truth = model.truth
    if truth is None:
        return _not_judged(model, "truth")
    if truth.learner_interval is not None:
        return _error_score(truth.learner_error, truth.learner_interval, "trained anew")
    return _error_score(truth.error, truth.interval, "")


def _error_score(error: float, interval: Interval, detail: str) -> Score:
    low, high = interval
    return Score(error, f"{number(100 * low, 1)} to {percent(high)}", interval, detail)


def _borders(model: Any) -> Score:
    if model.borders is None:
        return _not_judged(model, "borders")
    return Score(model.borders.measure, number(plain(model.borders.measure), 2))


def _not_judged(model: Any, view: str) -> Score:
    return Score(None, ABSENT, detail=model.absent.get(view, ""))


_COLUMNS: Mapping[ScoreColumn, Callable[[Any], Score]] = {
    ScoreColumn(
        "accuracy", "Accuracy", "share right", "Share of cases answered with the true class alone."
    ): _accuracy,
    ScoreColumn(
        "coverage",
        "Holds the truth",
        "share of answers",
        "Share of cases whose true class is among the classes answered.",
        "holds",
    ): _coverage,
    ScoreColumn(
        "size",
        "Set size",
        "classes answered",
        "Mean number of classes in an answer: of sets that hold the truth as often, smaller ones tell more.",
        "size",
        lower_is_better=True,
    ): _size,
    ScoreColumn(
        "bits",
        "Bits",
        "share learned",
        "How much of what there is to learn about the classes the answers tell: 0 % is no information, 100 % all.",
    ): _bits,
    ScoreColumn(
        "bets",
        "Bets",
        "bits won a case",
        "What one wins who bets by the probabilities; the base rate in the last row is the least to beat.",
    ): _bets,
    ScoreColumn(
        "calibration",
        "Calibration",
        "do they happen?",
        "Whether what is stated as 80 % happens 80 % of the time: off beyond chance, or the test passed.",
        "calibr.",
    ): _calibration,
    ScoreColumn(
        "confidence",
        "Surest half",
        "share right",
        "Share that is right of the half of the answers of which the model is surest.",
        "surest",
    ): _confidence,
    ScoreColumn(
        "group",
        "Worst group",
        "against average",
        "Accuracy against average in the group of cases that costs most, where chance is ruled out.",
        "group",
    ): _group,
    ScoreColumn(
        "error",
        "Error",
        "95 % interval",
        "Where the error on new cases lies: if trained anew, by cross-validation, or else of this model.",
        lower_is_better=True,
    ): _error,
    ScoreColumn(
        "borders",
        "Borders",
        "higher is better",
        "How well its regions fit the training cases, keep away from them, and how simple they are.",
    ): _borders,
}


def _baseline(models: Sequence[Any]) -> dict[str, Score]:
    """Give what a model reaches that always names the most frequent class and states the base rate."""
    bits = models[0].bits
    reward = _base_reward(models[0])
    return {
        "accuracy": Score(bits.default_rate, percent(bits.default_rate)),
        "coverage": Score(bits.default_rate, percent(bits.default_rate)),
        "size": Score(1.0, number(1.0, 1)),
        "bits": Score(0.0, percent(0.0, 0)),
        "bets": Score(reward, number(reward, 3, signed=True), detail="base rate"),
        "error": Score(1 - bits.default_rate, percent(1 - bits.default_rate)),
    }
