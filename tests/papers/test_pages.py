"""The pages of docs/papers are those of today's numbers, code, jobs and data; otherwise `make papers`."""

import importlib.util
import json
from pathlib import Path

import pytest

from fivefold import papers
from fivefold.papers import Settings
from fivefold.papers.experiment import is_available
from fivefold.study import Study

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
    if name not in TOOL.recorded():
        pytest.skip("the page was made before pages had records")
    made, today = TOOL.recorded()[name], TOOL.inputs(name)
    assert TOOL.line(made["inputs"]) in (DOCS / f"{name}.md").read_text("utf-8")
    changed = [kind for kind in TOOL.STRICT if made["inputs"][kind] != today[kind]]
    assert not changed, f"docs/papers/{name}.md is stale: {', '.join(changed)} changed. Run `make papers`."
    if made["inputs"]["code"] != today["code"]:
        _compare_probe(name, made["probe"], tmp_path / "probe.study")


def _compare_probe(name, probe, store):
    """Run a few quick jobs again: code that has changed may still give the same results."""
    jobs = [job for job in papers.paper(name).jobs(Settings()) if job.key in probe]
    assert len(jobs) == len(probe) > 0
    study = Study("probe", jobs, store)
    assert study.run(engine="serial", progress=False).complete
    for row in study.frame().iter_rows(named=True):
        for column, value in probe[row["key"]].items():
            ours = json.loads(row[column]) if _is_list(row.get(column)) else row.get(column)
            theirs = json.loads(value) if _is_list(value) else value
            message = f"docs/papers/{name}.md is stale: {column} of a job is another. Run `make papers`."
            assert ours == (theirs if isinstance(theirs, str) else pytest.approx(theirs, rel=1e-6)), message


def _is_list(value):
    return isinstance(value, str) and value.startswith("[")


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
