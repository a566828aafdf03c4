"""The answer first: a headline, at most three warnings, and a row of figures for each model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Any

import numpy as np

from fivefold.bets.ranking import auc
from fivefold.bets.scores import base_rate_reward
from fivefold.bits.evidence import deals_of
from fivefold.evaluation.findings import (
    ALPHA,
    BEST,
    MOST_ROWS,
    NOT_APART,
    OFTEN,
    WORSE,
    Advantage,
    Finding,
    Headline,
    Importance,
    Remark,
    Score,
    ScoreColumn,
    ScoreRow,
    decimals,
    few,
    roughly,
)
from fivefold.inputs._kernels import count_codes
from fivefold.inputs.answers import of_all_classes
from fivefold.inputs.groups import in_one_order
from fivefold.plain_text import counted, listed, visible
from fivefold.report.summary import ABSENT, number, percent
from fivefold.results import plain, say_p
from fivefold.truth.paired_tests import from_wrong

MOST_WARNINGS = 3
_MOST_NAMES = 3
# how many reports may say of probabilities that know nothing that they tell something; of how many cases, and
# how many classes are dealt at most to see it
_SELDOM, _MOST_CASES, _MOST_DEALT = 0.01, 20_000, 60_000_000
_ASKS = {
    "accuracy": "Accuracy counts right answers",
    "bits": "bits count what they tell, and rare classes tell more",
    "bets": "bets judge the probabilities",
}


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
    disagreements: tuple[Remark, ...] = ()

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
    """Say the decision that the comparisons allow, and put the figures of all models beside each other."""
    if not _accuracy_tells(models):
        comparisons = [pair for pair in comparisons if pair.view != "accuracy"]
        findings = [finding for finding in findings if finding.view != "views"]
    headline = _headline(models, comparisons, findings)
    warnings = _warnings(models, headline, findings)[:MOST_WARNINGS]
    columns = tuple(column for column in _COLUMNS if _is_shown(column, models))
    rows = _rows(models, columns, comparisons)
    disagreements = [_disagreement(finding) for finding in findings if "disagreement" in finding.claims]
    return Scorecard(headline, tuple(warnings), columns, tuple(rows), tuple(disagreements))


def _with_sets(models: Sequence[Any]) -> bool:
    """Tell whether some models answer with several classes so often that accuracy says little of them."""
    return any(model.bits.share_several > OFTEN for model in models)


def _accuracy_tells(models: Sequence[Any]) -> bool:
    """Tell whether accuracy can prefer a model: not if sets count as wrong, or if naming one class beats all."""
    best = max(models, key=lambda model: model.bits.accuracy)
    below = best.bits.accuracy < best.bits.default_rate and not _may_be_default(best)
    return not _with_sets(models) and not (below and _differ(models))


def _differ(models: Sequence[Any]) -> bool:
    """Tell whether the true classes differ; where they do not, as of answers right or wrong, none is learned."""
    return bool(models[0].bits.default_rate < 1)


# The headline: which model to take, or what is more urgent.


def _headline(
    models: Sequence[Any], comparisons: Sequence[Advantage], findings: Sequence[Finding]
) -> Headline:
    leaders = _leaders(models, comparisons)
    decision = _decide(leaders, models, comparisons, findings)
    seen = [_seen(finding) for finding in findings if _is_seen(finding)]
    turned = _upside_down(models) if _upside_down(leaders or models) else None
    # where views disagree about classes that are mixed up, these are the news
    mixed_up = _mixed_up(leaders or [model for model in models if _is_mixed_up(model)])
    alarm = next(filter(None, [*seen, turned, _nothing_learned(leaders or models), mixed_up]), None)
    if alarm is not None:
        detail = _read_as(models[0]) if alarm is turned else _how_right(models)
        return Headline("alarm", alarm.models, alarm.sentence, detail)
    broken = {finding.models: finding for finding in findings if _breaks_promise(finding)}
    named = next((model.name for model in leaders if (model.name,) in broken), None)
    if named is not None:
        kept = [model.name for model in models if model.bits.sets and (model.name,) not in broken]
        size = _sizes(next(model for model in models if model.name == named))
        detail = f"They name {size}." if decision.kind == "recommendation" else decision.sentence
        detail = f"No such proof against {few(kept)}." if kept else detail
        return Headline("alarm", (named,), _say_held(broken[named,]), detail)
    return decision


def _leaders(models: Sequence[Any], comparisons: Sequence[Advantage]) -> list[Any]:
    """Give the models proven worse than none, and those not told apart from them that lose only to others."""
    proven = [(pair.better, pair.worse) for pair in comparisons if pair.proven]
    names = {model.name for model in models}
    best = names - {worse for _, worse in proven}
    rivals = names - {worse for better, worse in proven if better in best}
    beaten = {worse for better, worse in proven if better in rivals}
    return [model for model in models if model.name in rivals - beaten]


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
    """Name the views in which a model is proven better than every other, who may be silent where it guesses."""
    others = [model.name for model in models if model is not leader]
    proven = {(pair.view, pair.worse) for pair in comparisons if pair.better == leader.name and pair.proven}
    views = [view for view in _ASKS if all((view, other) in proven for other in others)]
    if not views:
        return f"Take {leader.name}: the only model not proven worse than another in any view."
    than = listed(others) if len(others) <= _MOST_NAMES else f"all {len(others)} others"
    silent = max(model.bits.share_empty for model in models) > max(OFTEN, leader.bits.share_empty)
    hedged = " if silence is as bad as an error" if silent and views == ["accuracy"] else ""
    return f"Take {leader.name}{hedged}: by {listed(views)} it is better than {than}, beyond chance."


def _disagree(comparisons: Sequence[Advantage]) -> Headline:
    preferred: dict[str, dict[str, str]] = {}
    for pair in comparisons:
        if pair.proven:
            preferred.setdefault(pair.better, {})[pair.view] = _ASKS[pair.view]
    each = [f"by {listed(list(views))} take {name}" for name, views in preferred.items()]
    asked = [what for view, what in _ASKS.items() if any(view in views for views in preferred.values())]
    sentence = f"The views disagree beyond chance: {', '.join(each)}."
    detail = "; ".join(asked)
    return Headline("disagreement", tuple(preferred), sentence, f"{detail[:1].upper()}{detail[1:]}.")


def _tie(leaders: Sequence[Any], models: Sequence[Any], findings: Sequence[Finding]) -> Headline:
    names, bits = [model.name for model in leaders], leaders[0].bits
    worse = [model.name for model in models if model not in leaders]
    key, n, unit = "rows_needed", bits.n_cases, " cases"
    if bits.groups is not None:
        key, n, unit = "groups_needed", bits.groups.n_groups, " groups"
    asked = findings if _accuracy_tells(models) else ()
    pairs = [found for found in asked if set(found.models) <= set(names)]
    pair = next((found for found in pairs if key in found.evidence), None)
    needed = pair.evidence[key] if pair else None
    more = ""
    if pair and needed is not None and n < needed <= MOST_ROWS:
        two = "the first two" if set(pair.models) == set(names[:2]) else listed(pair.models)
        between = f" between {two}" if len(names) > 2 else ""
        more = f". About {roughly(needed)}{unit} would settle it{between}, if they differ as much as here"
    grouped = f" in {bits.groups}" if bits.groups else ""
    take, by = "take the cheapest or simplest", ""
    equal = f"They may be equal: {take}."
    knowing = [model.name for model in leaders if _knows(model)]
    if any(0 < n < len(names) for n in (len(knowing), sum(_n_ruined(model) > 0 for model in leaders))):
        take = f"if these alone count, {take}"
        equal = f"Their answers may be equally good: {take}."
    if not _accuracy_tells(models):
        equal, by = f"Accuracy prefers none of them: {_how_right(models)}", " by bits"
    if _with_sets(models):
        equal = "They may be equally informative: choose by how often they hold the truth."
    if told := [found.evidence["told_apart"] for found in pairs if "told_apart" in found.evidence]:
        where, better, other = told[0]
        equal = f"Perhaps equal on the whole, but {better} is right more often than {other} where {where}."
    if 0 < len(knowing) < len(names):
        equal = f"Of these only {few(knowing)} {'is' if len(knowing) == 1 else 'are'} proven to have learned."
    first, *others = (model.predictions.answers for model in leaders)
    if all(np.array_equal(first, other) for other in others):
        equal = f"Their answers are the same in all cases: {take}."
    sentence = f"{few(names)} cannot be told apart{by} on {counted(bits.n_cases, 'case')}{grouped}{more}."
    detail = f" Worse beyond chance: {few(worse)}." if worse else ""
    return Headline("tie", tuple(names), sentence, f"{equal}{detail}")


def _describe(model: Any) -> Headline:
    bits, right = model.bits, _how_right([model])
    if not _differ([model]):
        low, high = bits.accuracy_interval
        same = f"All cases have the same true class, {bits.default_class!r}."
        sentence = f"{right[:-1]} (95% interval {low:.1%} to {high:.1%})."
        return Headline("description", (model.name,), sentence, same)
    limit = f"; {counted(bits.n_cases, 'case')} cannot show more" if bits.accuracy == 1 else ""
    tells = f"tell {percent(bits.share, 0)} of all there is to learn (bits){limit}"
    if not bits.learned:
        tells = "are not proven to tell anything (bits)"
    elif bits.saved <= 0:
        tells = "tell more than chance, but too little to save bits"
    as_expected = _with_sets([model]) or _may_be_default(model) or bits.accuracy > bits.default_rate
    however = "Its" if as_expected else "Yet its"
    return Headline("description", (model.name,), right, f"{however} answers {tells}.")


def _how_right(models: Sequence[Any]) -> str:
    best = max(models, key=lambda model: model.bits.accuracy)
    bits = best.bits
    if bits.share_several > OFTEN:
        held = f"hold the truth in {bits.coverage:.1%} of {counted(bits.n_cases, 'case')}"
        return f"The answers of {best.name} {held}, naming {_sizes(best)}."
    right = f"{best.name} is right on {bits.accuracy:.1%} of {counted(bits.n_cases, 'case')}"
    if not _differ(models):
        return f"{right}."
    chance = ", no clear difference" if _may_be_default(best) else ""
    always = f"always answering {bits.default_class!r} would be right on {bits.default_rate:.1%}"
    return f"{right}; {always}{chance}."


def _sizes(model: Any) -> str:
    return f"{model.bits.mean_size:.1f} of {model.predictions.n_classes} classes on average"


def _may_be_default(model: Any) -> bool:
    """Say whether a model's right answers and those of the most frequent class differ no more than by chance."""
    labels = [str(label) for label in model.predictions.classes]
    default = model.predictions.truth == labels.index(model.bits.default_class)
    return from_wrong(model.predictions.right(), default, model.predictions.groups).p_value > ALPHA


