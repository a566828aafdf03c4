"""Studies of any jobs: what is done, what is not done again, and what is told of it."""

import json

import numpy as np
import polars as pl
import pytest

from fivefold.errors import InputError, InputTypeError
from fivefold.progress import Step
from fivefold.results import write_whole
from fivefold.study import Job, Shelf, Study, shared, task
from fivefold.study.store import Store


@task("test.view")
def view(params, seed):
    return {"score": params["score"], "nested": {"twice": 2 * params["score"]}, "word": "x"}


@task("test.shared")
def add_shared(params, seed):
    return {"sum": shared("numbers")[params["i"]] + seed}


@task("test.wrong")
def wrong(params, seed):
    return params["result"]


def scores(values):
    return [
        Job("test.view", {"score": value}, labels={"data": data, "split": split, "view": "v"})
        for data, row in values.items()
        for split, value in enumerate(row)
    ]


def test_nothing_is_done_twice(tasks, tmp_path, log):
    for n in (5, 8, 3, 8):
        assert Study("draws", tasks.draws(n), tmp_path / "a.study").run(engine="serial").complete
    assert dict(log()) == {str(i): 1 for i in range(8)}
    # another study in the same file knows the same jobs
    assert Study("others", tasks.draws(8), tmp_path / "a.study").run(engine="serial").complete
    assert sum(log().values()) == 8
    assert Shelf(tmp_path / "a.study").name == "others"
    assert len(Shelf(tmp_path / "a.study", "draws").records()) == 8


def test_a_job_that_stands_twice_is_done_once(tasks, tmp_path, log):
    jobs = [*tasks.draws(2), Job("test.draw", {"size": 3, "i": 0}, seed=7, labels={"i": "again"})]
    study = Study("draws", jobs, tmp_path / "a.study")
    assert study.run(engine="serial").total == 2
    assert sum(log().values()) == 2
    first = study.frame()["first"]
    assert first[0] == first[2]


def test_failures_are_recorded_and_do_not_stop_the_rest(tasks, tmp_path):
    jobs = [Job("test.odd", {"i": i}, labels={"i": i}) for i in range(6)]
    study = Study("odd", jobs, tmp_path / "a.study")
    status = study.run(engine="serial")
    assert (status.finished, status.failed, status.open, status.complete) == (3, 3, 0, False)
    assert [record.error for record in study.failures()] == [
        f"ArithmeticError: {i} is odd" for i in (1, 3, 5)
    ]
    assert "study_tasks.py" in study.failures()[0].traceback
    assert study.frame()["half"].to_list() == [0.0, None, 1.0, None, 2.0, None]


def test_failed_jobs_are_tried_again_on_request(tasks, tmp_path, log):
    flag = tmp_path / "flag"
    study = Study("repair", [Job("test.repair", {"flag": str(flag)})], tmp_path / "a.study")
    assert study.run(engine="serial").failed == 1
    flag.touch()
    assert study.run(engine="serial").failed == 1
    assert study.run(engine="serial", retry_failed=True).complete
    assert study.failures() == ()


@pytest.mark.parametrize("result", [3, [1.0], "text"])
def test_results_that_are_no_mapping(result, tmp_path):
    study = Study("wrong", [Job("test.wrong", {"result": result})], tmp_path / "a.study")
    study.run(engine="serial")
    assert "a mapping of names to values" in study.failures()[0].error


def test_results_with_more_than_plain_values_fail_at_once(tmp_path):
    study = Study("wrong", [Job("test.wrong", {"result": {"a": int}})], tmp_path / "a.study")
    study.run(engine="serial")
    assert "plain values" in study.failures()[0].error


def test_shared_objects_and_seeds_reach_the_tasks(tmp_path):
    jobs = [Job("test.shared", {"i": i}, seed=100, labels={"i": i}) for i in range(3)]
    study = Study("shared", jobs, tmp_path / "a.study", shared={"numbers": [1, 2, 3]})
    assert study.run(engine="serial").complete
    assert study.frame()["sum"].to_list() == [101, 102, 103]
    with pytest.raises(InputError, match="shares with its jobs"):
        shared("nowhere")


def test_means_are_those_of_numpy(tmp_path):
    values = {"a": [1.0, 2.0, 4.5], "b": [7.25, 7.25, -1.0]}
    study = Study("means", scores(values), tmp_path / "a.study")
    study.run(engine="serial")
    means = Shelf(study.path).means("v")
    assert means.labels == ("data",)
    for (labels, found, done), (name, row) in zip(means.rows, values.items(), strict=True):
        assert (labels, done) == ((name,), (3, 3))
        assert found["score"].mean == pytest.approx(np.mean(row))
        assert found["score"].sd == pytest.approx(np.std(row, ddof=1))
        assert found["nested.twice"].mean == pytest.approx(2 * np.mean(row))
        assert found["word"].mean is None
    assert means.frame()["score_sd"][0] == pytest.approx(np.std(values["a"], ddof=1))
    with pytest.raises(InputError, match=r"it has score, nested\.twice, word"):
        means.only(["nothing"])


