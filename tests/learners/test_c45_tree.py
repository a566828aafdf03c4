"""Trees whose numbers were worked out by hand, or printed by Quinlan's program."""

import numpy as np
import polars as pl
import pytest

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.learners import C5Rules, C45Tree

from . import c45_reference as reference
from .classic_cases import golf

GOLF_TREE = """\
outlook = overcast: yes (4)
outlook = rain:
|   windy = false: yes (3)
|   windy = true: no (2)
outlook = sunny:
|   humidity <= 75: yes (2)
|   humidity > 75: no (3)"""


def golf_with_a_missing_outlook():
    X, y = golf()
    outlook = X["outlook"].to_list()
    assert (X.row(11), y[11]) == (("overcast", 72.0, 90.0, "true"), "yes")
    outlook[11] = None
    return X.with_columns(outlook=pl.Series(outlook)), y


def days(*rows):
    return pl.DataFrame(list(rows), schema=golf()[0].schema, orient="row")


@pytest.mark.parametrize("prune", [False, True])
def test_golf(prune):
    X, y = golf()
    model = C45Tree(prune=prune).fit(X, y)
    assert model.to_text() == str(model) == GOLF_TREE
    assert model.n_nodes_ == 8
    assert model.predict(X).tolist() == y


def test_golf_expects_five_of_fourteen_errors():
    assert C45Tree().fit(*golf()).estimated_errors_ == pytest.approx(5.39, abs=0.005)


def at_the_root(X, y):
    """Give gain, split information and cut of each attribute, by the description that the trees agree with."""
    values = [sorted(set(X[name]) - {None}) if X[name].dtype == pl.String else None for name in X.columns]
    classes = [sorted(set(y)).index(c) for c in y]
    table = reference.Table([list(row) for row in X.rows()], classes, 2, values, weights=[1.0] * len(y))
    members = [(i, 1.0) for i in range(len(y))]
    return [reference.evaluate(table, members, a) for a in range(len(values))]


def test_golf_at_the_root():
    outlook, temperature, humidity, windy = at_the_root(*golf())
    assert outlook[:2] == pytest.approx((0.24675, 1.57741), abs=1e-5)
    assert windy[:2] == pytest.approx((0.04813, 0.98523), abs=1e-5)
    # temperature and humidity gain less than their cuts cost
    assert temperature is humidity is None


def test_golf_at_the_root_with_a_missing_outlook():
    X, y = golf_with_a_missing_outlook()
    assert at_the_root(X, y)[0][:2] == pytest.approx((0.19904, 1.80920), abs=1e-5)
    assert C45Tree(prune=False).fit(X, y).to_text().startswith("outlook = overcast")


def test_golf_with_a_missing_outlook():
    model = C45Tree(prune=False).fit(*golf_with_a_missing_outlook())
    assert "|   windy = true: no (2.4/0.4)" in model.to_text()
    new = days(("sunny", 70.0, None, "false"), (None, 70.0, 80.0, "true"), ("rain", 70.0, 80.0, None))
    assert model.predict_proba(new)[:, 0] == pytest.approx([0.557143, 0.663490, 0.371429], abs=1e-6)


def test_a_test_on_a_missing_value_may_fail():
    model = C45Tree().fit(*golf())
    new = days(("sunny", None, 70.0, None), (None, 70.0, 80.0, "true"), ("rain", 70.0, 80.0, "often"))
    assert model.predict_sets(new, missing_test="fails").tolist() == [
        [False, True],
        [False, False],
        [False, False],
    ]
    assert model.predict_sets(new).sum(axis=1).tolist() == [1, 1, 1]


def test_missing_as_a_value_has_a_branch_of_its_own():
    X, y = golf_with_a_missing_outlook()
    model = C45Tree(missing="value").fit(X, y)
    assert model.to_text() == GOLF_TREE.replace("(4)", "(3)") + "\noutlook is missing: yes (1)"
    # windy had no missing values, so that such a day goes down both of its branches
    new = days((None, 70.0, 80.0, "true"), ("rain", 70.0, 80.0, None))
    assert model.predict_proba(new)[:, 0] == pytest.approx([0, 0.4], abs=1e-6)
    assert not model.predict_sets(new, missing_test="fails")[1].any()


