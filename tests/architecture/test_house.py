"""The shape of the house, measured: how many rooms, how deep, and how far a call walks through it.

`pytest tests/architecture -s` prints the figures.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fivefold as ff

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
NOUNS_IN_ING = {
    "fivefold.bets.ranking",
    "fivefold.training",
}
# One room would be longer than 600 lines by a quarter, so two rooms it is, though only one leads to the other.
HALVES = {
    "fivefold.data.batches": "fivefold.data.formats",
    "fivefold.evaluation.comparisons": "fivefold.evaluation.five_views",
    "fivefold.learners.relational_foil.search": "fivefold.learners.relational_foil.estimator",
}


def _name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


FILES = {_name(path): path for path in sorted((SOURCE / "fivefold").rglob("*.py"))}


@cache
def _tree(name: str) -> ast.Module:
    return ast.parse(FILES[name].read_text(encoding="utf-8"))


@cache
def _calls_and_imports(name: str) -> list[ast.AST]:
    kinds = (ast.Call, ast.Import, ast.ImportFrom)
    return [node for node in ast.walk(_tree(name)) if isinstance(node, kinds)]


def _imports(name: str) -> Iterator[str]:
    """Give every module of ours that a module imports, also inside functions."""
    for node in _calls_and_imports(name):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in FILES)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "fivefold":
            for alias in node.names:
                whole = _source(f"{node.module}.{alias.name}")
                yield whole if whole in FILES else _source(node.module)


def _source(name: str) -> str:
    """Give the module that a module is compiled from: X_kernels for X_single and X_double, else itself."""
    return re.sub("_(single|double)$", "_kernels", name)


@cache
def _graph() -> dict[str, set[str]]:
    return {name: {other for other in _imports(name) if other != name} for name in FILES}


def _is_kernel(path: Path) -> bool:
    """Tell whether a module is compiled: its C types stand beside it."""
    return path.with_suffix(".pxd").exists() or path.stem.endswith("_kernels")


def _length(name: str) -> int:
    return len(FILES[name].read_text(encoding="utf-8").splitlines())


def _public() -> set[str]:
    """Give the modules whose names a package offers in its `__init__.pyi`."""
    found = set()
    for stub in (SOURCE / "fivefold").rglob("*.pyi"):
        package = _name(stub.with_suffix(".py"))
        text = stub.read_text(encoding="utf-8")
        found |= {f"{package}.{inner}" for inner in re.findall(r"^from \.([\w.]+) import", text, re.M)}
    return found


def _longest_chains() -> dict[str, tuple[str, ...]]:
    walking: set[str] = set()

    @cache
    def chain(name: str) -> tuple[str, ...]:
        assert name not in walking, f"import cycle through {name}"
        walking.add(name)
        below = max((chain(other) for other in sorted(_graph()[name])), key=len, default=())
        walking.discard(name)
        return (name, *below)

    return {name: chain(name) for name in _graph()}


def test_rooms() -> None:
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES.values())
    print(f"\n{len(FILES)} Python files, {lines} lines")
    assert len(FILES) <= 240
    # 50,989 when the house was rebuilt; docs/decisions/0017-the-house.md says what has come since, and where it is
    assert lines <= 67_000


def test_no_import_cycle_and_no_long_chain() -> None:
    longest = max(_longest_chains().values(), key=len)
    print(f"\nlongest chain of imports: {len(longest)}: {' > '.join(longest)}")
    assert len(longest) <= 20


def test_a_module_with_one_importer_is_a_kernel_a_command_or_public() -> None:
    importers = Counter(other for others in _graph().values() for other in others)
    registered = {f"fivefold.papers.{name}" for name in ff.papers.NAMES}
    excused = _public() | registered
    lonely = [
        name
        for name, path in FILES.items()
        if importers[name] < 2
        and path.name not in ("__init__.py", "__main__.py")
        and not _is_kernel(path)
        and not name.startswith("fivefold.cli.")
        and name not in excused
        and not (name in HALVES and _length(name) + _length(HALVES[name]) > 750)
    ]
    print(f"\nmodules with one importer: {lonely}")
    assert not lonely


def test_every_kernel_is_built() -> None:
    """Each package's meson.build lists its kernels, for meson wants no globs: every .pxd, and nothing else."""
    home = SOURCE / "fivefold"
    listed = (ROOT / "meson.build").read_text(encoding="utf-8").split("packages = [")[1].split("]")[0]
    built = set()
    for package in re.findall(r"'([\w/]+)'", listed):
        for names in re.findall(
            r"foreach kernel : \[(.*)\]", (home / package / "meson.build").read_text("utf-8")
        ):
            built |= {f"{package}/{name}" for name in re.findall(r"'(\w+)'", names)}
    assert built == {path.relative_to(home).with_suffix("").as_posix() for path in home.rglob("*.pxd")}


