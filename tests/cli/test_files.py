"""What stands where a file goes: formats, several files, pipes, data sets and logs, for every command alike."""

import gzip
import io
import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from fivefold.cli import main


class Pipe:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)

    def isatty(self):
        return False


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process, which spares each one the imports."""

    def call(*words, stdin=None, folder=None):
        monkeypatch.setattr(sys, "argv", ["fivefold", *map(str, words)])
        if folder:
            monkeypatch.chdir(folder)
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", Pipe(stdin))
        try:
            main.run()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        return code, *capsys.readouterr()

    return call


@pytest.fixture(scope="module")
def table():
    rows = [(("cat", "dog")[i % 2], ("cat", "dog")[(i // 3) % 2], "ab"[i % 5 == 0], i) for i in range(60)]
    return pl.DataFrame(rows, schema=["y", "m", "meta.size", "n"], orient="row")


def nested(table):
    lines = [{"y": y, "m": m, "meta": {"size": size}, "n": n} for y, m, size, n in table.rows()]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def test_every_way_to_give_the_same_rows_gives_the_same_report(tmp_path, table, run):
    table.write_csv(tmp_path / "t.csv")
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(nested(table)))
    table[:25].write_csv(tmp_path / "part-1.csv")
    table[25:].select("n", "m", "y", "meta.size").write_csv(tmp_path / "part-2.csv")
    words = ["-t", "y", "-p", "m", "--json", "--quiet"]
    answers = [
        run("report", "t.csv", *words, folder=tmp_path),
        run("report", "t.jsonl.gz", *words, folder=tmp_path),
        run("report", "part-*.csv", *words, folder=tmp_path),
        run("report", "-", *words, stdin=nested(table), folder=tmp_path),
    ]
    reports = [json.loads(text) for code, text, _ in answers if code == 0]
    assert len(reports) == 4
    for report in reports:
        report.pop("source")
    assert all(report["scorecard"] == reports[0]["scorecard"] for report in reports)


def test_slices_and_diff_read_pipes_too(table, run):
    code, out, _ = run("slices", "-", "-t", "y", "-p", "m", "--json", stdin=nested(table))
    assert code == 0
    assert json.loads(out)["source"] == "standard input"
    code, out, _ = run("diff", "-", "-p", "y", "-p", "m", "--json", stdin=nested(table))
    assert code == 0


def test_a_known_data_set_is_learned_and_judged_without_more_words(run):
    code, out, err = run("report", "votes", "-m", "1r", "--quiet", "--budget", "1s")
    assert (code, err) == (0, "")
    assert "1r is right on" in out or "1r has learned" in out


def test_harness_logs(tmp_path, run):
    for name, skill in (("small", 3), ("large", 7)):
        samples = []
        for place in range(50):
            best = place % 4 if place % 10 < skill else (place + 1) % 4
            logs = [[str(-1.0 if c == best else -2.0 - c), "False"] for c in range(4)]
            ask = {f"gen_args_{c}": {"arg_0": "q", "arg_1": f" {'ABCD'[c]}"} for c in range(4)}
            samples.append(
                {
                    "doc_id": place,
                    "doc": {"topic": "xy"[place % 3 == 0]},
                    "target": str(place % 4),
                    "arguments": ask,
                    "filtered_resps": logs,
                    "acc": float(best == place % 4),
                }
            )
        (tmp_path / name).mkdir()
        text = "".join(json.dumps(sample) + "\n" for sample in samples[: 50 if name == "small" else 45])
        (tmp_path / name / "samples_mmlu_2026-11-01T10-00-00.1.jsonl").write_text(text, encoding="utf-8")
    words = ["--format", "lm-eval", "small/samples_*.jsonl", "large/samples_*.jsonl"]
    code, out, err = run("report", *words, "--softmax", "--json", folder=tmp_path)
    assert code == 0, err
    report = json.loads(out)
    assert report["source"] == "small and large"
    rows = {row["name"]: row["scores"][0]["value"] for row in report["scorecard"]["rows"]}
    assert rows["large"] == pytest.approx(33 / 45)
    assert any(column["key"] == "bets" for column in report["scorecard"]["columns"])
    assert "because not in all runs: 5 of the 50 items of small." in " ".join(err.split())
    code, out, _ = run("diff", *words, "--json", folder=tmp_path)
    assert code == 0
    code, out, err = run("slices", *words, "-p", "large", "--json", folder=tmp_path)
    assert code == 0, err
    code, out, err = run("slices", *words, folder=tmp_path)
    assert code == 2
    assert "give one model" in err


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (["report", "t.csv", "-p", "m"], "--target", 2),
        (["report", "t.csv", "-t", "y", "-p", "m", "--metric", "acc"], "--metric", 2),
        (["report", "t.cvs", "-t", "y", "-p", "m"], "did you mean 't.csv'", 1),
        (["report", "irsi", "-m", "c45"], "did you mean 'iris'", 1),
        (["report", "iris", "-m", "c4"], "did you mean 'c45'", 1),
        (["slices", "t.csv", "-t", "yy", "-p", "m"], "did you mean 'y'", 1),
        (["report", "t.csv", "-t", "y", "-p", "m", "--format", "cvs"], "one of the formats", 1),
    ],
)
def test_mistakes(tmp_path, table, words, message, code, run):
    table.write_csv(tmp_path / "t.csv")
    got, _, err = run(*words, folder=tmp_path)
    assert (got, message in err) == (code, True), err


_LIMITED = """
import resource, sys
import polars, fivefold.evaluation.five_views, fivefold.cli.main
polars.DataFrame({"a": ["x", "y"] * 50_000}).unique()
most = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (most, most))
sys.argv = ["fivefold", *sys.argv[2:]]
fivefold.cli.main.run()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited and told so on Linux")
@pytest.mark.parametrize("megabytes", [10, 80, 300])
@pytest.mark.long
def test_too_little_memory_ends_with_a_hint_and_no_traceback(tmp_path, megabytes):
    rng = np.random.default_rng(0)
    n = 150_000
    columns = {f"x{place}": rng.random(n) for place in range(8)}
    y = rng.choice(["cat", "dog"], n)
    pl.DataFrame({"y": y, "a": rng.choice(["cat", "dog"], n), **columns}).write_csv(tmp_path / "big.csv")
    words = [str(megabytes * 1_000_000), "report", str(tmp_path / "big.csv"), "-t", "y", "-p", "a", "--quiet"]
    command = [sys.executable, "-c", _LIMITED, *words]
    told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert told.returncode in (0, 1), told.stderr
    assert told.returncode == 0 or "Hint: " in told.stderr
    assert megabytes > 10 or told.returncode == 1
    assert "Traceback" not in told.stderr
    assert "stack backtrace" not in told.stderr
