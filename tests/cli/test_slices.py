"""`fivefold slices` and `fivefold diff` as a user runs them."""

import json
import sqlite3
import sys
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
import typer

from fivefold.cli.slices import diff, slices
from fivefold.errors import FivefoldError


@dataclass
class Done:
    code: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command()(slices)
    app.command()(diff)

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["fivefold", *map(str, words)])
        code = 0
        try:
            app()
        except SystemExit as stop:
            code = stop.code or 0
        except FivefoldError as problem:
            code = 1
            typer.echo(f"fivefold: {problem}", err=True)
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 3000
    sex, age = rng.choice(["f", "m"], size=n), rng.integers(18, 80, size=n)
    truth = rng.integers(0, 2, size=n)
    weak = (sex == "f") & (age > 60)
    said = np.where(rng.random(n) < np.where(weak, 0.6, 0.1), 1 - truth, truth)
    other = np.where(weak, truth, said)
    return pl.DataFrame({"sex": sex, "age": age, "y": truth, "a": said, "b": other, "code": age % 3})


@pytest.fixture(scope="module")
def file(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("slices") / "cases.csv"
    frame.write_csv(path)
    return path


def test_text_fits_80_columns_and_says_how_many_tests(file, run):
    done = run("slices", file, "-t", "y", "-p", "tree=a", "--cut", "age=40,60", "--drop", "b")
    assert (done.code, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "tests were made" in done.stdout
    assert "sex = f and age > 60" in " ".join(done.stdout.split())
    assert "tree is" in done.stdout


def test_json_and_sql_tell_the_same_slices(file, frame, run):
    words = ("slices", file, "-t", "y", "-p", "a", "--drop", "b", "--nominal", "code")
    told = json.loads(run(*words, "--json").stdout)
    clauses = run(*words, "--sql").stdout.splitlines()
    assert told["n_cases"] == 3000
    assert told["n_agree"] == (frame["y"] == frame["a"]).sum()
    assert [one["sql"] for one in told["slices"]] == clauses
    assert len(clauses) >= 1
    connection = sqlite3.connect(":memory:")
    table = frame.with_columns(pl.col("y", "code").cast(pl.String))
    connection.execute("CREATE TABLE cases (sex, age, y, a, b, code)")
    connection.executemany("INSERT INTO cases VALUES (?, ?, ?, ?, ?, ?)", table.rows())
    for one in told["slices"]:
        assert connection.execute(f"SELECT count(*) FROM cases WHERE {one['sql']}").fetchone() == (one["n"],)
    connection.close()


def test_diff_says_who_is_right(file, run):
    words = ("diff", file, "-p", "old=a", "-p", "new=b", "-t", "y", "--json", "--max-terms", 2)
    told = json.loads(run(*words).stdout)
    one = next(one for one in told["slices"] if one["difference"] < 0)
    assert one["second_right"] > 0
    assert one["first_right"] == 0
    assert "new on" in one["sentence"]
    assert one["known_before"]
    without = run("diff", file, "-p", "a", "-p", "b", "--drop", "y")
    assert without.code == 0
    assert "often than average" in " ".join(without.stdout.split())


def test_parquet_gives_the_same(file, frame, tmp_path, run):
    path = tmp_path / "cases.parquet"
    frame.write_parquet(path)
    options = ("-t", "y", "-p", "a", "--drop", "b", "--json")
    one, two = (json.loads(run("slices", f, *options).stdout) for f in (file, path))
    assert one["slices"] == two["slices"]


def test_options_reach_the_search(file, run):
    words = ("slices", file, "-t", "y", "-p", "a", "--json")
    told = json.loads(
        run(
            *words,
            "--correction",
            "westfall-young",
            "--hold-back",
            0.5,
            "--no-include-target",
            "--max-terms",
            1,
        ).stdout
    )
    assert told["tests"]["correction"] == "westfall-young"
    assert told["n_cases"] == 1500
    assert all("held_back_n" in one and '"y"' not in one["sql"] for one in told["slices"])


def test_what_was_not_measured_again_has_no_number_for_it(tmp_path, run):
    rng, path = np.random.default_rng(0), tmp_path / "rare.csv"
    kind = np.where(rng.random(600) < 0.03, "odd", "usual")
    wrong = rng.random(600) < np.where(kind == "odd", 0.95, 0.1)
    pl.DataFrame({"kind": kind, "y": ["k"] * 599 + ["l"], "a": np.where(wrong, "l", "k")}).write_csv(path)
    done = run("slices", path, "-t", "y", "-p", "a", "--no-include-target", "--hold-back", 0.005, "--quiet")
    assert "None of the cases held back lies in it." in " ".join(done.stdout.split())
    (row,) = [line.split() for line in done.stdout.splitlines() if line.endswith("kind = odd")]
    assert row[1] == "–"


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (["slices", "{}", "-t", "zz", "-p", "a"], "'zz'", 1),
        (["slices", "{}", "-t", "y", "-p", "a", "--cut", "age"], "--cut", 1),
        (["slices", "{}", "-t", "y", "-p", "a", "--cut", "age=x"], "--cut", 1),
        (["slices", "{}", "-t", "y", "-p", "a", "--drop", "zz"], "'zz'", 1),
        (["slices", "{}", "-t", "y", "-p", "a", "-p", "b"], "diff", 2),
        (["slices", "{}", "-t", "y", "-p", "a", "--alpha", "2"], "alpha", 1),
        (["slices", "{}", "-p", "a"], "--target", 2),
        (["diff", "{}", "-p", "a"], "two", 2),
        (
            ["diff", "{}", "-p", "a", "-p", "b"]
            + [w for c in ("sex", "age", "y", "code") for w in ("--drop", c)],
            "attributes",
            1,
        ),
    ],
)
def test_mistakes_are_told_on_stderr(file, words, told, code, run):
    done = run(*[word.replace("{}", str(file)) for word in words])
    assert done.code == code
    assert told in done.stderr
    assert done.stdout == ""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    rng = np.random.default_rng(1)
    n = 2000
    truth, sex = rng.choice(["yes", "no"], n), rng.choice(["f", "m"], n)
    other = np.where(truth == "yes", "no", "yes")
    first = np.where(rng.random(n) < np.where(sex == "f", 0.4, 0.1), other, truth)
    p = np.where(first == "yes", 0.9, 0.1) + rng.normal(0, 0.02, n).round(4)
    columns = {"y": truth, "m_a": first, "m_b": np.where(rng.random(n) < 0.2, other, truth)}
    path = tmp_path_factory.mktemp("models") / "models.csv"
    frame = pl.DataFrame({**columns, "p:yes": p, "p:no": 1 - p, "sex": sex, "age": rng.normal(40, 9, n)})
    frame.with_columns(pl.col("age").round(4)).write_csv(path)
    return path