def test_a_missing_number_as_a_value():
    x = [1.0] * 4 + [2.0] * 4 + [None] * 4
    model = C45Tree(missing="value").fit(pl.DataFrame({"x": x}), list("uuuuvvvvwwww"))
    assert model.to_text() == "x <= 1: u (4)\nx > 1: v (4)\nx is missing: w (4)"
    assert model.predict(pl.DataFrame({"x": [None, 5.0]})).tolist() == ["w", "v"]
    assert [str(rule) for rule in model.rules()][-1] == "if x is missing then w"


def test_a_declared_value_that_never_occurred_gets_the_class_of_its_node():
    colours = pl.Enum(["blue", "green", "red"])
    X = pl.DataFrame({"colour": ["red"] * 3 + ["blue"] * 2}, schema={"colour": colours})
    model = C45Tree(prune=False).fit(X, list("vvvuu"))
    new = pl.DataFrame({"colour": ["green", None]}, schema={"colour": colours})
    assert model.predict_proba(new) == pytest.approx(np.array([[0, 1], [0.4, 0.6]]))


@pytest.mark.parametrize(
    ("n", "e", "extra"),
    [
        (6, 0, 1.237797),
        (9, 0, 1.284804),
        (1, 0, 0.75),
        (16, 1, 1.506894),
        (15, 1, 1.49945),
        (10, 2, 1.547735),
        (100, 10, 2.814705),
        (3, 0.5, 1.083491),
        (2, 1, 0.796241),
        (5, 4.6, 0.268),
        (9.5, 0.3, 1.332357),
    ],
)
def test_pessimistic_errors(n, e, extra):
    assert reference.deviate_squared(0.25) == pytest.approx(0.47955625, rel=1e-6)
    assert reference.extra_errors(n, e) == pytest.approx(extra, abs=2e-6)


@pytest.mark.published
def test_labor_negotiations():
    table = ff.data.load("LA")
    X, y = table.X.head(40), table.y[:40]
    assert C45Tree(prune=False).fit(X, y).n_nodes_ == 11
    pruned = C45Tree().fit(X, y)
    assert pruned.n_nodes_ == 7
    assert 100 * pruned.estimated_errors_ / 40 == pytest.approx(17.4, abs=0.05)


def test_the_cut_is_a_number_of_the_data():
    X = np.array([[0.7], [0.7], [0.7], [0.9], [0.9], [0.9]])
    model = C45Tree(prune=False).fit(X, list("uuuvvv"))
    assert model.nodes_.cut[0] == 0.7
    assert model.predict([[0.7], [0.71]]).tolist() == ["u", "v"]


def test_values_that_are_almost_equal_are_not_parted():
    X = np.array([[1.0], [1.0], [1.000005], [1.000005]])
    assert C45Tree(prune=False).fit(X, list("uuvv")).n_nodes_ == 1


def test_smoothed_leaves():
    X, y = golf()
    model = C45Tree(leaf_alpha=1).fit(X, y)
    assert model.predict_proba(days(("overcast", 70.0, 80.0, "true")))[0] == pytest.approx([1 / 6, 5 / 6])


def test_sorted_numbers_take_no_quadratic_time():
    x = np.arange(200_000.0)[:, np.newaxis]
    model = C45Tree().fit(x, (x[:, 0] // 50_000) % 2 == 0)
    assert model.n_nodes_ == 7


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"cf": 0}, InputError),
        ({"cf": 1.5}, InputError),
        ({"cf": "high"}, InputTypeError),
        ({"min_cases": 0}, InputError),
        ({"min_cases": True}, InputTypeError),
        ({"cut_penalty": "none"}, InputError),
        ({"missing": "ignore"}, InputError),
        ({"leaf_alpha": -1}, InputError),
        ({"dtype": "float16"}, InputError),
    ],
)
def test_bad_options(options, error):
    with pytest.raises(error, match=next(iter(options))):
        C45Tree(**options).fit(*golf())


def test_bad_missing_test():
    X, y = golf()
    with pytest.raises(InputError, match="missing_test"):
        C45Tree().fit(X, y).predict_sets(X, missing_test="ignored")


@pytest.mark.parametrize("learner", [C45Tree, C5Rules])
@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (2.2e38, 3.3e38, "float32"),
        (-3.3e38, -2.2e38, "float32"),
        (1.2e308, 1.7e308, "float64"),
        (-1.7e308, -1.2e308, "float64"),
    ],
)
def test_a_cut_between_values_whose_sum_overflows(learner, low, high, dtype):
    y = np.arange(40) < 20
    model = learner(dtype=dtype) if learner is C45Tree else learner()
    X = np.where(y, low, high)[:, np.newaxis]
    assert (model.fit(X, y).predict(X) == y).all()
