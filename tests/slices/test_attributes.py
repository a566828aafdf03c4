"""Dates and texts as attributes of slices: recognised, cut, said, and selected alike in Python and in SQL."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fivefold as ff
from fivefold.errors import InputError
from fivefold.slices.attributes import as_texts, read_again, read_attributes
from fivefold.slices.items import RowsInMemory
from fivefold.slices.texts import frequent_pieces

N = 600


def days(n: int = N) -> list[dt.datetime]:
    rng = np.random.default_rng(1)
    first = dt.datetime(2024, 11, 20)
    return [first + dt.timedelta(seconds=int(second)) for second in rng.integers(0, 200 * 86_400, n)]


def with_gaps(values: list) -> list:
    return [None if place % 17 == 3 else value for place, value in enumerate(values)]


def zoned(time: dt.datetime) -> str:
    return time.isoformat() + ("+02:00" if time.month in (4, 5, 6) else "+01:00")


DATES = {
    "day": lambda times: [time.date() for time in times],
    "time": lambda times: times,
    "text day": lambda times: [str(time.date()) for time in times],
    "text T": lambda times: [time.isoformat() for time in times],
    "text blank": lambda times: [f"{time:%Y-%m-%d %H:%M}" for time in times],
    "text Z": lambda times: [f"{time.isoformat()}.25Z" for time in times],
    "text offset": lambda times: [f"{time:%Y-%m-%d %H:%M:%S}-05:30" for time in times],
    "text offsets": lambda times: [zoned(time) for time in times],
}
PROSE = [
    "Write",
    "a",
    "poem",
    "about",
    "the",
    "sea;",
    "do",
    "not",
    "rhyme!",
    "Don't",
    "use",
    "the",
    "word",
    "'blue'",
    "(or",
    "green)",
    "50%",
    "of_the",
    "[time]",
]


def prose(n: int = N) -> list[str | None]:
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(PROSE, rng.integers(3, 12))) for _ in range(n)]
    extra = [
        "",
        "НЕ надо, please",
        "it's 7 o'clock\nnow",
        "“Quoted” — done…",
        "a  double  blank",
        "Ω is 🙂 Greek",
    ]
    return with_gaps([extra[place // 9 % 6] if place % 9 == 0 else text for place, text in enumerate(texts)])


def all_terms(X: pl.DataFrame | pd.DataFrame) -> tuple[RowsInMemory, list]:
    rows = RowsInMemory(read_attributes(X).columns, np.arange(len(X)) % 2)
    coded = rows.code(rows.cut_points(None), True)
    return rows, [term for column in coded for term in column.terms]


def by_polars(X: pl.DataFrame, condition: str) -> list[int]:
    context = pl.SQLContext(t=X.with_row_index("row number"))
    return context.execute(f'SELECT "row number" FROM t WHERE {condition}').collect()["row number"].to_list()


def by_sqlite(X: pl.DataFrame, condition: str) -> list[int]:
    with sqlite3.connect(":memory:") as base:
        names = ", ".join(f'"{name}"' for name in X.columns)
        base.execute(f"CREATE TABLE t (n, {names})")
        cells = ", ".join("?" * (X.width + 1))
        base.executemany(f"INSERT INTO t VALUES ({cells})", [(i, *row) for i, row in enumerate(X.rows())])
        return [row for (row,) in base.execute(f"SELECT n FROM t WHERE {condition} ORDER BY n")]


@pytest.mark.parametrize("form", DATES)
def test_every_condition_on_a_date_selects_the_same_rows_everywhere(form):
    X = pl.DataFrame({"my date": with_gaps(DATES[form](days()))})
    rows, terms = all_terms(X)
    assert len(terms) > 25
    frame = X.to_pandas()
    for term in terms:
        expected = np.flatnonzero(term.holds(rows.columns)).tolist()
        # polars' SQL reads no time zone from text
        if form != "text offsets" or 'CAST("my date"' not in term.to_sql():
            assert by_polars(X, term.to_sql()) == expected, term.to_sql()
        selected = eval(term.to_python(), {"df": frame})
        assert np.flatnonzero(selected).tolist() == expected, term.to_python()
        if form.startswith("text") and "ISODOW" not in term.to_sql() and "TIMESTAMP" not in term.to_sql():
            assert by_sqlite(X, term.to_sql()) == expected, term.to_sql()
    assert any(0 < term.holds(rows.columns).sum() < N / 4 for term in terms)


@pytest.mark.parametrize("form", DATES)
def test_dates_are_the_same_whatever_their_form(form):
    times = with_gaps(days())
    columns = read_attributes(pl.DataFrame({"d": with_gaps(DATES[form](days()))})).columns
    by_name = {column.name: column for column in columns}
    assert {"d", "month of d", "weekday of d"} <= set(by_name)
    known = [place for place, time in enumerate(times) if time is not None]
    assert np.flatnonzero(by_name["d"].missing).tolist() == [p for p in range(N) if p not in known]
    months = by_name["month of d"].decode()
    weekdays = by_name["weekday of d"].decode()
    for place in known:
        assert months[place] == times[place].month
        assert weekdays[place] == times[place].isoweekday()
    if "day" not in form:
        assert [by_name["hour of d"].values[p] for p in known] == [times[p].hour for p in known]
    order = np.array([by_name["d"].values[place] for place in known])
    truth = [times[p].date() if "day" in form else times[p] for p in known]
    if form == "text blank":
        truth = [time.replace(second=0) for time in truth]
    if form == "text offsets":
        truth = [dt.datetime.fromisoformat(zoned(time)) for time in truth]
    ranks = {value: rank for rank, value in enumerate(sorted(set(truth)))}
    assert np.array_equal(np.unique(order, return_inverse=True)[1], [ranks[value] for value in truth])


def test_every_library_gives_the_same_dates():
    times = with_gaps(days())
    berlin = pl.Series("z", times).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin")
    X = pl.DataFrame({"t": times, "d": [time and time.date() for time in times]}).with_columns(berlin)
    frames = [X.to_pandas(), X.to_arrow(), X.to_pandas(use_pyarrow_extension_array=True)]
    objects = pd.DataFrame(
        {"t": pd.Series(times, dtype=object), "d": pd.Series(X["d"].to_list(), dtype=object)}
    )
    expected = read_attributes(X).columns
    assert [column.name for column in expected if column.name.startswith("hour")] == [
        "hour of t",
        "hour of z",
    ]
    for frame in [*frames, objects.assign(z=frames[0]["z"])]:
        columns = read_attributes(frame).columns
        for column, other in zip(columns, expected, strict=True):
            np.testing.assert_array_equal(column.values, other.values, err_msg=column.name)
    array = X.select("t").to_numpy().astype("datetime64[ns]")
    np.testing.assert_array_equal(read_attributes(array).columns[0].values, expected[0].values)


def test_a_zone_is_the_clock_on_its_walls():
    times = pl.Series("t", days()).dt.replace_time_zone("UTC").dt.convert_time_zone("America/New_York")
    X = times.to_frame()
    rows, terms = all_terms(X)
    hours = rows.columns[3]
    assert hours.values.tolist() == times.dt.hour().to_list()
    frame = X.to_pandas()
    for term in terms:
        expected = np.flatnonzero(term.holds(rows.columns)).tolist()
        assert by_polars(X, term.to_sql()) == expected, term.to_sql()
        assert np.flatnonzero(eval(term.to_python(), {"df": frame})).tolist() == expected
        # a database has a clock of its own
        assert "EXTRACT" not in term.to_sql() or "AT TIME ZONE 'America/New_York')" in term.to_sql()
    for column, other in zip(read_attributes(frame).columns, rows.columns, strict=True):
        np.testing.assert_array_equal(column.values, other.values, err_msg=column.name)


@pytest.mark.parametrize(
    "kind",
    [
        lambda times: pd.Series(times.to_list(), dtype=object),
        lambda times: pd.Series(times.dt.date().to_list(), dtype=object),
        lambda times: times.to_pandas(use_pyarrow_extension_array=True),
        lambda times: times.dt.replace_time_zone("Asia/Tokyo").to_pandas(use_pyarrow_extension_array=True),
        lambda times: times.to_pandas().dt.tz_localize(dt.timezone(dt.timedelta(hours=-5))),
        lambda times: times.to_pandas().dt.tz_localize("Etc/GMT+5"),
    ],
)
def test_pandas_selects_the_same_rows_by_any_column_of_times_that_it_has(kind):
    frame = pd.DataFrame({"d": kind(pl.Series(with_gaps(days())))})
    rows, terms = all_terms(frame)
    assert len(terms) > 25
    for term in terms:
        selected = eval(term.to_python(), {"df": frame})
        assert selected.fillna(False).tolist() == term.holds(rows.columns).tolist(), term.to_python()


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["03/04/2025", "25.12.2024"], "two ways"),
        (["2025-03-04", "2025-03-04T10:00"], "no dates like the others"),
        (["2025-03-04T10:00", "2025-03-04T10:00Z"], "no dates like the others"),
        (["2025-03-04", "2025-02-30"], "such as '2025-02-30'"),
        (["2025-03-04", "unknown"], "such as 'unknown'"),
        (["2025-03-04T10:00", "2025-03-04T25:00"], "such as '2025-03-04T25:00'"),
    ],
)
def test_what_can_be_read_in_two_ways_stays_text_and_is_said(cells, said):
    attributes = read_attributes(pl.DataFrame({"d": cells * 40}))
    assert [column.kind for column in attributes.columns] == ["nominal"]
    assert said in attributes.read_as["d"]


def test_cuts_of_dates_are_days_that_a_person_would_name():
    even = [dt.datetime(2024, 1, 1) + dt.timedelta(hours=3 * place) for place in range(8 * 366)]
    rows, terms = all_terms(pl.DataFrame({"d": even}))
    texts = [str(term) for term in terms if term.column == "d" and "missing" not in str(term)]
    assert "d >= 2024-07-01" in texts
    assert all(len(text.replace("d >= ", "").replace("d < ", "").split()[0]) == 10 for text in texts)
    inside = [term.holds(rows.columns).mean() for term in terms if str(term).startswith("2024")]
    assert np.ptp(inside) < 0.05
    assert abs(sum(term.holds(rows.columns).mean() for term in terms[:8]) - 1) < 1e-12


@pytest.mark.parametrize(
    "point", ["2025-03-15", dt.date(2025, 3, 15), dt.datetime(2025, 3, 15), np.datetime64("2025-03-15")]
)
def test_given_cuts(point):
    day = [dt.date(2025, 3, 1) + dt.timedelta(days=place % 31) for place in range(620)]
    wrong = np.array([place % 31 >= 14 for place in range(620)]) & (np.arange(620) % 2 == 0)
    for column in (day, [str(value) for value in day]):
        slices = ff.slices.find_errors(
            pl.DataFrame({"date": column}),
            np.full(620, "a"),
            np.where(wrong, "b", "a"),
            bins={"date": [point]},
            include_target=False,
            max_terms=1,
        )
        (cause,) = [part for part in slices.worse() if part.terms[0].column == "date"][:1]
        assert cause.conditions == "date >= 2025-03-15"
        assert "on cases with date from 15 March 2025:" in cause.sentence
        assert cause.to_sql() == "\"date\" >= '2025-03-15'"
        assert slices.mask(pl.DataFrame({"date": column}))[:, 0].tolist() == [
            d >= dt.date(2025, 3, 15) for d in day
        ]


@pytest.mark.parametrize(
    "cuts", [["2025-03-20", "2025-03-15"], ["15/03/2025"], [3.5], [], ["2025-03-15T00:00Z"]]
)
def test_bad_cuts_are_refused(cuts):
    X = pl.DataFrame({"date": [f"2025-03-{1 + place % 30:02d}" for place in range(90)]})
    with pytest.raises(InputError, match="date"):
        ff.slices.find_errors(X, ["a", "b"] * 45, ["a"] * 90, bins={"date": cuts})


def test_texts_are_measured_alike_in_python_and_sql():
    X = pl.DataFrame({"prompt": prose()})
    rows, terms = all_terms(X)
    names = {column.name for column in rows.columns}
    assert {"length of prompt", "number of words in prompt", "prompt contains a digit"} <= names
    assert {"prompt contains 'not'", 'prompt contains "don\'t"', "prompt contains Cyrillic letters"} <= names
    assert "prompt contains 'of_the'" not in names
    frame = X.to_pandas()
    for term in terms:
        expected = np.flatnonzero(term.holds(rows.columns)).tolist()
        assert by_polars(X, term.to_sql()) == expected, term.to_sql()
        assert np.flatnonzero(eval(term.to_python(), {"df": frame})).tolist() == expected, term.to_python()
        if "REGEXP" not in term.to_sql() and term.to_sql().isascii():
            assert by_sqlite(X, term.to_sql()) == expected, term.to_sql()


def test_words_are_whole_words_and_frequent():
    texts = prose()
    attributes = read_attributes(pl.DataFrame({"prompt": texts}))
    words = {
        column.derived.phrase: column for column in attributes.columns if hasattr(column.derived, "phrase")
    }
    known = [text for text in texts if text is not None]
    marks = set('\n\t\r.,;:!?"()[]{}/-“”…—')

    def tokens(text: str) -> list[str]:
        return "".join(" " if letter in marks else letter for letter in text.lower()).split(" ")

    def has(text: str, phrase: str) -> bool:
        wanted, found = phrase.split(" "), tokens(text)
        return any(found[place : place + len(wanted)] == wanted for place in range(len(found)))

    for phrase, column in words.items():
        values = [value for value in column.values.tolist() if value >= 0]
        assert values == [int(has(text, phrase)) for text in known], phrase
        assert 0.01 <= np.mean(values) <= 0.99
    singles = {
        token for text in known for token in tokens(text) if len(token) > 1 and any(map(str.isalpha, token))
    }
    frequent = {
        token for token in singles if 0.01 <= np.mean([token in tokens(text) for text in known]) <= 0.99
    }
    assert {phrase for phrase in words if " " not in phrase} == {
        t for t in frequent if not set(t) & set("%_\\")
    }
    assert any(" " in phrase for phrase in words)


def test_a_new_table_is_asked_the_same():
    X = pl.DataFrame({"when": DATES["text offset"](days()), "prompt": prose(), "age": np.arange(N) % 50})
    columns = read_attributes(X).columns
    schema = [column.schema() for column in columns]
    back = read_again(X[::-1].to_pandas(), schema, lambda column: True)
    by_name = {column.name: column for column in back}
    for column in columns:
        np.testing.assert_array_equal(by_name[column.name].values[::-1], column.values)
    odd = read_again(
        pl.DataFrame({"when": ["soon", None], "prompt": ["NOT", None], "age": [1, 2]}), schema, lambda c: True
    )
    by_name = {column.name: column.values.tolist() for column in odd}
    assert by_name["prompt contains 'not'"] == [1, -1]
    assert by_name["month of when"] == [-1, -1]
    # the same instants, written in another zone
    utc = [f"{(time + dt.timedelta(hours=5, minutes=30)).isoformat()}Z" for time in days()]
    (when,) = (c for c in read_again(pl.DataFrame({"when": utc}), schema, lambda c: True) if c.name == "when")
    np.testing.assert_array_equal(when.values, columns[0].values)


KINDS = {
    "identifier": lambda n: [f"C-{place:07d}" for place in range(n)],
    "uuid": lambda n: [f"{hash((place, 'x')) & 0xFFFFFFFFFFFF:012x}-{place:04x}" for place in range(n)],
    "category": lambda n: [("north", "south east corner of town", "west")[place % 3] for place in range(n)],
    "text": lambda n: [
        f"the {place}th customer {'did not' if place % 3 else 'did'} complain" for place in range(n)
    ],
    "few dates": lambda n: [f"2025-0{1 + place % 2}-01" for place in range(n)],
}


@pytest.mark.parametrize("n", [30, 200, 5_000])
def test_identifiers_categories_and_texts_are_told_apart(n):
    X = pl.DataFrame({name: make(n) for name, make in KINDS.items()})
    for frame in (
        X,
        X.to_pandas(),
        X.to_arrow(),
        X.with_columns(pl.col("identifier", "text").cast(pl.Categorical)),
    ):
        attributes = read_attributes(frame)
        assert set(attributes.left_out) == {"identifier", "uuid"}
        assert "identifier" in attributes.left_out["uuid"]
        assert set(attributes.read_as) == {"text", "few dates"}
        plain = [column.name for column in attributes.columns if column.derived is None]
        assert plain == ["category"]


def test_what_is_left_out_can_be_kept_and_is_said():
    n = 300
    X = pl.DataFrame(
        {
            "customer_id": np.arange(n) + 10_000,
            "code": [f"k{place}" for place in range(n)],
            "kind": ["a", "b", "c"] * 100,
        }
    )
    y, pred = np.array(["x", "y"] * 150), np.array(["x"] * n)
    slices = ff.slices.find_errors(X, y, pred)
    assert set(slices.left_out) == {"customer_id", "code"}
    assert "Left out: customer_id (all 300 values differ: an identifier); code (" in str(slices)
    assert slices.to_dict()["left_out"] == slices.left_out
    kept = ff.slices.find_errors(X, y, pred, keep=["cust*", "code"])
    assert not kept.left_out
    assert {column.name for column in kept.schema} == {"customer_id", "code", "kind", "y_true"}
    with pytest.raises(InputError, match="cod"):
        ff.slices.find_errors(X, y, pred, keep=["cod"])
    numbers = X.select("customer_id", age=pl.Series(np.arange(n) % 7))
    assert set(ff.slices.find_errors(numbers.to_pandas(), y, pred).left_out) == {"customer_id"}
    with pytest.raises(InputError, match="identifier"):
        ff.slices.find_errors(X.select("code"), y, pred)


def test_many_values_may_be_groups_though_no_attributes():
    n = 6_000
    rng = np.random.default_rng(0)
    customer = rng.integers(0, 1_500, n)
    wrong = rng.random(n) < np.where(customer % 10 == 0, 0.9, 0.05)
    X = pl.DataFrame({"customer": [f"c{number}" for number in customer], "kind": rng.choice(["a", "b"], n)})
    slices = ff.slices.find_errors(X, np.full(n, "x"), np.where(wrong, "y", "x"), max_terms=1)
    assert "1,4" in slices.left_out["customer"] or "1,5" in slices.left_out["customer"]
    assert "cases with the same customer have similar outcomes" in slices.note


def test_derived_names_give_way_to_columns_of_that_name():
    X = pl.DataFrame({"d": ["2025-01-01", "2025-02-02"] * 50, "month of d": ["jan", "feb"] * 50})
    assert [column.name for column in read_attributes(X).columns] == ["d", "weekday of d", "month of d"]


def test_planted_word_and_change_are_found_and_said():
    rng = np.random.default_rng(3)
    n = 3_000
    times = [dt.date(2025, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 180, n)]
    has_not, late = rng.random(n) < 0.2, np.array([time >= dt.date(2025, 4, 1) for time in times])
    words = ["please", "explain", "how", "this", "works", "today", "again"]
    filler = [rng.choice(words, rng.integers(3, 12)) for _ in range(n)]
    prompts = [
        " ".join([*row, "do not" if flag else "do", "it"]) for row, flag in zip(filler, has_not, strict=True)
    ]
    wrong = rng.random(n) < 0.05 + 0.2 * has_not + 0.2 * late
    X = pl.DataFrame({"prompt": prompts, "date": [str(time) for time in times]})
    for correction in ("layered", "westfall-young"):
        slices = ff.slices.find_errors(
            X,
            np.full(n, "a"),
            np.where(wrong, "b", "a"),
            include_target=False,
            max_terms=2,
            correction=correction,
            n_permutations=199,
        )
        conditions = [part.conditions for part in slices.worse()[:2]]
        assert "prompt contains 'not'" in conditions
        (change,) = [part for part in slices.worse()[:2] if part.conditions.startswith("date >= ")]
        assert change.conditions in ("date >= 2025-04-01", "date >= 2025-03-25", "date >= 2025-04-05")
        sentences = " ".join(part.sentence for part in slices)
        assert "on cases with a prompt that contains 'not'" in sentences
        assert "on cases with date from " in sentences
        mask = slices.mask(X)
        counts = [part.n for part in slices]
        assert mask.sum(axis=0).tolist() == counts
        assert slices.mask(X.to_pandas()).sum(axis=0).tolist() == counts


@pytest.mark.parametrize("engine", ["c5", "discrimination"])
def test_other_engines_ask_dates_and_texts_too(engine):
    rng = np.random.default_rng(5)
    n = 1_500
    late = rng.random(n) < 0.5
    times = [
        dt.date(2025, 4 if flag else 3, 1 + int(day))
        for flag, day in zip(late, rng.integers(0, 28, n), strict=True)
    ]
    texts = [
        f"this is {'not ' if rng.random() < 0.5 else ''}what client {place} wanted" for place in range(n)
    ]
    has_not = np.array([" not " in text for text in texts])
    wrong = rng.random(n) < np.where(late, 0.7, 0.05) * np.where(has_not, 1.0, 0.3)
    X = pl.DataFrame({"date": times, "text": texts})
    slices = ff.slices.find_errors(
        X, np.full(n, "a"), np.where(wrong, "b", "a"), include_target=False, engine=engine
    )
    dated = ("month of date = April", "date >= 2025-0")
    assert engine != "c5" or any(text in part.conditions for part in slices for text in dated)
    assert slices.mask(X).shape == (n, len(slices))
    for part in slices:
        assert len(by_polars(X, part.to_sql())) == int(eval(part.to_python(), {"df": X.to_pandas()}).sum())


def test_evaluations_say_what_was_left_out_and_read():
    rng = np.random.default_rng(4)
    n = 400
    table = pl.DataFrame(
        {
            "row_id": [f"r{place}" for place in range(n)],
            "date": [str(dt.date(2025, 1, 1) + dt.timedelta(days=place % 90)) for place in range(n)],
            "y": rng.choice(["a", "b"], n),
            "model": rng.choice(["a", "b"], n),
        }
    )
    evaluation = ff.evaluate_predictions(table, target="y", predictions=["model"])
    (view,) = (model["slices"] for model in json.loads(evaluation.to_json())["models"])
    assert view["left_out"] == ["row_id"]
    assert "identifier" in view["why_left_out"]["row_id"]
    assert view["read_as"]["date"].startswith("ISO dates")
    assert "Left out: row_id (" in evaluation.to_html()
    kept = ff.evaluate_predictions(table, target="y", predictions=["model"], keep=["row_id"])
    assert json.loads(kept.to_json())["models"][0]["slices"]["left_out"] == []


def test_all_dates_missing_or_equal_do_no_harm():
    X = pl.DataFrame(
        {
            "none": pl.Series([None] * 60, dtype=pl.Datetime),
            "same": [dt.date(2025, 1, 1)] * 60,
            "x": range(60),
        }
    )
    slices = ff.slices.find_errors(X, ["a", "b"] * 30, ["a"] * 60, missing_as_value=True)
    assert slices.n_cases == 60


def test_learners_read_columns_as_before():
    X = pl.DataFrame({"id": [f"c{place}" for place in range(60)], "day": ["2025-01-01", "2025-01-02"] * 30})
    model = ff.learners.OneR().fit(X, ["a", "b"] * 30)
    assert model.predict(X).tolist() == ["a", "b"] * 30
    with pytest.raises(TypeError, match="days since a date"):
        ff.learners.OneR().fit(X.select(pl.col("day").str.to_date()), ["a", "b"] * 30)
    for times in (
        pd.date_range("2025-01-01", periods=60, tz="America/New_York"),
        pd.period_range("2025", periods=60),
    ):
        with pytest.raises(TypeError, match="booleans or categories in column 'day'"):
            ff.learners.OneR().fit(pd.DataFrame({"day": times}), ["a", "b"] * 30)


def test_arrow_text_without_polars_strings():
    table = pa.table({"prompt": prose()})
    assert len(read_attributes(table).columns) == len(
        read_attributes(pl.DataFrame({"prompt": prose()})).columns
    )


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a", None, "ü𝄞", np.nan, ""], dtype="str"),
        pd.Series(["a", None, "ü𝄞", None, ""], dtype="string[python]"),
        pd.Series(["a", None, "ü𝄞", None, ""], dtype="category"),
        pd.Series(["a", None, "ü𝄞", None, ""], dtype=pd.ArrowDtype(pa.string())),
        pl.Series(["a", None, "ü𝄞", None, ""]),
        pa.chunked_array([["a", None], ["ü𝄞", None, ""]]),
        pa.chunked_array([pa.array(["a", None, "ü𝄞", None, ""]).dictionary_encode()]),
    ],
    ids=lambda column: str(getattr(column, "dtype", None) or column.type),
)
def test_texts_of_every_library_are_the_same(column) -> None:
    texts = as_texts(nw.from_native(column, series_only=True))
    assert texts.to_list() == ["a", None, "ü𝄞", None, ""]
    assert texts.dtype == pl.String


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        ("不是", ["天气", "今天", "北京", "我们", "知道", "经济", "学生", "电影", "请问"]),
        ("ありません", ["東京", "今日", "天気", "学校", "です", "コンピュータ", "彼が", "好き"]),
        ("ไม่", ["วันนี้", "โรงเรียน", "อากาศ", "เพลง", "ครู", "กรุงเทพ", "คือ"]),
    ],
)
def test_a_planted_word_is_found_where_no_blanks_part_words(planted, words):
    rng = np.random.default_rng(5)
    n = 2_000
    # the rarer of "contains" and "does not contain" is asked
    shares = [0.04, *[0.96 / len(words)] * len(words)]
    texts = ["".join(rng.choice([planted, *words], rng.integers(4, 9), p=shares)) for _ in range(n)]
    has = np.array([planted in text for text in texts])
    wrong = rng.random(n) < np.where(has, 0.4, 0.1)
    X = pl.DataFrame({"prompt": texts})
    slices = ff.slices.find_errors(X, np.full(n, "a"), np.where(wrong, "b", "a"), correction="layered")
    worst = slices.worse()[0]
    assert worst.conditions == f"prompt contains {planted!r}"
    assert (worst.n, worst.n_agree) == (int(has.sum()), int((has & ~wrong).sum()))
    query = pl.SQLContext(cases=X).execute(f"SELECT * FROM cases WHERE {worst.to_sql()}", eager=True)
    assert query["prompt"].to_list() == X.filter(has)["prompt"].to_list()
    df = X.to_pandas()
    assert df[eval(worst.to_python())].prompt.tolist() == query["prompt"].to_list()


def test_pieces_of_words_do_not_depend_on_other_scripts():
    texts = pl.Series(["plain words only", "not a piece here"] * 50)
    assert frequent_pieces(texts) == []


def odd_columns(x: np.ndarray) -> dict[str, tuple[object, str]]:
    infinite = np.where(np.arange(x.size) % 9 == 4, np.inf, x)
    return {
        "interval": (pd.cut(x, [-9, 0, 1, 9]), "categories of type Interval"),
        "time": (
            pd.Categorical(pd.to_datetime((x > 1).astype(int), unit="D")),
            "categories of type Timestamp",
        ),
        "range": (pd.interval_range(0, x.size), "values of type interval"),
        "complex": (x + 0j, "values of type complex"),
        "infinite": (infinite, "infinite in 22 rows, first in row 4: "),
        "object": (infinite.astype(object), "infinite in 22 rows, first in row 4: "),
        "nullable": (pd.array(-infinite, dtype="Float64"), "infinite in 22 rows, first in row 4: "),
    }


def test_a_column_that_stores_only_what_is_not_zero_stands_in_slices_as_any_other():
    rng = np.random.default_rng(3)
    x, truth = rng.normal(size=200), rng.choice(["u", "v"], 200)
    answers = np.where(x > 1, np.where(truth == "u", "v", "u"), truth)
    full, sparse = pd.DataFrame({"x": x}), pd.DataFrame({"x": pd.arrays.SparseArray(x)})
    expected, slices = (ff.slices.find_errors(X, truth, answers) for X in (full, sparse))
    assert len(slices) > 0
    assert str(slices) == str(expected)


@pytest.mark.parametrize("name", list(odd_columns(np.zeros(200))))
def test_a_column_that_cannot_stand_in_a_slice_is_left_out_alone_and_said(name):
    rng = np.random.default_rng(3)
    x, truth = rng.normal(size=200), rng.choice(["u", "v"], 200)
    answers = np.where((x > 1) | (rng.random(200) < 0.05), np.where(truth == "u", "v", "u"), truth)
    column, why = odd_columns(x)[name]
    plain, odd = pd.DataFrame({"x": x}), pd.DataFrame({"x": x, "odd": column})
    expected, slices = (ff.slices.find_errors(X, truth, answers) for X in (plain, odd))
    assert why in slices.left_out["odd"]
    assert len(slices) > 0
    assert slices.to_sql() == expected.to_sql()
    assert slices.mask(odd).sum(axis=0).tolist() == [part.n for part in slices]
    table = odd.assign(y=truth, m=answers)
    evaluation = ff.evaluate_predictions(table, target="y", predictions=["m"])
    role = next(column for column in evaluation.columns if column.column == "odd")
    assert role.role == "left out"
    assert why in role.why
    evaluation.to_json()


def test_a_matrix_with_infinity_leaves_out_that_column():
    x = np.random.default_rng(0).normal(size=(90, 2))
    x[7, 1] = -np.inf
    slices = ff.slices.find_errors(x, ["u", "v"] * 45, ["u", "v", "v"] * 30)
    assert slices.left_out == {
        "x1": "infinite in 1 row, first in row 7: leave these cells empty, or cap them"
    }


@pytest.mark.parametrize(
    ("values", "types"),
    [
        ([[1, 2], [3]], "list"),
        ([{"a": 1}, None], "dict"),
        ([1, "x", 2.5, None], "float, int, str"),
        ([b"x", b"y"], "bytes"),
    ],
)
def test_a_column_that_cannot_be_read_costs_no_other(values, types):
    """One such object column, of which no attribute can be made, ended the search for all."""
    X = pd.DataFrame({"odd": pd.Series(values * (120 // len(values)), dtype=object), "size": range(120)})
    attributes = read_attributes(X)
    assert [column.name for column in attributes.columns] == ["size"]
    assert attributes.left_out == {"odd": f"values of type {types}: turn them into text or numbers"}
