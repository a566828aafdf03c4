"""The first screen: which headline, which warnings, and that the marks follow the comparisons."""

import re

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

import fivefold as ff


def judge(n=300, *, seed=0, **models):
    """Judge models by how often they are right, and certain ones by probabilities of 0 and 1."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n)
    table = {"y": np.array(["no", "yes"])[truth]}
    probabilities = {}
    for name, (share, certain) in models.items():
        said = np.where(rng.random(n) < share, truth, 1 - truth)
        table[name] = np.array(["no", "yes"])[said]
        if certain:
            table[f"p {name}"] = said.astype(float)
            probabilities[name] = f"p {name}"
    return ff.evaluate_predictions(
        pl.DataFrame(table), target="y", predictions=list(models), probabilities=probabilities
    )


def test_the_better_model_is_taken_and_equal_ones_are_not():
    card = judge(good=(0.95, False), fair=(0.7, False)).scorecard
    assert card.headline.kind == "recommendation"
    assert card.headline.sentence == "Take good: by accuracy and bits it is better than fair, beyond chance."
    card = judge(one=(0.8, False), two=(0.79, False)).scorecard
    assert card.headline.kind == "tie"
    assert "cannot be told apart on 300 cases" in card.headline.sentence


def test_of_two_equal_models_none_is_taken_because_the_other_lost_to_a_third():
    for seed in (1, 12, 18, 27):
        rng = np.random.default_rng(seed)
        truth = rng.random(1000) < 0.24
        shown = rng.normal(size=1000) + 1.9 * truth
        said = {name: shown + 0.45 * rng.normal(size=1000) > 1.75 for name in ("one", "two")}
        # right less often, it tells more bits, for it misses few events
        table = pl.DataFrame({"y": truth, **said, "alarmist": shown > 0.85})
        judged = ff.evaluate_predictions(table, target="y", predictions=[*said, "alarmist"], features=[])
        assert any(pair.proven and pair.better == "alarmist" for pair in judged.comparisons)
        assert judged.scorecard.headline.models == ("one", "two")
        assert "one and two cannot be told apart" in judged.scorecard.headline.sentence


def test_what_a_perfect_model_cannot_show_on_few_cases_is_said():
    truth = ["a", "b"] * 5
    table = pl.DataFrame({"y": truth, "m": truth})
    card = ff.evaluate_predictions(table, target="y", predictions=["m"]).scorecard
    assert card.headline.detail == (
        "Its answers tell 43% of all there is to learn (bits); 10 cases cannot show more."
    )


def test_alarms_override_the_decision():
    card = judge(coin=(0.5, False), dice=(0.5, False)).scorecard
    assert card.headline.sentence == "No proof that coin and dice learned anything: chance could do as well."


def test_what_is_wrong_with_probabilities_comes_after_the_answer():
    card = judge(sure=(0.95, True), fair=(0.7, False)).scorecard
    assert card.headline.sentence.startswith("Take sure: ")
    assert card.warnings[0].sentence.startswith("sure gave the true class probability 0 in ")
    two = judge(sure=(0.95, True), fair=(0.7, True)).scorecard.warnings[0].sentence
    assert re.match(
        r"sure and fair gave the true class probability 0 in \d+ and \d+ cases: do not use their", two
    )


@pytest.mark.parametrize(("digits", "advice"), [(2, "; if rounded to 2 digits, give more."), (9, ".")])
def test_a_probability_of_0_may_be_one_that_was_rounded(digits, advice):
    rng = np.random.default_rng(digits)
    stated = rng.uniform(0.02, 1, 300).round(digits)
    truth = np.where(rng.random(300) < stated, "yes", "no")
    stated[:2], truth[:2] = 0.0, "yes"
    table = pl.DataFrame({"y": truth, "p": stated})
    found = ff.evaluate_predictions(table, target="y", probabilities={"m": "p"}, features=[])
    said = f"m gave the true class probability 0 in 2 cases: do not use its probabilities{advice}"
    assert said in [warning.sentence for warning in found.scorecard.warnings]
    assert found.models[0].bets.miscalibrated == (digits == 9)


def test_who_is_right_more_often_where_another_is_silent_is_taken_with_an_if():
    # "Take guesses: by accuracy it is better", said of two models that know the same
    rng = np.random.default_rng(0)
    truth, hard = rng.choice(["a", "b", "c"], 600), rng.random(600) < 0.25
    guesses = np.where(hard & (rng.random(600) < 0.4), np.roll(truth, 1), truth)
    silent = [None if unknown else answer for answer, unknown in zip(guesses.tolist(), hard, strict=True)]
    table = pl.DataFrame({"y": truth, "guesses": guesses, "silent": silent, "dice": np.roll(truth, 2)})
    for others, hedged in ((["silent"], " if silence is as bad as an error"), (["dice"], "")):
        found = ff.evaluate_predictions(table, target="y", predictions=["guesses", *others], features=[])
        assert found.scorecard.headline.sentence.startswith(f"Take guesses{hedged}: by accuracy")


def test_honest_confidence_that_was_rounded_to_certainty_is_not_called_off():
    rng, said = np.random.default_rng(3), []
    for _ in range(12):
        sure = expit(rng.normal(3, 1.5, 1500))
        answers = np.where(rng.random(1500) < sure, "a", "b")
        table = pl.DataFrame({"y": ["a"] * 1500, "m": answers, "sure": (100 * sure).round()})
        options = {"target": "y", "predictions": ["m"], "confidence": {"m": "sure"}, "features": []}
        said += map(str, ff.evaluate_predictions(table, classes=["a", "b"], **options).scorecard.warnings)
    assert sum("off (miscalibrated)" in warning for warning in said) <= 2, said
    assert any(re.match("m is certain, but wrong, in [1-9] cases?.", warning) for warning in said), said
    boast = table.with_columns(sure=pl.lit(100.0) - rng.integers(0, 3, 1500))
    card = ff.evaluate_predictions(boast, classes=["a", "b"], **options).scorecard
    assert "The confidence of m is off (miscalibrated)." in map(str, card.warnings)


def test_a_copy_of_the_answers_is_called_so():
    # "They may be equal"
    said = ["a", "b", "b"] * 20
    table = pl.DataFrame({"y": ["a", "b", "a"] * 20, "one": said, "two": said})
    card = ff.evaluate_predictions(table, target="y", predictions=["one", "two"]).scorecard
    assert card.headline.detail.startswith("Their answers are the same in all cases")


@pytest.mark.parametrize("seed", [0, None])
def test_who_said_impossible_is_not_called_equal_to_who_did_not(seed):
    # a network and the same one before its temperature was set: "take the cheapest or simplest"
    rng = np.random.default_rng(1)
    odds = rng.normal(size=400)
    certain, other = odds, odds if seed is None else odds + 0.1 * rng.normal(size=400)
    table = pl.DataFrame(
        {
            "y": (rng.random(400) < 1 / (1 + np.exp(-odds))).astype(int),
            "sharp": np.round(1 / (1 + np.exp(-30 * certain)), 6),
            "mild": 1 / (1 + np.exp(-other)),
        }
    )
    names = {"sharp": "sharp", "mild": "mild"}
    headline = ff.evaluate_predictions(table, target="y", probabilities=names).scorecard.headline
    answers = "are the same in all cases" if seed is None else "may be equally good"
    assert headline.detail == f"Their answers {answers}: if these alone count, take the cheapest or simplest."


def test_of_the_same_answers_who_knows_nothing_more_is_not_called_as_good():
    # "take the cheapest or simplest", beside proof that the probabilities of one of them tell something
    rng = np.random.default_rng(0)
    chance = 1 / (1 + np.exp(2.5 - 1.2 * rng.normal(size=200)))
    table = pl.DataFrame({"y": rng.random(200) < chance, "knows": np.minimum(chance, 0.49), "rate": 0.12})
    judged = ff.evaluate_predictions(table, target="y", probabilities={"knows": "knows", "rate": "rate"})
    said = "Their answers are the same in all cases: if these alone count, take the cheapest or simplest."
    assert judged.scorecard.headline.detail == said


def test_models_that_are_equal_on_the_whole_but_not_in_a_group_are_not_called_equal():
    # "They may be equal: take the cheapest or simplest", beside proof of who is right there
    rng = np.random.default_rng(0)
    truth, topic = rng.integers(2, size=1200), rng.choice(["law", "code", "math", "art"], 1200)
    wrong = {
        name: rng.random(1200) < np.where(topic == hard, 0.45, 0.1)
        for name, hard in (("one", "law"), ("two", "art"))
    }
    table = pl.DataFrame(
        {"y": truth, "topic": topic}
        | {name: np.where(those, 1 - truth, truth) for name, those in wrong.items()}
    )
    card = ff.evaluate_predictions(table, target="y", predictions=["one", "two"]).scorecard
    assert card.headline.kind == "tie"
    more = "is right more often than"
    fitting = f"two {more} one where topic = law.", f"one {more} two where topic = art."
    assert card.headline.detail in {f"Perhaps equal on the whole, but {told}" for told in fitting}


def test_who_learned_nothing_is_not_the_simplest_to_take():
    table = pl.DataFrame({"y": ["a"] * 95 + ["b"] * 5, "m": ["a"] * 96 + ["b"] * 4, "base": ["a"] * 100})
    card = ff.evaluate_predictions(table, target="y", predictions=["m", "base"]).scorecard
    assert card.headline.kind == "tie"
    assert card.headline.detail == "Of these only m is proven to have learned."


def test_equal_figures_have_equal_marks():
    table = pl.DataFrame({"y": ["a", "b"] * 30, "one": ["b", "b"] + ["a", "b"] * 29})
    table = table.with_columns(two=pl.col("one").reverse().replace({"a": "b", "b": "a"}))
    card = ff.evaluate_predictions(table, target="y", predictions=["one", "two"]).scorecard
    assert [row.scores[0].standing for row in card.rows[:2]] == ["best", "best"]


def test_what_ails_the_model_to_take_is_not_pushed_out_by_what_ails_the_others():
    rng = np.random.default_rng(0)
    truth, hard = rng.integers(2, size=900), rng.integers(3, size=900) == 0
    said = np.where(rng.random(900) < np.where(hard, 0.65, 0.99), truth, 1 - truth)
    boast = np.where(rng.random(900) < 0.55, truth, 1 - truth)
    kinds = np.array(["easy", "hard"])[hard.astype(int)]
    table = pl.DataFrame(
        {"y": truth, "good": said, "bad": boast, "kind": kinds, "p": np.clip(boast, 0.01, 0.99)}
    )
    card = ff.evaluate_predictions(
        table, target="y", predictions=["good", "bad"], probabilities={"bad": "p"}
    ).scorecard
    assert card.headline.models == ("good",)
    assert [remark.models for remark in card.warnings] == [("good",), ("bad",), ("bad",)]


def test_as_many_ruins_of_two_models_are_counted_once():
    # "rf1 and rf2 gave the true class probability 0 in 1 and 1 cases"
    chance = np.tile([0.1, 0.9], 30)
    chance[0] = 1
    table = pl.DataFrame({"p": chance, "q": 1 - chance} | dict.fromkeys(("y", "one", "two"), ["a", "b"] * 30))
    stated = {model: {"a": "q", "b": "p"} for model in ("one", "two")}
    card = ff.evaluate_predictions(
        table, target="y", predictions=["one", "two"], probabilities=stated
    ).scorecard
    assert card.warnings[0].sentence.startswith(
        "one and two gave the true class probability 0 in 1 case each: "
    )


def test_among_models_that_learned_nothing_none_is_best_by_bits():
    for seed in range(5):
        card = judge(coin=(0.5, False), dice=(0.5, False), seed=seed).scorecard
        bits = [column.key for column in card.columns].index("bits")
        assert {row.scores[bits].standing for row in card.rows} == {""}


def test_what_the_answers_of_a_silent_model_are_worth_is_said():
    rng = np.random.default_rng(4)
    truth = rng.integers(2, size=600)
    plain = np.where(rng.random(600) < 0.75, truth, 1 - truth)
    careful = [
        int(label) if answers else None for label, answers in zip(truth, rng.random(600) < 0.6, strict=True)
    ]
    careful[careful.index(0)] = 1
    table = pl.DataFrame({"y": truth, "plain": plain, "careful": careful})
    card = ff.evaluate_predictions(table, target="y", predictions=["plain", "careful"]).scorecard
    n = 600 - careful.count(None)
    expected = f"careful answers {n / 600:.1%} of the cases and is right on {(n - 1) / n:.1%} of these."
    assert expected in [warning.sentence for warning in card.warnings]


def test_who_never_answers_is_not_asked_what_it_learned():
    table = pl.DataFrame({"y": ["a", "b"] * 60, "good": ["a", "b"] * 60, "mute": [""] * 120})
    alone = ff.evaluate_predictions(table, target="y", predictions=["mute"]).scorecard
    assert alone.headline.sentence == "mute answered none of the cases."
    beside = ff.evaluate_predictions(table, target="y", predictions=["good", "mute"]).scorecard
    assert [warning.sentence for warning in beside.warnings] == ["mute answered none of the cases."]


def test_cases_seen_in_training_come_before_everything():
    votes = ff.data.load("VO")
    found = ff.evaluate(
        ff.learners.OneR(), votes.X, votes.y, X_test=votes.X, y_test=votes.y, views=["bits", "truth"]
    )
    assert found.scorecard.headline.kind == "alarm"
    assert found.scorecard.headline.sentence.startswith("This is not a test: ")


def test_the_error_is_that_of_the_answers_counted_as_right():
    horses = ff.data.load("HO")
    models = {"rules": ff.learners.Foil(), "tree": ff.learners.C45Tree()}
    found = ff.evaluate(models, horses.X, horses.y, views=["bits", "truth"])
    rules, tree = (model.truth for model in found.models)
    assert rules.learner_interval is not None  # of Foil made to name one class
    errors = [
        score for row in found.scorecard.rows[:2] for score in row.scores if score.detail == "trained anew"
    ]
    assert [score.interval for score in errors] == [tree.learner_interval]
    assert any(score.interval == rules.interval for score in found.scorecard.rows[0].scores)


@pytest.mark.parametrize("n", [60, 400])
def test_the_marks_are_those_of_the_comparisons(n):
    found = judge(n, good=(0.9, True), fair=(0.75, True), coin=(0.5, False), other=(0.88, False))
    card = found.scorecard
    assert len(card.warnings) <= 3
    assert [row.baseline for row in card.rows] == [False] * 4 + [True]
    assert all(len(row.scores) == len(card.columns) for row in card.rows)
    for place, column in enumerate(card.columns[:2]):
        pairs = [pair for pair in found.comparisons if pair.view == column.key]
        standing = {row.name: row.scores[place].standing for row in card.rows}
        assert standing[pairs[0].better] == "best"
        for pair in pairs:
            as_good = "best" if pair.difference == 0 else "not told apart from the best"
            assert standing[pair.worse] == ("worse" if pair.proven else as_good)


@pytest.mark.parametrize("shares", [(0.9, 0.7), (0.8, 0.79), (0.5, 0.5)])
def test_sentences_are_short_and_the_text_fits_a_screen(shares):
    card = judge(a=(shares[0], True), b=(shares[1], False)).scorecard
    for remark in (card.headline, *card.warnings, *card.disagreements):
        assert len(remark.sentence.split()) <= 25
    lines = str(card).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


def judge_rare(n=6000, *, classes=None, noise=0.3):
    """Judge two models of a rare event, whose answers never name it while their probabilities tell much."""
    rng = np.random.default_rng(4)
    odds = -5 + 1.5 * rng.normal(size=n)
    chance = 1 / (1 + np.exp(-odds))
    table = pl.DataFrame(
        {
            "y": np.where(rng.random(n) < chance, "fraud", "ok"),
            "p": np.clip(chance, 0.001, 0.4),
            "q": np.clip(chance * np.exp(noise * rng.normal(size=n)), 0.001, 0.4),
        }
    )
    return ff.evaluate_predictions(
        table, target="y", probabilities={"rules": "p", "forest": "q"}, classes=classes
    ).scorecard


def test_a_rare_event_is_learned_though_no_answer_names_it():
    card = judge_rare(classes=["ok", "fraud"])
    told = [str(remark) for remark in (card.headline, *card.warnings)]
    assert not any("learned anything" in sentence for sentence in told)
    assert (
        "No proof that the answers of rules and forest tell anything; their probabilities do: "
        "choose another threshold." in told
    )


def test_answers_that_prove_nothing_are_not_said_to_tell_more_than_chance():
    """The headline's detail said "more than chance" above the warning that nothing of the kind is proven."""
    rng = np.random.default_rng(4)
    chance = 1 / (1 + np.exp(5 - 1.5 * rng.normal(size=3000)))
    event = np.where(rng.random(3000) < chance, "fraud", "ok")
    table = pl.DataFrame({"y": event, "p": np.clip(chance, 0.001, 0.4)})
    found = ff.evaluate_predictions(table, target="y", probabilities={"m": "p"}, classes=["ok", "fraud"])
    card = found.scorecard
    assert not found.models[0].bits.learned
    assert any("No proof that the answers of m tell anything" in str(warning) for warning in card.warnings)
    assert card.headline.detail == "Its answers are not proven to tell anything (bits)."


