"""What a page of docs/papers was made with: printed numbers, code, jobs with their data, as short hashes.

Code counts without its comments and docstrings. `python tools/write_paper_docs.py` writes the hashes, with the
results of a few small jobs, to docs/papers/made.json; a test compares them with those of today. Where only code of
learners and views has changed, the small jobs are run again: the page is stale if they come out otherwise.
"""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fivefold import papers
from fivefold.papers import Settings
from fivefold.study import Job, Study

SOURCE = Path(papers.__file__).parents[1]
MADE = Path(__file__).parents[1] / "docs" / "papers" / "made.json"
STRICT = ("printed", "module", "framework", "jobs")
_FRAMEWORK = ("claims", "comparison", "experiment", "printed")
# packages whose code can change a number; what only shows, stores or runs is left out
_COUNTED = ("bets", "bits", "borders", "data", "inputs", "learners", "slices", "training", "truth")


def inputs(name: str) -> dict[str, str]:
    """Give the hash of everything that a page depends on, by kind."""
    folder = SOURCE / "papers"
    printed = tomllib.loads((folder / "published" / f"{name}.toml").read_text("utf-8"))
    jobs = [job.key for job in papers.paper(name).jobs(Settings()) if job.labels.get("split", 0) == 0]
    return {
        "printed": _hash([json.dumps(printed)]),
        "module": _hash([bare((folder / f"{name}.py").read_text("utf-8"))]),
        "framework": _hash(bare((folder / f"{part}.py").read_text("utf-8")) for part in _FRAMEWORK),
        "jobs": _hash(jobs),
        "code": _hash(map(_bare_file, _used(folder / f"{name}.py"))),
    }


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


@cache
def bare(source: str) -> str:
    """Give Python code without comments, docstrings and layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return ast.dump(tree)


def _bare_file(path: Path) -> str:
    text = path.read_text("utf-8")
    return bare(text) if path.suffix == ".py" else text


def _used(module: Path) -> list[Path]:
    """Find the files of data, learners and views that a paper's module imports, and what these import in turn."""
    reached: set[Path] = set()
    open_ones = [module]
    while open_ones:
        source = open_ones.pop().read_text("utf-8")
        imported = {path for name in _imports(source) for path in _files(name)}
        new = {path for path in imported - reached if path.relative_to(SOURCE).parts[0] in _COUNTED}
        reached |= new
        open_ones += new
    # one file of a kernel may be compiled under several names
    beside = (folder.glob(kind) for folder in {p.parent for p in reached} for kind in ("_*.py", "*.px[di]"))
    return sorted(reached.union(*beside))


@cache
def _imports(source: str) -> tuple[str, ...]:
    """Name the modules of Fivefold that code imports, with what it takes from them: a name, or a module."""
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom))
    own = (node for node in nodes if (node.module or "").startswith("fivefold"))
    return tuple(f"{node.module}.{alias.name}" for node in own for alias in node.names)


def _files(name: str) -> list[Path]:
    """Give the file of a dotted name; for a whole package all of its files."""
    place = SOURCE.joinpath(*name.split(".")[1:])
    if place.is_dir():
        return list(place.rglob("*.py"))
    return [path for path in (place.with_suffix(".py"), place.parent.with_suffix(".py")) if path.exists()][:1]


def line(found: dict[str, str]) -> str:
    """Write the hashes as a page has them."""
    return "Made with " + ", ".join(f"{kind} `{found[kind]}`" for kind in (*STRICT, "code")) + "."


def recorded() -> dict[str, Any]:
    """Read what the pages were made with."""
    return json.loads(MADE.read_text("utf-8")) if MADE.exists() else {}


# Of the jobs of a whole run those with such labels, one of each kind, with less to do: a second or less each.
_PROBED: dict[str, dict[str, tuple[Any, ...]]] = {
    "bailey1993": {"concept": ("dnf1_star",), "n": (100,)},
    "cleary1996": {"data": ("HE",)},
    "andersson1999": {
        "seed": (0,),
        "model": ("ID3", "pruned-tree", "backprop-2", "1-NN", "10-NN", "measure-based"),
    },
    "bay2000": {"query": ("MC4 errors", "NB vs SP"), "least": (2,)},
    "korb2001": {"data": ("HE",)},
}
_LESS: dict[str, dict[str, Any]] = {"bailey1993": {"sets": 2}, "bay2000": {"samples": 0}}
_STATE, _LONG = ("key", "seconds", "state", "error"), 2000
# Scikit-learn's network is trained in hundreds of matrix products, whose last digits depend on the processor:
# on two kinds of processor its border size differed in the fifth digit.
_ROUNDED = {"backprop-2": 1e-3}


def probe_jobs(name: str) -> list[Job]:
    """Give a small job of every kind of work behind a page: each learner in each reading, each engine."""
    chosen: dict[tuple[Any, ...], Job] = {}
    for job in papers.paper(name).jobs(Settings()):
        if all(job.labels[label] in values for label, values in _PROBED[name].items()):
            kind = tuple(value for label, value in job.labels.items() if label not in ("chunk", "split"))
            chosen.setdefault(kind, replace(job, params={**job.params, **_LESS.get(name, {})}))
    return list(chosen.values())


def results(jobs: Sequence[Job], store: Path) -> dict[str, dict[str, Any]]:
    """Run jobs, and give labels and numbers by key; texts that are too long to be kept are left out."""
    study = Study("probe", jobs, store)
    if not study.run(engine="serial", progress=False).complete:
        raise RuntimeError(study.frame(timings=True)["error"].drop_nulls()[0])
    return {row["key"]: short(row) for row in study.frame().iter_rows(named=True)}


def short(row: Mapping[str, Any]) -> dict[str, Any]:
    """Keep of a finished job what may be compared."""
    return {name: value for name, value in row.items() if name not in _STATE and len(str(value)) < _LONG}


def differing(known: Mapping[str, Mapping[str, Any]], today: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Name what comes out otherwise today; other code may give the same results."""
    if set(known) != set(today):
        return ["the choice of jobs"]
    return [
        f"{column} of {dict(list(row.items())[:3])}"
        for key, row in known.items()
        for column, value in row.items()
        if not _same(today[key].get(column), value, _ROUNDED.get(row.get("model", ""), 1e-6))
    ]


def _same(ours: Any, theirs: Any, rtol: float) -> bool:
    if isinstance(ours, str) and isinstance(theirs, str) and ours[:1] == theirs[:1] == "[":
        ours, theirs = json.loads(ours), json.loads(theirs)
    try:
        return bool(np.allclose(ours, theirs, rtol=rtol, equal_nan=True))
    except (TypeError, ValueError):
        return bool(ours == theirs)
