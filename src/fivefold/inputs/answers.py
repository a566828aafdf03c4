"""What a model answered: one class, several or none for each case, and what probabilities it stated.

The answers are held in one of two forms, told apart by their dimension: an ``(n,)`` array of class
positions with -1 for no answer, or an ``(n, k)`` boolean matrix of sets.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs import _kernels
from fivefold.inputs._kernels import at_codes, count_codes
from fivefold.inputs.frames import Labels, as_few, as_numbers, check_length
from fivefold.inputs.labels import (
    NO_ANSWER,
    about_numbers,
    distinct,
    encode,
    encode_truth,
    given_classes,
    infer_classes,
    is_collection,
    is_missing,
    number_labels,
    plain_item,
    read_answers,
    read_labels,
    refuse_strange_answers,
    sort_classes,
)
from fivefold.inputs.options import close_names, one_of, show_list, yes_or_no

Answers = NDArray[Any]
UNKNOWN_ANSWERS = ("error", "wrong", "none")
_WHOLE = re.compile(r"[+-]?[0-9]+\.0+")  # as libraries write whole numbers of a column with missing ones
_NUMBER = re.compile(r"\d+")
SUM_TOLERANCE = 1e-5
_MOST_ROUNDING = 0.05
# what the kernel finds wrong with single numbers; beyond it is the sum
_LAST_OF_VALUES = 3
_SHOWN = 3  # kinds of answers that a message names


def as_answers(
    y_true: object, y_pred: object, classes: object = None
) -> tuple[NDArray[np.int32], Answers, NDArray[Any]]:
    """Check truth and answers together; give the coded truth, the coded answers and the classes."""
    truth = read_labels(y_true, "y_true")
    given = read_answers(y_pred, truth)
    check_length(given, len(truth), "y_pred")
    universe = given_classes(classes) if classes is not None else _infer(truth, given)
    return encode_truth(truth, universe), encode_answers(given, universe, y_pred), universe


def encode_answers(given: Labels | NDArray[Any], classes: NDArray[Any], original: object = None) -> Answers:
    """Code answers of any accepted form with a known universe of classes."""
    if isinstance(given, Labels):
        return encode(given, classes, "y_pred")
    if given.ndim > 1:
        return _matrix(columns_in_class_order(given, classes, original), classes)
    return _encode_collections(given, classes)


def _infer(truth: Labels, given: Labels | NDArray[Any]) -> NDArray[Any]:
    if isinstance(given, Labels):
        answers = given
    elif given.ndim > 1:
        return classes_for_columns(truth, given.shape[1], "y_pred")
    else:
        members = [label for answer in given for label in _members(answer)]
        answers = number_labels(np.fromiter(members, dtype=object, count=len(members)), "y_pred")
    true_classes = distinct(truth, "y_true")
    words = set(map(str, true_classes))
    for text in distinct(answers, "y_pred"):
        if isinstance(text, str) and text not in words and words.issuperset(filter(None, text.split("|"))):
            several = "several classes are a list: text.split('|')"
            hint = several if text else "no answer is None, NaN or an empty set, not an empty text"
            raise InputError("y_pred to hold labels, collections of labels, None or NaN", show(text), hint)
    universe = infer_classes([truth, answers], ["y_true", "y_pred"])
    if len(true_classes) > 1:  # a few cases of one class may all be answered wrongly
        refuse_strange_answers(true_classes, distinct(answers, "y_pred"), "y_pred", "classes=")
    return universe


def classes_for_columns(truth: Labels, n_columns: int, name: str) -> NDArray[Any]:
    """Name the columns of a matrix by the classes that occur in the truth, if there are as many."""
    labels = distinct(truth, "y_true")
    if len(labels) != n_columns:
        raise InputError(
            f"{name} to have one column for each class",
            f"{n_columns} columns, and {len(labels)} different classes in y_true",
            "pass classes= with every class, in the order of the columns",
        )
    return sort_classes(labels)


def _matrix(given: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    if given.ndim == 3 and given.shape[2] == 1:
        given = given[:, :, 0]
    if given.ndim != 2:
        raise InputError(
            "y_pred to be an (n, k) boolean matrix of sets",
            f"an array of shape {given.shape}",
            "choose one confidence level: sets[:, :, i]",
        )
    if given.dtype != np.bool_:
        raise InputTypeError(
            "y_pred to be labels or a boolean matrix of sets",
            f"a matrix of {given.dtype}",
            "for probabilities use fivefold.bets; for sets written as 0 and 1 pass matrix.astype(bool)",
        )
    if given.shape[1] != classes.size:
        raise InputError(f"one column for each of the {classes.size} classes", f"{given.shape[1]} columns")
    return np.ascontiguousarray(given)


def columns_in_class_order(given: NDArray[Any], classes: NDArray[Any], original: object) -> NDArray[Any]:
    """Put the columns of a data frame that are named like the classes into the order of the classes.

    Numbered columns have no names: they stand in class order already. Other names are refused.
    """
    frame = nw.from_native(original, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return given
    names, wanted = list(frame.columns), [str(label) for label in classes.tolist()]
    if len(names) != len(wanted) or not all(isinstance(name, str) for name in names):
        return given
    for label in filter(None, wanted):  # the names may have something before the class or after it
        for before, middle, after in (names[0].partition(label), names[0].rpartition(label)):
            written = [f"{before}{label}{after}" for label in wanted]
            if middle and sorted(written) == sorted(names):
                return given[:, [names.index(name) for name in written]]
    if len({_NUMBER.sub("", name) for name in names}) == 1 and _NUMBER.search(names[0]):
        return given
    raise InputError(
        f"columns named like the classes {show_list(wanted, 8)}",
        show_list(names, 8),
        "rename them, or pass an array of the columns in the order of the classes",
    )


def _members(answer: Any) -> list[Any]:
    if is_collection(type(answer)):
        return list(map(plain_item, answer))
    return [] if is_missing(answer) else [answer]


def _encode_collections(given: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    lookup = {label: code for code, label in enumerate(classes.tolist())}
    sets = np.zeros((given.shape[0], classes.size), dtype=np.bool_)
    for row, answer in enumerate(given):
        for label in _members(answer):
            if label not in lookup:
                raise InputError(
                    f"sets of the classes {', '.join(map(repr, classes.tolist()[:8]))}",
                    f"{show(label)} in row {row}",
                    "pass classes= with every class; a boolean matrix must be a numpy array or a data frame",
                )
            sets[row, lookup[label]] = True
    return sets


@dataclass(frozen=True)
class AnswerRules:
    """How answers as people and models write them become classes, by the same rules wherever they are read.

    Parameters
    ----------
    unknown, normalise, mapping
        As in `clean_answers`; the mapping is looked at first.
    separator : str
        What stands between several classes in one answer.

    Examples
    --------
    >>> rules = AnswerRules("wrong", normalise=True, mapping={"I cannot say": ""})
    >>> answers = read_labels([" a", "B", "I cannot say", "what?", "b"], "m")
    >>> cleaned = rules.clean(answers, ["A", "B"], "m")
    >>> cleaned.labels.values, cleaned.labels.codes.tolist(), cleaned.unknown.tolist()
    (['A', 'B'], [0, 1, -1, -1, 1], [False, False, False, True, False])
    >>> for note in cleaned.notes:
    ...     print(note)
    Of m, 1 was mapped ('I cannot say' to no answer 1 time).
    Of m, 2 were normalised (' a' to 'A' 1 time, 'b' to 'B' 1 time).
    Of m, 1 names no class and counts as wrong ('what?' 1 time).
    """

    unknown: str = "error"
    normalise: bool = False
    mapping: Mapping[str, str] = field(default_factory=dict)
    separator: str = "|"

    def __post_init__(self) -> None:
        one_of(self.unknown, UNKNOWN_ANSWERS, "unknown_answers")
        yes_or_no(self.normalise, "normalise")
        pairs = self.mapping.items() if isinstance(self.mapping, Mapping) else [(None, None)]
        if not all(isinstance(text, str) and text and isinstance(label, str) for text, label in pairs):
            raise InputTypeError(
                "mapping to translate texts into texts", show(self.mapping), "such as {'I cannot say': ''}"
            )

    def clean(self, labels: Labels, classes: Collection[Any], who: str) -> CleanAnswers:
        """Turn a column of answers into classes; say what was changed, and how often."""
        words = _Words(self, classes)
        counts = count_codes(labels.codes, len(labels.values)).tolist()
        read = [words.read(value) for value in labels.values]
        changed: dict[str, Counter[tuple[str, str]]] = {how: Counter() for how in _HOW}
        for value, (how, meant), count in zip(labels.values, read, counts, strict=True):
            if how and count:
                changed[how][str(value), "no answer" if meant is None else repr(meant)] += count
        if changed["unknown"] and self.unknown == "error":
            raise self._refusal(changed["unknown"], words, who)
        unknown = np.array([how == "unknown" and self.unknown == "wrong" for how, _ in read] + [False])
        values = list(dict.fromkeys(meant for _, meant in read if meant is not None))
        place = {value: code for code, value in enumerate(values)}
        narrow = np.min_scalar_type(-len(values) - 2)
        codes = np.array([place.get(meant, NO_ANSWER) for _, meant in read] + [NO_ANSWER], dtype=narrow)
        notes = [_tell(who, how, kinds, self.unknown) for how, kinds in changed.items() if kinds]
        answers = Labels(values, at_codes(codes, labels.codes))
        return CleanAnswers(answers, at_codes(unknown, labels.codes), tuple(notes))

    def clean_truth(
        self, labels: Labels, classes: Collection[Any], who: str
    ) -> tuple[Labels, tuple[str, ...]]:
        """Write true classes alike that differ in blanks, capitals and forms of characters, if that was asked for.

        The spelling of `classes` holds, otherwise the most frequent.
        """
        if not self.normalise or not all(isinstance(value, str) for value in labels.values):
            return labels, ()
        counts = count_codes(labels.codes, len(labels.values)).tolist()
        often = sorted(zip(labels.values, counts, strict=True), key=lambda pair: (-pair[1], pair[0]))
        spelling: dict[str, str] = {}
        for label in [*map(str, classes), *(value for value, _ in often)]:
            spelling.setdefault(normalise_text(label), label)
        cleaned = AnswerRules("none", True).clean(labels, spelling.values(), who)
        return cleaned.labels, cleaned.notes

    def split(self, classes: Collection[Any]) -> tuple[AnswerRules, dict[str, float]]:
        """Tell what stands for a class from what stands for a number, which is a confidence."""
        labels = {str(label) for label in classes}
        numbers = {
            text: number
            for text, label in self.mapping.items()
            if label not in labels and (number := _as_number(label)) is not None
        }
        rest = {text: label for text, label in self.mapping.items() if text not in numbers}
        return replace(self, mapping=rest), numbers

    def unused(self, columns: Iterable[Labels]) -> list[str]:
        """Say which texts to map no column has."""
        words = {str(value) for labels in columns for value in labels.values}
        if self.normalise:
            words |= {normalise_text(word) for word in words}
        fold = normalise_text if self.normalise else str
        idle = [text for text in self.mapping if text not in words and fold(text) not in words]
        return [f"Mapped text that occurs nowhere: {show(text)}." for text in idle]

    def _refusal(self, kinds: Counter[tuple[str, str]], words: _Words, who: str) -> InputError:
        forgiving = _Words(
            AnswerRules("none", True, self.mapping, self.separator), words.classes, strict=False
        )
        settled = sum(n for (text, _), n in kinds.items() if forgiving.read(text)[0] != "unknown")
        advice = [] if not settled else [f"--normalise (normalise=True) settles {settled:,} of them"]
        advice += [
            *filter(None, [about_numbers(text for text, _ in kinds)]),
            "--unknown-answers wrong or none (unknown_answers=) counts them so",
            "--map 'TEXT=CLASS' (mapping=) translates one, and --class (classes=) names classes that do not occur",
        ]
        n, named = sum(kinds.values()), show_list(words.classes, 8)
        many = f" of {len(kinds):,} kinds" if len(kinds) > 1 else ""
        got = f"{n:,} other{'s' * (n > 1)}{many}: {_most_frequent(kinds, plain=True)}"
        return InputError(f"{who} to be among the classes {named}", got, "; ".join(advice))


@dataclass(frozen=True, eq=False)
class CleanAnswers:
    """Answers that are classes, or none; which of them were something that is no class; and what was changed."""

    labels: Labels
    unknown: NDArray[np.bool_]
    notes: tuple[str, ...]


def normalise_text(text: str) -> str:
    """Take blanks around, capitals and the forms of a character out of a text; a whole number loses its zeros.

    Examples
    --------
    >>> normalise_text(" Ｙes\N{NO-BREAK SPACE}"), normalise_text("1.0")
    ('yes', '1')
    """
    folded = unicodedata.normalize("NFKC", text).strip().casefold()
    folded = unicodedata.normalize("NFKC", folded).strip()
    return folded.partition(".")[0] if _WHOLE.fullmatch(folded) else folded


def _as_number(text: str) -> float | None:
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def read_confidence(
    values: nw.Series[Any], mapping: Mapping[str, float], who: str
) -> tuple[NDArray[np.float64], str]:
    """Read how sure answers are, from 0 to 1, NaN where it is not known; say on which scale that was written.

    Numbers are from 0 to 1 or from 0 to 100; words are looked up in the mapping, whose numbers are so too.

    Examples
    --------
    >>> cells = nw.new_series("conf", ["90", "sure", None, "5%"], backend="polars")
    >>> numbers, said = read_confidence(cells, {"sure": 95.0}, "conf")
    >>> numbers.tolist(), said
    ([0.9, 0.95, nan, 0.05], 'conf is read as 0 to 100 (1 word was mapped to numbers).')
    """
    labels = read_labels(values.to_native(), who)
    texts = [str(value) for value in labels.values]
    mapped = [text in mapping for text in texts]
    numbers = [mapping[text] if text in mapping else _as_number(text) for text in texts]
    strange = [text for text, number in zip(texts, numbers, strict=True) if number is None and text.strip()]
    if strange:
        raise InputError(
            f"{who} to hold numbers from 0 to 1 or from 0 to 100",
            show_list(strange, _SHOWN),
            "--map 'very sure=0.95' (mapping=) says what a word stands for",
        )
    known = np.array([np.nan if number is None else number for number in numbers])
    by_word = np.array(mapped, dtype=bool)
    worded = _scale_of(known[by_word], (), who) if by_word.any() else 1
    if worded == 100 and ((known > 0) & (known < 1) & by_word).any():
        got, hint = show_list(known[by_word].tolist(), _SHOWN), "write all from 0 to 1, or all from 0 to 100"
        raise InputError(f"words of {who} to be mapped to one scale", got, hint)
    scale = worded if by_word.all() else _scale_of(known[~by_word], texts, who)
    scales = np.where(by_word, worded, scale)
    counts = count_codes(labels.codes, len(texts))
    n = int(counts[by_word].sum())
    words = f" ({n:,} word{'s were' if n > 1 else ' was'} mapped to numbers)" if n else ""
    low = int(counts[~by_word & (known > 0) & (known < 1)].sum()) if scale == 100 else 0
    small = f"; {low:,} cell{'s' * (low > 1)} between 0 and 1 count as less than 1%" if low else ""
    note = f"{who} is read as {'0 to 1' if scale == 1 else '0 to 100'}{words}{small}."
    return np.append(known / scales, np.nan)[labels.codes], note


def _scale_of(numbers: NDArray[np.float64], written: Sequence[str], who: str) -> int:
    """Tell shares from percentages; small whole numbers such as 1 to 5 are neither."""
    known = numbers[~np.isnan(numbers)]
    if known.size == 0:
        raise InputError(f"{who} to hold a number in some row", "none")
    if known.min() < 0 or known.max() > 100:
        odd = known.min() if known.min() < 0 else known.max()
        raise InputError(f"{who} to lie between 0 and 1 or between 0 and 100", f"{odd:g}")
    if any(text.strip().endswith("%") for text in written):
        return 100
    if known.max() <= 1:
        return 1
    if known.max() <= 10 and np.all(known == np.floor(known)):
        raise InputError(
            f"{who} to lie between 0 and 1 or between 0 and 100",
            f"whole numbers up to {known.max():g}",
            f"--map '{known.max():g}=0.95' (mapping=) says what each grade stands for",
        )
    return 100


_HOW = {"mapped": "mapped", "normalised": "normalised", "unknown": ""}


class _Words:
    """What a word of an answer means: how that was found out ("" as it stands), and the class."""

    def __init__(self, rules: AnswerRules, classes: Collection[Any], strict: bool = True) -> None:
        self.classes = list(classes)
        self.separator = rules.separator
        self.known = set(classes)
        self.by_text = {str(label): label for label in classes}
        self.folded: dict[str, Any] = {}
        for label in classes if rules.normalise else ():
            other = self.folded.setdefault(normalise_text(str(label)), label)
            if other != label and strict:
                raise InputError(
                    "classes that differ in more than blanks and capitals, for normalise",
                    f"{show(other)} and {show(label)}",
                )
        self.mapping = {text: self._target(label) for text, label in rules.mapping.items()}
        self.folded_mapping = {
            normalise_text(text): label for text, label in self.mapping.items() if rules.normalise
        }
        self.normalise = rules.normalise

    def _target(self, label: str) -> Any:
        if label == "":
            return None
        if label not in self.by_text and normalise_text(label) not in self.folded:
            hint = close_names(label, self.by_text)
            raise InputError("--map (mapping=) to a class, or to nothing for no answer", show(label), hint)
        return self.by_text.get(label, self.folded.get(normalise_text(label)))

    def read(self, value: Any) -> tuple[str, Any]:
        """Say what a whole answer means, which may name several classes."""
        how, meant = self._read_one(value)
        if how != "unknown" or not isinstance(value, str) or self.separator not in value:
            return how, meant
        parts = [self._read_one(part) for part in value.split(self.separator)]
        if any(how == "unknown" or meant is None for how, meant in parts):
            return "unknown", None
        hows = {how for how, _ in parts}
        whole = self.separator.join(str(meant) for _, meant in parts)
        return next((how for how in ("mapped", "normalised") if how in hows), ""), whole

    def _read_one(self, value: Any) -> tuple[str, Any]:
        text = str(value)
        if text in self.mapping:
            return "mapped", self.mapping[text]
        if value in self.known:
            return "", value
        if text == "":
            return "", None
        if self.normalise:
            folded = normalise_text(text)
            if folded in self.folded_mapping:
                return "mapped", self.folded_mapping[folded]
            if folded in self.folded or folded == "":
                return "normalised", self.folded.get(folded)
        return "unknown", None


def _tell(who: str, how: str, kinds: Counter[tuple[str, str]], unknown: str) -> str:
    n = sum(kinds.values())
    single = n == 1
    if how == "unknown":
        counts = {"wrong": "counts as wrong", "none": "counts as no answer"}[unknown]
        counts = counts if single else counts.replace("counts", "count")
        what = f"{'names' if single else 'name'} no class and {counts}"
    else:
        what = f"{'was' if single else 'were'} {how}"
    return f"Of {who}, {n:,} {what} ({_most_frequent(kinds, plain=how == 'unknown')})."


def _most_frequent(kinds: Counter[tuple[str, str]], plain: bool) -> str:
    texts = [
        f"{show(text)}{'' if plain else f' to {meant}'} {n:,} time{'s' * (n > 1)}"
        for (text, meant), n in kinds.most_common(_SHOWN)
    ]
    more = len(kinds) - _SHOWN
    return ", ".join([*texts, *([f"and {more:,} more kind{'s' * (more > 1)}"] if more > 0 else [])])


def clean_answers(
    y_pred: object,
    classes: Sequence[Any],
    *,
    unknown_answers: str = "error",
    normalise: bool = False,
    mapping: Mapping[str, str] | None = None,
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Turn answers as people and models write them into classes; also say what was changed.

    Parameters
    ----------
    y_pred : array-like
        Answers; None or NaN is no answer.
    classes : sequence
        All classes of the problem.
    unknown_answers : {"error", "wrong", "none"}
        What to do about an answer that is no class; here "wrong" and "none" both become None, which is not right.
    normalise : bool
        Whether blanks around, capitals and forms of the same character (Unicode NFKC) make no difference.
    mapping : mapping of str to str, optional
        What stands for what; an empty text stands for no answer.

    Examples
    --------
    >>> answers, notes = clean_answers([" a", "B", "dunno"], ["A", "B"], normalise=True, mapping={"dunno": ""})
    >>> answers.tolist(), len(notes)
    (['A', 'B', None], 2)
    """
    rules = AnswerRules(unknown_answers, normalise, {} if mapping is None else mapping)
    cleaned = rules.clean(read_labels(y_pred, "y_pred"), given_classes(classes).tolist(), "y_pred")
    values = np.empty(len(cleaned.labels.values) + 1, dtype=object)
    values[:-1] = cleaned.labels.values
    return values[cleaned.labels.codes], cleaned.notes


