"""Roles: what each column of a table of predictions is taken for, and why.

Some roles are stated: the truth, the answers and probabilities of the models that are judged. The others are
inferred from names and values, by the same rules wherever a table is read, so that what another model said does
not pass for a property of the cases.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Annotated, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.few_numbers import CompactFrame
from fivefold.inputs.frames import Labels
from fivefold.inputs.labels import plain_word, read_labels
from fivefold.inputs.options import close_names
from fivefold.plain_text import listed, visible

TARGET, ANSWERS, PROBABILITY, CONFIDENCE = "target", "answers", "probability", "confidence"
GROUPS, WEIGHT, LEFT_OUT, ATTRIBUTE = "groups", "weight", "left out", "attribute"
RoleName = Annotated[str, (TARGET, ANSWERS, PROBABILITY, CONFIDENCE, GROUPS, WEIGHT, LEFT_OUT, ATTRIBUTE)]
KEPT, DROPPED = "kept as you asked", "dropped as you asked"

# how much of a column must be classes for it to hold answers: models also write other things
_LEAST_KNOWN = 0.9
_LEAST_KAPPA = 0.5
_SAMPLE, _LEAST_ROWS = 1_000, 30
_SHOWN, _REASONS = 4, 6  # columns of a reason, and reasons, that a note names
_TOLERANCE = 1e-3  # of sums of probabilities that were written with few digits
_WORDS = re.compile(r"[^\W_]+")
_ANSWER_WORDS = frozenset(
    _WORDS.findall(
        "pred predicted prediction predictions predicts yhat hat answer answers answered guess output response "
        "model classifier clf llm gpt claude gemini llama mistral qwen deepseek bert tree forest rf svm xgb "
        "xgboost lgbm lightgbm catboost knn logreg logistic mlp cnn baseline"
    )
)
_PROBABILITY_WORDS = frozenset(
    _WORDS.findall("p pr prob probs proba probability probabilities score scores logprob")
)
_CONFIDENCE_WORDS = frozenset(_WORDS.findall("conf confidence confidences certainty sure sureness"))
_STATED_WORDS = _PROBABILITY_WORDS | _CONFIDENCE_WORDS
_FILLERS = frozenset(
    _WORDS.findall("y of the in for is class label true positive pos 0 1 model pred prediction")
)
# labels that many columns have, whatever they are about
_COMMON_LABELS = frozenset(
    _WORDS.findall(
        "yes no true false pos neg positive negative none other unknown high low medium good bad male female"
    )
)


@dataclass(frozen=True)
class ColumnRole:
    """What a column is taken for, and why.

    Examples
    --------
    >>> print(ColumnRole("b", "answers", "the values are the classes"))
    b: answers (the values are the classes)
    """

    column: str
    role: RoleName
    why: str
    stated: bool = False

    def __str__(self) -> str:
        return visible(f"{self.column}: {self.role} ({self.why})")


@dataclass(frozen=True)
class Roles:
    """The role of every column of a table, in the order of the table.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"y": ["cat", "dog"], "a": ["cat", "cat"], "b": ["dog", "cat"], "age": [3, 4]})
    >>> roles = infer_roles(table, target="y", answers={"a": "a"})
    >>> roles.attributes
    ['age']
    >>> print(roles.noticed[0])
    b: answers (the values are the classes)
    """

    columns: tuple[ColumnRole, ...]

    @cached_property
    def attributes(self) -> list[str]:
        """The columns that describe the cases."""
        return [column.column for column in self.columns if column.role == ATTRIBUTE]

    @property
    def noticed(self) -> list[ColumnRole]:
        """Columns that describe no case although nobody said so."""
        return [column for column in self.columns if not column.stated and column.role != ATTRIBUTE]

    def say_left_out(self) -> str:
        """Say which columns describe no case although nobody said so, and why; empty where there are none.

        Examples
        --------
        >>> Roles((ColumnRole("b", "answers", "the values are the classes"),)).say_left_out()
        'Left out of the slices: b (answers: the values are the classes). --keep brings a column back.'
        """
        noticed = self.noticed
        if not noticed:
            return ""
        by_reason: dict[str, list[str]] = {}
        for column in noticed:
            why = column.why if column.role == LEFT_OUT else f"{column.role}: {column.why}"
            by_reason.setdefault(why, []).append(column.column)
        reasons = list(by_reason.items())
        said = "; ".join(f"{listed(names, _SHOWN)} ({why})" for why, names in reasons[:_REASONS])
        others = sum(len(names) for _, names in reasons[_REASONS:])
        more = f"; and {others} more" if others else ""
        return f"Left out of the slices: {said}{more}. --keep brings a column back."

    def say_unjudged(self, models: Iterable[str]) -> str:
        """Say which columns look like what a model states, and how to have them judged; empty where none does.

        Examples
        --------
        >>> Roles((ColumnRole("p_rf", "probability", "its name says so"),)).say_unjudged(["rf", "nb"])
        '--probability rf=p_rf would judge what rf states.'
        """
        by_words = {_core(model): model for model in models if _core(model)}
        unjudged = [
            (column, by_words[_core(column.column)])
            for column in self.noticed
            if column.role in (PROBABILITY, CONFIDENCE) and _core(column.column) in by_words
        ]
        if not unjudged:
            return ""
        options = " ".join(f"--{column.role} {model}={column.column}" for column, model in unjudged)
        who = listed([model for _, model in unjudged], _SHOWN)
        return f"{options} would judge what {who} state{'s' if len(unjudged) == 1 else ''}."

    @property
    def kept(self) -> list[str]:
        """The attributes that were asked for, whatever they look like."""
        return [column.column for column in self.columns if column.why == KEPT]

    def dropped_from_learning(self) -> list[str]:
        """Give the columns that no learner sees, because they were dropped; some attribute must be left."""
        dropped = [column.column for column in self.columns if column.why == DROPPED]
        if dropped and not self.attributes:
            raise InputError("a column to learn from", "--drop, which leaves none", "leave out some of them")
        return dropped

    def read_as(self, how: Mapping[str, str]) -> Roles:
        """Say what some of the attributes were read as."""
        columns = (
            replace(column, why=f"read as {how[column.column]}")
            if column.column in how and column.role == ATTRIBUTE
            else column
            for column in self.columns
        )
        return Roles(tuple(columns))

    def leave_out(self, reasons: Mapping[str, str]) -> Roles:
        """Leave out some of the attributes, for these reasons."""
        columns = (
            ColumnRole(column.column, LEFT_OUT, reasons[column.column])
            if column.column in reasons and column.role == ATTRIBUTE
            else column
            for column in self.columns
        )
        return Roles(tuple(columns))

    def only(self, features: Sequence[str]) -> Roles:
        """Take these columns for attributes, and no others."""

        def role(column: ColumnRole) -> ColumnRole:
            if column.stated and column.role not in (ATTRIBUTE, LEFT_OUT):
                return column
            if column.column in features:
                return ColumnRole(column.column, ATTRIBUTE, "named as a feature", True)
            unnamed = ColumnRole(column.column, LEFT_OUT, "not among the features", True)
            return unnamed if column.role == ATTRIBUTE else column

        return Roles(tuple(map(role, self.columns)))

    def __str__(self) -> str:
        return "\n".join(map(str, self.columns))


def match_columns(patterns: Iterable[str], columns: Sequence[str], option: str) -> list[str]:
    """Give the columns that any of the patterns names; one that names none is an error.

    ``*`` stands for any text, ``?`` for one character, ``[ab]`` for one of these. A column of exactly that name
    comes first.

    Examples
    --------
    >>> match_columns(["p_*", "age"], ["y", "p_cat", "p_dog", "age"], "--drop")
    ['p_cat', 'p_dog', 'age']
    """
    matched: dict[str, None] = {}
    for pattern in patterns:
        names = [pattern] if pattern in columns else [n for n in columns if fnmatchcase(n, pattern)]
        if not names:
            raise InputError(f"{option} to name a column", show(pattern), close_names(pattern, columns))
        matched |= dict.fromkeys(names)
    return [name for name in columns if name in matched]


def infer_roles(
    table: Any,
    *,
    target: str | None = None,
    answers: Mapping[str, str] | None = None,
    probabilities: Mapping[str, str] | None = None,
    confidence: Mapping[str, str] | None = None,
    groups: str | None = None,
    weight: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    classes: Collection[Any] = (),
) -> Roles:
    """Say what each column of a table is taken for.

    Stated are the columns of the target, groups and weight, answers and confidence by model, and probabilities
    with the model of each column. Columns to drop and to keep are names or patterns (``p_*``); what is kept is not
    dropped. The classes are those beside the ones that occur in the truth and the answers.
    """
    frame: Any = table if isinstance(table, CompactFrame) else nw.from_native(table, eager_only=True)
    stated = _stated(target, answers or {}, probabilities or {}, confidence or {}, groups, weight)
    kept = set(match_columns(keep, frame.columns, "--keep"))
    dropped = set(match_columns(drop, frame.columns, "--drop")) - kept
    _refuse_roles([*keep, *drop], stated)
    guess = _Guess(frame, target, answers or {}, classes)
    open_columns = [name for name in frame.columns if name not in {*stated, *kept, *dropped}]
    inferred = guess.roles(open_columns)

    def role(name: str) -> ColumnRole:
        if name in stated:
            return stated[name]
        if name in kept:
            return ColumnRole(name, ATTRIBUTE, KEPT, True)
        if name in dropped:
            return ColumnRole(name, LEFT_OUT, DROPPED, True)
        return inferred.get(name) or ColumnRole(name, ATTRIBUTE, "it has no other role")

    return Roles(tuple(map(role, frame.columns)))


def _stated(
    target: str | None,
    answers: Mapping[str, str],
    probabilities: Mapping[str, str],
    confidence: Mapping[str, str],
    groups: str | None,
    weight: str | None,
) -> dict[str, ColumnRole]:
    named: list[tuple[str | None, str, str]] = [
        (target, TARGET, "the true class"),
        (groups, GROUPS, "which cases belong together"),
        (weight, WEIGHT, "how much each case counts"),
    ]
    named += [(column, ANSWERS, f"of {model}") for model, column in answers.items()]
    named += [(column, PROBABILITY, f"stated by {model}") for column, model in probabilities.items()]
    named += [(column, CONFIDENCE, f"of {model} in its answer") for model, column in confidence.items()]
    roles: dict[str, ColumnRole] = {}
    for column, role, why in named:
        if column is not None:
            roles.setdefault(column, ColumnRole(column, role, why, True))
    return roles


def _refuse_roles(patterns: Sequence[str], stated: Mapping[str, ColumnRole]) -> None:
    for pattern in patterns:
        if pattern in stated:
            raise InputError(
                "--drop and --keep to name columns without another role",
                f"{show(pattern)}, which is the {stated[pattern].role}",
            )


class _Guess:
    """What the columns without a stated role look like."""

    def __init__(
        self,
        frame: nw.DataFrame[Any] | CompactFrame,
        target: str | None,
        answers: Mapping[str, str],
        classes: Collection[Any],
    ) -> None:
        self.frame, self.answers, self.target = frame, answers, target
        self.judged = [*([target] if target is not None else []), *answers.values()]
        self.judged = [name for name in self.judged if name in frame.columns]
        named = self.judged[:1] if target is not None else self.judged
        occurring = [value for name in named for value in self._labels(name).values]
        self.classes = {plain_word(label) for label in [*occurring, *classes]} - {""}
        self.names = [*answers, *answers.values()]
        # columns such as p_rf, by the words that are left of their names
        self.stated_by = {
            _core(name): name for name in frame.columns if _words(name) & _STATED_WORDS and _core(name)
        }

    def roles(self, columns: Sequence[str]) -> dict[str, ColumnRole]:
        """Give the roles that can be told of some columns."""
        if not self.classes:
            return {}
        inferred = {name: ColumnRole(name, ANSWERS, why) for name in columns if (why := self._answers(name))}
        self.names += inferred
        inferred |= {
            name: ColumnRole(name, LEFT_OUT, f"it says the same as {self.target} in other words")
            for name in columns
            if name not in inferred and self._renames_classes(name)
        }
        left = [name for name in columns if name not in inferred]
        bounded = {name for name in left if self._within(name, 1.0)}
        inferred |= {
            name: ColumnRole(name, PROBABILITY, "one for each class, and they sum to 1")
            for name in self._families(bounded)
        }
        for name in left:
            if name not in inferred and (role := self._by_name(name, name in bounded)):
                inferred[name] = role
            elif name not in inferred and name in bounded and (model := self._decides(name)):
                inferred[name] = ColumnRole(name, PROBABILITY, f"{model} answers by whether it is above 0.5")
        return inferred

    def _decides(self, name: str) -> str:
        """Give the model of whose two answers one stands below a half in a column and the other above."""
        stated = self.frame[name].cast(nw.Float64).to_numpy()
        if np.unique(stated).size <= 10:
            return ""
        for model, column in self.answers.items():
            if column in self.frame.columns and len((labels := self._labels(column)).values) == 2:
                first, second = (stated[labels.codes == code] for code in (0, 1))
                if first.max() <= 0.5 <= second.min() or second.max() <= 0.5 <= first.min():
                    return model
        return ""

    def _labels(self, name: str) -> Labels:
        return read_labels(self.frame[name].to_native(), name)

    def _answers(self, name: str) -> str:
        """Say why a column seems to hold the answers of a model; an empty text if it does not."""
        if not self._mostly_classes(self.frame[:_SAMPLE][name]) or not self._mostly_classes(self.frame[name]):
            return ""
        values = {plain_word(value) for value in self._labels(name).values}
        telling = [label for label in values & self.classes if len(label) > 2 and label not in _COMMON_LABELS]
        telling = [label for label in telling if not label.replace(".", "").replace("-", "").isdigit()]
        if len(telling) == len(values & self.classes) > 1:
            return "the values are the classes"
        if _words(name) & _ANSWER_WORDS or any(_alike(name, other) for other in self.names):
            return "the values are the classes, its name is like a model's"
        if other := self.stated_by.get(_core(name)):
            return f"the values are the classes, and {other} says how sure it is"
        kappa = max((self._kappa(name, other) for other in self.judged), default=0.0)
        return f"the values are the classes, with kappa {kappa:.2f}" if kappa >= _LEAST_KAPPA else ""

    def _renames_classes(self, name: str) -> bool:
        """Tell whether a column gives each true class a name of its own and says nothing else."""
        if self.target is None:
            return False
        for frame, fewest in ((self.frame[:_SAMPLE], 1), (self.frame, 2)):
            try:
                a, b = (read_labels(frame[column].to_native(), column) for column in (name, self.target))
            except Exception:  # as below
                return False
            n_pairs = np.unique(a.codes.astype(np.int64) * (len(b.values) + 1) + b.codes).size
            if not fewest <= n_pairs == len(a.values) == len(b.values):
                return False
        return len(a) >= _LEAST_ROWS

    def _mostly_classes(self, series: nw.Series[Any]) -> bool:
        if series.dtype.is_float() and not _whole(series):
            return False
        try:
            labels = read_labels(series.to_native(), series.name)
        except Exception:  # what cannot be read holds no classes; each data frame library raises its own kind
            return False
        known = np.array([self._is_answer(value) for value in labels.values] + [False])
        rows = int((labels.codes >= 0).sum())
        return rows > 0 and int(known[labels.codes].sum()) >= _LEAST_KNOWN * rows

    def _is_answer(self, value: object) -> bool:
        word = plain_word(value)
        return word in self.classes or ("|" in word and all(part in self.classes for part in word.split("|")))

    def _kappa(self, first: str, second: str) -> float:
        """Cohen's kappa: how much more often two columns agree than if one were shuffled."""
        columns = [self._labels(name) for name in (first, second)]
        place = {label: code for code, label in enumerate(sorted(self.classes))}
        none = len(place)
        a, b = (
            np.array([place.get(plain_word(value), none) for value in labels.values] + [none])[labels.codes]
            for labels in columns
        )
        shares = [np.bincount(codes, minlength=none + 1)[:none] / codes.size for codes in (a, b)]
        chance = float(shares[0] @ shares[1])
        agree = float(np.mean((a == b) & (a < none)))
        return (agree - chance) / (1 - chance) if chance < 1 else 0.0

    def _within(self, name: str, most: float) -> bool:
        few = self.frame.few(name) if isinstance(self.frame, CompactFrame) else None
        if few is not None:  # of many rows, the different numbers are enough
            known = few.levels[(few.counts > 0) & ~np.isnan(few.levels)]
            return bool(known.size and known.min() >= 0 and known.max() <= most * (1 + 1e-9))
        series = self.frame[name]
        if not series.dtype.is_numeric() or series.null_count() == len(series):
            return False
        least, largest = series.min(), series.max()
        return bool(least is not None and least >= 0 and largest <= most * (1 + 1e-9))

    def _families(self, bounded: Collection[str]) -> list[str]:
        """Find columns that are named like the classes, with something before or after, and sum to one."""
        families: dict[tuple[str, str], dict[str, str]] = {}
        for name in bounded:
            for label in self.classes:
                low = plain_word(name)
                if low.endswith(label) and low != label:
                    families.setdefault((low[: -len(label)], ""), {})[label] = name
                elif low.startswith(label) and low != label:
                    families.setdefault(("", low[len(label) :]), {})[label] = name
        whole = [
            list(family.values()) for family in families.values() if len(family) == len(self.classes) > 1
        ]
        return [name for family in whole if self._sums_to_one(family) for name in family]

    def _sums_to_one(self, family: Sequence[str]) -> bool:
        total: NDArray[np.float64] = sum(  # type: ignore[assignment]
            self.frame[name].cast(nw.Float64).to_numpy() for name in family
        )
        known = total[~np.isnan(total)]
        return known.size > 0 and bool(np.all(np.abs(known - 1.0) <= _TOLERANCE * len(family)))

    def _by_name(self, name: str, bounded: bool) -> ColumnRole | None:
        """Tell a probability or a confidence by its name: that of a model, of a class, or nothing else."""
        words = _words(name)
        known = {word for other in [*self.names, *self.classes] for word in _words(other)} | _FILLERS
        confident = words & _CONFIDENCE_WORDS and words - _CONFIDENCE_WORDS <= known
        if confident and (not self.frame[name].dtype.is_numeric() or self._within(name, 100.0)):
            return ColumnRole(name, CONFIDENCE, "its name says so")
        if bounded and words & _PROBABILITY_WORDS and words - _PROBABILITY_WORDS <= known:
            return ColumnRole(name, PROBABILITY, "its name says so, and it lies between 0 and 1")
        return None


def _words(name: str) -> set[str]:
    return set(_WORDS.findall(plain_word(name)))


def _core(name: str) -> frozenset[str]:
    """Give the words of a name without those that say that something is stated."""
    return frozenset(_words(name) - _STATED_WORDS - _FILLERS)


def _alike(name: str, model: str) -> bool:
    """Whether two names share a word that is more than a number, or are single letters."""
    if len(name) == len(model) == 1:
        return True
    return any(not word.isdigit() for word in _words(name) & _words(model))


def _whole(series: nw.Series[Any]) -> bool:
    numbers = series.drop_nulls().to_numpy()
    return bool(np.all(np.isnan(numbers) | (numbers == np.floor(numbers))))
