"""Each paper as a study: its jobs, a few of them run for real, and an outcome of whatever is done."""

import hashlib
import json

import pytest
from typer.testing import CliRunner

import fivefold as ff
from fivefold import papers
from fivefold.cli.main import app
from fivefold.papers import Settings
from fivefold.papers.experiment import is_available
from fivefold.report import outcome_markdown, outcome_page
from fivefold.study import Study

# labels of jobs that take less than a second once everything is compiled
CHEAP = {
    "cleary1996": lambda job: job.labels["data"] == "LA" and job.labels["split"] < 2,
    "korb2001": lambda job: job.labels["data"] == "LA" and job.labels["split"] < 1,
    "bailey1993": lambda job: (
        job.labels["concept"] == "dnf1_star"
        and job.labels["learner"] == "FOIL"
        and (job.labels["n"] == 20 or (job.labels["kind"], job.labels["chunk"]) == ("scatter", 0))
    ),
    "andersson1999": lambda job: job.labels["model"] in ("pruned-tree", "1-NN", "10-NN", "ID3"),
}


# SHA-256 of the keys of all jobs of a quick run, which stored results are found by
KEYS = {
    "bailey1993": "383d58a3ffa2",
    "cleary1996": "96310956f1d4",
    "andersson1999": "005814658950",
    "bay2000": "f1cf38acda4d",
    "korb2001": "e531e938d6d9",
}


def run_some(name, store, quick=True, most=None):
    """Run the cheap jobs of a paper under the name that its own study has."""
    jobs = [job for job in papers.paper(name).jobs(Settings(quick)) if CHEAP[name](job)]
    status = Study(f"{name}, seed 0" + ", quick" * quick, jobs[:most], store).run(engine="serial")
    assert status.complete
    return papers.show(name, quick=quick, store=store)


@pytest.mark.parametrize("name", papers.NAMES)
def test_every_job_is_another_one_and_a_quick_run_has_fewer(name):
    jobs = papers.paper(name).jobs
    quick, whole = [job.key for job in jobs(Settings(quick=True))], jobs(Settings())
    assert len(set(quick)) == len(quick) < len(whole)
    first_splits = [job.key for job in whole if job.labels.get("split", 0) == 0]
    assert len(set(first_splits)) == len(first_splits)
    assert set(quick).isdisjoint(job.key for job in jobs(Settings(quick=True, random_state=1)))
    if not all(map(is_available, papers.paper(name).data)):
        pytest.skip("not all data sets are here")
    # where this fails, results that are stored already would be computed again
    assert hashlib.sha256("".join(quick).encode()).hexdigest()[:12] == KEYS[name]


@pytest.mark.parametrize("name", CHEAP)
def test_some_jobs_and_what_can_be_said_of_them(name, tmp_path):
    outcome = run_some(name, tmp_path / "papers.study")
    assert outcome.cells
    assert not outcome.complete
    assert all(cell.mark in ("agrees", "differs", "not comparable") for cell in outcome.cells)
    assert outcome.citation in outcome_markdown(outcome)
    assert "<h1>" in outcome_page(outcome)
    if name == "andersson1999":
        marks = {(cell.row, cell.column): cell.mark for cell in outcome.tables["Table 1"]}
        assert marks["pruned-tree", "measure"] == marks["10-NN", "measure"] == "agrees"
        assert marks["10-NN", "fit"] == marks["10-NN", "similarity right"] == "agrees"
        reasons = {cell.row: cell.reason for cell in outcome.tables["Table 1"]}
        assert "once versicolor and twice virginica" in reasons["1-NN"]


def test_the_command_lists_runs_and_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    listed = runner.invoke(app, ["papers", "list", "--json"])
    assert [row["name"] for row in json.loads(listed.stdout)] == list(papers.NAMES)
    unknown = runner.invoke(app, ["papers", "show", "nobody1900"])
    assert "nobody1900" in str(unknown.exception)
    nothing = runner.invoke(app, ["papers", "show", "bay2000"])
    assert "fivefold papers run bay2000 --quick" in str(nothing.exception)


@pytest.mark.slow
@pytest.mark.published
def test_a_quick_run_from_the_command_line(tmp_path):
    places = {kind: tmp_path / f"out.{kind}" for kind in ("html", "csv", "md")}
    arguments = ["papers", "run", "andersson1999", "--quick", "--store", str(tmp_path / "a.study"), "--json"]
    arguments += ["--html", str(places["html"]), "--csv", str(places["csv"]), "--markdown", str(places["md"])]
    done = CliRunner().invoke(app, [*arguments, "--engine", "serial"], catch_exceptions=False)
    told = json.loads(done.stdout)
    assert told["counts"]["Table 1, formula"]["agrees"] == 7
    assert all(place.stat().st_size > 1000 for place in places.values())
    shown = papers.show("andersson1999", store=tmp_path / "a.study")
    assert shown.notes[0].startswith("This is the quick run; the whole one: not begun.")
    assert len(shown.cells) == sum(sum(kinds.values()) for kinds in told["counts"].values())
    with pytest.raises(ff.errors.InputError, match="it has andersson1999, seed 0, quick"):
        papers.show("andersson1999", quick=False, store=tmp_path / "a.study")


def test_a_data_set_that_is_not_there_is_left_out_and_said(monkeypatch, tmp_path):
    for module in ("experiment", "registry"):
        monkeypatch.setattr(f"fivefold.papers.{module}.is_available", lambda name: name != "SE")
    outcome = run_some("korb2001", tmp_path / "k.study", quick=False, most=3)
    assert not any(job.labels["data"] == "SE" for job in papers.paper("korb2001").jobs(Settings()))
    assert not outcome.complete
    assert "SE" in outcome.notes[-1]