# The warnings, of which the gravest are headlines too: what to know before the figures are believed.


def _warnings(models: Sequence[Any], headline: Headline, findings: Sequence[Finding]) -> list[Remark]:
    """Collect what matters beside the headline, the gravest first, and last what ails models it does not name."""
    leaders = [model for model in models if model.name in headline.models]
    upright = [model for model in models if not _is_turned(model)]
    misread = [
        *(_seen(finding) for finding in findings if _is_seen(finding)),
        _beside(headline, _upside_down, models),
        _beside(headline, _mixed_up, [model for model in upright if _is_mixed_up(model)]),
    ]
    remarks = [
        _ruin(upright),
        _beside(headline, _nothing_learned, [model for model in upright if not _knows(model)]),
        _below_base_rate([model for model in upright if _is_below_base_rate(model)]),
        _idle_answers(models),
        _silence(models),
        *(_caveat(finding) for finding in findings),
        _strange_cases(models, findings),
        _miscalibrated(upright),
        _certain(models),
        _unsure(models),
        _worst_group([model for model in leaders or models if model in upright]),
    ]
    remarks.sort(key=lambda remark: remark is not None and not {*remark.models} & {*headline.models})
    return [remark for remark in (*misread, *remarks) if remark and remark.sentence != headline.sentence]


