"""The same call on a Dask DataFrame gives the same slices, bit for bit."""

import dataclasses
import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fivefold.errors import InputError, InputTypeError
from fivefold.slices import Stucco, find_differences, find_errors, find_scores

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("dask.array")

ATTRIBUTES = ["letter", "number", "grade", "flag", "whole"]


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def people(n, seed=0):
    """Cases of all kinds of columns, with missing cells, and two models that err in places."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "letter": rng.choice(["a", "b", "c"], n),
            "number": rng.normal(size=n).round(1),
            "grade": pd.Categorical(rng.choice(["low", "high"], n), ["low", "high", "never"]),
            "flag": rng.random(n) < 0.3,
            "whole": rng.integers(0, 9, n),
        }
    )
    weak = (frame["letter"] == "b") & (frame["number"] > 0.5)
    truth = rng.choice(["no", "yes"], n)
    frame["truth"] = truth
    for place, name in enumerate(("first", "second")):
        wrong = rng.random(n) < np.where(weak, 0.8, 0.1 + 0.1 * place)
        frame[name] = np.where(wrong, np.where(rng.random(n) < 0.2, "maybe", "no"), truth)
    frame.loc[rng.random(n) < 0.05, "letter"] = None
    frame.loc[rng.random(n) < 0.05, "number"] = np.nan
    return frame


def same(spread, local):
    assert spread.slices == local.slices
    assert spread.tests == local.tests
    told = ("n_cases", "n_agree", "rate", "afterwards", "note")
    assert [getattr(spread, name) for name in told] == [getattr(local, name) for name in told]
    kept = [
        [(column.name, column.kind, column.categories) for column in found.schema]
        for found in (spread, local)
    ]
    assert kept[0] == kept[1]


OPTIONS = {
    "plain": {},
    "few": {"bins": 3, "max_terms": 2, "summary": "none"},
    "missing": {"missing_as_value": True, "bins": {"number": [-0.5, 0.5]}},
    "permuted": {"correction": "westfall-young", "n_permutations": 99, "random_state": 4},
    "own miner": {"engine": Stucco(max_terms=1, alpha=0.2)},
}


@pytest.mark.parametrize("options", OPTIONS)
def test_errors_are_those_of_the_local_run(options):
    frame = dd.from_pandas(people(900), npartitions=1 if options == "few" else 4)
    local = frame.compute()
    spread = find_errors(frame[ATTRIBUTES], frame["truth"], frame["first"], **OPTIONS[options])
    found = find_errors(local[ATTRIBUTES], local["truth"], local["first"], **OPTIONS[options])
    assert len(found) > 0
    same(spread, found)


def test_differences_say_who_is_right():
    frame = dd.from_pandas(people(1500), npartitions=4)
    local = frame.compute()
    spread, found = (
        find_differences(
            table[ATTRIBUTES],
            table["first"],
            table["second"],
            y_true=table["truth"],
            include_predictions=True,
        )
        for table in (frame, local)
    )
    assert found[0].who_is_right is not None
    same(spread, found)


@pytest.mark.parametrize("correction", ["layered", "westfall-young"])
def test_three_groups(correction):
    table = people(1200)
    table["group"] = np.where(table["letter"] == "b", "x", np.random.default_rng(1).choice(list("xyz"), 1200))
    frame = dd.from_pandas(table, npartitions=4)
    miner = Stucco(correction=correction, n_permutations=49, random_state=0)
    spread = miner.find(frame[ATTRIBUTES], frame["group"])
    local = miner.find(frame[ATTRIBUTES].compute(), table["group"])
    assert len(local) > 0
    assert (spread.sets, spread.groups, spread.n_tests) == (local.sets, local.groups, local.n_tests)


def test_labels_may_be_named_or_arrays_or_of_dask():
    table = people(800)
    frame = dd.from_pandas(table, npartitions=3)
    rest = frame[ATTRIBUTES]
    truth, said = table["truth"].to_numpy(), table["first"].to_numpy()
    expected = find_errors(rest.compute(), truth, said, target="truth")
    same(find_errors(rest, truth, said, target="truth"), expected)
    same(find_errors(frame.drop(columns="second"), "truth", "first"), expected)
    same(find_errors(table.drop(columns="second"), "truth", "first"), expected)
    lengths = tuple(len(piece) for piece in dask.compute(*rest.to_delayed()))
    array = dask.array.from_array(truth.astype("U"), chunks=(lengths,))
    same(find_errors(rest, array, said, target="truth"), expected)


@settings(max_examples=4, deadline=None)
@given(st.lists(st.integers(0, 120), min_size=1, max_size=6), st.integers(0, 5))
def test_any_cut_into_partitions_gives_the_same(lengths, seed):
    table = people(max(sum(lengths), 300), seed)
    ends = np.unique([0, *np.cumsum(lengths), len(table)])
    pieces = [table.iloc[low:high] for low, high in pairwise(ends)]
    pieces.insert(len(pieces) // 2, table.iloc[:0])
    frame = dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=table.iloc[:0], verify_meta=False)
    options = {"min_support_difference": 0.0, "alpha": 0.5, "max_terms": 2, "summary": "none"}
    spread = find_errors(frame[ATTRIBUTES], frame["truth"], frame["first"], **options)
    same(spread, find_errors(table[ATTRIBUTES], table["truth"], table["first"], **options))


def test_values_of_one_partition_alone_are_numbered_alike():
    table = people(900).sort_values("letter", ignore_index=True)
    table["truth"] = np.where(table["letter"] == "a", "only here", table["truth"])
    frame = dd.from_pandas(table, npartitions=9, sort=False)
    spread = find_errors(frame[ATTRIBUTES], frame["truth"], frame["first"])
    same(spread, find_errors(table[ATTRIBUTES], table["truth"], table["first"]))


def test_more_cases_than_a_block_of_permuted_labels():
    rng = np.random.default_rng(0)
    n = 150_000
    table = pd.DataFrame({"a": rng.integers(0, 3, n).astype(str), "b": rng.integers(0, 2, n).astype(str)})
    truth = np.zeros(n, dtype=int)
    said = (rng.random(n) < np.where(table["a"] == "0", 0.12, 0.1)).astype(int)
    frame = dd.from_pandas(table, npartitions=3)
    options = {
        "correction": "westfall-young",
        "n_permutations": 20,
        "min_support_difference": 0.0,
        "include_target": False,
        "random_state": 0,
    }
    same(find_errors(frame, truth, said, **options), find_errors(frame.compute(), truth, said, **options))


def families(n, seed=0):
    """Cases that belong together, in a row or spread over all cases, and errors that run in families."""
    rng = np.random.default_rng(seed)
    table = people(n, seed)
    size = rng.integers(1, 9, n).repeat(2)
    together = np.repeat(np.arange(size.size), size)[:n]
    spread = rng.integers(0, n // 20, n)
    table["family"] = np.where(
        together % 2, [f"f{number}" for number in together], [f"s{number}" for number in spread]
    )
    bad = dict(zip(table["family"].unique(), rng.random(table["family"].nunique()) < 0.15, strict=True))
    table.loc[table["family"].map(bad).to_numpy(), "first"] = "maybe"
    return table


@pytest.mark.parametrize(
    ("correction", "given"), [("layered", "array"), ("layered", "name"), ("westfall-young", "series")]
)
def test_cases_that_belong_together(correction, given):
    table = families(1000)
    frame = dd.from_pandas(table, npartitions=4)
    options = {"correction": correction, "n_permutations": 99, "max_terms": 2, "random_state": 2}
    options["summary"] = "none"
    frames = (frame if given == "name" else frame.drop(columns="family")), table
    groups = {"name": "family", "series": frame["family"], "array": table["family"].to_numpy()}[given]
    spread = find_errors(frames[0], "truth", "first", groups=groups, **options)
    local = find_errors(table, "truth", "first", groups="family", **options)
    assert len(local) > 0
    if given == "array":
        assert spread.note == local.note.replace(" of family", "")
        local = dataclasses.replace(local, note=spread.note)
    same(spread, local)
    assert spread.n_groups == local.n_groups
    # families tell: without them other slices are sure
    assert spread.slices != find_errors(table.drop(columns="family"), "truth", "first", **options).slices


@pytest.mark.parametrize("test", ["permutation", "rank"])
@pytest.mark.parametrize("grouped", [False, True])
def test_scores_are_those_of_the_local_run_bit_for_bit(test, grouped, monkeypatch):
    # dealt in several goes
    monkeypatch.setattr("fivefold.slices.dask_tables.MOST_NUMBERS", 20_000)
    table = families(1000).drop(columns=["truth", "first", "second"])
    weak = (table["letter"] == "b") & (table["number"] > 0.5)
    table["loss"] = np.random.default_rng(1).gamma(2.0, size=1000) + 1.5 * weak
    table = table if grouped else table.drop(columns="family")
    frame = dd.from_pandas(table, npartitions=4)
    options = {"test": test, "n_permutations": 60, "max_terms": 2, "groups": "family" if grouped else None}
    local = find_scores(table, "loss", **options)
    assert len(local) > 0
    same(find_scores(frame, "loss", **options), local)
    if not grouped:
        rest = frame.drop(columns="loss")
        for loss in (frame["loss"], table["loss"].to_numpy()):
            same(find_scores(rest, loss, **options, summary="causes"), local)


def test_scores_that_do_not_fit_are_told():
    table = people(300)
    frame = dd.from_pandas(table, npartitions=3)
    with pytest.raises(InputError, match="each of the 300 cases"):
        find_scores(frame, np.arange(299.0))
    with pytest.raises(InputTypeError, match="numbers"):
        find_scores(frame, "letter")
    with pytest.raises(InputError, match="name of a column"):
        find_scores(frame, "loss")
    table.loc[250, "number"] = np.inf
    with pytest.raises(InputError, match="in row 250"):
        find_scores(dd.from_pandas(table.fillna({"number": 0.0}), npartitions=3), "number")
    with pytest.raises(InputTypeError, match="Dask"):
        find_scores(table, frame["number"])


@settings(max_examples=4, deadline=None)
@given(st.lists(st.integers(0, 150), min_size=1, max_size=5), st.integers(0, 5))
def test_families_and_scores_in_any_partitions(lengths, seed):
    table = families(max(sum(lengths), 400), seed)
    ends = np.unique([0, *np.cumsum(lengths), len(table)])
    pieces = [table.iloc[low:high] for low, high in pairwise(ends)]
    pieces.insert(len(pieces) // 2, table.iloc[:0])
    frame = dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=table.iloc[:0], verify_meta=False)
    options = {"min_support_difference": 0.0, "alpha": 0.5, "max_terms": 1, "n_permutations": 49}
    options |= {"groups": "family"}
    sharp = {**options, "correction": "westfall-young", "y_true": "truth"}
    same(
        find_differences(frame, "first", "second", **sharp),
        find_differences(table, "first", "second", **sharp),
    )
    # numbers of all sizes, whose sums depend on the order
    table["loss"] = np.random.default_rng(seed).standard_cauchy(len(table))
    loss, rest = table["loss"].to_numpy(), frame.drop(columns=["truth", "first", "second"])
    local = find_scores(rest.compute(), loss, **options)
    same(find_scores(rest, loss, **options), local)


def test_groups_that_do_not_fit_are_told():
    table = families(300)
    frame = dd.from_pandas(table, npartitions=3)
    with pytest.raises(InputError, match="name of a column of X"):
        find_errors(frame, "truth", "first", groups="nobody")
    table.loc[[140, 250], "family"] = None
    with pytest.raises(InputError, match=r"none in row 140 \(2 in all\)"):
        find_errors(dd.from_pandas(table, npartitions=3), "truth", "first", groups="family")
    with pytest.raises(InputError, match="at least two groups"):
        find_errors(frame, "truth", "first", groups=np.zeros(300))


def test_what_needs_the_cases_themselves_says_so():
    frame = dd.from_pandas(people(300), npartitions=2)
    asked = (frame[ATTRIBUTES], frame["truth"], frame["first"])
    for options in ({"hold_back": 0.5}, {"engine": "c5"}, {"engine": "discrimination"}):
        with pytest.raises(InputError, match=r"Dask DataFrame.*sample"):
            find_errors(*asked, **options)
    with pytest.raises(InputError, match="sample"):
        find_errors(*asked, bins="mdlp")
    with pytest.raises(InputError, match="device='cuda'"):
        find_scores(frame[ATTRIBUTES], np.arange(300.0), device="cuda")
    with pytest.raises(InputError, match="Dask"):
        find_errors(*asked).stability()


def test_labels_that_do_not_fit_are_told():
    table = people(300)
    frame = dd.from_pandas(table, npartitions=3)
    with pytest.raises(InputError, match="partitions"):
        find_errors(frame[ATTRIBUTES], dd.from_pandas(table["truth"], npartitions=2), frame["first"])
    with pytest.raises(InputError, match="300 cases"):
        find_errors(frame[ATTRIBUTES], table["truth"].to_numpy()[:-1], frame["first"])
    shifted = dd.from_delayed(
        [dask.delayed(table["first"].iloc[a:b]) for a, b in [(0, 90), (90, 200), (200, 300)]]
    )
    with pytest.raises(InputError, match="every partition"):
        find_errors(frame[ATTRIBUTES], frame["truth"], shifted)
    with pytest.raises(InputTypeError, match="Dask"):
        find_errors(table[ATTRIBUTES], frame["truth"], frame["first"])
    with pytest.raises(InputError, match="name of a column"):
        find_errors(frame, "no such column", "first")
    with pytest.raises(InputError, match="at least one case"):
        find_errors(
            frame[frame["whole"] > 99][ATTRIBUTES],
            frame["truth"][frame["whole"] > 99],
            frame["first"][frame["whole"] > 99],
        )


def test_cases_without_an_answer_are_not_called_wrong():
    frame = people(1500, 5)
    frame.loc[frame.index % 40 == 39, "first"] = None
    given = frame[ATTRIBUTES], frame["truth"], frame["first"]
    found = find_errors(
        dd.from_pandas(frame, npartitions=5)[[*ATTRIBUTES, "truth", "first"]], "truth", "first"
    )
    same(found, find_errors(*given, target="truth"))
    assert all(" not right, " in one.sentence for one in found)


def test_a_missing_truth_is_an_error():
    table = people(300)
    table.loc[250, "truth"] = None
    frame = dd.from_pandas(table, npartitions=3)
    with pytest.raises(InputError, match="row 250"):
        find_errors(frame[ATTRIBUTES], frame["truth"], frame["first"])


def test_flags_partition_by_partition():
    table = people(1500)
    frame = dd.from_pandas(table, npartitions=3)
    found = find_errors(frame[ATTRIBUTES], frame["truth"], frame["first"])
    flagged = frame[ATTRIBUTES].map_partitions(
        lambda part: pd.Series(found.flag(part, by=0.05)), meta=(None, bool)
    )
    np.testing.assert_array_equal(flagged.compute(), found.flag(frame[ATTRIBUTES].compute(), by=0.05))
    assert flagged.compute().any()


def test_little_comes_back_from_the_workers(monkeypatch):
    fetched = []

    def gather(tasks):
        results = list(dask.compute(*tasks))
        fetched.append(len(pickle.dumps(results)))
        return results

    monkeypatch.setattr("fivefold.slices.dask_tables.gather", gather)
    table = people(40_000)
    frame = dd.from_pandas(table, npartitions=2)
    found = find_errors(frame.drop(columns="second"), "truth", "first", max_terms=2, correction="layered")
    assert len(found) + len(found.explained) > 3
    # five columns of 40,000 cells; counts, categories, histograms of five numeric digits and a sample come back
    assert max(fetched) < 1_000_000
    assert sum(fetched) < 3_200_000


@pytest.mark.parametrize("written", [True, False])
def test_dates_and_texts_are_asked_by_every_partition(written):
    rng = np.random.default_rng(7)
    n = 1_200
    when = pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.integers(0, 150 * 24, n), unit="h")
    has_not = rng.random(n) < 0.3
    words = ["please", "explain", "this", "to", "me", "again"]
    texts = [
        " ".join([*rng.choice(words, rng.integers(3, 9)), "not" if flag else "this"]) for flag in has_not
    ]
    wrong = rng.random(n) < 0.05 + 0.3 * has_not + 0.2 * np.asarray(when >= "2025-04-01")
    table = pd.DataFrame(
        {
            "id": [f"c{place}" for place in range(n)],
            "when": when.strftime("%Y-%m-%dT%H:%M:%S") if written else when,
            "prompt": texts,
            "truth": "a",
            "said": np.where(wrong, "b", "a"),
        }
    )
    options = {"max_terms": 2, "include_target": False}
    here = find_errors(table, "truth", "said", **options)
    there = find_errors(dd.from_pandas(table, npartitions=3), "truth", "said", **options)
    assert "prompt contains 'not'" in [part.conditions for part in here]
    assert any(part.conditions.startswith("when >= 2025-0") for part in here)
    assert here.left_out == there.left_out == {"id": "all 1,200 values differ: an identifier"}
    assert set(here.read_as) == set(there.read_as) == {"when", "prompt"}
    assert [part.conditions for part in here] == [part.conditions for part in there]
    assert [part.n for part in here] == [part.n for part in there]
    assert there.mask(table).sum(axis=0).tolist() == [part.n for part in there]


def test_small_files_of_parquet_are_read_as_they_lie(tmp_path):
    # of one column of small files, Dask makes fewer partitions than of all columns
    pytest.importorskip("pyarrow")
    frame = people(2_000)
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), 4)):
        frame.iloc[rows].to_parquet(tmp_path / f"{number}.parquet")
    spread = dd.read_parquet(str(tmp_path))
    options = {"correction": "westfall-young", "n_permutations": 99, "max_terms": 2, "progress": False}
    local = find_errors(spread.compute(), "truth", "first", **options)
    assert len(local) > 0
    assert find_errors(spread, "truth", "first", **options).slices == local.slices
    assert spread["truth"].optimize().npartitions < spread.npartitions


def test_rows_that_are_read_again_for_each_use_give_the_same(monkeypatch):
    frame = people(1_500)
    spread = dd.from_pandas(frame, npartitions=3)
    options = {
        "max_terms": 2,
        "y_true": "truth",
        "alpha": 0.9,
        "min_support_difference": 0.0,
        "progress": False,
    }
    local = find_differences(spread.compute(), "first", "second", **options)
    assert len(local) > 0
    monkeypatch.setattr("fivefold.slices.dask_tables._memory", lambda: 100_000)
    same(find_differences(spread, "first", "second", **options), local)
