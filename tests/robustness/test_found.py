"""Mistakes that the odd inputs of this folder have found, each as its own example."""

import csv
import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.evaluation.five_views import read_budget
from fivefold.truth.recommendation import LinearConcept

from .law import check_texts

HUGE = 10**400
ANSWERS = pl.DataFrame({"y": ["a", "b"], "m": ["a", "a"]})
TWICE = pd.DataFrame([[1, 2, "a"]], columns=["x", "x", "y"])


def _tree():
    return DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0]], ["a", "b"])


def test_a_gzip_file_of_which_a_bit_has_flipped_is_refused(tmp_path):
    data = bytearray(gzip.compress(b"y,a\ncat,1\n" * 20))
    data[10] ^= 0b110  # the kind of the first block
    path = tmp_path / "flipped.csv.gz"
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="a whole gzip file"):
        ff.data.read(path, target="y")


def test_reading_leaves_the_limit_of_the_csv_module_alone(tmp_path):
    path = tmp_path / "quoted.csv"
    path.write_text(f'y,a\n"cat",{"x" * 200_000}\n', encoding="utf-8")
    usual = csv.field_size_limit()
    ff.data.read(path, target="y")
    assert csv.field_size_limit() == usual


def test_quoted_rows_are_the_same_whether_read_at_once_or_in_pieces(tmp_path, monkeypatch):
    path = tmp_path / "quoted.csv"
    path.write_text('y,a\n"cat",1\ndog,"2\n3"\ncat,4\n"",5\ndog,6\n', encoding="utf-8")
    monkeypatch.setattr("fivefold.data.csv_text._ROWS_AT_ONCE", 2)
    table = ff.data.read(path, target="a")
    assert table.y.tolist() == ["1", "2\n3", "4", "5", "6"]
    assert table.X["y"].to_list() == ["cat", "dog", "cat", None, "dog"]