def _beside(
    headline: Headline, say: Callable[[Sequence[Any]], Remark | None], models: Sequence[Any]
) -> Remark | None:
    """Say something of all models, or of those that the headline has not said the same of."""
    named = say([model for model in models if model.name in headline.models])
    if named is not None and named.sentence == headline.sentence:
        models = [model for model in models if model.name not in headline.models]
    return say(models)


def _remark(view: str, models: Sequence[Any], sentence: str, **words: object) -> Remark | None:
    """Say something of models, "{names}", in words that fit one or several; nothing of none."""
    names = tuple(model.name for model in models)
    if not names:
        return None
    one = len(names) == 1
    verbs = {"are": "is" if one else "are", "rank": "ranks" if one else "rank"}
    fitting = {"names": few(names), "its": "its" if one else "their", **verbs, **words}
    return Remark(view, names, sentence.format(**fitting))


def _is_seen(finding: Finding) -> bool:
    """Tell findings that say that test cases were seen in training."""
    return finding.importance == Importance.NO_TEST or (
        finding.importance == Importance.ALARM and "repeated" in finding.evidence
    )


def _seen(finding: Finding) -> Remark:
    sentence = finding.sentence
    if finding.importance != Importance.NO_TEST:
        repeated, n_cases = finding.evidence["repeated"], finding.evidence["n_cases"]
        sentence = (
            f"Not a fair test: {repeated:,} of {n_cases:,} test cases ({repeated / n_cases:.0%}) equal a training "
            "case, more than chance explains."
        )
    return Remark("truth", finding.models, sentence)


