"""Build wheel and sdist, look into both, install the wheel into an empty environment and use it there.

Run as `python tools/check_package.py`; the network is needed for the wheel's dependencies. Nothing is written
into the source tree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
BUILD_TOOL = "build>=1.2"
# What a wheel must hold beside its modules, and what neither file may hold.
NEEDED = ("py.typed", "report/templates/page.html.j2", "report/templates/page.js", "data/sets/ATTRIBUTION.md")
NEEDED_IN_SDIST = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "Makefile",
    "meson.build",
    "tests/conftest.py",
)
FORBIDDEN_FOLDERS = {
    "__pycache__",
    ".venv",
    ".git",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    "_build",
}
FORBIDDEN_ENDINGS = (".pyc", ".pyo", ".orig", ".rej", ".part", ".study")
COMPILED = (".so", ".pyd")
COMPILERS = ("cc", "gcc", "g++", "clang", "cython", "meson", "ninja")
MOST_MEGABYTES = 5

CASES = "y,a,b,size,colour\n" + "cat,cat,cat,1.5,red\ndog,dog,cat,2.5,blue\n" * 40
TYPED = """
import fivefold as ff
from typing_extensions import assert_type
assert_type(ff.bits.significance([0, 1], [0, 1]), float)
assert_type(ff.bets.information_reward([0, 1], [0.1, 0.9]), float)
assert_type(ff.data.load("IR"), ff.data.Table)
wrong: str = ff.bits.significance([0, 1], [0, 1])
"""
IMPORTED = """
import types, fivefold as ff
for package in ff.__all__:
    home = getattr(ff, package)
    for name in getattr(home, "__all__", ()) if isinstance(home, types.ModuleType) else ():
        getattr(home, name)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tools = make_environment(place / "tools", BUILD_TOOL)
        call([tools, "-m", "build", "--outdir", str(place / "dist"), str(ROOT)])
        (wheel,), (sdist,) = (place / "dist").glob("*.whl"), (place / "dist").glob("*.tar.gz")
        check_wheel(wheel)
        check_sdist(sdist)
        user = make_environment(place / "user", str(wheel), "mypy")
        use(user, place / "work")
    print("the package is in order")


def make_environment(place: Path, *needed: str) -> str:
    """Make an empty environment, install what is needed and give its interpreter."""
    venv.create(place, with_pip=True)
    python = str(place / ("Scripts" if os.name == "nt" else "bin") / "python")
    call([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *needed])
    return python


def call(words: list[str], *, folder: Path | None = None, path: str | None = None, expected: int = 0) -> str:
    """Run a command; stop where it ends otherwise than expected."""
    apart = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FIVEFOLD_DATA")}
    apart |= {} if path is None else {"PATH": path}
    done = subprocess.run(words, cwd=folder, env=apart, capture_output=True, text=True, check=False)
    if done.returncode != expected:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def check_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    source = ROOT / "src" / "fivefold"
    expected = {f"fivefold/{path.relative_to(source).as_posix()}" for path in shipped(source)}
    expected |= {f"fivefold/{name}" for name in NEEDED}
    complain("the wheel lacks", sorted(expected - set(names)))
    foreign = [name for name in names if not name.startswith("fivefold/") and ".dist-info/" not in name]
    complain("the wheel has what is no part of the package", foreign)
    kernels = {
        f"fivefold/{path.relative_to(source).with_suffix('').as_posix()}" for path in source.rglob("*.pxd")
    }
    compiled = {name.split(".", 1)[0] for name in names if name.endswith(COMPILED)}
    complain("the wheel lacks compiled", sorted(kernels - compiled))
    complain("the wheel has no licence", [] if any("LICENSE" in name for name in names) else ["LICENSE"])
    check_clean(wheel, names)


def check_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = [str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in archive.getnames()]
    complain("the sdist lacks", [name for name in NEEDED_IN_SDIST if name not in names])
    complain("the sdist lacks", [name for name in NEEDED if f"src/fivefold/{name}" not in names])
    complain("the sdist has what is compiled", [name for name in names if name.endswith(COMPILED)])
    check_clean(sdist, names)


def shipped(source: Path) -> Iterable[Path]:
    built_here = (*COMPILED, "meson.build")
    files = (path for path in source.rglob("*") if path.is_file() and not path.name.endswith(built_here))
    return (path for path in files if not is_scrap(str(path.relative_to(source))))


def is_scrap(name: str) -> bool:
    return bool(FORBIDDEN_FOLDERS & set(PurePosixPath(name).parts)) or name.endswith(FORBIDDEN_ENDINGS)


def check_clean(file: Path, names: Iterable[str]) -> None:
    complain(f"{file.name} has scraps", [name for name in names if is_scrap(name)])
    size = file.stat().st_size / 1e6
    complain(f"{file.name} is too large", [f"{size:.1f} MB"] if size > MOST_MEGABYTES else [])
    print(f"{file.name}: {size:.2f} MB, {len(list(names))} files")


def complain(what: str, names: list[str]) -> None:
    if names:
        sys.exit(f"{what}: {', '.join(names[:20])}")


def use(python: str, work: Path) -> None:
    """Do what a newcomer does first, where no compiler can be found."""
    work.mkdir()
    fivefold = str(Path(python).with_name("fivefold"))
    alone = str(Path(python).parent)
    complain("a compiler is within reach", [name for name in COMPILERS if shutil.which(name, path=alone)])
    for words in (["--help"], ["--version"], ["data", "list"], ["learners"]):
        complain("nothing was said by", [] if call([fivefold, *words], folder=work, path=alone) else words)
    (work / "cases.csv").write_text(CASES, encoding="utf-8")
    told = call(
        [fivefold, "report", "cases.csv", "-t", "y", "-p", "a", "-p", "b", "--html", "page.html"],
        folder=work,
        path=alone,
    )
    complain("the report says nothing of", [model for model in "ab" if model not in told])
    page = (work / "page.html").read_text(encoding="utf-8")
    complain("half a page", [] if page.rstrip().endswith("</html>") else [page[-80:]])
    call(
        [fivefold, "report", "cases.csv", "-t", "y", "-m", "1r", "-m", "c45", "--json"],
        folder=work,
        path=alone,
    )
    call([python, "-W", "error", "-c", IMPORTED], folder=work, path=alone)
    (work / "typed.py").write_text(TYPED, encoding="utf-8")
    told = call([python, "-m", "mypy", "--strict", "typed.py"], folder=work, expected=1)
    # the last line of the file is wrong on purpose: it shows that types are seen at all
    wrong = [line for line in told.splitlines() if ": error:" in line]
    complain("types are not as promised", [] if len(wrong) == 1 and "typed.py:7" in wrong[0] else [told])


if __name__ == "__main__":
    main()