def test_probabilities_of_the_other_class_are_recognised():
    card = judge_rare()
    assert card.headline.kind == "alarm"
    assert card.headline.sentence == (
        "rules and forest rank the classes upside down: are their probabilities those of 'fraud'?"
    )
    assert "ok, fraud" in card.headline.detail
    assert not any("upside down" in str(warning) for warning in card.warnings)


@pytest.mark.slow
def test_models_that_know_nothing_are_seldom_said_to_rank_upside_down():
    rng = np.random.default_rng(5)
    for n in [20, 50] * 15:
        table = pl.DataFrame({"y": rng.choice(["a", "b"], n), "p": rng.uniform(0.01, 0.99, n)})
        card = ff.evaluate_predictions(table, target="y", probabilities={"m": "p"}).scorecard
        assert "upside down" not in card.headline.sentence


def test_no_warning_repeats_the_headline():
    """Of three that learned nothing, those that the headline names are not named again."""
    card = judge(60, coin=(0.5, False), dice=(0.45, False), bad=(0.5, True)).scorecard
    named = {name for name in ("coin", "dice", "bad") if name in card.headline.sentence}
    for warning in card.warnings:
        if "learned anything" in warning.sentence:
            assert not named & set(warning.models)


def test_confidence_has_a_column_and_is_judged_for_all_models_together():
    rng = np.random.default_rng(6)
    right = rng.random(900) < 0.7
    truth = rng.choice(["a", "b"], 900)
    said = np.where(right, truth, np.where(truth == "a", "b", "a"))
    table = pl.DataFrame(
        {"y": truth, "m": said, "k": said, "sure": np.full(900, 0.97) - 0.2 * rng.random(900)}
    )
    found = ff.evaluate_predictions(
        table, target="y", predictions=["m", "k"], confidence={"m": "sure"}, features=[]
    )
    card = found.scorecard
    column = [column.key for column in card.columns].index("confidence")
    scores = [row.scores[column] for row in card.rows]
    assert scores[0].value == found.models[0].confidence.accuracy_of_surest_half
    assert scores[0].detail == "confidence off"
    assert scores[1].value is None
    assert scores[2].text == ""
    assert "The confidence of m is off (miscalibrated)." in map(str, card.warnings)


