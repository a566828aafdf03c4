import json
import sys
from itertools import pairwise
from typing import NamedTuple

import pytest

from fivefold.cli.main import run as main


class Done(NamedTuple):
    code: int
    stdout: str
    stderr: str


TASK = """X: 0,1,2,3,4.

less(X,X)
0,1
0,2
0,3
0,4
1,2
1,3
1,4
2,3
2,4
3,4
.
*succ(X,X)
0,1
1,2
2,3
3,4
.

less
0,4: +
4,0: -
3,4: -
.
"""


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*words):
        monkeypatch.setattr(sys, "argv", ["fivefold", "foil", *map(str, words)])
        monkeypatch.setenv("COLUMNS", "80")
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "less.d"
    file.write_text(TASK)
    return file


def test_definitions_as_datalog(path, run):
    result = run(path)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "less(A,B) :- succ(A,B).",
        "less(A,B) :- succ(C,B), less(A,C).",
        "% 1 wrong of 3 tests",
        "%   wrong about 3,4",
    ]


def test_json(path, run):
    result = json.loads(run(path, "--json").stdout)
    (definition,) = result["definitions"]
    assert result["source"] == "less.d"
    assert definition["tests"] == {"n": 3, "errors": 1, "wrong": [["3", "4"]]}
    assert definition["clauses"][1]["recursive"]
    assert definition["clauses"][0]["body"] == [
        {"predicate": "succ", "arguments": [{"variable": "A"}, {"variable": "B"}], "negated": False}
    ]
    assert (definition["uncovered"], definition["wrong"]) == (0, 0)


def test_what_is_not_covered_is_said(tmp_path, run):
    file = tmp_path / "none.d"
    file.write_text("#X: a, b, c.\n\nodd(X)\na\n.\n*other(X)\na\nb\n.\n")
    assert run(file).stdout.splitlines() == [
        "% no definition of odd",
        "% does not cover 1 tuple of the relation",
    ]


def test_long_clauses_are_broken_between_conditions(tmp_path, run):
    people = [f"person_{i}" for i in range(8)]
    links = list(pairwise(people))
    chain = "a_long_name_for_a_link"
    text = f"#P: {', '.join(people)}.\n\nfar_apart(P,P)\n"
    text += "".join(f"{people[i]},{people[i + 4]}\n" for i in range(4))
    text += f".\n*{chain}(P,P)\n" + "".join(f"{a},{b}\n" for a, b in links) + ".\n"
    file = tmp_path / "far.d"
    file.write_text(text)
    lines = run(file, "--negation", "none").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    (definition,) = json.loads(run(file, "--negation", "none", "--json").stdout)["definitions"]
    whole = definition["clauses"][0]["text"]
    assert len(whole) > 80
    assert " ".join(line.strip() for line in lines) == whole


def test_a_value_outside_the_world_is_told_as_it_is_written(tmp_path, run):
    file = tmp_path / "out.d"
    file.write_text("#X: a, b.\n\nr(X)\na\n.\n*s(X)\na\n.\n\nr\n^: +\n?: +\n.\n")
    (definition,) = json.loads(run(file, "--json").stdout)["definitions"]
    assert definition["tests"] == {"n": 2, "errors": 2, "wrong": [["^"], [None]]}
    assert run(file).stdout.splitlines()[-2:] == ["%   wrong about ^", "%   wrong about ?"]


def test_options_reach_the_learner(path, run):
    assert "not(" not in run(path, "--negation", "none").stdout
    assert "succ" in run(path, "--target", "succ", "--sample", "0.9", "--min-accuracy", "0.6").stdout
    first, second = (run(path, "--sample", "0.5", "--seed", "3").stdout for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("words", "code", "written"),
    [
        (["--target", "more"], 1, "'more'"),
        (["--negation", "some"], 1, "'some'"),
        (["--min-accuracy", "2"], 1, "min_accuracy"),
        (["--seed", "-1"], 2, "--seed"),
        (["--recursion"], 2, "--recursion"),
    ],
)
def test_mistakes_are_told_on_stderr(path, run, words, code, written):
    result = run(path, *words)
    assert (result.code, result.stdout) == (code, "")
    assert written in result.stderr


def test_files_that_cannot_be_read(tmp_path, run):
    assert run(tmp_path / "none.d").code == 1
    assert run().code == 2
    file = tmp_path / "bad.d"
    file.write_text(TASK.replace("1,3\n", "1,7\n"))
    result = run(file)
    assert (result.code, result.stdout) == (1, "")
    assert "'7' in line 9 of bad.d" in result.stderr
    assert "Hint" in result.stderr
