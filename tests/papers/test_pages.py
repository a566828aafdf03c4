"""The pages of docs/papers are those of today's numbers, code, jobs and data; otherwise `make papers`."""

import importlib.util
import shutil
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
        other = TOOL.differing(made["probe"], TOOL.results(TOOL.probe_jobs(name), tmp_path / "probe.study"))
        assert not other, (
            f"docs/papers/{name}.md is stale: {other[0]} comes out otherwise. Run `make papers`."
        )


def _rows(text, heading):
    """Give the cells of the table under a heading, without its head."""
    part = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_the_index_tells_what_the_pages_tell():
    index = (DOCS / "index.md").read_text("utf-8")
    claims, counts = _rows(index, "Do their conclusions stand?"), _rows(index, "Cells")
    pages = {name: (DOCS / f"{name}.md").read_text("utf-8") for name in papers.NAMES}
    told = {name: _rows(page, "Do its conclusions stand?") for name, page in pages.items()}
    assert claims == [[name, row[0].strip("*"), row[1]] for name, rows in told.items() for row in rows]
    tables = [[name, *row] for name, page in pages.items() for row in _rows(page, "Cells")]
    assert counts[:-1] == tables
    assert counts[-1][2:] == [str(sum(int(row[place]) for row in tables)) for place in (2, 3, 4)]
    assert f"{counts[-1][3]} cells differ" in index


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
    assert (not TOOL.differing({"job": {"number": ours}}, {"job": {"number": theirs}})) is same


def test_networks_may_differ_in_the_digits_that_depend_on_the_processor():
    other = {"job": {"model": "backprop-2", "border_size": 2.5709}}
    assert not TOOL.differing({"job": {"model": "backprop-2", "border_size": 2.5706}}, other)
    assert TOOL.differing({"job": {"model": "backprop-2", "border_size": 2.58}}, other)


def test_words_do_not_count_as_code_and_numbers_do():
    code = 'def f(x):\n    """Say it."""\n    return x + 1  # why\n'
    assert TOOL.bare(code) == TOOL.bare("def f(x):\n\n    return (x + 1)\n")
    assert TOOL.bare(code) != TOOL.bare(code.replace("1", "2"))


def test_the_code_of_a_paper_is_that_of_its_data_learners_and_views_and_of_what_these_use():
    used = {
        str(path.relative_to(TOOL.SOURCE)) for path in TOOL._used(TOOL.SOURCE / "papers" / "cleary1996.py")
    }
    assert {"learners/trees/_c45_kernels.py", "learners/trees/_c45_types.pxi", "bits/codes.py"} <= used
    # imported by what the module imports
    assert {"learners/rule_answers.py", "data/cut_points.py", "inputs/columns.py"} <= used
    assert not any(path.startswith(("slices", "cli", "report", "papers", "study")) for path in used)


CHANGES = {
    "printed": ("papers/published/andersson1999.toml", "1.208", "1.209"),
    "module": ("papers/andersson1999.py", "26_500", "26_501"),
    "framework": ("papers/claims.py", "ALPHA = 0.05", "ALPHA = 0.06"),
    "code": ("learners/theories.py", "import annotations\n", "import annotations\nx = 0\n"),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_changed_number_or_line_of_code_makes_a_page_stale(kind, tmp_path, monkeypatch):
    before = TOOL.inputs("andersson1999")
    shutil.copytree(TOOL.SOURCE, tmp_path / "fivefold", ignore=shutil.ignore_patterns("*.so", "sets"))
    path, old, new = CHANGES[kind]
    place = tmp_path / "fivefold" / path
    assert old in place.read_text("utf-8")
    place.write_text(place.read_text("utf-8").replace(old, new), "utf-8")
    monkeypatch.setattr(TOOL, "SOURCE", tmp_path / "fivefold")
    after = TOOL.inputs("andersson1999")
    assert {name for name in before if before[name] != after[name]} == {kind}


def test_changed_settings_and_changed_rows_make_a_page_stale(monkeypatch):
    before = TOOL.inputs("andersson1999")
    monkeypatch.setattr("fivefold.papers.andersson1999.N_SEEDS", 19)
    assert TOOL.inputs("andersson1999")["jobs"] != before["jobs"]
    monkeypatch.undo()
    monkeypatch.setattr("fivefold.papers.andersson1999.known_as", lambda name: "rows of another file")
    assert TOOL.inputs("andersson1999")["jobs"] != before["jobs"]


@pytest.mark.parametrize("name", papers.NAMES)
def test_small_jobs_are_of_every_learner_and_engine_that_a_page_shows(name):
    if name == "cleary1996" and not is_available("HE"):
        pytest.skip("HE is not here")
    labels = ("learner", "scheme", "variant", "model", "engine", "kind")
    whole, probed = (
        {(label, job.labels[label]) for job in jobs for label in labels if label in job.labels}
        for jobs in (papers.paper(name).jobs(papers.Settings()), TOOL.probe_jobs(name))
    )
    # two networks are of one kind, and one of them takes three seconds
    assert whole - probed <= {("model", "backprop-30")}


def test_another_number_of_a_small_job_is_named():
    known = {"a": {"data": "HE", "correct": 70.5}}
    assert not TOOL.differing(known, {"a": {"data": "HE", "correct": 70.5 + 1e-9, "more": 1}})
    assert TOOL.differing(known, {"a": {"data": "HE", "correct": 71.0}}) == [
        "correct of {'data': 'HE', 'correct': 70.5}"
    ]
    assert TOOL.differing(known, {"b": {"data": "HE", "correct": 70.5}}) == ["the choice of jobs"]
