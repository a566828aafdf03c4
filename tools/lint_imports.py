"""Run import-linter on the sources: an editable install shows it a loader in the place of the package's folder."""

from __future__ import annotations

import sys
from pathlib import Path

from importlinter.cli import lint_imports_command

sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "MesonpyMetaFinder"]
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

if __name__ == "__main__":
    lint_imports_command()
