"""Run a paper's experiment as a study, and read what it has found so far."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

from fivefold.papers.comparison import Outcome
from fivefold.papers.experiment import Paper, Settings, is_available
from fivefold.papers.registry import paper
from fivefold.study.results import Status, say_seconds
from fivefold.study.study import Study


def default_store(name: str) -> str:
    """Name the file of results where none is given."""
    return f"{name}.study"


def run(
    name: str,
    *,
    quick: bool = False,
    seed: int = 0,
    store: str | PathLike[str] | None = None,
    engine: str = "joblib",
    n_jobs: int | None = None,
    address: str | None = None,
    progress: bool | None = None,
) -> Outcome:
    """Run what is not yet done of a paper's experiment, and compare it with the published numbers.

    Parameters
    ----------
    name : str
        A paper: ``fivefold.papers.NAMES``.
    quick : bool
        Fewer repetitions and the smaller data sets only: under two minutes on two cores.
    seed : int
        From which everything random is derived.
    store : path, optional
        The file of results, ``NAME.study`` in the current folder by default. A run that was interrupted goes on
        from there.
    engine, n_jobs, address, progress
        As in :meth:`fivefold.study.Study.run`.

    Returns
    -------
    Outcome
    """
    chosen, settings = paper(name), Settings(quick, seed)
    study = _study(chosen, settings, store)
    status = study.run(engine=engine, n_jobs=n_jobs, address=address, progress=progress, retry_failed=True)
    return _outcome(chosen, study, status, settings)


def show(
    name: str, *, quick: bool = False, seed: int = 0, store: str | PathLike[str] | None = None
) -> Outcome:
    """Compare what is done so far, without running anything; parameters as in `run`."""
    chosen, settings = paper(name), Settings(quick, seed)
    study = _study(chosen, settings, store)
    return _outcome(chosen, study, study.status(), settings)


def _study(chosen: Paper, settings: Settings, store: str | PathLike[str] | None) -> Study:
    name = f"{chosen.name}, seed {settings.seed}" + (", quick" if settings.quick else "")
    return Study(name, chosen.jobs(settings), store or default_store(chosen.name))


def _say(status: Status) -> str:
    return f"{status}; {say_seconds(status.seconds)} of work for one core"


def _outcome(chosen: Paper, study: Study, status: Status, settings: Settings) -> Outcome:
    frame = study.frame()
    found = chosen.report(frame.filter(frame["state"] == "finished"), settings)
    absent = () if settings.quick else tuple(name for name in chosen.data if not is_available(name))
    note = (f"Left out, for it cannot be loaded here: {', '.join(absent)}.",) if absent else ()
    complete = status.complete and not settings.quick and not absent
    return replace(found, complete=complete, status=_say(status), notes=(*found.notes, *note))
