"""Install the lowest versions that pyproject.toml allows, and run a part of the tests with them.

Run as `python tools/minimal_versions.py [NAME=VERSION …] [PATH …]`: a version given here stands in for that of
pyproject.toml, so that another bound can be tried before it is written there; paths replace the usual tests.
A bound such as 2.1 is installed as 2.1.*, one such as 2.1.3 exactly.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEST_TOOLS = ("pytest", "hypothesis", "pandas", "pyarrow")
# Files that touch every dependency: numbers, kernels, frames of each library, estimators, charts, commands.
PART = (
    "tests/inputs",
    "tests/laws/test_input_forms.py",
    "tests/bets/test_decompositions.py",
    "tests/data/test_read.py",
    "tests/robustness/test_files.py",
    "tests/robustness/test_tables.py",
    "tests/learners/test_one_r.py",
    "tests/report/test_charts.py",
    "tests/cli/test_cli.py",
)


def main() -> None:
    told = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    part = [word for word in sys.argv[1:] if "=" not in word] or list(PART)
    pins = [pin(name, told.get(name, version)) for name, version in lower_bounds().items()]
    print(" ".join(pins), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "Scripts" if os.name == "nt" else "bin", "python"))
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, str(ROOT), *pins], check=True)
        # A library may find its newer neighbours' names deprecated; how soon --help starts is measured elsewhere.
        options = ["-q", "-W", "ignore::DeprecationWarning", "-k", "not at_once", "-p", "no:cacheprovider"]
        done = subprocess.run([python, "-m", "pytest", *options, *part], cwd=ROOT, check=False)
    sys.exit(done.returncode)


def lower_bounds() -> dict[str, str]:
    """Read the lowest version of each dependency, and of the tools that the tests need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = [each for each in project["optional-dependencies"]["test"] if each.startswith(TEST_TOOLS)]
    bounds = {}
    for needed in [*project["dependencies"], *tools]:
        match = re.fullmatch(r"([\w.-]+)>=([\d.]+)", needed)
        if match is None:
            sys.exit(f"expected NAME>=VERSION among the dependencies; got {needed!r}")
        if match[1] in TEST_TOOLS or needed in project["dependencies"]:
            bounds[match[1]] = match[2]
    return bounds


def pin(name: str, version: str) -> str:
    return f"{name}=={version}" if version.count(".") > 1 else f"{name}=={version}.*"


if __name__ == "__main__":
    main()
