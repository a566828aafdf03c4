"""Run every benchmark in turn; `make bench` calls this."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
HELPERS = {"__init__.py", "run.py", "timing.py"}


def main() -> None:
    for script in sorted(HERE.glob("*.py")):
        if script.name in HELPERS:
            continue
        print(f"\n=== {script.stem} ===", flush=True)
        subprocess.run([sys.executable, "-m", f"benchmarks.{script.stem}"], check=True, cwd=HERE.parent)


if __name__ == "__main__":
    main()
