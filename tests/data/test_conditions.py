import math
import sqlite3

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.data.conditions import Above, AtMost, Equals, IsMissing, NotEquals, OneOf, Rule, Within
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns

INF = math.inf
NASTY = ["plain", "O'Hara", '"quoted"', "'; DROP TABLE t; --", "{low}", "a\\'b", "", "naïve ≤ 3", "%s"]

numbers = st.floats(-5, 5, allow_nan=False).map(lambda x: round(x, 1))
values = st.lists(st.none() | numbers, min_size=1, max_size=8)


def table(ages, outlooks):
    return pl.DataFrame({"age": ages, "outlook": outlooks}, schema={"age": pl.Float64, "outlook": pl.String})


FRAME = table([10.0, 30.0, 31.0, None], ["sunny", None, "rain", "sunny"])


@pytest.mark.parametrize(
    ("term", "truth", "text"),
    [
        (Equals("outlook", "sunny"), [1, 0, 0, 1], "outlook = sunny"),
        (NotEquals("outlook", "sunny"), [0, 0, 1, 0], "outlook != sunny"),
        (NotEquals("outlook", "snow"), [1, 0, 1, 1], "outlook != snow"),
        (Equals("outlook", "snow"), [0, 0, 0, 0], "outlook = snow"),
        (OneOf("outlook", ("rain", "sunny")), [1, 0, 1, 1], "outlook in {rain, sunny}"),
        (AtMost("age", 30), [1, 1, 0, 0], "age <= 30"),
        (Above("age", 30.0), [0, 0, 1, 0], "age > 30"),
        (Within("age", 10, 30.5), [0, 1, 0, 0], "10 < age <= 30.5"),
        (Within("age", -INF, 30), [1, 1, 0, 0], "age <= 30"),
        (Within("age", 10, INF), [0, 1, 1, 0], "age > 10"),
        (Within("age", -INF, INF), [1, 1, 1, 0], "age has a value"),
        (IsMissing("age"), [0, 0, 0, 1], "age is missing"),
        (IsMissing("outlook"), [0, 1, 0, 0], "outlook is missing"),
        (Equals("age", 30), [0, 1, 0, 0], "age = 30"),
    ],
)
def test_terms_hold_where_they_say_and_fail_on_missing_values(term, truth, text):
    columns = read_columns(FRAME)
    assert term.holds(columns).tolist() == [bool(t) for t in truth]
    assert term.holds({column.name: column for column in columns}).dtype == bool
    assert term.to_text() == str(term) == text


def rows_by_sql(frame, condition):
    with sqlite3.connect(":memory:") as connection:
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame.columns)
        connection.execute(f"CREATE TABLE t ({names})")
        marks = ", ".join("?" * frame.width)
        connection.executemany(f"INSERT INTO t VALUES ({marks})", frame.rows())
        chosen = {row[0] for row in connection.execute(f"SELECT rowid FROM t WHERE {condition}")}
    connection.close()
    return [row + 1 in chosen for row in range(frame.height)]


def term_strategy():
    nominal = st.sampled_from(NASTY)
    return st.one_of(
        st.builds(Equals, st.just("outlook"), nominal),
        st.builds(NotEquals, st.just("outlook"), nominal),
        st.builds(OneOf, st.just("outlook"), st.lists(nominal, min_size=1, unique=True).map(tuple)),
        st.builds(AtMost, st.just("age"), numbers),
        st.builds(Above, st.just("age"), numbers),
        st.tuples(numbers | st.just(-INF), numbers | st.just(INF))
        .filter(lambda ends: ends[0] < ends[1])
        .map(lambda ends: Within("age", *ends)),
        st.builds(IsMissing, st.sampled_from(["age", "outlook"])),
    )


@given(values, st.lists(term_strategy(), max_size=3), st.data())
def test_sql_chooses_the_same_rows(ages, terms, data):
    texts = st.none() | st.sampled_from(NASTY)
    frame = table(ages, data.draw(st.lists(texts, min_size=len(ages), max_size=len(ages))))
    rule = Rule(tuple(terms), "yes")
    expected = rule.holds(read_columns(frame, categorical_features=["outlook"])).tolist()
    assert rows_by_sql(frame, rule.to_sql()) == expected
    kept = pl.SQLContext(t=frame.with_row_index()).execute(
        f"SELECT * FROM t WHERE {rule.to_sql()}", eager=True
    )
    assert kept["index"].to_list() == np.flatnonzero(expected).tolist()


@pytest.mark.parametrize("name", [name for name in NASTY if name])
def test_names_of_columns_cannot_break_out_of_their_quotes(name):
    frame = pl.DataFrame({name: [1.0, 2.0]})
    assert rows_by_sql(frame, Within(name, 1.0, 1.5).to_sql()) == [False, False]
    assert rows_by_sql(frame, Within(name, 1.5, 3.0).to_sql()) == [False, True]


def test_truth_values_are_written_as_truth_values():
    frame = pl.DataFrame({"smoker": [True, False, None]})
    term = Equals("smoker", True)
    assert (
        term.holds(read_columns(frame)).tolist() == rows_by_sql(frame, term.to_sql()) == [True, False, False]
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_cuts_survive_being_written(cut):
    assert float(AtMost("x", cut).to_text().removeprefix("x <= ")) == cut
    assert float(AtMost("x", cut).to_sql().removeprefix('"x" <= ')) == cut


def test_a_rule_is_a_conjunction():
    columns = read_columns(FRAME)
    both = Rule((Equals("outlook", "sunny"), AtMost("age", 30)), "no")
    assert both.holds(columns).tolist() == [True, False, False, False]
    assert str(both) == "if outlook = sunny and age <= 30 then no"
    assert Rule((), "no").holds(columns).all()
    assert str(Rule((), "no")) == "always no"
    assert Rule((), "no").to_sql() == "TRUE"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: AtMost("age", math.nan), InputError, "nan"),
        (lambda: Above("age", INF), InputError, "Within may have infinite ends"),
        (lambda: AtMost("age", "30"), InputError, "'30'"),
        (lambda: Within("age", 3, 3), InputError, "low 3, high 3"),
        (lambda: Equals("age", None), InputError, "IsMissing"),
        (lambda: OneOf("age", ()), InputError, "at least one value"),
        (lambda: OneOf("age", (1, 1)), InputError, "different values"),
        (lambda: Equals("x", "a\0b").to_sql(), InputError, "NUL"),
        (lambda: Equals("x", (1, 2)).to_sql(), InputTypeError, r"\(1, 2\)"),
        (lambda: AtMost("heigth", 3).holds(read_columns(FRAME)), InputError, "'heigth'; got the columns"),
        (lambda: AtMost("outlook", 3).holds(read_columns(FRAME)), InputTypeError, "nominal"),
        (lambda: Equals("age", "old").holds(read_columns(FRAME)), InputTypeError, "'old'"),
        (lambda: Rule((), "no").holds([]), InputError, "at least one column"),
    ],
)
def test_mistakes_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()
