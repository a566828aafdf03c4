"""What a long call tells while somebody looks, and that it tells nothing to anybody else."""

import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

import fivefold as ff
from fivefold import progress
from fivefold.errors import InputTypeError
from fivefold.progress import Step, part, shown, shows_progress, track
from fivefold.training.fit_predict import in_parallel


@pytest.fixture
def impatient(monkeypatch):
    """Show at once, and look often."""
    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(progress, "REFRESH_SECONDS", 0.001)
    monkeypatch.delenv(progress.SWITCH, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def drawn(impatient, monkeypatch):
    """Keep what would be drawn on a terminal; `wait` until something is."""

    class Drawn(list):
        def draw(self, *state):
            self.append(state)

        def close(self):
            pass

        def wait(self, words):
            for _ in range(20_000):
                if any(words in text for text, _, _ in self):
                    return
                threading.Event().wait(0.001)
            pytest.fail(f"{words!r} was never drawn, but {self[-3:]}")

    bars = []

    def open_bar():
        bars.append(Drawn())
        return bars[-1]

    monkeypatch.setattr(progress, "_TerminalBar", open_bar)
    return bars


def test_a_bar_on_standard_error_that_goes_away(impatient, capfd):
    with shown(True), part("fit", 10) as step:
        step.advance(2, "1 failed")
        err = ""
        while "of 10" not in err:
            err += capfd.readouterr().err
    out, rest = capfd.readouterr()
    assert out == ""
    assert "fit 3 of 10, 1 failed" in err
    assert rest.endswith("\x1b[2K")


def test_a_fast_call_shows_nothing(capfd):
    with shown(True), part("fit", 10):
        pass
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("terminal", "environment", "asked", "expected"),
    [
        (True, {}, None, True),
        (False, {}, None, False),
        (False, {}, True, True),
        (True, {}, False, False),
        (True, {"FIVEFOLD_PROGRESS": "0"}, None, False),
        (True, {"FIVEFOLD_PROGRESS": "0"}, True, True),
        (True, {"TERM": "dumb"}, None, False),
    ],
)
def test_where_it_is_shown(terminal, environment, asked, expected, drawn, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with shown(asked), part("fit", 10):
        assert bool(progress._current) == expected
    assert progress._current is None


def test_one_display_for_calls_in_calls(drawn):
    with shown(True), part(total=4) as outer:
        outer.begin("forest: truth")
        outer.begin("forest: slices")
        with shown(True), part("block", 10) as inner:
            inner.advance(5)
            while not drawn:
                threading.Event().wait(0.001)
            drawn[0].wait("forest: slices, block 6 of 10")
        with shown(False), part("hidden"):
            drawn[0].clear()
            drawn[0].wait("forest: slices")
    assert len(drawn) == 1
    assert not any("hidden" in text for text, _, _ in drawn[0])
    assert {share for _, share, _ in drawn[0]} == {1 / 4}


def test_nothing_inside_of_what_is_silent(drawn):
    with shown(False), shown(True), part("fit", 10):
        assert progress._current is False
    assert not drawn


def test_words():
    step = Step("fit", 10)
    assert [step.text(), step.advance(9), step.text(), step.advance(), step.text()][::2] == [
        "fit 1 of 10",
        "fit 10 of 10",
        "fit 10 of 10",
    ]
    step.begin("choosing")
    assert step.text() == "choosing"


def test_control_characters_do_not_reach_the_terminal(drawn):
    with shown(True), part("a\x1b[2Jb"):
        while not drawn:
            threading.Event().wait(0.001)
        drawn[0].wait("a⟨U+001B⟩[2Jb")


def test_threads_tell_nothing(drawn):
    told = []

    def work():
        with shown(True), part("in a thread"):
            told.append(list(progress._current.steps))

    with shown(True), part("in front") as step:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert told == [[step]]


@pytest.mark.slow
def test_workers_tell_nothing_but_are_counted(drawn):
    def work(number):
        with shown(True), part("in a worker"):
            return progress._current is None

    with shown(True):
        assert in_parallel(work, [1, 2, 3, 4], 2, total=40) == [True] * 4


def test_a_notebook_has_tqdm(impatient, monkeypatch):
    drawn = []

    class Tqdm:
        def __init__(self, **options):
            self.n = 0.0

        def set_description_str(self, text):
            drawn.append((text, self.n))

        def close(self):
            drawn.append("closed")

    shell = type("ZMQInteractiveShell", (), {})()
    for name, contents in (
        ("IPython", {"get_ipython": lambda: shell}),
        ("tqdm", {"__path__": []}),
        ("tqdm.std", {"tqdm": Tqdm}),
    ):
        module = ModuleType(name)
        module.__dict__.update(contents, __spec__=ModuleSpec(name, None))
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with shown(), part("fit", 4) as step:
        step.advance()
        while ("fit 2 of 4 (0:00)", 0.25) not in drawn:
            threading.Event().wait(0.001)
    assert drawn[-1] == "closed"


def test_an_answer_that_is_none():
    @shows_progress
    def call(*, progress=None):
        return list(track("ab", "letter", 2))

    assert call(progress=True) == ["a", "b"]
    with pytest.raises(InputTypeError, match="progress to be True, False or None; got 'maybe'"):
        call(progress="maybe")


def test_an_evaluation_says_what_it_does_and_stays_the_same(drawn, monkeypatch):
    begun = []
    begin = Step.begin
    monkeypatch.setattr(Step, "begin", lambda step, what: (begun.append(what), begin(step, what)))
    iris = ff.data.load("IR")
    models = {"1R": ff.learners.OneR(), "nb": ff.learners.NaiveBayes()}
    told, silent = (
        ff.evaluate(models, iris.X, iris.y, views=["slices", "truth"], progress=wanted)
        for wanted in (True, False)
    )
    assert told.to_json() == silent.to_json()
    assert begun[: len(begun) // 2] == begun[len(begun) // 2 :]
    words = ["1R: learning", "1R: answers", "nb: learning", "nb: bits", "nb: truth", "nb: slices"]
    assert [what for what in begun if what in words] == words * 2
