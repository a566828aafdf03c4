"""What pytest does not collect by itself."""

from pathlib import Path

ROOT = Path(__file__).parent

# Read as sources, kernels would hide the compiled modules; they have no doctests of their own.
collect_ignore = [str(path.with_suffix(".py")) for path in ROOT.glob("src/**/*.pxd")]
# Pages with commands need a folder and their order: tests/cli/test_pages.py runs them, their Python too.
collect_ignore += [
    str(path) for path in ROOT.glob("docs/**/*.md") if "```console" in path.read_text(encoding="utf-8")
]