def test_infinite_numbers_have_a_mean_and_no_spread(tmp_path):
    study = Study(
        "means", scores({"a": [1.0, float("-inf")], "b": [float("nan"), 1.0]}), tmp_path / "a.study"
    )
    study.run(engine="serial")
    (_, first, _), (_, second, _) = Shelf(study.path).means("v").rows
    assert (first["score"].mean, first["score"].sd) == (-np.inf, None)
    assert np.isnan(second["score"].mean)


def test_tables_are_at_most_80_columns_wide(tmp_path):
    jobs = [
        Job(
            "test.wrong",
            {"result": {f"number_{k}": i + k / 7 for k in range(12)}},
            labels={"data": "d", "split": i},
        )
        for i in range(3)
    ]
    study = Study("wide", jobs, tmp_path / "a.study")
    study.run(engine="serial")
    text = Shelf(study.path).means().text()
    assert max(map(len, text.splitlines())) <= 80
    assert all(f"number_{k}" in text for k in range(12))


def test_frames_hold_labels_numbers_and_states(tmp_path):
    study = Study("frame", scores({"a": [1.0, 2.0]}), tmp_path / "a.study")
    study.run(engine="serial")
    frame = study.frame()
    assert frame.columns == [
        "data",
        "split",
        "view",
        "score",
        "nested.twice",
        "word",
        "state",
        "error",
        "key",
    ]
    assert study.frame(split=1)["score"].to_list() == [2.0]
    assert "seconds" in study.frame(timings=True).columns
    with pytest.raises(InputError, match="a split of study 'frame'"):
        study.frame(split=7)


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_export_gives_the_same_numbers(suffix, tmp_path):
    study = Study("out", scores({"a": [0.1, 1 / 3, 1e-300], "b": [-0.0, 5.5, 2.0]}), tmp_path / "a.study")
    study.run(engine="serial")
    path = tmp_path / f"out{suffix}"
    study.export(path)
    again = {
        ".csv": pl.read_csv,
        ".json": lambda p: pl.DataFrame(json.loads(p.read_text())["results"]),
        ".parquet": pl.read_parquet,
    }[suffix](path)
    assert again["score"].to_list() == study.frame()["score"].to_list()
    assert again["key"].to_list() == [job.key for job in study.jobs]


def test_json_has_words_for_what_json_lacks(tmp_path):
    study = Study("out", scores({"a": [float("inf"), float("-inf"), float("nan")]}), tmp_path / "a.study")
    study.run(engine="serial")
    study.export(tmp_path / "out.json")
    told = json.loads((tmp_path / "out.json").read_text(), parse_constant=pytest.fail)
    assert [row["score"] for row in told["results"]] == ["Infinity", "-Infinity", None]


def test_files_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("before")

    def broken(file):
        file.write(b"half of")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_whole(path, broken)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_export_knows_three_endings(tmp_path):
    study = Study("out", scores({"a": [1.0]}), tmp_path / "a.study")
    study.run(engine="serial")
    with pytest.raises(InputError, match=r"\.csv, \.json, \.parquet"):
        study.export(tmp_path / "out.txt")


def test_status_estimates_the_time_left_by_kind(tmp_path):
    study = Study("time", scores({"a": [1.0], "b": [2.0]}), tmp_path / "a.study")
    study.run(engine="serial")
    seconds = dict(study.frame(timings=True).select("data", "seconds").rows())
    more = Study("time", scores({"a": [1.0, 1.5, 1.75], "b": [2.0, 2.5]}), tmp_path / "a.study")
    with Store(more.path) as store:
        store.plan("time", more.jobs)
    status = more.status()
    assert (status.total, status.finished, status.open, status.running) == (5, 2, 3, 0)
    assert status.seconds_left == pytest.approx(2 * seconds["a"] + seconds["b"])


def test_progress_counts_jobs_done_before_and_failures(tmp_path, monkeypatch, capsys):
    told = []
    monkeypatch.setattr(
        Step, "advance", lambda step, *told_of: told.append((step.what, step.total, *told_of))
    )
    Study("a", scores({"a": [1.0, 2.0]}), tmp_path / "a.study").run(engine="serial")
    assert told[0] == ("a: job", 2, 0)
    assert sum(number for _, _, number, *_ in told) == 2
    more = Study("a", scores({"a": [1.0, 2.0, 3.0]}), tmp_path / "a.study")
    told.clear()
    more.run(engine="serial")
    assert told[0] == ("a: job", 3, 2)
    assert capsys.readouterr() == ("", "")


def test_studies_that_cannot_be(tmp_path):
    with pytest.raises(InputError, match="at least one job"):
        Study("none", [], tmp_path / "a.study")
    with pytest.raises(InputTypeError, match="a name for the study"):
        Study("", scores({"a": [1.0]}), tmp_path / "a.study")
    Study("one", scores({"a": [1.0]}), tmp_path / "a.study").run(engine="serial")
    with pytest.raises(InputError, match="it has one"):
        Shelf(tmp_path / "a.study", "two")
