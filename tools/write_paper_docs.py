"""Write docs/papers from whole runs: `python tools/write_paper_docs.py FOLDER [NAME ...]`.

FOLDER has NAME.study of each paper. With `--run` (`make papers`) what is not yet done is run first; a file that
was made with other code is thrown away. Pages of the named papers are written, or of all; the index needs all.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import paper_inputs
from fivefold import papers
from fivefold.papers import Outcome, Settings
from fivefold.papers.registry import study_of
from fivefold.report import outcome_markdown, summary_markdown
from fivefold.results import write_text

DOCS = Path(__file__).parents[1] / "docs" / "papers"
_SECONDS = 20.0
_KINDS = ("kind", "scheme", "learner", "model", "variant", "engine", "query")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(papers.NAMES))
    parser.add_argument("--run", action="store_true", help="run first what is not yet done")
    asked = parser.parse_args()
    made = paper_inputs.recorded()
    for name in asked.names or papers.NAMES:
        store = asked.folder / f"{name}.study"
        outcome = _run(name, store) if asked.run else papers.show(name, quick=False, store=store)
        if not outcome.complete:
            sys.exit(f"{name} is no whole run: {outcome.status}")
        with TemporaryDirectory() as folder:
            done = _quickest(name, store)
            jobs = [job for job in papers.paper(name).jobs(Settings()) if job.key in done]
            today = paper_inputs.results(jobs, Path(folder) / "again.study")
            if other := paper_inputs.differing(done, today):
                sys.exit(f"{store} was made with other code: {other[0]} comes out otherwise. Run it anew.")
            probe = paper_inputs.results(paper_inputs.probe_jobs(name), Path(folder) / "probe.study")
        found = paper_inputs.inputs(name)
        # how long the jobs took hangs on what else the machine did
        outcome = replace(outcome, status=outcome.status.partition("; its jobs took")[0])
        text = outcome_markdown(outcome).replace("see what was tried", "see [what was tried](tried.md)")
        page = f"{text}\n{paper_inputs.line(found)}\n"
        write_text(DOCS / f"{name}.md", page)
        made[name] = {"inputs": found, "probe": probe}
        write_text(paper_inputs.MADE, json.dumps(made, indent=1, sort_keys=True) + "\n")
    _write_index(asked.folder)


def _run(name: str, store: Path) -> Outcome:
    """Go on with a run, or begin it anew where the learners' code is another."""
    code, note = paper_inputs.inputs(name)["code"], store.with_suffix(".code")
    if store.exists() and (not note.exists() or note.read_text("utf-8") != code):
        print(f"{store} was made with other code and begins anew", file=sys.stderr)
        for path in store.parent.glob(f"{store.name}*"):
            path.unlink()
    store.parent.mkdir(parents=True, exist_ok=True)
    write_text(note, code)
    return papers.run(name, store=store)


def _quickest(name: str, store: Path) -> dict[str, dict[str, Any]]:
    """Choose the quickest jobs, one of each kind, with their results, to be run again."""
    frame = study_of(papers.paper(name), Settings(), store).frame(timings=True).sort("seconds", "key")
    chosen: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in frame.iter_rows(named=True):
        kind = tuple(value for label, value in row.items() if label in _KINDS)
        chosen.setdefault(kind, row)
    left, kept = _SECONDS, {}
    for row in sorted(chosen.values(), key=lambda row: row["seconds"]):
        left -= row["seconds"]
        if left > 0 or not kept:
            kept[row["key"]] = paper_inputs.short(row)
    return kept


def _is_whole(name: str, store: Path) -> bool:
    return study_of(papers.paper(name), Settings(), store).status().complete


def _write_index(folder: Path) -> None:
    stores = {name: folder / f"{name}.study" for name in papers.NAMES}
    absent = [name for name, path in stores.items() if not (path.exists() and _is_whole(name, path))]
    if absent:
        print(f"the index is left as it is: no whole run of {', '.join(absent)} in {folder}", file=sys.stderr)
        return
    outcomes = [papers.show(name, quick=False, store=path) for name, path in stores.items()]
    toctree = "\n```{toctree}\n:hidden:\n" + "\n".join((*papers.NAMES, "tried")) + "\n```\n"
    write_text(DOCS / "index.md", summary_markdown(outcomes) + toctree)


if __name__ == "__main__":
    main()
