"""Each paper as a study: its jobs, a few of them run for real, and an outcome of whatever is done."""

import json

import pytest
from typer.testing import CliRunner

from fivefold import papers
from fivefold.cli.main import app
from fivefold.papers.experiment import Settings
from fivefold.papers.running import _study
from fivefold.report.paper_report import outcome_markdown, outcome_page
from fivefold.study import Study

# labels of jobs that take less than a second once everything is compiled
CHEAP = {
    "cleary1996": lambda job: job.labels["data"] == "LA" and job.labels["split"] < 2,
    "korb2001": lambda job: job.labels["data"] == "LA" and job.labels["split"] < 3,
    "bailey1993": lambda job: job.labels["n"] == 20 or (job.labels["n"] == 100 and job.labels["chunk"] == 0),
    "andersson1999": lambda job: job.labels["model"] in ("pruned-tree", "1-NN", "10-NN", "ID3"),
}


@pytest.mark.parametrize("name", papers.NAMES)
def test_every_job_is_another_one_and_a_quick_run_has_fewer(name):
    chosen = papers.paper(name)
    whole, quick = chosen.jobs(Settings()), chosen.jobs(Settings(quick=True))
    assert len({job.key for job in whole}) == len(whole)
    assert 0 < len(quick) < len(whole)
    other = chosen.jobs(Settings(seed=1))
    assert {job.key for job in whole} != {job.key for job in other}


@pytest.mark.parametrize("name", CHEAP)
def test_some_jobs_and_what_can_be_said_of_them(name, tmp_path):
    store, settings = tmp_path / "papers.study", Settings(quick=True)
    chosen = papers.paper(name)
    some = [job for job in chosen.jobs(settings) if CHEAP[name](job)]
    study = _study(chosen, settings, store)
    status = Study(study.name, some, store).run(engine="serial")
    assert status.complete, study.failures()
    outcome = papers.show(name, quick=True, store=store)
    assert outcome.cells
    assert not outcome.complete
    assert all(cell.mark in ("agrees", "differs", "not comparable") for cell in outcome.cells)
    assert outcome.citation in outcome_markdown(outcome)
    assert "<h1>" in outcome_page(outcome)


def test_the_pruned_tree_and_ten_neighbours_are_the_papers(tmp_path):
    chosen, settings = papers.paper("andersson1999"), Settings(quick=True)
    some = [job for job in chosen.jobs(settings) if job.labels["model"] in ("pruned-tree", "10-NN")]
    name = _study(chosen, settings, tmp_path / "p.study").name
    Study(name, some, tmp_path / "p.study").run(engine="serial")
    outcome = papers.show("andersson1999", quick=True, store=tmp_path / "p.study")
    marks = {(cell.row, cell.column): cell.mark for cell in outcome.tables["Table 1"]}
    assert marks["pruned-tree", "measure"] == marks["10-NN", "measure"] == "agrees"
    assert marks["10-NN", "fit"] == marks["10-NN", "similarity right"] == "agrees"


def test_the_command_lists_runs_and_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    listed = runner.invoke(app, ["papers", "list", "--json"])
    assert [row["name"] for row in json.loads(listed.stdout)] == list(papers.NAMES)
    unknown = runner.invoke(app, ["papers", "show", "nobody1900"])
    assert "nobody1900" in str(unknown.exception)
    nothing = runner.invoke(app, ["papers", "show", "bay2000"])
    assert "run the study first" in str(nothing.exception)


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


def test_a_data_set_that_is_not_there_is_left_out_and_said(monkeypatch, tmp_path):
    monkeypatch.setattr("fivefold.papers.experiment.is_available", lambda name: name != "SE")
    monkeypatch.setattr("fivefold.papers.experiment.is_available", lambda name: name != "SE")
    chosen = papers.paper("korb2001")
    some = [job for job in chosen.jobs(Settings()) if CHEAP["korb2001"](job)]
    assert not any(job.labels["data"] == "SE" for job in chosen.jobs(Settings()))
    name = _study(chosen, Settings(), tmp_path / "k.study").name
    Study(name, some[:3], tmp_path / "k.study").run(engine="serial")
    outcome = papers.show("korb2001", store=tmp_path / "k.study")
    assert not outcome.complete
    assert "SE" in outcome.notes[-1]
