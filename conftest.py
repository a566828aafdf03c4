"""Kernels have no doctests of their own: read as sources, they would hide the compiled modules."""

from pathlib import Path

collect_ignore = [str(path.with_suffix(".py")) for path in Path(__file__).parent.glob("src/**/*.pxd")]
