"""The papers by name: run what is not yet done of an experiment, and show what is done."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from fivefold.errors import InputError
from fivefold.inputs.options import one_of
from fivefold.papers.claims import judge
from fivefold.papers.comparison import Outcome
from fivefold.papers.experiment import Paper, Settings, is_available
from fivefold.progress import part, shows_progress
from fivefold.study.results import Status, say_seconds
from fivefold.study.study import Study

NAMES = ("bailey1993", "cleary1996", "andersson1999", "bay2000", "korb2001")


def paper(name: str) -> Paper:
    """Give a paper by its first author and year.

    Examples
    --------
    >>> paper("korb2001").contents
    'Tables 1-7 (16 data sets, 5 learners, 25 splits), recalibration, ROC and lift'
    """
    # each brings other parts of the library along, of which some take long to load
    match one_of(name, NAMES, "paper"):
        case "bailey1993":
            from fivefold.papers.bailey1993 import PAPER
        case "cleary1996":
            from fivefold.papers.cleary1996 import PAPER
        case "andersson1999":
            from fivefold.papers.andersson1999 import PAPER
        case "bay2000":
            from fivefold.papers.bay2000 import PAPER
        case _:
            from fivefold.papers.korb2001 import PAPER
    return PAPER


@shows_progress
def run(
    name: str,
    *,
    quick: bool = False,
    random_state: int = 0,
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
    random_state : int
        From which everything random is derived.
    store : path, optional
        The file of results, ``NAME.study`` in the current folder by default. A run that was interrupted goes on
        from there.
    engine, n_jobs, address, progress
        As in :meth:`fivefold.study.Study.run`.
    """
    with part() as step:
        step.begin("reading the data sets")
        chosen, settings = paper(name), Settings(quick, random_state)
        study = study_of(chosen, settings, store)
        step.begin("")
        status = study.run(engine=engine, n_jobs=n_jobs, address=address, retry_failed=True)
        step.begin("comparing with the published numbers")
        return _outcome(chosen, study, status, settings)


def show(
    name: str, *, quick: bool | None = None, random_state: int = 0, store: str | PathLike[str] | None = None
) -> Outcome:
    """Compare what is done so far, without running anything.

    Parameters as in `run`; unless `quick` says which, the quick run is shown where it alone is complete.
    """
    chosen = paper(name)
    path = Path(store or f"{chosen.name}.study")
    if not path.exists():
        hint = f"`fivefold papers run {chosen.name} --quick` makes one in under two minutes"
        raise InputError("a file of results", f"no file {str(path)!r}", hint)
    note = ""
    if quick is None:
        whole, small = (_status(chosen, Settings(kind, random_state), store) for kind in (False, True))
        quick = small is not None and small.complete and not (whole and whole.complete)
        note = f"This is the quick run; the whole one: {whole or 'not begun'}." if quick else ""
    settings = Settings(quick, random_state)
    study = study_of(chosen, settings, store)
    outcome = _outcome(chosen, study, study.status(), settings)
    return replace(outcome, notes=(note, *outcome.notes)) if note else outcome


def _status(chosen: Paper, settings: Settings, store: str | PathLike[str] | None) -> Status | None:
    """Give how far a run is; None if it was never begun."""
    try:
        return study_of(chosen, settings, store).status()
    except InputError:
        return None


def study_of(chosen: Paper, settings: Settings, store: str | PathLike[str] | None = None) -> Study:
    """Give a paper's experiment as a study."""
    name = f"{chosen.name}, seed {settings.random_state}" + (", quick" if settings.quick else "")
    return Study(name, chosen.jobs(settings), store or f"{chosen.name}.study")


def _outcome(chosen: Paper, study: Study, status: Status, settings: Settings) -> Outcome:
    frame = study.frame()
    finished = frame.filter(frame["state"] == "finished")
    outcome = chosen.report(finished)
    absent = [] if settings.quick else [name for name in chosen.data if not is_available(name)]
    note = (f"Left out, for it cannot be loaded here: {', '.join(absent)}.",) if absent else ()
    return replace(
        outcome,
        claims=judge(chosen.published, chosen.tests, finished),
        complete=status.complete and not settings.quick and not absent,
        status=f"{status}; its jobs took {say_seconds(status.seconds)} together",
        notes=(*outcome.notes, *note),
    )