def _upside_down(models: Sequence[Any]) -> Remark | None:
    """Name models whose probabilities rank the second of two classes below the first, far beyond chance."""
    sentence = "{names} {rank} the classes upside down: are {its} probabilities those of {first!r}?"
    first = str(models[0].predictions.classes[0]) if models else ""
    return _remark("bets", [model for model in models if _is_turned(model)], sentence, first=first)


def _is_turned(model: Any) -> bool:
    """Tell whether the area under ROC is below one half by four of the largest standard errors it can have.

    Of rare events the truth may have too few to show it; a model's answers do, where it states the least for them.
    """
    predictions = model.predictions
    if predictions.n_classes != 2 or not (_is_below_base_rate(model) or _n_ruined(model)):
        return False
    most = len(predictions.truth) if predictions.groups is None else predictions.groups.n_groups
    for labels in (predictions.truth, predictions.answers):
        fewest = min(most, int(count_codes(labels, 2).min())) if labels.ndim == 1 and labels.min() >= 0 else 0
        area = auc(labels, predictions.probabilities, classes=[0, 1]) if fewest else 0.5
        if 0.5 - area > 2 / np.sqrt(max(fewest, 1)):
            return True
    return False


def _read_as(model: Any) -> str:
    first, second = (str(label) for label in model.predictions.classes)
    return (
        f"They were read as probabilities of {second!r}, the second class. To turn them around, list the classes "
        f"as {second}, {first} (--class or classes=)."
    )


def _knows(model: Any) -> bool:
    """Tell whether the answers, or else the probabilities, of a model are proven to tell more than chance."""
    return bool(model.bits.learned or (model.bets and (model.bets.over_base[0] > 0 or _ranks(model))))


def _ranks(model: Any) -> bool:
    """Tell whether true classes dealt out at random seldom get so much of the probabilities of any model."""
    prob, truth, n = model.predictions.probabilities, model.predictions.truth, model.predictions.n_cases
    n_deals = round(2 * model.bits.n_models / _SELDOM) - 1
    # of so many cases the reward tells it; of so many models none is judged by what would take minutes each
    if prob is None or n > _MOST_CASES or n * n_deals > _MOST_DEALT:
        return False
    stated = of_all_classes(prob)
    # sorted, so that it does not depend on the order of the rows
    contents = np.unique(np.column_stack([truth, stated]), axis=0, return_inverse=True)[1].ravel()
    order, groups = np.argsort(contents, kind="stable"), model.predictions.groups
    if groups is not None:
        order, groups = in_one_order(contents, groups)
    logs, truth, rows = np.log(np.maximum(stated[order], 0.5 / n)), truth[order], np.arange(n)
    least = logs[rows, truth].sum() - 1e-9
    dealt = deals_of(truth, groups, n_deals, np.random.default_rng(0))
    as_good = (classes for classes in dealt if logs[rows, classes].sum() >= least)
    return next(islice(as_good, 1, None), None) is None