# Probabilities as a model gave them: checked, never clipped or rescaled.


def as_probabilities(
    y_true: object, y_prob: object, classes: object = None
) -> tuple[NDArray[np.int32], NDArray[Any], NDArray[Any]]:
    """Check truth and probabilities together; give the coded truth, the probabilities and the classes.

    The probabilities keep their form: ``(n, k)`` in class order, or ``(n,)`` for the second of two classes.
    """
    truth = read_labels(y_true, "y_true")
    given = as_numbers(y_prob, "y_prob")
    check_length(given, len(truth), "y_prob")
    n_columns = given.shape[1] if given.ndim == 2 else 2
    universe = (
        given_classes(classes) if classes is not None else classes_for_columns(truth, n_columns, "y_prob")
    )
    return encode_truth(truth, universe), check_probabilities(given, universe, y_prob), universe


def check_probabilities(given: NDArray[Any], classes: NDArray[Any], original: object = None) -> NDArray[Any]:
    """Insist on numbers in [0, 1] whose rows sum to one."""
    if (few := as_few(given)) is not None:
        try:
            check_probabilities(few.levels, classes)
        except InputError:  # which names a row
            check_probabilities(np.asarray(given), classes)
        return given
    if given.dtype not in (np.float32, np.float64):
        given = given.astype(np.float64)
    if given.ndim == 1:
        return _check_second_class(given, classes)
    if given.ndim != 2:
        raise InputError("y_prob of shape (n, k) or (n,)", f"an array of shape {given.shape}")
    if given.shape[1] != classes.size:
        raise InputError(
            f"one column of probabilities for each of the {classes.size} classes", f"{given.shape[1]} columns"
        )
    given = columns_in_class_order(given, classes, original)
    # rounding errors of a row add up like a random walk
    tolerance = max(SUM_TOLERANCE, float(np.sqrt(given.shape[1]) * np.finfo(given.dtype).eps))
    row, reason = _kernels.first_bad_row(given, tolerance)
    if reason > _LAST_OF_VALUES and given.max() <= 1:
        row, reason = _kernels.first_bad_row(given, max(tolerance, _rounding(given)))
    _refuse(row, reason, given)
    return given


