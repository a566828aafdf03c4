"""The command line on odd files: exit code 0, 1 or 2, results alone on stdout, one sentence on stderr."""

import contextlib
import io
import json
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fivefold.cli import main

from .law import no_hang
from .odd_files import ARFF, CSV, arff_files, csv_files, mutated, noise

HALF = max(1, settings().max_examples // 2)
TOML = 'data = ["IR"]\nestimators = ["1r"]\nsplits = { n_repeats = 2, train = "2/3" }\nviews = ["bits"]\n'
FOIL = "X: a, b, c.\n\n*e(X,X)\na,b\nb,c\n.\np(X,X)\na,b\na,c\nb,c\n;\nb,a\n.\n"


def run(*words):
    """Run a command in this process; give its exit code and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    former, sys.argv = sys.argv, ["fivefold", *map(str, words)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), no_hang():
            main.run()
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = former
    return code, out.getvalue(), err.getvalue()


def check(words, *, as_json):
    code, out, err = run(*words)
    assert code in (0, 1, 2), (code, err)
    assert "Traceback" not in err
    if code == 0:
        assert out
        assert not as_json or json.loads(out)
        return
    assert out == "", "what is no result belongs on stderr"
    if code == 1:
        assert err.startswith("fivefold: expected "), err
        assert "; got " in err


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("command")


REPORT = ["-t", "y", "-p", "a"]


@settings(max_examples=HALF)
@given(csv_files | noise, st.sampled_from(["report", "slices", "diff", "models"]), st.booleans())
@example(CSV.encode(), "report", True)
@example(CSV.encode(), "slices", True)
@example(CSV.encode(), "diff", False)
@example(b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode(), "models", True)
def test_csv(folder, data, command, as_json):
    path = folder / "odd.csv"
    path.write_bytes(data)
    words = {
        "report": ["report", path, *REPORT],
        "slices": ["slices", path, *REPORT],
        "diff": ["diff", path, "-p", "y", "-p", "a"],
        "models": ["report", path, "-t", "y", "-m", "1r"],
    }[command]
    check([*words, *["--json"] * as_json], as_json=as_json)
    assert path.read_bytes() == data


@settings(max_examples=HALF)
@given(arff_files)
@example(ARFF.encode())
def test_arff(folder, data):
    path = folder / "odd.arff"
    path.write_bytes(data)
    check(["report", path, "-t", "y", "-m", "1r", "--json"], as_json=True)


@settings(max_examples=HALF)
@given(mutated(FOIL) | noise)
@example(FOIL.encode())
def test_relations(folder, data):
    path = folder / "odd.d"
    path.write_bytes(data)
    check(["foil", path, "--json"], as_json=True)


@settings(max_examples=HALF)
@given(mutated(TOML) | noise)
def test_plans(folder, data):
    path = folder / "odd.toml"
    path.write_bytes(data)
    check(["study", "status", path, "--json"], as_json=True)


words = st.sampled_from(
    [
        "report",
        "slices",
        "diff",
        "data",
        "list",
        "show",
        "learners",
        "learn",
        "export",
        "iris",
        "--format",
        "lm-eval",
        "foil",
        "study",
        "papers",
        "--target",
        "y",
        "--json",
        "-p",
        "a",
        "-1",
        "",
        "🦊",
        "\0",
        "--html",
        "/",
        "--seed",
        "x",
        "--help",
        "--cut",
        "=",
    ]
)


@settings(max_examples=HALF)
@given(st.lists(words, max_size=5))
def test_odd_words(folder, line):
    with contextlib.chdir(folder):
        code, out, err = run(*line)
    assert code in (0, 1, 2), (code, err)
    assert code == 0 or out == "" or not line
    assert "Traceback" not in err


@pytest.mark.parametrize("what", ["report", "slices"])
def test_an_interrupted_page_leaves_the_old_one(tmp_path, monkeypatch, what):
    """Neither half a page nor a scrap beside it."""
    path, page = tmp_path / "x.csv", tmp_path / "page.html"
    path.write_text(CSV, encoding="utf-8")
    page.write_text("old", encoding="utf-8")

    reached = []

    def interrupt(_handle):
        reached.append(True)
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    # the command line turns Ctrl-C into an exit code or lets it through: either ends the command
    with contextlib.suppress(KeyboardInterrupt):
        assert run(what, path, *REPORT, "--html", page)[0] != 0
    assert reached
    assert page.read_text(encoding="utf-8") == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["page.html", "x.csv"]
