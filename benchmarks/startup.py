"""How long `fivefold --help` takes, beside a bare Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.timing import interleaved, show


def main() -> None:
    command = str(Path(sys.executable).with_name("fivefold"))
    runs = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "fivefold --help": [command, "--help"],
        "fivefold data list": [command, "data", "list"],
    }
    calls = {
        name: (lambda words=words: subprocess.run(words, check=True, capture_output=True))
        for name, words in runs.items()
    }
    show("start-up", interleaved(calls, 5), "python -c pass")


if __name__ == "__main__":
    main()
