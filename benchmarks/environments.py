"""Peers in virtual environments of their own, so that nobody's dependencies meet."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

GIGABYTE = 1 << 30


def environment(name: str, requirements: Sequence[str]) -> Path | None:
    """Give the Python of an environment with these packages, made in the cache if need be; None if that fails."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "fivefold-benchmarks" / name
    python = cache / "bin" / "python"
    if (cache / "complete").exists():
        return python
    print(f"  making an environment for {name} …", flush=True)
    venv.create(cache, with_pip=True, clear=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
    if subprocess.run(install, check=False, stderr=subprocess.DEVNULL).returncode:
        return None
    (cache / "complete").touch()
    return python


def run_in(
    python: Path, script: Path, arguments: Sequence[str], seconds: float, gigabytes: float
) -> dict[str, Any]:
    """Run a script that prints JSON in its last line; give that, or why there is none."""

    def limit() -> None:
        most = int(gigabytes * GIGABYTE)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    try:
        done = subprocess.run(
            [python, "-W", "ignore", script, *arguments],
            capture_output=True,
            text=True,
            timeout=seconds,
            preexec_fn=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {seconds:.0f} s"}
    if done.returncode:
        words = done.stderr.strip().splitlines()
        memory = done.returncode < 0 or any("Memory" in line or "allocate" in line for line in words)
        return {
            "failed": f"out of memory ({gigabytes:g} GB)" if memory else (words or ["no reason given"])[-1]
        }
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


if __name__ == "__main__":
    print(environment(sys.argv[1], sys.argv[2:]))