def test_what_models_said_stands_in_no_slice_and_is_told(models, run):
    for words in (
        ["slices", models, "-t", "y", "-p", "m_a"],
        ["diff", models, "-t", "y", "-p", "m_a", "-p", "m_b"],
    ):
        told = json.loads(run(*words, "--json").stdout)
        roles = {column["column"]: column["role"] for column in told["columns"]}
        assert [name for name, role in roles.items() if role == "attribute"] == ["sex", "age"]
        assert told["slices"]
        assert not any("m_b" in one["sql"] or "p:" in one["sql"] for one in told["slices"])
        text = " ".join(run(*words).stdout.split())
        assert "Left out of the slices:" in text
        assert "--keep brings a column back." in text


def test_a_dry_run_says_the_roles_and_searches_nothing(models, run):
    done = run("slices", models, "-t", "y", "-p", "m_a", "--dry-run")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "average" not in done.stdout
    told = json.loads(run("slices", models, "-t", "y", "-p", "m_a", "--dry-run", "--json").stdout)
    assert [column["role"] for column in told["columns"]] == [
        "target",
        "answers",
        "answers",
        "probability",
        "probability",
        "attribute",
        "attribute",
    ]


def test_mirror_conditions_are_one(models, run):
    words = ("slices", models, "-t", "y", "-p", "m_a", "--keep", "p:*", "--json")
    told = json.loads(run(*words).stdout)
    assert any(column["why"] == "the same split of the cases as p:yes" for column in told["columns"])
    assert not any("p:no" in one["sql"] for one in told["slices"])


def test_words_among_numbers_are_missing_and_said(models, tmp_path, run):
    path = tmp_path / "odd.csv"
    path.write_text(models.read_text().replace("\n", ",7\n").replace("age,7", "age,rooms"))
    lines = path.read_text().splitlines()
    lines[5] = lines[5].rsplit(",", 1)[0] + ",?"
    path.write_text("\n".join(lines) + "\n")
    done = run("slices", path, "-t", "y", "-p", "m_a")
    assert done.code == 0
    assert "Among the numbers of rooms, '?' means missing (1 case)" in " ".join(done.stdout.split())


