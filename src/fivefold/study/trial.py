"""Trial: one learner trained on one split, asked once and looked at by several views."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from fivefold.data.table import Table
from fivefold.errors import InputError
from fivefold.study.seeds import derive_seed, seeded
from fivefold.study.sharing import shared
from fivefold.study.splits import draw

_LAST = threading.local()


@dataclass(frozen=True, eq=False)
class Trial:
    """A fitted model and the cases that it has not seen.

    Parameters
    ----------
    model : scikit-learn classifier
        Fitted to the training cases.
    table : Table
        All cases.
    train, test : ndarray of int
        The rows of the training and of the test cases.
    """

    model: Any
    table: Table
    train: NDArray[np.int64]
    test: NDArray[np.int64]

    @cached_property
    def training_cases(self) -> Any:
        """The training cases."""
        return _safe_indexing(self.table.X, self.train)

    @cached_property
    def test_cases(self) -> Any:
        """The test cases."""
        return _safe_indexing(self.table.X, self.test)

    @property
    def y_test(self) -> NDArray[Any]:
        """The classes of the test cases."""
        return self.table.y[self.test]

    @cached_property
    def classes(self) -> NDArray[Any]:
        """All classes of the table, also those that no training case has."""
        return np.unique(self.table.y)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """One class for each test case."""
        return np.asarray(self.model.predict(self.test_cases))

    def sets(self, missing_test: str) -> NDArray[np.bool_]:
        """Give the set of classes that is answered for each test case; for most learners it has one class."""
        if not hasattr(self.model, "predict_sets"):
            if missing_test != "follow":
                raise InputError(
                    f"a learner with predict_sets for missing_test={missing_test!r}",
                    type(self.model).__name__,
                )
            return np.asarray(self.labels[:, None] == self.classes[None, :])
        return self._spread(self.model.predict_sets(self.test_cases, missing_test=missing_test))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each class for each test case."""
        if not hasattr(self.model, "predict_proba"):
            raise InputError("a learner with probabilities", f"{type(self.model).__name__} has none")
        return self._spread(self.model.predict_proba(self.test_cases))

    def _spread(self, known: NDArray[Any]) -> NDArray[Any]:
        """Put the columns of the classes that the model knows among those of all classes."""
        spread = np.zeros((len(known), self.classes.size), dtype=known.dtype)
        spread[:, np.searchsorted(self.classes, self.model.classes_)] = known
        return spread


def make_trial(data: str, learner: Any, split: dict[str, Any], seed: int) -> Trial:
    """Train a learner on a split; its free ``random_state`` hangs on seed, data and split alone."""
    table: Table = shared(data)
    train, test = draw(split, table.y, seed, data)
    model = seeded(learner, derive_seed(seed, data, "learner", split["number"], split.get("fold", 0)))
    return Trial(model.fit(_safe_indexing(table.X, train), table.y[train]), table, train, test)


def last_trial(name: str, data: str, learner: Any, split: dict[str, Any], seed: int) -> Trial:
    """Give the trial of this name, anew unless it was the last one asked for in this thread.

    The views of one trial are jobs of one group, which follow each other: a learner is trained once for all of
    them. A failure is remembered in the same way.
    """
    if getattr(_LAST, "name", None) != name:
        _LAST.name = None
        try:
            _LAST.found = make_trial(data, learner, split, seed)
        except Exception as problem:
            _LAST.found = problem
        _LAST.name = name
    found: Trial | Exception = _LAST.found
    if isinstance(found, Exception):
        raise found
    return found
