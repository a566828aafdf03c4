"""What the documents say of the house is what the house is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import fivefold as ff

ROOT = Path(__file__).parents[2]
NAMESPACES = sorted(name for name in ff.__all__ if isinstance(getattr(ff, name), ModuleType))


def _layers() -> list[set[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return [{part.strip(" ()") for part in row.split("|")} for row in settings["contracts"][0]["layers"]]


def test_the_diagram_of_contributing_is_the_import_contract() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = re.search(r"```mermaid\n(.*?)```", text, re.S)
    assert block, "CONTRIBUTING.md has no diagram"
    nodes = dict(re.findall(r"^\s*(\w+)\[\"([^\"]+)\"\]", block[1], re.M))
    arrows = re.findall(r"^\s*(\w+) --> (\w+)", block[1], re.M)
    below = dict(arrows)
    assert len(below) == len(arrows) == len(nodes) - 1, "one arrow from each layer to the next"
    first = next(iter(nodes.keys() - set(below.values())))
    order = [first]
    while order[-1] in below:
        order.append(below[order[-1]])
    drawn = [{part.strip() for part in nodes[node].split("|")} for node in order]
    assert drawn == _layers()


def _named_in_api() -> set[str]:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    named = set()
    for module, block in re.findall(r"currentmodule:: ([\w.]+)\n(.*?)```", text, re.S):
        named |= {f"{module}.{name}" for name in re.findall(r"^   (\w+)$", block, re.M)}
    return named


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_exported_name_has_a_page(namespace: str) -> None:
    exported = {f"fivefold.{namespace}.{name}" for name in getattr(ff, namespace).__all__}
    named = {name for name in _named_in_api() if name.startswith(f"fivefold.{namespace}.")}
    assert exported == named


def test_the_whole_calls_have_pages() -> None:
    assert {f"fivefold.{name}" for name in ff.__all__ if name not in NAMESPACES} <= _named_in_api()


def test_every_decision_has_a_status_and_a_date() -> None:
    for path in sorted((ROOT / "docs" / "decisions").glob("0*.md")):
        text = path.read_text(encoding="utf-8")
        assert re.search(
            r"^Status: (accepted|replaced by \d{4}|withdrawn)[^\n]*, \d{4}-\d\d-\d\d", text, re.M
        ), path.name


def test_every_promise_is_short_has_details_and_its_command_runs_some_test() -> None:
    text = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    tables, details = text.split("\n## The details\n")
    rows = [line.strip("| ").split(" | ") for line in tables.splitlines() if line.startswith("| ")]
    rows = [row for row in rows if row[0] != "claim"]
    assert len(rows) > 40
    headings = re.findall(r"^#### (.+)$", details, re.M)
    anchors = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    linked = []
    for linked_claim, promise, measured, command in rows:
        link = re.fullmatch(r"\[(.+)\]\(#([\w-]+)\)", linked_claim)
        assert link, f"no link to the details of {linked_claim}"
        claim = link[1]
        linked.append(link[2])
        assert max(len(claim), len(promise), len(measured)) <= 90, claim
        files = re.findall(r"tests/\S+\.py", command)
        wanted = re.search(r"-k (?:\"([^\"]+)\"|(\w+))", command)
        words = (wanted[1] or wanted[2]).split(" or ") if wanted else ["test_"]
        names = [
            name
            for file in files
            for name in re.findall(r"def (test_\w+)", (ROOT / file).read_text(encoding="utf-8"))
        ]
        for word in words:
            assert any(word in name for name in names), (claim, word)
    assert len(set(anchors)) == len(anchors)
    assert sorted(linked) == sorted(anchors), "each claim has its details, and all details a claim"
