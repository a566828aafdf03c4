"""No string that comes from data steers the terminal, whichever command or error prints it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fivefold.cli.main import app

from .hostile import ATTACKS, COMMANDS, MARK, N_PAGES, N_SUCCEED

SCRIPT = Path(__file__).with_name("hostile.py")
# what rich itself writes: colours, and the cursor and the line of a progress bar
OURS = re.compile("\x1b\\[(\\d*(;\\d+)*m|\\?25[lh]|2K|1A)|\r(?=\n|\x1b)")
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


ESCAPED = "U+001B{}]52;c;aGk"


def environment():
    left_out = ("NO_COLOR", "FORCE_COLOR", "PYTHONUTF8", "PYTHONIOENCODING")
    known = {name: value for name, value in os.environ.items() if name not in left_out}
    return known | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "LOKY_MAX_CPU_COUNT": "1"}


def through_pipe(folder, *encodings):
    """Run the commands on pipes; give stdout and stderr for each encoding."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), *encodings],
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    mark = f"{MARK}\n".encode()
    return zip(encodings, done.stdout.split(mark), done.stderr.split(mark), strict=False)


def through_terminal(folder, *terminals):
    """Run the commands on a pseudo-terminal, and give what they showed on each kind of it."""
    pty = pytest.importorskip("pty")
    terminal, child_end = pty.openpty()
    command = [sys.executable, str(SCRIPT), str(folder), *terminals]
    with subprocess.Popen(
        command, stdin=child_end, stdout=child_end, stderr=child_end, env=environment()
    ) as child:
        os.close(child_end)
        shown = bytearray()
        while piece := read_or_end(terminal):
            shown += piece
    os.close(terminal)
    assert child.returncode == 0, shown.decode(errors="replace")[-2000:]
    return shown.decode().replace("\r\n", "\n").split(f"{MARK}\n{MARK}\n")


def read_or_end(handle):
    try:
        return os.read(handle, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_every_command_is_driven():
    words = {tuple(each[:2]) for each in COMMANDS}
    for command in app.registered_commands:
        assert any(first == command.callback.__name__ for first, *_ in words), command.callback.__name__
    for group in app.registered_groups:
        for command in group.typer_instance.registered_commands:
            name = command.name or command.callback.__name__
            assert (group.name, name) in words, (group.name, name)


@pytest.mark.parametrize(
    "encodings",
    [
        ("latin-1",),
        *(pytest.param(pair, marks=pytest.mark.slow) for pair in [("utf-8", "ascii"), ("cp1252",)]),
    ],
)
def test_pipes(tmp_path, encodings):
    """A poor encoding gets plain substitutes; nothing fails there that works elsewhere."""
    for encoding, *streams in through_pipe(tmp_path, *encodings):
        out, err = (stream.decode(encoding) for stream in streams)
        assert not FORBIDDEN.search(out)
        assert not FORBIDDEN.search(err)
        escaped = ESCAPED.format("⟩" if encoding == "utf-8" else ">")
        assert escaped in out
        assert escaped in err
        assert "Traceback" not in err, err
        assert out.count("@0\n") == N_SUCCEED - N_PAGES * (encoding != encodings[0])


@pytest.mark.slow
def test_terminals(tmp_path):
    styled, bare, _ = through_terminal(tmp_path, "xterm-256color", "dumb")
    assert not FORBIDDEN.search(bare)
    assert "\x1b[1m" in styled, "our own styles are gone"
    assert not any(attack in styled for attack in ATTACKS)
    left = OURS.sub("", styled)
    assert not FORBIDDEN.search(left), repr(left[FORBIDDEN.search(left).start() - 40 :][:90])
