"""Plans in TOML files."""

from __future__ import annotations

import tomllib
from os import PathLike
from pathlib import Path

from fivefold.errors import InputError, InputTypeError, show
from fivefold.study.plan import Plan, make_plan

_PARTS = ("name", "seed", "data", "learners", "splits", "views")


def read_plan(path: str | PathLike[str]) -> Plan:
    """Read a plan from a TOML file; the arguments of `make_plan` are its keys.

    Parameters
    ----------
    path : path
        The file. The paths of data in it are relative to its folder; its name is that of the study unless it says
        otherwise.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "first.toml")
    >>> _ = path.write_text('''
    ... data = ["BC", "IR"]
    ... learners = ["1r", "c45"]
    ... splits = { repeats = 5, train = "2/3" }
    ... ''')
    >>> read_plan(path)
    Plan 'first': 2 data sets x 2 learners x 5 splits x 3 views
    """
    if not isinstance(path, str | PathLike):
        raise InputTypeError("a path to a plan", f"{show(path)} ({type(path).__name__})")
    path = Path(path)
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(
            "a plan in TOML", f"{str(path)!r} ({problem})", "docs/study.md shows the format"
        ) from problem
    for name in told:
        if name not in _PARTS:
            raise InputError(f"a plan with {', '.join(_PARTS)}", f"{show(name)} in {str(path)!r}")
    for name in ("data", "learners"):
        if name not in told:
            raise InputError(f"{name} in the plan", f"{str(path)!r} without", f"add [{name}]")
    return make_plan(told.pop("name", path.stem), **told, folder=path.parent)


def default_store(plan: Path) -> Path:
    """Give the file of results that goes with a plan: the same name with the ending ``.study``."""
    return plan.with_suffix(".study")
