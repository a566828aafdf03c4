"""Who works on a file, and whether they still live: a dead process must not keep its claims."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path

BEAT_SECONDS = 10.0
LEASE_SECONDS = 90.0


@dataclass(frozen=True)
class Owner:
    """A process: the machine, its number there, and when it was born, as numbers are used again."""

    host: str
    pid: int
    born: str

    def lives(self, last_heard: float, now: float) -> bool:
        """Whether the process still lives.

        On this machine the process table knows. Elsewhere a process counts as dead that has not been heard of
        for `LEASE_SECONDS`.
        """
        if self.host == _host() and os.name == "posix":
            return _born(self.pid) == self.born and _exists(self.pid)
        return now - last_heard < LEASE_SECONDS


def me() -> Owner:
    """Describe this process."""
    return Owner(_host(), os.getpid(), _born(os.getpid()))


@cache
def _host() -> str:
    """Name this machine since it was switched on, and the set of process numbers that is seen here."""
    parts = [socket.gethostname()]
    boot, namespace = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
    if boot.exists():
        parts.append(boot.read_text().strip())
    if namespace.exists():
        parts.append(str(namespace.readlink()))
    return " ".join(parts)


def _born(pid: int) -> str:
    """Give the moment a process was born, in ticks since the machine was; empty where it is not known."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    # the name in brackets may hold anything; a dead process that nobody has waited for is in state Z
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
