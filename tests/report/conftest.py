"""A real Chromium, driven over a pipe, and evaluations to look at."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from fivefold.evaluation import Evaluation, evaluate_predictions
from fivefold.report.page import render_page

BINARIES = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
BOOT = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
PATIENCE = 30.0


# Words of up to two dozen letters that stand on two lines; a hyphen is a place to break at.
BROKEN_WORDS = """
(() => {
  const broken = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.parentElement.checkVisibility() || text.parentElement.closest('svg, script, .unseen')) continue;
    for (const word of text.data.matchAll(/[^\\s\u2010-]{1,24}(?=[\\s\u2010-]|$)/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].filter(r => r.width > 1).map(r => Math.round(r.top / 8)));
      if (tops.size > 1) broken.push(word[0]);
    }
  }
  return broken;
})()
"""


class Chromium:
    """A page in a headless Chromium, spoken to in the DevTools protocol."""

    BROKEN_WORDS = BROKEN_WORDS

    def __init__(self, binary: str, profile: Path) -> None:
        commands, self._to = _high_pipe()
        self._from, answers = _high_pipe()
        command = [binary, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", BOOT, str(commands), str(answers), *command],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._ids = itertools.count(1)
        self._unread = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self._session = None
        try:
            self.call("Browser.close")
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._to)
            os.close(self._from)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; keep the events that come in between."""
        identity = next(self._ids)
        message: dict[str, Any] = {"id": identity, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != identity:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, path: Path, width: int = 1200, dark: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not self._happened("Page.loadEventFired"):
            self.events.append(self._read())

    def run(self, script: str) -> Any:
        """Evaluate a script in the page and give its value."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def faults(self) -> list[Any]:
        """What axe-core finds against the guidelines of accessibility."""
        axe = pytest.importorskip("axe_core_python")
        self.run(f"{Path(axe.__path__[0], 'axe.min.js').read_text(encoding='utf-8')}; 0")
        rules = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}"
        found = "found.violations.map(each => [each.id, each.nodes.map(node => node.html)])"
        return self.run(f"axe.run({rules}).then(found => {found})")

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press and release a key, as a hand would."""
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def complaints(self) -> list[dict[str, Any]]:
        """What the console shows: errors, refusals of the security policy, messages."""
        shown = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}
        return [event for event in self.events if event["method"] in shown]

    def requests(self) -> list[str]:
        sent = (event for event in self.events if event["method"] == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in sent]

    def _happened(self, method: str) -> bool:
        return any(event["method"] == method for event in self.events)

    def _read(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no answer from Chromium within {PATIENCE} s"
            piece = os.read(self._from, 1 << 20)
            assert piece, "Chromium went away"
            self._unread += piece
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)


def _high_pipe() -> tuple[int, int]:
    """A pipe whose ends have numbers that Chromium's own two cannot collide with."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return high[0], high[1]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    binary = next(filter(None, map(shutil.which, BINARIES)), None)
    if binary is None:
        pytest.skip(f"no Chromium on PATH (looked for {', '.join(BINARIES)})")
    browser = Chromium(binary, tmp_path_factory.mktemp("chromium"))
    try:
        yield browser
    finally:
        browser.close()


HOSTILE_NAMES = [
    "<script>window.hacked = 1</script>",
    "\"quotes' & <b>bold</b> onload=window.hacked=1",
    "]]> --> </svg></style></title></script><img src=x onerror=window.hacked=1>",
    "x" * 200,
    "W" * 60 + " word" * 28,
    "שלום עולם",
    "\u202eturned\x07",
    "🌲 forest 👩‍🔬",
    "{{ 7 * 7 }} {% raw %}",
    "-5",
    "a",
    "$& \\1 __proto__",
]
HOSTILE_CLASSES = ["<script>window.hacked = 2</script>", 'o\'clock "q"', "ערב", "🌳", "y" * 200]


def stated(truth: np.ndarray, trust: float, k: int, rng: np.random.Generator) -> np.ndarray:
    """Probabilities that favour the truth by and large."""
    odds = rng.gamma(0.7, size=(truth.size, k)) + 1e-3
    odds[np.arange(truth.size), truth] += trust * rng.uniform(size=truth.size)
    return odds / odds.sum(axis=1, keepdims=True)


@pytest.fixture(scope="session")
def weather() -> Evaluation:
    """Two classes; an honest model, one that is ruined by certainty, and one without probabilities."""
    rng = np.random.default_rng(7)
    truth = (rng.uniform(size=300) < 0.4).astype(int)
    honest = stated(truth, 3.0, 2, rng)[:, 1]
    certain = np.abs(np.round(honest) - (rng.uniform(size=300) < 0.1))
    labels = np.array(["dry", "rain"])
    table = pl.DataFrame(
        {
            "sky": labels[truth],
            "honest": labels[(honest > 0.5).astype(int)],
            "p honest": honest,
            "certain": labels[certain.astype(int)],
            "p certain": certain,
            "silent": np.where(rng.uniform(size=300) < 0.05, "", labels[truth]),
        }
    )
    return evaluate_predictions(
        table,
        target="sky",
        predictions=["honest", "certain", "silent"],
        probabilities={"honest": "p honest", "certain": "p certain"},
    )


@pytest.fixture(scope="session")
def hostile() -> Evaluation:
    """Names of models and classes that try to break out of the page, and several classes in an answer."""
    rng = np.random.default_rng(8)
    k = len(HOSTILE_CLASSES)
    truth = rng.integers(k, size=120)
    columns: dict[str, Any] = {"y": [HOSTILE_CLASSES[code] for code in truth]}
    probabilities = {}
    for trust, name in enumerate(HOSTILE_NAMES):
        prob = stated(truth, trust, k, rng)
        columns[name] = [
            "|".join(HOSTILE_CLASSES[code] for code in np.flatnonzero(row > 0.4)) for row in prob
        ]
        if trust % 6 == 0:
            probabilities[name] = {label: f"{name} {label}" for label in HOSTILE_CLASSES}
            columns |= {f"{name} {label}": prob[:, code] for code, label in enumerate(HOSTILE_CLASSES)}
    return evaluate_predictions(
        pl.DataFrame(columns), target="y", predictions=HOSTILE_NAMES, probabilities=probabilities
    )


@pytest.fixture(scope="session")
def weather_page(weather: Evaluation) -> str:
    return render_page(weather, source="weather.csv", target="sky")


@pytest.fixture(scope="session")
def hostile_page(hostile: Evaluation) -> str:
    breakout = "</title></h1><script>window.hacked = 3</script>"
    return render_page(hostile, title=breakout, source=breakout, target=breakout)


@pytest.fixture(scope="session")
def hostile_names() -> list[str]:
    return HOSTILE_NAMES