def test_one_text_is_not_a_list_of_missing_values(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,a\ncat,N\ndog,NA\n", encoding="utf-8")
    with pytest.raises(InputTypeError, match="missing to be a sequence of texts; got 'NA'"):
        ff.data.read(path, target="y", missing="NA")


@pytest.mark.parametrize("options", [{"kinds": "ab"}, {"missing": [1]}, {"target": ["y"]}])
def test_options_of_reading_are_checked(tmp_path, options):
    path = tmp_path / "x.csv"
    path.write_text("y,a\ncat,N\ndog,M\n", encoding="utf-8")
    with pytest.raises(InputTypeError):
        ff.data.read(path, **{"target": "y", **options})


@pytest.mark.parametrize("path", [None, 3, b"x.csv", [3]])
def test_what_is_no_path_is_refused(path):
    for read in (lambda: ff.data.read(path, target="y"), lambda: ff.study.read_plan(path)):
        with pytest.raises(InputTypeError, match="expected a path"):
            read()


@pytest.mark.parametrize("learner", [ff.learners.C45Tree(), ff.learners.C45Rules(), ff.learners.Foil()])
def test_numbers_beyond_the_precision_of_a_learner_are_refused(learner):
    with pytest.raises(InputError, match=r"3\.4e\+38 in size, which float32 can hold; got 1e\+300"):
        learner.fit([[0.0], [1e300], [2e300], [1.0]], ["a", "b", "b", "a"])


def test_a_case_beyond_the_precision_is_still_answered():
    X, y = [[0.0], [1.0], [8.0], [9.0]] * 5, ["a", "a", "b", "b"] * 5
    for learner in (ff.learners.C45Tree(), ff.learners.Foil()):
        assert learner.fit(X, y).predict([[1e300], [-1e300]]).tolist() == ["b", "a"]


def test_asking_with_a_dict_is_refused_as_in_fitting():
    model = ff.learners.OneR().fit([["x"], ["y"]], ["a", "b"])
    with pytest.raises(InputTypeError, match="a dict"):
        model.predict({"x0": ["x"]})


def test_two_columns_of_one_name_are_refused():
    table = pd.DataFrame([["a", "a", "b"]] * 4, columns=["y", "m", "m"])
    with pytest.raises(InputError, match=r"differ from each other; got 'm' more than once"):
        ff.evaluate_predictions(table, target="y", predictions=["m"])


def arff(tmp_path, row, head="@attribute x numeric"):
    path = tmp_path / "odd.arff"
    path.write_text(f"@relation r\n{head}\n@attribute y {{a,b}}\n@data\n{row}\n2,b\n", encoding="utf-8")
    return lambda: ff.data.read(path, target="y")


def test_odd_arff_is_refused_in_one_sentence(tmp_path):
    for row in (f"{{{'9' * 5000} 1}}", f"{'9' * 5000},a"):
        with pytest.raises(InputError):
            arff(tmp_path, row)()
    with pytest.raises(InputError, match="whole characters"):
        arff(tmp_path, "1,a", r"@attribute '\ud800' numeric")()
    fox = arff(tmp_path, "1,a", r"@attribute '\ud83e\udd8a' numeric")()
    assert fox.X.columns == ["🦊"]


def test_a_column_of_the_largest_numbers_has_no_border_to_measure():
    X = np.array([[1e308], [-1e308], [0.0], [1e307]] * 5)
    y = ["a", "b", "b", "a"] * 5
    model = DecisionTreeClassifier(random_state=0).fit(X / 1e300, y)
    with pytest.raises(InputError, match="whose distance is a number; got -1e\\+308 and 1e\\+308"):
        ff.borders.measure(model, X, y)


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (lambda: ff.data.Table.from_frame(TWICE, target="y"), "differ from each other"),
        (lambda: ff.data.Table.from_frame(3, target="y"), "a data frame"),
        (lambda: ff.study.Shelf(None), "a path to a file of results"),
        (lambda: ff.study.Shelf("x\0"), "a path that the system can have"),
        (lambda: ff.study.check_results(b"x"), "a path to a file"),
        (lambda: ff.study.Study("a", [1], "x.study"), "a sequence of jobs"),
        (lambda: ff.study.Study("\ud800", [], "x.study"), "a name for the study"),
        (lambda: ff.study.Job(["a"], {}), "a registered task"),
        (lambda: ff.study.seeded(DecisionTreeClassifier, 3), "the class DecisionTreeClassifier"),
        (lambda: ff.study.derive_seed(1, object()), "text and numbers"),
        (lambda: ff.study.make_plan("p", data=["IR"], estimators=["1r"], splits=[1]), "splits as a table"),
        (lambda: ff.data.Concept(3), "clauses, each a tuple of pairs"),
        (lambda: ff.data.TrueError("a", 0.0, 0.0), "value to be a number"),
        (lambda: ff.data.TrueError(10**400, 0.0, 0.0), "value to be a finite number"),
        (lambda: ff.borders.MeasureWeights(a0=HUGE), "a finite number"),
        (lambda: ff.learners.RuleList((3,), ("a", "b")), "Rule objects"),
        (lambda: ff.learners.DecisionTree(3, ("a", "b")), "leaves and tests"),
        (lambda: ff.learners.NumericSplit("x", None, None, None), "a number to cut"),
        (lambda: ff.bits.expected_significance(10, HUGE, 0.5), "between 0 and 1"),
        (lambda: ff.bets.information_reward(["a", "b"], [HUGE, 0]), "hold numbers"),
        (lambda: ff.truth.rows_needed_for_difference(HUGE, 1.0), "finite number"),
        (lambda: ff.truth.learning_curve(ff.learners.OneR(), "dnf1", None), "a sequence of numbers"),
        (lambda: ff.borders.margin_similarity(np.array([1.0]), 0), "b to be a finite number above zero"),
        (lambda: ff.borders.border_size(DecisionTreeClassifier, [(0, 1), (0, 1)]), "a fitted model"),
        (
            lambda: ff.borders.measure(_tree(), [[0.0], [1.0]] * 2, ["a", "b"] * 2, window_margin=HUGE),
            "window_margin",
        ),
        (lambda: ff.slices.find_differences([["x"]], ["a"], ["b"], names=None), "two different names"),
        (lambda: ff.bets.roc(["a", "b"], [0.1, 0.9], event=pd.Series(["a", "b"])), "event to be 'selected'"),
        (
            lambda: ff.slices.find_errors([["x"]], ["a"], ["b"], include_target=pd.Series([1, 2])),
            "True or False",
        ),
        (lambda: ff.papers.paper(["korb2001"]), "paper to be one of"),
        (lambda: ff.data.load({"IR"}), "a known data set"),
        (lambda: ff.study.fingerprint([1]), "a Table"),
        (lambda: ff.study.shared(["x"]), "an object that the study shares"),
    ],
)
def test_odd_options_are_refused_in_one_sentence(call, shown):
    with pytest.raises((InputError, InputTypeError), match=shown):
        call()