def _idle_answers(models: Sequence[Any]) -> Remark | None:
    idle = [model for model in models if not model.bits.learned and _knows(model)]
    advice = ": choose another threshold" if all(_is_threshold_off(model) for model in idle) else ""
    sentence = "No proof that the answers of {names} tell anything; {its} probabilities do{advice}."
    return _remark("bits", idle, sentence, advice=advice)


def _is_threshold_off(model: Any) -> bool:
    """Say whether the answers name the second of two classes more or less often than it occurs, beyond chance."""
    answers, truth, k = model.predictions.answers, model.predictions.truth, model.predictions.n_classes
    named = k == 2 and answers.ndim == 1 and answers.min() >= 0
    return named and from_wrong(answers == 1, truth == 1, model.predictions.groups).p_value <= ALPHA


def _silence(models: Sequence[Any]) -> Remark | None:
    """Say of who is silent most how often it is right where it answers: accuracy counts silence like errors."""
    silent = [one for one in models if one.bits.share_several <= OFTEN < one.bits.share_empty < 1]
    if not silent:
        return None
    model = max(silent, key=lambda model: model.bits.share_empty)
    answered = 1 - model.bits.share_empty
    right = f"is right on {percent(model.bits.accuracy / answered)} of these"
    does, unknown = f"answers {percent(answered)} of the cases", model.predictions.unknown
    if unknown is not None:
        does = f"names a class in {percent(answered)} of the cases ({unknown.sum():,} of its answers are no class)"
    return Remark("bits", (model.name,), f"{model.name} {does} and {right}.")


def _nothing_learned(models: Sequence[Any]) -> Remark | None:
    if not models or not _differ(models) or any(_knows(model) for model in models):
        return None
    sentence = "No proof that {names} learned anything: chance could do as well."
    if all(model.bits.share_empty == 1 for model in models):
        sentence = "{names} answered none of the cases."
    return _remark("bits", models, sentence)


def _mixed_up(models: Sequence[Any]) -> Remark | None:
    """Say that models know the classes, but are right less often than the same answers dealt out at random."""
    if not all(_is_mixed_up(model) for model in models):
        return None
    sentence = "{names} {are} right less often than chance: are {its} classes mixed up?"
    return _remark("bits", models, sentence)


def _is_mixed_up(model: Any) -> bool:
    """Tell whether as many answers dealt out at random are right more often, by three standard errors."""
    answers, k = model.predictions.answers, model.predictions.n_classes
    if answers.ndim != 1 or not model.bits.learned:
        return False
    together = np.dot(count_codes(model.predictions.truth, k), count_codes(answers, k))
    by_chance = float(together) / answers.size**2
    error = np.sqrt(by_chance * (1 - by_chance) / (model.bits.n_worth[0] or answers.size))
    return bool(by_chance - model.bits.accuracy > 3 * error)


def _n_ruined(model: Any) -> int:
    """Count the cases that happened although they had been given probability 0."""
    return model.bets.n_impossible if model.bets else 0


def _ruin(models: Sequence[Any]) -> Remark | None:
    ruined = [model for model in models if _n_ruined(model)]
    digits = [model.bets.rounded_to for model in ruined]
    rounded = f"; if rounded to {counted(max(digits), 'digit')}, give more" if digits and all(digits) else ""
    sentence = "{names} gave the true class probability 0 in {many}: do not use {its} probabilities{rounded}."
    return _remark("bets", ruined, sentence, many=_in_cases([*map(_n_ruined, ruined)]), rounded=rounded)


def _in_cases(counts: Sequence[int]) -> str:
    """Write in how many cases something is so of each model."""
    many, unlike = counted(max(counts, default=0), "case"), len(set(counts)) > 1
    if unlike and len(counts) <= _MOST_NAMES:
        return f"{listed([f'{count:,}' for count in counts])} cases"
    return f"{'up to ' * unlike}{many} each" if len(counts) > 1 else many


def _below_base_rate(models: Sequence[Any]) -> Remark | None:
    """Name models whose probabilities win less than stating how frequent the classes are, if all of these do."""
    stating = [model for model in models if model.bets]
    below = stating if all(_is_below_base_rate(model) for model in stating) else []
    return _remark("bets", below, "The probabilities of {names} win less than the base rate would.")


