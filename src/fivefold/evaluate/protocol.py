"""What was done with which cases, in sentences; and what that leaves in doubt."""

from __future__ import annotations

from collections.abc import Sequence

from fivefold.evaluate.exam import Exam
from fivefold.evaluate.finding import Finding, Importance
from fivefold.evaluate.training import CameFitted, Trained


def describe_protocol(origins: Sequence[Trained | CameFitted], exam: Exam) -> str:
    """Say who was fitted to which cases and asked about which."""
    n_learn, asked = len(exam.learn or ()), len(exam.ask)
    here = [each.predictions.name for each in origins if isinstance(each, Trained)]
    given = [each.predictions.name for each in origins if isinstance(each, CameFitted)]
    told = []
    if exam.learn is not None and exam.rows is not None:
        drawn = "class by class" if exam.by_class else "at random"
        told.append(
            f"{_list(here)} {_were(here)} fitted to {n_learn:,} of the {n_learn + asked:,} cases and asked about "
            f"the other {asked:,}, drawn {drawn}."
        )
    elif exam.learn is not None:
        told.append(
            f"{_list(here)} {_were(here)} fitted to {n_learn:,} cases and asked about the {asked:,} given for the "
            f"test."
        )
    if given:
        which = "the same" if here else "all"
        only_if = (
            f"which is a test only if {'it was' if len(given) == 1 else 'they were'} not trained on them"
        )
        told.append(
            f"{_list(given)} came fitted and {_were(given)} asked about {which} {asked:,}, {only_if}."
        )
    return " ".join(told)


def find_doubts(origins: Sequence[Trained | CameFitted]) -> tuple[Finding, ...]:
    """Say what cannot be known about models that came fitted."""
    given = [each.predictions.name for each in origins if isinstance(each, CameFitted)]
    if not given:
        return ()
    alone = len(given) == len(origins)
    it, was = ("it", "was") if len(given) == 1 else ("they", "were")
    beside = "" if alone else ", and beside models that have seen none of them the comparison is not fair"
    sentence = (
        f"{_list(given)} came fitted, and nobody can tell here on which cases: if {it} {was} trained on some of "
        f"those asked here, {'its' if it == 'it' else 'their'} numbers are too good{beside}."
    )
    asked = origins[0].predictions.n_cases
    importance = Importance.DETAIL if alone else Importance.ALARM
    return (
        Finding("truth", tuple(given), sentence, {"cases_asked": asked, "trained_on": "unknown"}, importance),
    )


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _were(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"