def test_certain_and_wrong_is_said_with_the_rows():
    truth, said = ["a", "b"] * 20, ["a", "b"] * 19 + ["b", "a"]
    table = pl.DataFrame({"y": truth, "m": said, "sure": [0.9] * 38 + [1.0, 0.5]})
    found = ff.evaluate_predictions(table, target="y", predictions=["m"], confidence={"m": "sure"})
    (told,) = [finding.sentence for finding in found.findings if finding.view == "bets"]
    assert "It was certain, and wrong, in row 38: betting by that loses everything (ruin)." in told
    said_of_it = [f for f in found.findings if "surest" in f.sentence]
    assert "Chance can explain" not in said_of_it[0].sentence


def test_what_is_claimed_of_confidence_is_said_where_all_answers_are_right():
    truth = ["a", "b"] * 30
    for sure, said in ((0.6, "It states 60.0% for 'right' on average, but 100.0% happened"), (1.0, "p = 1")):
        table = pl.DataFrame({"y": truth, "m": truth, "sure": [sure] * 60})
        found = ff.evaluate_predictions(table, target="y", predictions=["m"], confidence={"m": "sure"})
        (told,) = [finding for finding in found.findings if "surest" in finding.sentence]
        assert said in told.sentence
        assert told.claims == (("miscalibrated",) if sure < 1 else ())


