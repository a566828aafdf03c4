"""The pages of docs/papers are those of today's numbers, code, jobs and data; otherwise `make papers`."""

import importlib.util
from pathlib import Path

import pytest

from fivefold import papers
from fivefold.papers.experiment import is_available

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "papers"


def _tool():
    spec = importlib.util.spec_from_file_location("paper_inputs", ROOT / "tools" / "paper_inputs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


@pytest.mark.parametrize("name", papers.NAMES)
def test_the_page_was_made_with_what_is_there_today(name, tmp_path):
    absent = [data for data in papers.paper(name).data if not is_available(data)]
    if absent:
        pytest.skip(f"not all data sets are here: {', '.join(absent)}")
    made, today = TOOL.recorded()[name], TOOL.inputs(name)
    assert TOOL.line(made["inputs"]) in (DOCS / f"{name}.md").read_text("utf-8")
    changed = [kind for kind in TOOL.STRICT if made["inputs"][kind] != today[kind]]
    assert not changed, f"docs/papers/{name}.md is stale: {', '.join(changed)} changed. Run `make papers`."
    if made["inputs"]["code"] != today["code"]:
        other = TOOL.differing(name, made["probe"], tmp_path / "probe.study")
        assert not other, (
            f"docs/papers/{name}.md is stale: {other[0]} comes out otherwise. Run `make papers`."
        )


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (1.0, 1.0 + 1e-9, True),
        (1.0, 1.1, False),
        ("[1.0, 2.0]", "[1.0, 2.0000000001]", True),
        (None, 1.0, False),
    ],
)
def test_results_are_the_same_up_to_rounding(ours, theirs, same):
    assert TOOL._same(ours, theirs) is same


def test_words_do_not_count_as_code_and_numbers_do():
    code = 'def f(x):\n    """Say it."""\n    return x + 1  # why\n'
    assert TOOL.bare(code) == TOOL.bare("def f(x):\n\n    return (x + 1)\n")
    assert TOOL.bare(code) != TOOL.bare(code.replace("1", "2"))


def test_the_code_of_a_paper_is_that_of_its_learners_and_views():
    used = {
        str(path.relative_to(TOOL.SOURCE)) for path in TOOL._used(TOOL.SOURCE / "papers" / "cleary1996.py")
    }
    assert {"learners/trees/_c45_kernels.py", "learners/trees/_c45_types.pxi", "bits/codes.py"} <= used
    assert not any(path.startswith(("slices", "cli", "report")) for path in used)
