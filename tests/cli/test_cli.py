"""The command line as a user runs it: its streams and its exit code."""

import gzip
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

from fivefold.cli import main

FIVEFOLD = str(Path(sys.executable).with_name("fivefold"))


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process, which spares each one the imports."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["fivefold", *map(str, words)])
        try:
            main.run()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="module")
def predictions(tmp_path_factory):
    rng = np.random.default_rng(0)
    chance = rng.random(300)
    truth = np.where(rng.random(300) < chance, "dog", "cat")
    said = np.where(chance > 0.5, "dog", "cat").astype(object)
    said[:20], said[20:50] = "cat|dog", ""
    table = pl.DataFrame({"y": truth, "a": said, "a:cat": 1 - chance, "a:dog": chance, "b": truth[::-1]})
    path = tmp_path_factory.mktemp("cli") / "predictions.csv"
    table.write_csv(path)
    return path


OPTIONS = ("--target", "y", "--prediction", "a", "--prediction", "b", "--probability-prefix", "a=a:")


def test_the_package_runs_as_a_module(tmp_path):
    words = ["slices", "nothing.csv"]
    done = [
        subprocess.run([*start, *words], check=False, capture_output=True, text=True, cwd=tmp_path)
        for start in ([FIVEFOLD], [sys.executable, "-m", "fivefold"])
    ]
    assert done[0].stderr == done[1].stderr
    assert [run.returncode for run in done] == [1, 1]


def test_the_answer_comes_first_and_fits_a_screen(predictions, run):
    done = run("report", predictions, *OPTIONS)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    table = next(place for place, line in enumerate(lines) if line.startswith("model "))
    assert [line.split()[0] for line in lines[table + 1 : table + 4]] == ["a", "b", "always"]
    card = json.loads(run("report", predictions, *OPTIONS, "--json").stdout)["scorecard"]
    assert card["headline"]["sentence"] in " ".join(lines)


def test_details_fit_80_columns_and_say_nothing_else(predictions, run):
    done = run("report", predictions, *OPTIONS, "--details")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "several in" in done.stdout.replace("\n  ", " ")
    assert "Bets: what would a gambler win" in done.stdout


def test_json_is_json_and_agrees_with_the_library(predictions, run):
    import fivefold as ff

    done = run("report", predictions, *OPTIONS, "--json")
    told = json.loads(done.stdout)
    table = pl.read_csv(predictions)
    reward = ff.bets.information_reward(table["y"], table.select("a:cat", "a:dog").to_numpy())
    assert told["models"][0]["bets"]["reward"] == pytest.approx(reward)
    assert told["schema"]
    assert [model["name"] for model in told["models"]] == ["a", "b"]


def test_page_is_written_whole(predictions, tmp_path, run):
    page = tmp_path / "out.html"
    done = run("report", predictions, *OPTIONS, "--html", page)
    assert done.returncode == 0
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert "wrote" in done.stderr
    assert list(tmp_path.iterdir()) == [page]
    assert run("report", predictions, *OPTIONS, "--html", page, "--quiet").stderr == ""


@pytest.mark.parametrize("place", ["-", "no/such/folder.html", "."])
def test_a_page_that_cannot_be_written_is_refused_before_any_work(place, tmp_path, run):
    done = run("report", tmp_path / "no such file.csv", *OPTIONS, "--html", place)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"a file in a folder that exists; got {place!r}" in done.stderr
    assert not Path("-").exists()


def test_parquet_gzip_and_windows_files_give_the_same(predictions, tmp_path, run):
    text = predictions.read_text()
    (tmp_path / "w.csv").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    with gzip.open(tmp_path / "g.csv.gz", "wt") as file:
        file.write(text)
    pl.read_csv(predictions).write_parquet(tmp_path / "p.parquet")
    expected = json.loads(run("report", predictions, *OPTIONS, "--json").stdout)["models"]
    for name in ("w.csv", "g.csv.gz", "p.parquet"):
        done = run("report", tmp_path / name, *OPTIONS, "--json")
        assert json.loads(done.stdout)["models"] == expected, name