def test_what_probabilities_tell_does_not_depend_on_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    for seed in range(12):
        truth, noise = rng.permutation(np.arange(40) < 6), rng.normal(size=40)
        stated = 1 / (1 + np.exp(3 - 0.8 * truth - 0.7 * noise))
        table = pl.DataFrame({"y": truth, "p": stated})
        tables = [table, *(table.sample(fraction=1, shuffle=True, seed=seed + 50 * i) for i in range(3))]
        found = [
            ff.evaluate_predictions(each, target="y", probabilities={"m": "p"}, features=[])
            for each in tables
        ]
        assert len({str(each.scorecard) for each in found}) == 1


def test_a_card_says_how_many_cases_were_answered():
    table = pl.DataFrame({"y": ["a", "b"] * 100, "m": ["a", "b", "a", "b", None] * 40})
    card = ff.evaluate_predictions(table, target="y", predictions=["m"]).scorecard
    assert card.rows[0].scores[0].detail == "80% answered"


def sets_of(n=400, seed=1):
    """Sets of which `small` ones are smaller and hold the truth as often as `large` ones, and a single answer."""
    rng = np.random.default_rng(seed)
    labels = np.array(list("abcd"))
    truth = rng.integers(4, size=n)
    other = (truth + rng.integers(1, 4, size=n)) % 4
    small = ["|".join(sorted({labels[t], labels[o]})) for t, o in zip(truth, other, strict=True)]
    large = ["|".join(label for label in labels if label != labels[o]) for o in other]
    single = labels[np.where(rng.random(n) < 0.5, truth, other)]
    table = pl.DataFrame({"y": labels[truth], "small": small, "large": large, "single": single})
    return ff.evaluate_predictions(table, target="y", predictions=["small", "large", "single"])