def _is_below_base_rate(model: Any) -> bool:
    return bool(model.bets and model.bets.over_base[1] < 0)


def _breaks_promise(finding: Finding) -> bool:
    """Tell whether a finding proves that the sets of a model hold the truth less often than promised."""
    promised = finding.evidence.get("promised")
    return promised is not None and finding.evidence["interval"][1] < promised


def _caveat(finding: Finding) -> Remark | None:
    """Say what a finding means for the figures: a broken promise, cases that are known or alike, a doubt."""
    evidence: Mapping[str, Any] = finding.evidence
    if evidence.get("better_on_these") and not _is_seen(finding):
        name = evidence["better_on_these"][0]
        share = evidence["repeated"] / evidence["n_cases"]
        equal = f"{share:.{decimals(100 * share, 0)}%} of the test cases equal a training case"
        new = f"{name} errs on {evidence['errors_on_new_cases'][name]:.1%} of the others"
        return Remark("truth", (name,), f"{equal}; {new}.")
    if finding.importance != Importance.ALARM:
        return None
    if "promised" in evidence:
        return Remark("bits", finding.models, _say_held(finding))
    if "looks_like_groups" in evidence:
        name, if_so = evidence["looks_like_groups"], "leave out copies; if they belong together, use --groups"
        alike = f"Cases with the same {name} have similar outcomes: {if_so} {name!r}."
        return Remark("truth", finding.models, alike)
    if "trained_on" not in evidence:
        return Remark("truth", finding.models, finding.sentence) if "known_groups" in evidence else None
    how = str(evidence["trained_on"]).removeprefix("unknown")
    fair = f"came already fitted{how}: the figures are fair only if these cases were not used in training."
    return Remark("truth", finding.models, f"{few(finding.models)} {fair}")


def _say_held(finding: Finding) -> str:
    """Say how often answers hold the truth: of all cases, and of the class that falls short where these do not."""
    evidence: Mapping[str, Any] = finding.evidence
    said = f"{evidence['held'] / evidence['n_cases']:.1%} of cases"
    if evidence["interval"][1] >= evidence["promised"]:
        label, (held, n_cases, *_) = min(evidence["classes"].items(), key=lambda item: item[1][3])
        said += f", but in {held / n_cases:.1%} of those of {label!r}"
    return f"The answers of {finding.models[0]} hold the truth in {said}; {evidence['promised']:.1%} was promised."


def _strange_cases(models: Sequence[Any], findings: Sequence[Finding]) -> Remark | None:
    """Name models whose test cases are not like the training cases, where nothing else was said to explain it."""
    explained = {name for finding in findings if _is_seen(finding) for name in finding.models}
    strange = [one for one in models if one.truth and one.truth.at_odds and one.name not in explained]
    return _remark("truth", strange, "The test cases are not like the training cases of {names}.")


def _miscalibrated(models: Sequence[Any]) -> Remark | None:
    off = [model for model in models if model.bets and model.bets.miscalibrated and not _n_ruined(model)]
    advice = off[0].bets.advice if len(off) == 1 else "neither"
    which = "" if advice.startswith("neither") else f": {advice}"
    which = which.removesuffix(": sharpen").removesuffix(": shrink")
    return _remark("bets", off, "The probabilities of {names} are off (miscalibrated){which}.", which=which)


def _unsure(models: Sequence[Any]) -> Remark | None:
    off = [model for model in models if model.confidence and model.confidence.bets.miscalibrated]
    return _remark("bets", off, "The confidence of {names} is off (miscalibrated).")


def _certain(models: Sequence[Any]) -> Remark | None:
    """Name models that were wrong where they were certain, if that may be by rounding."""
    certain = [model for model in models if model.confidence and model.confidence.bets.rounded_to]
    many = _in_cases([model.confidence.bets.n_impossible for model in certain])
    return _remark("bets", certain, "{names} {are} certain, but wrong, in {many}.", many=many)