def test_modules_are_nouns_of_the_field() -> None:
    gerunds = {name for name in FILES if name.endswith("ing")}
    print(f"\nmodules that end in -ing: {sorted(gerunds)}")
    assert gerunds <= NOUNS_IN_ING


def test_a_name_of_a_class_says_of_what() -> None:
    names = Counter(
        node.name
        for name in FILES
        for node in _tree(name).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    common = {name: n for name, n in names.items() if n > 2}
    print(f"\nnames that more than two classes have: {common}")
    assert not common
    assert "Cases" not in names


def test_no_module_of_ours_is_imported_by_string() -> None:
    for name in FILES:
        for node in _calls_and_imports(name):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("import_module", "__import__")
            ):
                assert "fivefold" not in ast.unparse(node), f"{name} imports {ast.unparse(node)}"


def test_no_module_hides_a_function_of_its_package() -> None:
    """With lazy loading, importing the module would put it in the place of a function of the same name."""
    for stub in (SOURCE / "fivefold").rglob("*.pyi"):
        for imported in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(imported, ast.ImportFrom) and imported.module:
                for alias in imported.names:
                    assert not (stub.parent / f"{alias.name}.py").exists(), f"{alias.name} in {stub}"
                    assert not (stub.parent / alias.name / "__init__.py").exists(), f"{alias.name} in {stub}"


def test_the_contract_has_no_exemption() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    for contract in settings["contracts"]:
        assert contract["exhaustive"] is True
        assert not {"ignore_imports", "exhaustive_ignores"} & contract.keys()


# How far a call walks: the modules of ours in which a Python function ran, after a first call that loads all.


def _visited(call: Callable[[], Any]) -> set[str]:
    call()
    seen: set[str] = set()

    def watch(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":  # typer evaluates annotations
            name = frame.f_globals.get("__name__", "")
            if name.startswith("fivefold"):
                seen.add(name)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


@pytest.fixture(scope="module")
def table() -> Any:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    n = 600
    table = pd.DataFrame({"age": rng.integers(18, 80, n), "job": rng.choice(["cook", "smith", "clerk"], n)})
    table["y"] = rng.choice(["no", "yes"], n)
    for name, skill in (("first", 0.8), ("second", 0.7)):
        table[name] = np.where(rng.random(n) < skill, table["y"], "no")
        table[f"{name}:yes"] = np.clip(rng.normal(0.5 + 0.2 * (table["y"] == "yes"), 0.15), 0.01, 0.99)
        table[f"{name}:no"] = 1 - table[f"{name}:yes"]
    return table


def test_find_errors_walks_through_few_modules(table: Any) -> None:
    attributes, y_true, y_pred = table[["age", "job"]], table["y"].to_numpy(), table["first"].to_numpy()
    seen = _visited(lambda: ff.slices.find_errors(attributes, y_true, y_pred))
    print(f"\nfind_errors: {len(seen)} modules: {sorted(seen)}")
    assert len(seen) <= 15
    # what was found is put into words when it is looked at
    told = _visited(lambda: ff.slices.find_errors(attributes, y_true, y_pred)[0].sentence)
    print(f"with its sentences: also {sorted(told - seen)}")
    assert len(told) <= 17


def test_estimate_error_walks_through_few_modules(table: Any) -> None:
    from sklearn.tree import DecisionTreeClassifier

    X, y = table[["age", "first:yes"]].to_numpy(), table["y"].to_numpy()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    seen = _visited(lambda: ff.truth.estimate_error(tree, X, y, random_state=0))
    print(f"\nestimate_error: {len(seen)} modules: {sorted(seen)}")
    assert len(seen) <= 15


def test_a_report_walks_through_few_modules(table: Any, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from fivefold.cli.main import app

    path = tmp_path / "predictions.csv"
    table.to_csv(path, index=False)
    words = ["report", str(path), "--target", "y", "--prediction", "first", "--prediction", "second"]
    words += ["--probability-prefix", "{}:", "--html", str(tmp_path / "report.html")]

    def report() -> None:
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output

    seen = _visited(report)
    print(f"\nreport of two models: {len(seen)} modules: {sorted(seen)}")
    assert len(seen) <= 60