def test_sets_are_judged_by_what_they_hold_and_tell():
    card = sets_of().scorecard
    columns = [column.key for column in card.columns]
    assert columns[:3] == ["coverage", "size", "bits"]
    assert not {"accuracy", "error"} & set(columns), "a set that holds the truth is no error"
    held, size = ([row.scores[at].value for row in card.rows] for at in (0, 1))
    assert held[:2] == [1.0, 1.0]
    assert size == [2.0, 3.0, 1.0, 1.0]
    assert card.headline.sentence.startswith("Take small: by bits it is better than ")
    assert "hold the truth in 100.0% of 400 cases, naming 2.0 of 4 classes" in card.headline.detail
    assert not card.disagreements


def test_classes_that_are_mixed_up_are_an_alarm_and_chance_is_not():
    card = judge(swapped=(0.1, False)).scorecard
    assert card.headline.kind == "alarm"
    assert "right less often than chance" in card.headline.sentence
    assert "swapped is right on " in card.headline.detail
    for seed in range(10):
        assert "mixed up" not in judge(seed=seed, coin=(0.5, False)).scorecard.headline.sentence


def test_models_beside_sets_that_bits_do_not_tell_apart_are_not_called_equal():
    rng = np.random.default_rng(0)
    truth = rng.choice(["p", "q", "r"], 300)
    models = {
        "hedge": np.where(rng.random(300) < 0.55, truth, "p|q|r"),
        "plain": np.where(rng.random(300) < 0.68, truth, "p"),
    }
    card = ff.evaluate_predictions(
        pl.DataFrame({"y": truth} | models), target="y", predictions=[*models]
    ).scorecard
    said = "hedge and plain cannot be told apart by bits on 300 cases."
    assert card.headline.sentence == said
    assert "may be equal:" not in card.headline.detail
    # of accuracy it is known how many cases would settle it, but by that nobody compares sets
    models["bold"] = np.where(rng.random(300) < 0.72, truth, "p")
    models["hedge"][40:] = truth[40:] + "|" + np.where(truth[40:] == "p", "q", "p").astype(object)
    table = pl.DataFrame({"y": truth} | models)
    alone = ff.evaluate_predictions(table, target="y", predictions=["plain", "bold"]).scorecard
    assert "would settle it" in alone.headline.sentence
    beside = ff.evaluate_predictions(table, target="y", predictions=[*models]).scorecard
    assert {"plain", "bold"} <= set(beside.headline.models)
    assert "would settle it" not in beside.headline.sentence


