"""Plans: their jobs, their formats, and views that are checked against doing it by hand."""

import numpy as np
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import fivefold as ff
from fivefold.errors import FivefoldError, InputError
from fivefold.results import METRICS
from fivefold.study import Folds, Holdout, Shelf, fingerprint, make_plan, read_plan
from fivefold.study.trial import VIEWS, View
from fivefold.training.splits import draw_planned

SMALL = {"data": ["LA"], "estimators": ["1r"], "splits": Holdout(2), "views": ["accuracy"]}


def keys(**changes):
    return {job.key for job in make_plan("plan", **(SMALL | changes)).jobs()}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Three learners with every view, and the file that holds their results."""
    plan = make_plan(
        "views",
        data=["LA", "IR"],
        estimators={"prism": {}, "nb": {}, "stump": {}},
        splits=Holdout(2, "2/3"),
        views={
            "accuracy": {},
            "bits": {"codes": ["frequency", "mixture"]},
            "fails": {"view": "bits", "codes": ["frequency"], "missing_test": "fails"},
            "bets": {"clip": "train", "ties": ["together", "paper"]},
            "theory": {},
            "information_reward": {"clip": 50},
            "auc": {},
        },
        random_state=5,
    )
    study = plan.study(tmp_path_factory.mktemp("views") / "views.study")
    study.run(engine="serial")
    assert study.failures() == ()
    return study


def by_hand(data, learner, split):
    table = ff.data.load(data)
    recipe = Holdout(2, "2/3").recipes()[split]
    train, test = draw_planned(recipe, table.y, 5, fingerprint(table))
    model = {"prism": ff.learners.Prism, "nb": ff.learners.NaiveBayes, "stump": ff.learners.DecisionStump}[
        learner
    ]()
    model.fit(table.X[train], table.y[train])
    return model, table.X[test], table.y[test], np.unique(table.y), train


@pytest.mark.parametrize("learner", ["prism", "nb", "stump"])
@pytest.mark.parametrize("data", ["LA", "IR"])
@pytest.mark.filterwarnings("ignore:.*ties='paper'")
def test_views_are_what_they_are_by_hand(data, learner, results):
    model, X, y, classes, train = by_hand(data, learner, 1)
    assert model.classes_.tolist() == classes.tolist()

    def view(name):
        (record,) = Shelf(results.path).records(data=data, estimator=learner, split=1, view=name)
        return record.values

    prob = model.predict_proba(X)
    assert view("accuracy") == {"accuracy": np.mean(model.predict(X) == y)}
    for name, rule in (("bits", "follow"), ("fails", "fails")):
        sets = model.predict_sets(X, missing_test=rule)
        said = view(name)
        assert said["bits_frequency"] == ff.bits.significance(y, sets, classes=classes)
        right = sets[np.arange(y.size), np.searchsorted(classes, y)]
        assert said["right_alone"] == np.mean(right & (sets.sum(axis=1) == 1))
        assert said["several"] == np.mean(sets.sum(axis=1) > 1)
        assert said["none"] == np.mean(sets.sum(axis=1) == 0)
    assert "bits_mixture" not in view("fails")
    bets = view("bets")
    assert bets["reward"] == ff.bets.information_reward(y, prob, classes=classes, clip=train.size)
    assert bets["miscalibration"] == ff.bets.miscalibration(y, prob, classes=classes)
    assert bets["miscalibration_paper"] == ff.bets.miscalibration(y, prob, classes=classes, ties="paper")
    assert bets["log_score"] == ff.bets.log_score(y, prob, classes=classes)
    assert view("information_reward") == {
        "information_reward": ff.bets.information_reward(y, prob, classes=classes, clip=50)
    }
    assert view("theory") == {"theory_bits": ff.bits.theory_length(model, ff.data.load(data).X[train])}


def test_classes_that_no_training_case_has(tmp_path):
    table = ff.data.Table.from_arrays(
        [[float(i)] for i in range(12)], ["a", "b"] * 5 + ["c", "c"], name="rare"
    )
    study = make_plan("rare", data=[table], estimators=["nb"], splits=Folds(4, stratified=False)).study(
        tmp_path / "a.study"
    )
    assert study.run(engine="serial").complete
    one = make_plan("one", data=[table], estimators=["nb"], splits=Holdout(20, 0.25), views=["bits"])
    assert one.study(tmp_path / "a.study").run(engine="serial").complete


def test_a_learner_is_trained_once_for_all_views(tasks, tmp_path, log):
    learners, views = {"nb": {"class": "logged.LoggedNB"}}, ["accuracy", "bets", "auc"]
    plan = make_plan("logged", data=["IR"], estimators=learners, splits=Folds(3), views=views)
    status = plan.study(tmp_path / "a.study").run(engine="serial")
    assert (status.total, status.finished) == (9, 9)
    assert log() == {"fit": 3}


def test_all_learners_see_the_same_splits_whatever_else_is_planned(tmp_path):
    alone = make_plan(
        "a", data=["LA"], estimators=["nb"], splits=Holdout(3), views=["accuracy"], random_state=2
    )
    among = make_plan("b", data=["IR", "LA"], estimators=["1r", "nb"], splits=Holdout(5), random_state=2)
    assert {job.key for job in alone.jobs()} < {job.key for job in among.jobs()}


def test_what_changes_is_a_new_job():
    base = keys()
    assert keys(estimators={"renamed": {"learner": "1r"}}) == base
    assert keys(estimators=[ff.learners.OneR()]) == base
    table = ff.data.load("LA")
    assert keys(data={"mine": table}) == base
    changed = ff.data.Table.from_frame(table.to_polars()[1:], target="class")
    for change in (
        {"data": [changed]},
        {"estimators": ["stump"]},
        {"estimators": [ff.learners.C45Tree(min_cases=3)]},
        {"random_state": 1},
        {"splits": Holdout(2, 0.6)},
        {"splits": Holdout(2, stratified=True)},
        {"views": ["bits"]},
        {"views": {"accuracy": {"view": "bits", "codes": ["laplace"]}}},
    ):
        assert not keys(**change) & base, change
    assert keys(splits=Holdout(3)) > base
    assert keys(views=["accuracy", "bets"]) > base
    trees = [keys(estimators={"t": {"learner": "c45", "params": {"min_cases": m}}}) for m in (2, 3)]
    assert not trees[0] & trees[1]
    assert trees[0] == keys(estimators=["c45"])


def test_toml_and_python_say_the_same(tmp_path):
    pl.DataFrame({"x": [1, 2, 3, 4] * 5, "z": ["u", "?"] * 10, "y": ["n", "p"] * 10}).write_csv(
        tmp_path / "cases.csv"
    )
    (tmp_path / "plan.toml").write_text("""
        random_state = 3
        [data]
        LA = {}
        mine = { path = "cases.csv", target = "y", nominal = ["x"], missing = ["?"] }
        [estimators]
        1r = {}
        tree = { learner = "c45", params = { min_cases = 4 } }
        knn = { class = "sklearn.neighbors.KNeighborsClassifier", params = { n_neighbors = 1 }, encode = true }
        [splits]
        kind = "folds"
        n_splits = 4
        [views]
        bits = { codes = ["laplace"] }
        reward = { view = "information_reward", clip = 20 }
    """)
    plan = read_plan(tmp_path / "plan.toml")
    mine = ff.data.read(tmp_path / "cases.csv", target="y", kinds={"x": "nominal"}, missing=("", "?"))
    same = make_plan(
        "plan",
        data={"LA": "LA", "mine": mine},
        estimators={
            "1r": ff.learners.OneR(),
            "tree": ff.learners.C45Tree(min_cases=4),
            "knn": {
                "class": "sklearn.neighbors.KNeighborsClassifier",
                "params": {"n_neighbors": 1},
                "encode": True,
            },
        },
        splits=Folds(4),
        views={
            "bits": View("bits", {"codes": ["laplace"]}),
            "reward": View("information_reward", {"clip": 20}),
        },
        random_state=3,
    )
    assert [job.key for job in plan.jobs()] == [job.key for job in same.jobs()]
    assert plan.name == "plan"
    status = plan.study(tmp_path / "plan.study").run(engine="serial")
    assert status.total == 2 * 3 * 4 * 2


def test_encoded_learners_take_nominal_and_missing_values(tmp_path):
    knn = {"class": "sklearn.neighbors.KNeighborsClassifier", "encode": True}
    learners = {"raw": KNeighborsClassifier(), "knn": knn}
    plan = make_plan("encoded", data=["LA"], estimators=learners, splits=Holdout(1), views=["accuracy"])
    study = plan.study(tmp_path / "a.study")
    study.run(engine="serial")
    assert [record.state for record in Shelf(study.path).records()] == ["failed", "finished"]


def test_every_metric_is_a_view_and_defaults_are_part_of_the_key():
    for name in [*VIEWS, *METRICS]:
        assert View(name).kind == name
    assert View("bits").all_options() == {"codes": ["frequency", "mixture"], "missing_test": "follow"}
    plain, said = View("bets"), View("bets", {"min_cases": 10})
    assert plain.all_options() == said.all_options()


WRONG = [
    ({"data": ["XX"]}, "the code of a known data set"),
    ({"data": "LA"}, "data as a list or a mapping"),
    ({"data": []}, "at least one entry in data"),
    ({"data": ["LA", "LA"]}, "different labels in data"),
    ({"data": {"a": {"path": "x.csv"}}}, "a path and a target"),
    ({"data": {"a": {"file": "x.csv"}}}, "an option of data set 'a'"),
    ({"data": {"a": {"target": "y"}}}, "a path for data set 'a'"),
    ({"data": {"a": {"path": "x.csv", "target": "y", "missing": "?"}}}, "missing of data set 'a' as a list"),
    ({"estimators": {"1r": {"encode": "no"}}}, "encode to be True or False"),
    ({"data": {"a": 3}}, "a name or a table of options"),
    ({"estimators": ["oracle"]}, "a learner, one of 1r"),
    ({"estimators": {"c45": {"params": {"depth": 3}}}}, "a parameter of estimator 'c45'.*min_cases"),
    ({"estimators": {"a": {"class": "os.system"}}}, "the dotted path of a class"),
    ({"estimators": {"a": {"class": "pathlib.Path"}}}, "no method fit"),
    ({"estimators": {"a": {"class": "sklearn.preprocessing.StandardScaler"}}}, "no method predict"),
    ({"estimators": {"a": {"class": "sklearn.pipeline.Pipeline"}}}, "made without arguments"),
    ({"estimators": {"a": {"class": 3}}}, "a dotted path"),
    ({"estimators": {"a": {"class": "x.Y", "learner": "c45"}}}, "a learner or a class"),
    ({"estimators": {"1r": {"n_estimators": 5}}}, "an option of estimator '1r'"),
    ({"splits": {"kind": "loo"}}, 'splits of kind "holdout" or "folds"'),
    ({"splits": {"kind": "folds", "train": 0.5}}, "an option of folds splits"),
    ({"views": ["beauty"]}, "view to be one of 'accuracy', 'bits', 'bets', 'theory'"),
    ({"views": {"bits": {"code": "laplace"}}}, "an option of view 'bits'.*codes, missing_test"),
    ({"views": {"bits": 3}}, "a table of options"),
    ({"random_state": -1}, "random_state to be at least 0"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_plans_that_cannot_be(change, message):
    with pytest.raises(FivefoldError, match=message):
        make_plan("plan", **(SMALL | change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data = [", "a plan in TOML"),
        ('data = ["LA"]', "estimators in the plan"),
        ('data = ["LA"]\nestimators = ["1r"]\nview = ["bits"]', "'view' in"),
    ],
)
def test_files_that_are_no_plans(text, message, tmp_path):
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_plan(tmp_path / "plan.toml")


def test_learners_without_probabilities_fail_in_bets_alone(tmp_path):
    learners = {"svm": {"class": "sklearn.svm.LinearSVC"}, "nb": GaussianNB()}
    plan = make_plan(
        "svm", data=["IR"], estimators=learners, splits=Holdout(1), views=["accuracy", "bits", "bets"]
    )
    study = plan.study(tmp_path / "a.study")
    study.run(engine="serial")
    (failure,) = study.failures()
    assert (failure.labels["estimator"], failure.labels["view"]) == ("svm", "bets")
    assert "LinearSVC without" in failure.error