def test_braces_stand_for_each_models_name(predictions, run):
    one = run("report", predictions, *OPTIONS[:6], "--probability-prefix", "{}:", "--json")
    two = run("report", predictions, *OPTIONS, "--json")
    assert one.stdout == two.stdout


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (["report", "absent.csv", "-t", "y", "-p", "a"], "absent.csv", 1),
        (["report", "{}", "-t", "zz", "-p", "a"], "'zz'", 1),
        (["report", "{}", "-t", "y"], "at least one column of predictions", 1),
        (["report", "{}", "-t", "y", "-p", "a:cat"], "if they are probabilities", 1),
        (["report", "{}", "-t", "y", "-p", "a", "--class", "cat", "--class", "cow"], "'dog'", 1),
        (["report", "{}", "-t", "y", "-p", "a", "-p", "b", "--probability-prefix", "a:"], "MODEL=PREFIX", 1),
        (["report", "{}", "-t", "y", "-p", "a", "--probability", "a:dog"], "write a=a:dog if a states", 1),
        (["report", "{}", *OPTIONS, "--confidence", "a:dog"], "write a=a:dog if a states it.", 1),
        (["report", "{}", *OPTIONS, "--probability", "a=a:dog"], "got 'a:' and 'a:dog' for 'a'", 1),
        (["report", "{}", *OPTIONS, "--probability-prefix", "a=b:"], "probabilities of each model once", 1),
        (["report", "{}", "-p", "a"], "--target", 2),
        (["nonsense"], "nonsense", 2),
        (["report", "absent.csv", "-t", "y", "-p", "a"], "expected files that can be read", 1),
        (["report", ".", "-t", "y", "-p", "a"], "expected a file; got the folder '.'", 1),
        (["report", "{}", "-t", "y", "-m", "1r", "-m", "1r"], "each learner once", 1),
        (["report", "{}", "-t", "y", "-m", "1r", "--class", "cat"], "--class", 2),
        (["report", "{}", "-t", "y", "-p", "a", "--nominal", "zz"], "'zz'", 1),
        (["data", "show", "ZZ"], "ZZ", 1),
    ],
)
def test_mistakes_are_told_on_stderr_with_their_exit_code(predictions, words, told, code, run):
    done = run(*[word.replace("{}", str(predictions)) for word in words])
    assert done.returncode == code
    assert told in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", ["", "y,a\n", "y,a,a\n1,1,1\n", "y,a\n1,2\n3\n"])
def test_broken_files_are_refused(tmp_path, content, run):
    path = tmp_path / "broken.csv"
    path.write_text(content)
    done = run("report", path, "-t", "y", "-p", "a")
    assert done.returncode == 1
    assert done.stderr.startswith("fivefold: expected ")


def test_data_list_and_show(run):
    codes = [row["code"] for row in json.loads(run("data", "list", "--json").stdout)]
    assert {"BC", "VO", "adult-train"} <= set(codes)
    assert max(map(len, run("data", "list").stdout.splitlines())) <= 80
    told = json.loads(run("data", "show", "IR", "--json").stdout)
    assert told["rows"] == 150
    assert set(told["kinds"].values()) == {"numeric"}


def test_learners_are_trained_and_judged_on_cases_held_out(run, tmp_path):
    import fivefold as ff

    path = tmp_path / "votes.csv"
    ff.data.load("VO").to_polars().head(180).write_csv(path)
    words = ("report", path, "--target", "class", "--model", "1r", "--model", "c45", "--model", "nb")
    done = run(*words, "--json")
    told = json.loads(done.stdout)
    assert [model["name"] for model in told["models"]] == ["1r", "c45", "nb"]
    assert told["n_cases"] == 60
    assert told["source"] == "votes.csv (trained on 120 other cases)"
    assert all(model["bits"]["accuracy"] > 0.85 for model in told["models"])
    assert run(*words, "--prediction", "class").returncode == 2
    assert "1r, stump" in run("report", path, "--target", "class", "--model", "zz").stderr
    assert {"1r", "c45", "nb"} <= {line.split()[0] for line in run("learners").stdout.splitlines()}


def test_no_learner_sees_what_is_dropped(run, tmp_path):
    path, options = tmp_path / "cases.csv", ("-t", "y", "-m", "c45")
    rows = (f"{'LM'[i % 2]},{i % 2 * 2 + i * 7 % 5},c{i // 4},{'pq'[i % 2]}" for i in range(120))
    path.write_text("\n".join(["leak,age,who,y", *rows]) + "\n")
    assert "leak = L: p" in run("learn", path, *options).stdout
    assert json.loads(run("report", path, *options, "--json").stdout)["models"][0]["bits"]["accuracy"] == 1
    for words in (("--drop", "leak"), ("--drop", "*", "--keep", "age"), ("--drop", "l*", "--groups", "who")):
        told = json.loads(run("report", path, *options, *words, "--json").stdout)
        assert told["models"][0]["bits"]["accuracy"] < 1, words
    learned = run("learn", path, *options, "--drop", "l*").stdout
    assert "leak" not in learned
    assert "age" in learned
    for command in ("learn", "report"):
        done = run(command, path, *options, "--drop", "*")
        assert "expected a column to learn from; got --drop, which leaves none" in done.stderr