def of_all_classes(prob: NDArray[Any]) -> NDArray[np.float64]:
    """Give a column for each class, where only the second of two was stated too."""
    return np.asarray(np.column_stack([1 - prob, prob]) if prob.ndim == 1 else prob, dtype=np.float64)


def _rounding(given: NDArray[Any]) -> float:
    """Give by how much a sum can miss 1 because all was written with two to six digits, or in half precision.

    The probabilities stay as they were written; of one digit or none, as in 0.9 and 0.2, nothing is excused.
    """
    half = np.array_equal(given, given.astype(np.float16))  # wherever it is kept now: few tables hold it
    k, eps = int(given.shape[1]), float(np.finfo(given.dtype).eps)
    precision, off = (2.0**-10, 2.0**-12) if half else (eps, 4 * eps)
    excused = float(np.sqrt(k) * precision)
    for digits in range(2, 7):
        if np.abs(given - np.round(given, digits)).max() <= off:
            return max(excused, min(_MOST_ROUNDING, k / 2 * 10.0**-digits + SUM_TOLERANCE))
    return excused


def _check_second_class(given: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    if classes.size != 2:
        raise InputError(
            f"a matrix with one column for each of the {classes.size} classes",
            "one column of probabilities",
            "one column states the second of two classes; --probability-prefix (probabilities=) names all of more",
        )
    _refuse(*_kernels.first_outside_unit(given), given)
    return given


def _refuse(row: int, reason: int, given: NDArray[Any]) -> None:
    if reason == 0:
        return
    shown = np.array2string(given[row], precision=6, threshold=8)
    if reason == 1:
        raise InputError("a number for every probability", f"{shown} in row {row}")
    if reason in (2, 3):
        raise InputError(
            "probabilities between 0 and 1",
            f"{shown} in row {row}",
            "divide per cent by 100, and turn scores into probabilities first",
        )
    raise InputError(
        "the probabilities of each case to sum to 1",
        f"{shown} with sum {float(given[row].sum()):.6g} in row {row}",
        "nothing is rescaled unasked; divide each row by its sum if that is what you mean",
    )