def test_classes_that_are_mixed_up_are_said_before_a_disagreement_about_them():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=200)
    table = {"y": truth, "turned": (truth + 1) % 3, "dice": rng.integers(3, size=200)}
    named = pl.DataFrame({name: np.array(["A", "B", "C"])[codes] for name, codes in table.items()})
    found = ff.evaluate_predictions(named, target="y", predictions=["turned", "dice"])
    said = "turned is right less often than chance: are its classes mixed up?"
    assert found.scorecard.headline.sentence == said
    (why,) = (finding.sentence for finding in found.findings if finding.view == "views")
    assert "its answers tell that class, though it names that class in 0.0% of them" in why


def test_cases_that_seem_to_belong_together_are_told_on_the_first_screen():
    rng = np.random.default_rng(0)
    customer = np.repeat(np.arange(60), 8)
    right = rng.random(480) < 1 / (1 + np.exp(-1.5 - rng.normal(size=60)[customer]))
    truth = rng.integers(2, size=480)
    table = pl.DataFrame({"y": truth, "m": np.where(right, truth, 1 - truth)}).cast(pl.String)
    table = table.with_columns(customer=pl.Series([f"C{number}" for number in customer]))
    said = (
        "Cases with the same customer have similar outcomes: leave out copies; if they belong together, use "
    )
    said += "--groups 'customer'."
    card = ff.evaluate_predictions(table, target="y", predictions=["m"]).scorecard
    assert said in [warning.sentence for warning in card.warnings]
    card = ff.evaluate_predictions(table, target="y", predictions=["m"], groups="customer").scorecard
    assert said not in [warning.sentence for warning in card.warnings]


def test_mixed_up_classes_are_said_of_models_that_nobody_would_take():
    truth = np.random.default_rng(2).choice(["ill", "well"], 200)
    turned = np.where(truth == "ill", "well", "ill")
    table = pl.DataFrame({"y": truth, "good": truth, "turned": turned})
    card = ff.evaluate_predictions(table, target="y", predictions=["good", "turned"]).scorecard
    assert card.headline.models == ("good",)
    said = "turned is right less often than chance: are its classes mixed up?"
    assert [warning.sentence for warning in card.warnings] == [said]


