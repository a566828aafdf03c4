"""Write docs/papers from finished runs: `python tools/write_paper_docs.py FOLDER` with NAME.study files in FOLDER.

Make those with `fivefold papers run NAME --store FOLDER/NAME.study` for each paper.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fivefold import papers
from fivefold.report import outcome_markdown, summary_markdown
from fivefold.results import write_text

DOCS = Path(__file__).parents[1] / "docs" / "papers"


def main(folder: str) -> None:
    outcomes = [papers.show(name, store=Path(folder) / f"{name}.study") for name in papers.NAMES]
    DOCS.mkdir(exist_ok=True)
    for outcome in outcomes:
        write_text(DOCS / f"{outcome.paper}.md", outcome_markdown(outcome))
    toctree = "\n```{toctree}\n:hidden:\n" + "\n".join(papers.NAMES) + "\n```\n"
    write_text(DOCS / "index.md", summary_markdown(outcomes) + toctree)


if __name__ == "__main__":
    main(*sys.argv[1:])
