"""How far a study has come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Status:
    """Counts of jobs, and the time that is left.

    Parameters
    ----------
    study : str
        The study's name.
    total, finished, failed, running : int
        All jobs, those with a result, those that failed, and those that a living process has claimed.
    workers : int
        Worker processes of the runs that are going on.
    seconds : float
        Time that workers have spent on the jobs that are done.
    seconds_left : float or None
        Estimate of the time that one worker needs for the open jobs, each like the done jobs with the same labels
        but for the split; None where no job is done.
    """

    study: str
    total: int
    finished: int
    failed: int
    running: int
    workers: int
    seconds: float
    seconds_left: float | None

    @property
    def open(self) -> int:
        """Jobs that have no result yet."""
        return self.total - self.finished - self.failed

    @property
    def complete(self) -> bool:
        """Whether every job is finished."""
        return self.finished == self.total

    def __str__(self) -> str:
        return (
            f"{self.study}: {self.total} job{'s' if self.total != 1 else ''}, {self.finished} finished, "
            f"{self.failed} failed, {self.open} open"
        )


def say_seconds(seconds: float) -> str:
    """Write a time for people.

    Examples
    --------
    >>> say_seconds(0.2), say_seconds(90), say_seconds(7300), say_seconds(200_000)
    ('0.2 s', '1 min 30 s', '2 h 1 min', '2 d 7 h')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    for unit, size, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} {int(seconds % size // part)} {smaller}"
    raise AssertionError("unreachable")