def test_a_model_that_breaks_its_promise_is_not_recommended():
    rng = np.random.default_rng(5)
    names = np.array(list("abcde"))
    truth = rng.integers(0, 5, 600)

    def sets(held, more):
        rows = (np.arange(5) == truth[:, None]) & (rng.random((600, 1)) < held)
        rows |= (np.arange(5) != truth[:, None]) & (rng.random((600, 5)) < more)
        return ["|".join(names[row]) for row in rows]

    table = pl.DataFrame({"y": names[truth], "wide": sets(0.92, 0.25), "tight": sets(0.8, 0.04)})
    chosen = {"target": "y", "predictions": ["wide", "tight"]}
    assert ff.evaluate_predictions(table, **chosen).scorecard.headline.sentence.startswith(
        "Take tight: by bits"
    )
    headline = ff.evaluate_predictions(table, coverage=0.9, **chosen).scorecard.headline
    assert (headline.models, headline.detail) == (("tight",), "No such proof against wide.")
    # a model of single answers promises no coverage, so that nothing is said in its favour
    table = table.with_columns(plain=pl.Series(names[np.where(rng.random(600) < 0.6, truth, 0)]))
    for beside, said in ((["wide", "plain"], "against wide."), (["plain"], "")):
        chosen["predictions"] = [*beside, "tight"]
        detail = ff.evaluate_predictions(table, coverage=0.9, **chosen).scorecard.headline.detail
        assert detail.endswith(said)
        assert ("No such proof" in detail) == bool(said)
        assert "plain" not in detail
        assert "Take" not in detail
    assert headline.sentence.endswith("90.0% was promised.")


def test_a_class_that_sets_seldom_hold_is_named_beside_what_they_hold_of_all():
    # sets promise for all cases, not for each class: this promise is kept
    truth = np.array(["cat"] * 360 + ["fox"] * 40)
    sets = ["cat|fox"] * 355 + ["fox"] * 5 + ["fox"] * 8 + ["cat"] * 32
    remarks = ff.evaluate_predictions(
        pl.DataFrame({"y": truth, "m": sets}), target="y", predictions=["m"], coverage=0.9
    ).scorecard.warnings
    said = "hold the truth in 90.8% of cases, but in 20.0% of those of 'fox'; 90.0% was promised."
    assert any(remark.sentence.endswith(said) for remark in remarks)


def test_a_rare_event_that_is_stated_too_high_is_said_so():
    rng = np.random.default_rng(4)
    risk = rng.beta(1, 30, 4000)
    table = pl.DataFrame(
        {"y": np.where(rng.random(4000) < risk, "sick", "a well"), "p": 1 - (1 - risk) ** 3, "q": risk}
    )
    found = ff.evaluate_predictions(table, target="y", probabilities={"high": "p", "right": "q"})
    assert found.models[0].bets.advice.startswith("'sick' is stated too high, ")
    assert found.models[1].bets.advice == "the test found nothing wrong"
    assert any(
        "off (miscalibrated): 'sick' is stated too high" in str(each) for each in found.scorecard.warnings
    )
    # said of the same model, whichever of the two classes comes second
    other = table.with_columns(y=pl.col("y").replace("a well", "well"), p=1 - pl.col("p"))
    mirrored = ff.evaluate_predictions(other, target="y", probabilities={"high": "p"}).models[0].bets
    assert mirrored.advice.startswith("'well' is stated too low, ")


def test_what_chance_may_have_picked_is_perhaps_as_little_as_the_interval_allows():
    rng, said = np.random.default_rng(15), {"perhaps only": 0, "expect": 0}
    for n_rare in [6] * 8 + [14] * 8:
        truth = np.array(["a"] * 80 + ["b"] * 40 + ["rare"] * n_rare)
        right = rng.random(truth.size) < np.where(truth == "rare", 0.1, 0.75)
        table = pl.DataFrame(
            {"y": truth, "m": np.where(right, truth, "a"), "tone": rng.choice(list("xyz"), truth.size)}
        )
        found = ff.evaluate_predictions(table, target="y", predictions=["m"])
        worst = found.models[0].slices.worst
        warned = [str(each) for each in found.scorecard.warnings if "on new cases" in str(each)]
        for sentence in warned:
            hedge = "perhaps only" if worst.shrunk >= worst.interval[1] - 1e-6 else "expect"
            hardly = f"({'perhaps ' * (hedge == 'perhaps only')}hardly at all"
            assert f"({hedge} -" in sentence or hardly in sentence
            said[hedge] += 1
    assert min(said.values()) > 0, said


def test_printing_any_part_says_it():
    found = judge(good=(0.95, False), fair=(0.7, False))
    card = found.scorecard
    assert str(card) in str(found)
    assert card.headline.sentence in repr(found)
    assert str(found.comparisons[0]).startswith("By accuracy, good is better than fair by ")
    assert str(found.rankings[0]).startswith("accuracy (right answers): 1. good ")
    assert str(card.rows[0]).startswith("good: ")
    assert str(card.columns[0]) == "Accuracy: Share of cases answered with the true class alone."