def _worst_group(models: Sequence[Any]) -> Remark | None:
    failing = [model for model in models if model.slices and model.slices.worst]
    if not failing:
        return None
    model = min(failing, key=lambda model: model.slices.worst.effect_size)
    worst = model.slices.worst
    below = f"{100 * abs(worst.difference):.0f}"
    points = "1 point" if below == "1" else f"{below} points"
    again = f"{100 * (worst.held_back.difference if worst.held_back else worst.shrunk):+.0f}"
    # what chance may have picked is as little as the interval allows
    least = worst.held_back is None and worst.shrunk >= worst.interval[1] - 1e-6
    hedged = f"perhaps only {again}" if least else f"expect {again}"
    if again == "-0":
        hedged = f"{'perhaps ' if least else ''}hardly at all"
    expected = f" ({hedged} on new cases)" if again != f"-{below}" else ""
    alone = model.bits.share_several > OFTEN
    less = f"names the truth alone {points} less often" if alone else f"is {points} less accurate"
    sentence = f"{model.name} {less} where {worst.conditions}{expected}."
    return Remark("slices", (model.name,), sentence)


def _disagreement(finding: Finding) -> Remark:
    """Shorten a disagreement: who is right most often, and which views prefer whom by how much."""
    other, favourite = finding.models
    evidence: Mapping[str, Any] = finding.evidence
    says = {"bits": ("answers", "tell"), "bets": ("probabilities", "win")}
    better = " and ".join(
        f"the {what} of {other} {do} {evidence[view]['difference']:.3f} more {evidence[view]['unit']}"
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


# The table: a row of figures for each model.


def _rows(
    models: Sequence[Any], columns: Sequence[ScoreColumn], comparisons: Sequence[Advantage]
) -> list[ScoreRow]:
    standings: dict[tuple[str, str], str] = {}
    learned = {model.name for model in models if model.bits.learned}
    for pair in comparisons:
        # among models of which none is proven to have learned, there is no best
        if not pair.ruined and (pair.view != "bits" or pair.better in learned):
            standings[pair.view, pair.better] = BEST
            equal = BEST if pair.difference == 0 else NOT_APART
            standings[pair.view, pair.worse] = WORSE if pair.proven else equal
    rows = []
    for model in models:
        scores = [
            replace(_COLUMNS[column](model), standing=standings.get((column.key, model.name), ""))
            for column in columns
        ]
        rows.append(ScoreRow(model.name, False, tuple(scores)))
    if _differ(models):
        baseline = _baseline(models[0])
        scores = [baseline.get(column.key, Score(None, "")) for column in columns]
        rows.append(ScoreRow(f"always {models[0].bits.default_class!r}", True, tuple(scores)))
    return rows


def _baseline(model: Any) -> dict[str, Score]:
    """Give what a model reaches that always names the most frequent class and states the base rate."""
    rate, predictions = model.bits.default_rate, model.predictions
    reward = base_rate_reward(predictions.truth, predictions.n_classes, "log")
    return {
        "accuracy": Score(rate, percent(rate)),
        "coverage": Score(rate, percent(rate)),
        "size": Score(1.0, number(1.0, 1)),
        "bits": Score(0.0, percent(0.0, 0)),
        "bets": Score(reward, number(reward, 3, signed=True), detail="base rate"),
        "error": Score(1 - rate, percent(1 - rate)),
    }


def _is_shown(column: ScoreColumn, models: Sequence[Any]) -> bool:
    """Leave out what nobody has; of sets tell how often they hold the truth instead of how often it is alone."""
    left_out = {"accuracy", "error"} if _with_sets(models) else {"coverage", "size"}
    left_out |= set() if _differ(models) else {"bits"}
    return column.key not in left_out and any(_COLUMNS[column](model).value is not None for model in models)


_COLUMNS: dict[ScoreColumn, Callable[[Any], Score]] = {}


def _column(key: str, title: str, note: str, heading: str = "", **details: bool) -> Callable[[Any], Any]:
    """Enter what computes the figures of a column; its docstring is what they mean."""

    def enter(figure: Callable[[Any], Score]) -> Callable[[Any], Score]:
        _COLUMNS[ScoreColumn(key, title, note, figure.__doc__ or "", heading, **details)] = figure
        return figure

    return enter


@_column("accuracy", "Accuracy", "share right")
def _accuracy(model: Any) -> Score:
    """Share of cases answered with the true class alone."""
    bits = model.bits
    return Score(bits.accuracy, percent(bits.accuracy), bits.accuracy_interval, _answered(bits))


@_column("coverage", "Holds the truth", "share of answers", "holds")
def _coverage(model: Any) -> Score:
    """Share of cases whose true class is among the classes answered."""
    bits = model.bits
    interval = bits.sets.whole.interval if bits.sets else bits.accuracy_interval
    return Score(bits.coverage, percent(bits.coverage), interval, _answered(bits))


def _answered(bits: Any) -> str:
    return f"{percent(1 - bits.share_empty, 0)} answered" if bits.share_empty else ""


@_column("size", "Set size", "classes answered", "size", lower_is_better=True)
def _size(model: Any) -> Score:
    """Mean number of classes in an answer; of sets that hold the truth equally often, smaller ones tell more."""
    return Score(model.bits.mean_size, number(model.bits.mean_size, 1))


@_column("bits", "Bits", "share learned")
def _bits(model: Any) -> Score:
    """How much the answers tell of all there is to learn about the classes: 0% is no information, 100% all."""
    bits = model.bits
    return Score(bits.share, percent(bits.share, 0), bits.saved_share_interval)


@_column("bets", "Bets", "bits won a case")
def _bets(model: Any) -> Score:
    """What you would win by betting on the probabilities; the last row, the base rate, is the least to beat."""
    if model.bets is None:
        return _not_judged(model, "bets")
    mean, interval = model.bets.mean_log_reward, model.bets.log_reward.interval
    return Score(mean, number(plain(mean), 3, signed=True), None if np.isnan(interval[0]) else interval)


@_column("calibration", "Calibration", "do they happen?", "calibr.")
def _calibration(model: Any) -> Score:
    """Whether what is stated as 80% happens 80% of the time: off (beyond chance), or passed the test."""
    if model.bets is None:
        return _not_judged(model, "bets")
    if _n_ruined(model):
        return Score(0.0, "broken", detail="said 0, happened")
    adjusted = model.bets.calibration_adjusted_p
    passed = "off" if model.bets.miscalibrated else "passed"
    return Score(adjusted, passed, detail=say_p(adjusted))


@_column("confidence", "Surest half", "share right", "surest")
def _confidence(model: Any) -> Score:
    """Accuracy on the half of the answers that the model is surest of."""
    view = model.confidence
    if view is None:
        return Score(None, ABSENT, detail="no confidence in the answers is known")
    sure = view.accuracy_of_surest_half
    passed = "certain, but wrong" if view.bets.n_impossible else "confidence passed"
    return Score(sure, percent(sure), detail="confidence off" if view.bets.miscalibrated else passed)


@_column("group", "Worst group", "against average", "group")
def _group(model: Any) -> Score:
    """Accuracy minus the average in the group that costs most beyond chance, if possible told before the truth."""
    if model.slices is None:
        return _not_judged(model, "slices")
    worst = model.slices.worst
    if worst is None:
        return Score(0.0, "none proven")
    text = f"{number(100 * worst.difference, 1)} points"
    return Score(worst.difference, text, worst.interval, worst.conditions)


@_column("error", "Error", "95% interval", lower_is_better=True)
def _error(model: Any) -> Score:
    """Where the error on new cases lies: if trained anew (by cross-validation), else of this very model."""
    truth = model.truth
    if truth is None:
        return _not_judged(model, "truth")
    error, interval, detail = truth.error, truth.interval, ""
    # trained anew it must name one class: with sets and silence that is not the error of the share right beside it
    if truth.learner_interval is not None and truth.one_class_each:
        error, interval, detail = truth.learner_error, truth.learner_interval, "trained anew"
    text = f"{number(100 * interval[0], 1)} to {percent(interval[1])}"
    return Score(error, text, interval, detail)


@_column("borders", "Borders", "higher is better")
def _borders(model: Any) -> Score:
    """How well its regions fit the training cases, how far borders keep from these, and how simple they are."""
    if model.borders is None:
        return _not_judged(model, "borders")
    return Score(model.borders.measure, number(plain(model.borders.measure), 2))


def _not_judged(model: Any, view: str) -> Score:
    return Score(None, ABSENT, detail=model.absent.get(view, ""))
