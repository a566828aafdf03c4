"""Progress on a terminal and nowhere else; Ctrl-C ends every command with one line, whatever it is doing."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from fivefold.cli import main

if sys.platform == "win32":
    pytest.skip("pseudo-terminals", allow_module_level=True)

FIVEFOLD = str(Path(sys.executable).with_name("fivefold"))
PLAN = """
data = ["IR"]
views = ["accuracy"]
splits = {{ n_repeats = {repeats} }}
[estimators]
slow = {{ class = "slow_estimators.{estimator}" }}
"""


class Command:
    """A command in a session of its own, whose standard error is a terminal of 80 columns or a pipe."""

    def __init__(self, folder, *words, terminal=False):
        self.seen = b""
        read, write = os.openpty() if terminal else os.pipe()
        if terminal:
            import termios

            termios.tcsetwinsize(write, (24, 80))
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [FIVEFOLD, *map(str, words)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": path, "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=write,
            start_new_session=True,
        )
        os.close(write)
        self._reader = threading.Thread(target=self._read, args=(read,), daemon=True)
        self._reader.start()

    def _read(self, stream):
        try:
            while piece := os.read(stream, 65536):
                self.seen += piece
        except OSError:  # a terminal that nobody holds any more
            pass

    @property
    def text(self):
        plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.seen.decode()).replace("\r\n", "\n")
        return plain.replace("\r", "\n")

    def wait_for(self, words):
        self.wait_until(lambda: re.search(words, self.text))

    def wait_until(self, condition):
        deadline = time.monotonic() + 240
        while not condition():
            assert self.process.poll() is None, self.text
            assert time.monotonic() < deadline, self.text
            time.sleep(0.02)

    def interrupt(self):
        """Press Ctrl-C, as a terminal does: for workers, too; give the standard output."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.end()

    def end(self):
        try:
            out = self.process.communicate(timeout=120)[0].decode()
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        self._reader.join(60)
        return out

    def living(self):
        """Count the processes of the session that have not ended."""
        fields = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields.append(path.read_text().rpartition(")")[2].split())
            except OSError:
                continue
        return sum(int(group) == self.process.pid and state != "Z" for state, _, group, *_ in fields)

    def assert_interrupted(self, out, line):
        assert self.process.returncode == 130, self.text
        assert out == ""
        assert self.text.splitlines()[-1:] == [line]
        deadline = time.monotonic() + 60
        while self.living():
            assert time.monotonic() < deadline, "a worker has outlived its command"
            time.sleep(0.05)


def write_plan(folder, estimator, repeats):
    (folder / "slow.toml").write_text(PLAN.format(estimator=estimator, repeats=repeats))
    return f"What is finished is kept in {folder / 'slow.study'}; run it again to go on."


def test_progress_is_for_terminals(tmp_path, monkeypatch, capfd):
    write_plan(tmp_path, "Waits", 10)
    words = ["study", "run", "slow.toml", "--engine", "serial", "--store"]
    watched = Command(tmp_path, *words, "a.study", terminal=True)
    monkeypatch.syspath_prepend(Path(__file__).parent)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["fivefold", *words, "b.study"])
    with pytest.raises(SystemExit, match="0"):  # in this process, for nothing that is captured is a terminal
        main.run()
    piped = capfd.readouterr()
    assert watched.end() == piped.out == "slow: 10 jobs, 10 finished, 0 failed, 0 open\n"
    assert re.search(r"slow: job \d+ of 10 .*━", watched.text)
    assert max(map(len, watched.text.splitlines())) <= 80
    assert watched.seen.endswith(b"\x1b[2K")
    assert piped.err == ""


def test_ctrl_c_in_a_compiled_call(tmp_path):
    hint = write_plan(tmp_path, "Busy", 1)
    command = Command(tmp_path, "study", "run", tmp_path / "slow.toml", "--engine", "serial", terminal=True)
    command.wait_for(r"slow: job 1 of 1")
    command.assert_interrupted(command.interrupt(), f"Interrupted. {hint}")


def test_ctrl_c_with_workers_in_compiled_calls(tmp_path):
    hint = write_plan(tmp_path, "Busy", 4)
    command = Command(tmp_path, "study", "run", tmp_path / "slow.toml", "-j", 2)
    command.wait_until(lambda: command.living() > 3)  # two workers, what keeps track of them, and the command
    command.assert_interrupted(command.interrupt(), f"Interrupted. {hint}")
    assert len(command.text.splitlines()) == 1


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    rng, n = np.random.default_rng(0), 60_000
    table = {f"a{i}": rng.integers(0, 12, n).astype(str) for i in range(16)}
    table["y"] = rng.choice(["no", "yes"], n)
    table["m"] = np.where(rng.random(n) < 0.8, table["y"], "no")
    path = tmp_path_factory.mktemp("cases") / "cases.csv"
    pl.DataFrame(table).write_csv(path)
    return path


HARD_SEARCH = ["slices", "FILE", "-t", "y", "-p", "m", "--min-support-difference", 1e-6, "--max-terms", 4]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "busy", "hint"),
    [
        (HARD_SEARCH, r"combinations of [34] conditions", ""),
        (["report", "FILE", "-t", "y", "-m", "c45", "-m", "nb"], r"c45: \w+", ""),
        (
            ["papers", "run", "korb2001"],
            r"job \d",
            " What is finished is kept in korb2001.study; run it again to go on.",
        ),
    ],
)
def test_ctrl_c_while_busy(words, busy, hint, cases, tmp_path):
    command = Command(tmp_path, *(cases if word == "FILE" else word for word in words), terminal=True)
    command.wait_for(busy)
    command.assert_interrupted(command.interrupt(), f"Interrupted.{hint}")


LATE = """
import signal, time
from fivefold.cli import console
def come_late(reader, told):
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    time.sleep(60)
console._watch, console.GRACE_SECONDS, console.PATIENCE_SECONDS = come_late, 0.05, 0.05
with console.ending_on_ctrl_c(), console.going_on("Go on."):
    print("ready", flush=True)
    while True:
        time.sleep(0.02)
"""


def test_the_line_is_said_where_the_thread_that_listens_gets_no_processor():
    with subprocess.Popen(
        [sys.executable, "-c", LATE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=120)
    assert (process.returncode, out, told) == (130, "", "Interrupted. Go on.\n")


DONE = """
import atexit, sys, time
from fivefold.cli import main
sys.argv = ["fivefold", "--version"]
atexit.register(lambda: (print("ending", flush=True), time.sleep(60)))
main.program()
"""


def test_ctrl_c_when_all_is_done_says_nothing():
    with subprocess.Popen(
        [sys.executable, "-c", DONE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline().startswith("fivefold ")
        assert process.stdout.readline() == "ending\n"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
    assert (process.returncode, told) == (-signal.SIGINT, "")


@pytest.mark.parametrize("words", [("report", "--details"), ("slices",)], ids=lambda words: words[0])
def test_a_page_is_written_also_where_nobody_reads_what_is_printed(tmp_path, words):
    cases, page = tmp_path / "cases.csv", tmp_path / "page.html"
    cases.write_text("y,m,x\n" + "a,a,u\nb,b,v\na,b,v\n" * 30, encoding="utf-8")
    command = [sys.executable, "-m", "fivefold", *words, cases, "-t", "y", "-p", "m", "--html", page]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        told = process.stderr.read().decode()
    assert process.returncode == 1
    assert "wrote" in told
    assert "Traceback" not in told
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