def test_a_gain_over_the_most_frequent_class_is_clear_only_if_groups_allow_it():
    truth = np.array([["a"] * 12 + ["b"] * 8] * 6)
    answers = np.array([["a"] * 20] * 4 + [["a"] * 12 + ["b"] * 8] * 2)
    columns = {"y": truth.ravel(), "m": answers.ravel(), "g": np.repeat([f"g{i}" for i in range(6)], 20)}
    told = [
        ff.evaluate_predictions(
            pl.DataFrame(columns), target="y", predictions=["m"], features=[], groups=groups
        )
        for groups in (None, "g")
    ]
    clear = ["no clear difference" not in found.scorecard.headline.sentence for found in told]
    assert clear == [True, False]


def judge_alarms(score, *, classes=None, cut=0.1, n=4000):
    """Judge two models that raise alarms of a rare event, whose stated scores are rounded as files have them."""
    rng = np.random.default_rng(7)
    odds = -7 + 1.2 * rng.normal(size=n)
    happened = rng.random(n) < 1 / (1 + np.exp(-odds))
    table = {"y": np.where(happened, "fraud", "ok")}
    for name, shift in (("eager", 3.5), ("calm", 2.0)):
        chance = 1 / (1 + np.exp(-(odds + shift + 0.8 * rng.normal(size=n))))
        table[name] = np.where(chance >= cut, "fraud", "ok")
        table[f"p {name}"] = np.round(score(chance), 2)
    return ff.evaluate_predictions(
        pl.DataFrame(table),
        target="y",
        predictions=["eager", "calm"],
        probabilities={"eager": "p eager", "calm": "p calm"},
        classes=classes,
    )


def test_scores_of_the_first_class_are_recognised_by_the_models_own_alarms():
    """Of few rare events the truth cannot show it, and of a rounded 0, which is ruin, nothing else was said."""
    card = judge_alarms(lambda chance: chance).scorecard
    expected = "eager and calm rank the classes upside down: are their probabilities those of 'fraud'?"
    assert card.headline.sentence == expected
    assert not any("probability 0" in str(warning) for warning in card.warnings)
    right = judge_alarms(lambda chance: chance, classes=["ok", "fraud"]).scorecard
    assert "upside down" not in str(right)


def test_accuracy_prefers_no_model_where_naming_the_common_class_is_better_than_all():
    """Who raises fewer alarms is right more often: no reason to take it, for raising none is better still."""
    found = judge_alarms(lambda chance: chance, classes=["ok", "fraud"])
    assert [pair.better for pair in found.comparisons if pair.view == "accuracy" and pair.proven] == ["calm"]
    assert max(model.bits.accuracy for model in found.models) < found.models[0].bits.default_rate
    headline = found.scorecard.headline
    assert "accuracy" not in headline.sentence
    assert headline.kind != "tie" or headline.detail.startswith(
        "Accuracy prefers none of them: calm is right on"
    )


def test_all_models_are_compared_by_the_same_kind_of_group():
    """One failed by the true class alone, and stood beside groups that others cannot be blamed for as easily."""
    rng = np.random.default_rng(2)
    n = 1500
    where, truth = rng.choice(["north", "south"], n), rng.choice(["a", "b"], n, p=[0.7, 0.3])
    other = np.where(truth == "a", "b", "a")
    by_class = np.where(rng.random(n) < np.where(truth == "b", 0.4, 0.05), other, truth)
    by_both = np.where(rng.random(n) < 0.03 + 0.4 * (truth == "b") + 0.15 * (where == "north"), other, truth)
    table = pl.DataFrame({"where": where, "y": truth, "by class": by_class, "by both": by_both})
    found = ff.evaluate_predictions(table, target="y", predictions=["by class", "by both"])
    worst = [model.slices.worst for model in found.models]
    costs = [min(part.effect_size for part in model.slices.found.worse()) for model in found.models]
    assert [part.effect_size for part in worst] == costs
    alone = ff.evaluate_predictions(table, target="y", predictions=["by both"]).models[0]
    assert alone.slices.worst.conditions == "where = north"


def test_answers_that_are_no_class_are_not_said_to_be_silence():
    table = pl.DataFrame({"y": ["a", "b"] * 50, "m": ["Answer: a", "b"] * 10 + ["a.", "b!"] * 40})
    card = ff.evaluate_predictions(table, target="y", predictions=["m"], unknown_answers="wrong").scorecard
    said = "m names a class in 10.0% of the cases (90 of its answers are no class) and is right on 100.0% of"
    assert f"{said} these." in [warning.sentence for warning in card.warnings]