def test_a_mapping_of_answers_that_is_an_array_is_refused():
    with pytest.raises(InputTypeError, match="mapping to translate texts into texts"):
        ff.clean_answers(["a", "b"], ["a", "b"], mapping=np.array(["a", "b"]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: ff.clean_answers(["x", "y"], np.ma.array(["x", "y"], mask=[True, False])),
        lambda: ff.bets.lift_curve([0, 1], [0.1, 0.9], points=HUGE),
        lambda: ff.bets.miscalibration([0, 1], pl.Series([-(2**70)] * 2, dtype=pl.Int128)),
        lambda: ff.bits.expected_significance(3, 0.5, 0.7, exact=np.ones(2)),
        lambda: ff.borders.margin_similarity(np.ones(2), HUGE),
        lambda: ff.borders.measure(_tree(), np.full((4, 1), 2.0**63), ["a", "b"] * 2, normalise=False),
        lambda: ff.bets.recalibrate(["a", "b"] * 6, [0.2, 0.8] * 6, methods=-3),
        lambda: ff.learners.chance_of_rule(HUGE, HUGE, HUGE, HUGE),
        lambda: ff.slices.find_scores([[1.0], [2.0]], [0.1, 0.2], bins=np.ones(2)),
        lambda: ff.slices.find_errors([["x"]], ["a"], ["b"], target=pd.Series(["a"])),
        lambda: ff.truth.corrected_t([0.0, 1e300, -1e300], test_share=0.1),
        lambda: ff.evaluate_predictions(ANSWERS, target="y", predictions=1j),
        lambda: ff.evaluate_predictions(ANSWERS, target="y", predictions=[["m"]]),
        lambda: ff.evaluate_predictions(ANSWERS, target="y", predictions=["m"], confidence=np.ones(2)),
        lambda: ff.evaluate_predictions(ANSWERS, target="y", predictions=["m"], mapping=np.ones(2)),
        lambda: ff.truth.recommend(DecisionTreeClassifier(), [[0], [1]] * 5, [0, 1] * 5, methods=np.nan),
        lambda: ff.slices.find_differences(
            [[0], [1]], ["a", "b"], ["b", "b"], include_predictions=np.ones(2)
        ),
    ],
)
def test_what_more_seeds_have_found_is_refused_in_a_sentence(call):
    with pytest.raises((InputError, InputTypeError)):
        call()


def test_a_difference_that_no_number_of_rows_shows_takes_endlessly_many():
    assert ff.truth.rows_needed_for_difference(0.1, 1e300).n_rows is None


def test_a_budget_beyond_all_numbers_is_none():
    assert read_budget(HUGE) == float("inf")
    with pytest.raises(InputError, match="at least 0 seconds"):
        read_budget(float("nan"))


def test_a_rare_class_that_bits_cannot_reach_does_not_hang_a_recommendation():
    X, y = pl.DataFrame({"x": [0] * 11 + [1], "same": ["r"] * 12}), [0] * 11 + [1]
    small = {"n_concepts": 2, "n_repeats": 2, "n_test": 50}
    assert ff.truth.recommend(ff.learners.OneR(), X, y, **small).method


def test_a_concept_of_one_class_is_refused_after_some_time():
    plane = LinearConcept((1.0,), 0.0, 0.01, boolean=True)
    with pytest.raises(InputError, match="both classes among 20 cases; got one in 10,000 sets"):
        ff.truth.simulate(ff.learners.OneR(), plane, 20, n_repeats=2)


def test_names_from_data_do_not_steer_the_terminal_on_which_results_are_printed():
    names = ["\x1b[31mred", "\u202eb", "\x9bc"]
    X = pl.DataFrame({"\x1b]0;x\x07": [1.0, 2.0, 3.0, 4.0] * 12, "c": (names * 16)})
    y = (names[:2] * 24)[:48]
    models = {"\x1b[2Ja": ff.learners.OneR(), "b": ff.learners.C45Rules()}
    found = [learner.fit(X, y) for learner in models.values()]
    found += [ff.slices.find_errors(X, y, [names[0]] * 48), ff.borders.Window.around(X[:, :1])]
    found += [
        *found[2],
        ff.borders.choose(models, X[:, :1], y, n_splits=2),
        ff.borders.Window.around(X[:, :1]),
    ]
    found += [ff.truth.compare(*models.values(), X, y, n_repeats=1, names=tuple(models))]
    table = X.with_columns(y=pl.Series(y), m=pl.Series(y[1:25] + y[24:]))
    evaluation = ff.evaluate_predictions(table, target="y", predictions={"\x1b[2Jm": "m"})
    found += [evaluation, *evaluation.models, *evaluation.findings, evaluation.models[0].usual]
    for result in found:
        check_texts(result)


def test_single_precision_is_asked_without_a_warning():
    with np.errstate(all="raise"):
        assert ff.truth.rows_needed_for_difference(np.float32(0.1), 1.0)
