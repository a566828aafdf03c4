"""Build the kernels with every index checked, under AddressSanitizer and UBSan, and run their tests on that build.

Run as `python tools/sanitize.py [PATH …]` in the environment of the tests; paths replace the usual tests. All is
made in build/sanitize. An index out of bounds inside a kernel reaches pytest as an exception that cannot be
raised, which fails the test; what the sanitizers see ends the run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "build" / "sanitize"
SETUP = ("-Dchecks=true", "-Db_sanitize=address,undefined", "-Dbuildtype=debugoptimized", "-Db_lundef=false")
TESTS = tuple(
    f"tests/{part}"
    for part in ("kernels", "inputs", "data", "bits", "bets", "slices", "truth", "borders", "learners")
)


def main() -> None:
    compiler = shutil.which("gcc") or sys.exit(
        "expected gcc, whose sanitizers are used; got none. Hint: install gcc"
    )
    shutil.rmtree(PLACE, ignore_errors=True)
    python = make_environment()
    site = f"-Dpython.platlibdir={PLACE / 'site'}"
    for words in (
        ["setup", str(PLACE / "build"), str(ROOT), site, *SETUP],
        ["install", "--quiet", "-C", str(PLACE / "build")],
    ):
        subprocess.run([str(Path(sys.executable).with_name("meson")), *words], check=True, env=tools())
    libraries = [library(compiler, name) for name in ("libasan.so", "libubsan.so")]
    settings = {
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    options = ["-q", "-x", "-p", "no:cacheprovider", "--ignore=src", "--numprocesses=auto", "--dist=loadfile"]
    tests = sys.argv[1:] or [test for test in TESTS if (ROOT / test).exists()]
    run = subprocess.run(
        [python, "-m", "pytest", *options, *tests], cwd=ROOT, env={**os.environ, **settings}, check=False
    )
    sys.exit(run.returncode)


def make_environment() -> str:
    """Make an environment that sees the packages of this one, but not this one's own install of Fivefold."""
    venv.create(PLACE / "venv", with_pip=False, symlinks=True)
    here = sysconfig.get_paths()["purelib"]
    purelib = sysconfig.get_paths(vars={"base": str(PLACE / "venv")})["purelib"]
    Path(purelib, "others.pth").write_text(f"{PLACE / 'site'}\n{here}\n", encoding="utf-8")
    return str(PLACE / "venv" / "bin" / "python")


def tools() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def library(compiler: str, name: str) -> str:
    return subprocess.run(
        [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    main()
