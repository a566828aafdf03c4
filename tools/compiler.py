"""Print the C compiler to build with; where the machine has none, install the one that PyPI ships (ziglang).

Prints nothing where meson finds a compiler by itself. Run by the Makefile inside the environment that it makes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

USUAL = ("cc", "gcc", "clang", "cl", "icx")
SHIPPED = "ziglang>=0.13"


def main() -> None:
    headers = sysconfig.get_paths()["include"]
    if not Path(headers, "Python.h").exists():
        say(
            f"expected Python's C headers, to build Fivefold's kernels; got none in {headers}.\n"
            "Hint: install them (Debian: apt install python3-dev), or take another Python: make PYTHON=python3.12"
        )
        sys.exit(1)
    if os.environ.get("CC") or any(map(shutil.which, USUAL)) or (os.name == "nt" and visual_studio()):
        return
    say(f"no C compiler ({', '.join(USUAL)}) on this machine: taking the one that PyPI ships ({SHIPPED})")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", SHIPPED]
    if subprocess.run(install, stdout=sys.stderr, check=False).returncode:
        say(
            "expected a C compiler to build Fivefold's kernels; got none, and ziglang could not be installed.\n"
            "Hint: install gcc or clang (Debian: apt install gcc; macOS: xcode-select --install), or install "
            "Fivefold from a wheel, which needs no compiler."
        )
        sys.exit(1)
    print(f"{sys.executable} -m ziglang cc")


def visual_studio() -> bool:
    """Tell whether Microsoft's compiler is installed; it is on no path until asked for."""
    programs = os.environ.get("PROGRAMFILES(X86)")
    return programs is not None and Path(programs, "Microsoft Visual Studio/Installer/vswhere.exe").exists()


def say(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