COUNT_MODULES = """
import contextlib, json, sys
from fivefold.cli import main
sys.argv = ["fivefold", "--help"]
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(sys.stderr):
    main.run()
print(json.dumps(sorted(sys.modules)))
"""


def test_help_loads_nothing_but_the_commands():
    done = subprocess.run([sys.executable, "-c", COUNT_MODULES], check=True, capture_output=True, text=True)
    loaded = json.loads(done.stdout)
    assert not {"numpy", "scipy", "sklearn", "polars", "altair", "narwhals", "joblib"} & set(loaded)
    assert len([name for name in loaded if name.startswith("fivefold")]) <= 19
    assert len(loaded) < 300


REPORT_AND_COUNT = """
import sys
from fivefold.cli import main
try:
    main.run()
finally:
    heavy = {"sklearn", "scipy.stats", "pandas", "altair"}
    print("loaded", *sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


def test_a_process_of_its_own_reports_and_loads_neither_learners_nor_charts(predictions):
    """They take longer to load than a small report takes in all."""
    done = subprocess.run(
        [sys.executable, "-c", REPORT_AND_COUNT, "report", predictions, *OPTIONS],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "better than b, beyond chance" in done.stdout
    assert done.stderr == "loaded\n"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_reader_that_stops_early_is_no_error(form):
    words = [FIVEFOLD, "data", "list", *form]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_a_closed_output_is_no_error():
    words = f"exec {FIVEFOLD} data list >&-"
    done = subprocess.run(words, shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_single_case_is_judged_without_numbers_that_do_not_exist(tmp_path, run):
    path = tmp_path / "two.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    done = run(
        "report", path, "-t", "y", "-m", "1r", "-m", "c45", "-m", "nb", "--html", tmp_path / "two.html"
    )
    assert done.returncode == 0
    assert done.stdout.startswith("two.csv (trained on 1 other case): 1 case, 2 classes (a, b)\n")
    assert "nan" not in done.stdout


def test_a_dry_run_needs_no_column_of_answers(run, tmp_path):
    path = tmp_path / "cases.csv"
    table = {"y": ["a", "b"] * 30, "m": ["a", "b"] * 30, "p_a": [0.2, 0.8] * 30, "p_b": [0.8, 0.2] * 30}
    pl.DataFrame({**table, "age": range(60), "key": [f"k{i}" for i in range(60)]}).write_csv(path)
    told = json.loads(run("report", path, "-t", "y", "--dry-run", "--json").stdout)["columns"]
    roles = {row["column"]: row["role"] for row in told}
    named = json.loads(run("report", path, "-t", "y", "-p", "m", "--dry-run", "--json").stdout)
    assert roles == {row["column"]: row["role"] for row in named["columns"]}
    assert roles["m"] == "answers"
    assert (roles["key"], roles["age"]) == ("left out", "attribute")
    assert "did you mean 'y'" in run("report", path, "-t", "yy", "--dry-run").stderr
    path.write_text(path.read_text().replace(",", ";").replace(".", ","))
    assert "has a decimal comma" in run("report", path, "-t", "y", "--dry-run").stderr
    assert run("report", path, "-t", "y", "--dry-run", "--quiet").stderr == ""
    assert "--dry-run" in run("report", path, "-t", "y").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_long_messages_are_wrapped_on_a_terminal_and_whole_in_a_file(tmp_path, run):
    import fcntl
    import pty
    import struct
    import termios

    words = ["report", str(tmp_path / ("no_such_file_" * 8 + ".csv")), "-t", "y", "-p", "a"]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES")}
    quiet = {"stdout": subprocess.DEVNULL, "stdin": theirs, "stderr": theirs}
    done = subprocess.run([FIVEFOLD, *words], check=False, env=environment, **quiet)
    lines = os.read(ours, 10_000).decode().replace("\r", "").splitlines()
    os.close(ours)
    os.close(theirs)
    whole = run(*words).stderr
    assert done.returncode == 1
    assert len(whole.splitlines()) == 1
    assert " ".join(" ".join(lines).split()) == " ".join(whole.split())
    assert all(len(line) <= 60 or " " not in line.strip() for line in lines)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A file of cases, and files of a pipeline that knows their classes and of one that knows them as numbers."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"age": rng.integers(18, 80, 400), "shop": rng.choice(["a", "b", "c"], 400)})
    late = (frame["age"].to_numpy() > 50) ^ (rng.random(400) < 0.1)
    cases = frame.with_columns(y=pl.Series(np.where(late, "late", "soon")))
    folder = tmp_path_factory.mktemp("stored")
    cases[200:].write_csv(folder / "cases.csv")
    for name, labels in (("named.joblib", cases["y"]), ("numbered.pkl", pl.Series(late).cast(pl.Int64))):
        encoder = make_column_transformer((OneHotEncoder(), ["shop"]), remainder="passthrough")
        model = make_pipeline(encoder, DecisionTreeClassifier(max_depth=3, random_state=0))
        joblib.dump(model.fit(frame[:200].to_pandas(), labels[:200].to_numpy()), folder / name)
    return folder


def test_files_of_models_are_judged_only_with_trust(stored, run):
    asked = ("report", stored / "cases.csv", "--target", "y", "--quiet", "--json")
    refused = run(*asked, "--model", stored / "named.joblib")
    assert refused.returncode != 0
    assert "--trust" in refused.stderr
    done = run(*asked, "--model", f"mine={stored / 'named.joblib'}", "--trust")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert [model["name"] for model in summary["models"]] == ["mine"]
    assert summary["n_cases"] == 200
    assert summary["models"][0]["bits"]["accuracy"] > 0.7
    beside = run(*asked, "--model", stored / "named.joblib", "--model", "1r", "--trust")
    summary = json.loads(beside.stdout)
    assert {model["name"] for model in summary["models"]} == {"named", "1r"}
    assert summary["n_cases"] == 67
    assert "came already fitted" in str(summary["scorecard"]["warnings"])


def test_class_numbers_of_a_stored_model_are_named(stored, run):
    asked = ("report", stored / "cases.csv", "--target", "y", "--quiet", "--json", "--trust")
    refused = run(*asked, "--model", stored / "numbered.pkl")
    assert refused.returncode != 0
    assert "class numbers" in refused.stderr
    done = run(*asked, "--model", stored / "numbered.pkl", "--class", "soon", "--class", "late")
    assert json.loads(done.stdout)["models"][0]["bits"]["accuracy"] > 0.7


@pytest.mark.parametrize("change", ["drop", "rename", "gap"])
def test_cases_that_a_stored_model_cannot_answer_are_refused_in_one_line(stored, run, change, tmp_path):
    cases = pl.read_csv(stored / "cases.csv")
    changed = {
        "drop": cases.drop("shop"),
        "rename": cases.rename({"age": "years"}),
        "gap": cases.with_columns(shop=pl.lit("elsewhere")),
    }
    changed[change].write_csv(tmp_path / "changed.csv")
    done = run("report", tmp_path / "changed.csv", "-t", "y", "-m", stored / "named.joblib", "--trust", "-q")
    assert done.returncode == 1
    assert done.stderr.startswith("fivefold: expected cases that named can answer; got ValueError")
    assert "in their order: 'age', 'shop'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_stored_models_are_checked_and_named_apart(stored, run, tmp_path):
    joblib.dump({"no": "model"}, tmp_path / "odd.joblib")
    asked = ("report", stored / "cases.csv", "--target", "y", "--trust", "-m", "1r", "-m")
    for given, words in (
        (tmp_path / "odd.joblib", "to have predict"),
        (f"1r={stored / 'named.joblib'}", "1r"),
    ):
        done = run(*asked, given)
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("labels", [("False", "True"), (0.0, 1.0), (False, True)])
def test_a_stored_model_of_truth_values_or_decimals_meets_a_file(labels, run, tmp_path):
    cases = pl.DataFrame({"x": np.arange(60.0)})
    classes = np.array(labels)[(cases["x"].to_numpy() > 20).astype(int)]
    joblib.dump(DecisionTreeClassifier(max_depth=1).fit(cases, classes), tmp_path / "m.joblib")
    written = pl.Series(classes).cast(pl.Int64 if isinstance(labels[0], float) else pl.String)
    cases.with_columns(y=written).write_csv(tmp_path / "cases.csv")
    done = run(
        "report", tmp_path / "cases.csv", "-t", "y", "-m", tmp_path / "m.joblib", "--trust", "--json", "-q"
    )
    assert json.loads(done.stdout)["models"][0]["bits"]["accuracy"] == 1.0


def test_a_damaged_file_of_a_model_and_trust_without_one_are_refused(stored, run):
    (stored / "damaged.joblib").write_bytes(b"no model at all")
    asked = ("report", stored / "cases.csv", "--target", "y", "--trust", "--model")
    for model, words in ((stored / "damaged.joblib", "can be loaded"), ("1r", "files of models")):
        done = run(*asked, model)
        assert done.returncode != 0
        assert words in done.stderr
        assert "Traceback" not in done.stderr