def test_report_and_slices_read_messy_answers_by_one_rule(models, tmp_path, run, capsys):
    from fivefold.cli.report import report

    frame = pl.read_csv(models).with_row_index()
    odd = pl.when(pl.col("index") % 50 == 0).then(pl.lit("I cannot answer"))
    odd = odd.when(pl.col("index") % 50 == 1).then(pl.format(" {}", pl.col("m_a").str.to_uppercase()))
    path = tmp_path / "messy.csv"
    frame.with_columns(odd.otherwise("m_a").alias("m_a")).drop("index").write_csv(path)
    refused = run("slices", path, "-t", "y", "-p", "m_a")
    assert refused.code == 1
    assert "'I cannot answer' 40 times" in refused.stderr
    assert "--unknown-answers" in refused.stderr
    words = ("--normalise", "--map", "I cannot answer=", "--json")
    done = run("slices", path, "-t", "y", "-p", "m_a", *words)
    told = json.loads(done.stdout)
    assert any("40 were mapped" in note for note in told["notes"])
    other = run("slices", path, "-t", "y", "-p", "m_a", "--normalise", "--unknown-answers", "wrong", "--json")
    assert json.loads(other.stdout)["slices"] == told["slices"]
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command()(report)
    with pytest.raises(SystemExit):
        app([str(path), "-t", "y", "-p", "m_a", *words])
    judged = json.loads(capsys.readouterr().out)["models"][0]
    assert judged["slices"]["n_agree"] == told["n_agree"]
    assert judged["slices"]["tests"]["n_tests"] == told["tests"]["n_tests"]
    pair = run("diff", path, "-p", "m_a", "-p", "m_b", *words)
    assert any("40 were normalised" in note for note in json.loads(pair.stdout)["notes"])
    assert run("diff", path, "-p", "m_a", "-p", "m_b", "--unknown-answers", "none").code == 2


def test_labels_of_a_parquet_file_are_whole_numbers_also_where_some_are_missing(tmp_path, run):
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    said = np.where(rng.random(300) < 0.2, 1 - truth, truth).astype(float)
    said[::50] = np.nan
    frame = pl.DataFrame({"y": truth, "m": said, "x": rng.normal(size=300)})
    frame.write_parquet(tmp_path / "t.parquet")
    told = json.loads(run("slices", tmp_path / "t.parquet", "-t", "y", "-p", "m", "--json").stdout)
    assert told["n_agree"] == int((truth == said).sum())


def test_words_for_confidence_may_stand_in_a_command_that_reads_none(models, run):
    words = ("slices", models, "-t", "y", "-p", "m_a", "--map", "very sure=0.95", "--normalize", "--json")
    done = run(*words)
    assert done.code == 0
    assert "'very sure'" in " ".join(json.loads(done.stdout)["notes"])


def test_a_page_says_what_is_proven_also_where_it_is_not_shown(run, tmp_path):
    # "no group of cases is right more or less often than average, beyond chance", of a pair that was proven
    rng, n = np.random.default_rng(0), 3000
    table, page, hidden = tmp_path / "cases.csv", tmp_path / "page.html", 0
    for _ in range(6):
        cases = {name: rng.choice(list("abcd"), n) for name in "uvwxyz"} | {"y": rng.choice(["no", "yes"], n)}
        wrong = rng.random(n) < np.where((cases["u"] == "a") & (cases["v"] == "b"), 0.25, 0.1)
        pl.DataFrame(cases | {"p": np.where(wrong, "no", cases["y"])}).write_csv(table)
        how = "-t", "y", "-p", "p", "--no-include-target", "--summary", "paper"
        found = json.loads(run("slices", table, *how, "--json", "--html", page).stdout)
        said = page.read_text(encoding="utf-8")
        hints = run("slices", table, *how).stdout.count("--summary causes names those")
        assert hints == (found["n_proven"] > 0 and not found["slices"])
        assert ("In no group that is large enough to matter is" in said) == (found["n_proven"] == 0)
        hidden += "deviates beyond chance, but none is shown" in said.replace("deviate ", "deviates ")
    assert hidden


def test_a_page_counts_all_groups_and_not_only_those_that_it_lists(run, tmp_path):
    # "25 groups below average, 0 above" of 1,178 and 1,151
    rng, n = np.random.default_rng(1), 4000
    cases = {name: rng.choice(list("ab"), n) for name in "uvwxyz"} | {"y": np.zeros(n, int)}
    wrong = rng.random(n) < 0.05 + 0.4 * (cases["u"] == "a")
    table, page = tmp_path / "cases.csv", tmp_path / "page.html"
    pl.DataFrame(cases | {"p": wrong.astype(int)}).write_csv(table)
    options = "--summary", "none", "--class", "0", "--class", "1", "--json", "--html", page
    found = json.loads(run("slices", table, "-t", "y", "-p", "p", *options).stdout)["slices"]
    below = sum(part["difference"] < 0 for part in found)
    said = page.read_text(encoding="utf-8")
    assert len(found) > 25
    assert f"{below} groups below average, {len(found) - below} above, beyond chance." in said
    assert "the few because of which" not in said
    # "explains 0" of each, where nothing was asked
    plain = run("slices", table, "-t", "y", "-p", "p", *options[:-3]).stdout
    assert "explains" not in plain
    assert f"{len(found)} slices found" in plain.replace(",", "")
