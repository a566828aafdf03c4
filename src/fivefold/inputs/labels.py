"""Labels and categories: the different values of a column, and each row as a position among them.

Whatever a column comes from, it is read once, in compiled code, as `Labels`; what then asks whether its values are
classes or categories, and in which order they stand, looks at the different values only.
"""

from __future__ import annotations

import numbers
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs._kernels import at_codes, count_codes
from fivefold.inputs.frames import Labels, as_array, holds_objects, object_array, refuse_type

NO_ANSWER = -1
MAX_CLASSES = 65_536
_WIDEST_SPAN = 1 << 20  # of whole numbers that are counted off instead of hashed
_SAMPLE = 2_000  # first rows, by which objects are judged to be few or many
_FEW = 2_000  # rows
BOOLS: tuple[object, ...] = (False, True)
Codes: TypeAlias = NDArray[np.int32]
Numbered: TypeAlias = tuple[Codes, NDArray[np.int64]]
Encoded: TypeAlias = tuple[Codes, tuple[object, ...]]

# pandas marks missing values with types of its own, which are told by name: pandas need not be installed
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}


def read_labels(values: object, name: str) -> Labels:
    """Read a column of labels of any origin; whether they can be classes is not asked yet.

    Examples
    --------
    >>> labels = read_labels(["yes", None, "no", "yes"], "y")
    >>> labels.values, labels.codes.tolist()
    (['yes', 'no'], [0, -1, 1, 0])
    """
    if isinstance(values, Labels):
        return values
    labels = read_text(values)
    return number_labels(as_labels(values, name), name) if labels is None else labels


def read_text(values: object) -> Labels | None:
    """Read a column of text or of declared categories, which its own library numbers; None for all else."""
    if isinstance(values, np.ndarray | list | tuple):
        return None
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series) or not len(series) or holds_objects(series):
        return None
    if not isinstance(series.dtype, nw.String | nw.Categorical | nw.Enum):
        return None
    labels = only_present(_dictionary(series))
    return replace(labels, codes=labels.codes.astype(np.int32, copy=False))


def as_labels(values: object, name: str) -> NDArray[Any]:
    """Read labels as a one-dimensional array that has at least one row."""
    array = as_array(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{name} to be one-dimensional", f"an array of shape {array.shape}")
    if array.shape[0] == 0:
        raise InputError(f"{name} to hold at least one case", "0 rows")
    if array.dtype.kind not in "biufUSO":
        raise InputTypeError(
            f"{name} to hold labels (text, whole numbers or booleans)", f"values of type {array.dtype}"
        )
    return array


def read_answers(y_pred: object, truth: Labels) -> Labels | NDArray[Any]:
    """Read answers of any accepted form: as labels, as a matrix, or as an array of collections."""
    labels = read_text(y_pred)
    if labels is not None:
        return labels
    array = as_array(y_pred, "y_pred")
    if array.ndim > 1:
        return array
    if array.dtype.kind in "biufUS":
        return number_labels(array, "y_pred")
    numbered = number_items(array)
    if not any(map(is_collection, set(map(type, array[numbered[1]].tolist())))):
        return number_labels(array, "y_pred", numbered)
    if truth.values and all(isinstance(label, (bool, np.bool_)) for label in truth.values):
        return array  # of collections of the labels True and False
    return _as_matrix(array)


def is_collection(kind: type) -> bool:
    """Say whether a type holds several labels."""
    return issubclass(kind, Collection) and not issubclass(kind, (str, bytes, dict))


def _as_matrix(rows: NDArray[Any]) -> NDArray[Any]:
    """Read a list of lists of booleans as a matrix; leave all else as it is."""
    plain = all(isinstance(row, (list, tuple)) and row for row in rows) and len(set(map(len, rows))) == 1
    if plain and all(isinstance(item, (bool, np.bool_)) for row in rows for item in row):
        return np.array(rows.tolist(), dtype=np.bool_)
    return rows


def number_labels(array: NDArray[Any], name: str, numbered: Numbered | None = None) -> Labels:
    """Number the values of an array, unless they are `numbered` already; complain where a row holds several."""
    kind = array.dtype.kind
    if kind == "S":
        raise InputTypeError(f"{name} to hold text", "bytes", "decode them: array.astype(str)")
    if kind in "biu":
        return _number_integers(array)
    codes, first = number_items(array) if numbered is None else numbered
    values: list[Any] = array[first].tolist()
    if kind == "U":
        return Labels(values, codes, kind)
    many = tuple(kind for kind in set(map(type, values)) if kind.__hash__ is None or issubclass(kind, tuple))
    if many:
        row, label = next(
            pair for pair in zip(first.tolist(), values, strict=True) if isinstance(pair[1], many)
        )
        got = f"{show(label)} in row {row} ({type(label).__name__})"
        hint = "in a table several classes are one text, such as 'cat|dog'"
        raise InputTypeError(f"{name} to hold one label in each row", got, hint)
    return _merged(values, codes, kind if kind == "f" else "O")


def number_items(array: NDArray[Any]) -> Numbered:
    """Number the different items of an array in the order in which they appear; give the first row of each, too.

    Python objects differ where they are not one and the same object, so that few are left to be compared; only
    texts that are all made anew are compared here.
    """
    from fivefold.inputs import _kernels

    if array.size == 0:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    items = np.ascontiguousarray(array if array.dtype.kind in "biufUO" else array.astype(object))
    if items.dtype.kind == "O":
        words = np.frombuffer(items, dtype=np.uintp)
        if items.size > _SAMPLE and np.unique(words[:_SAMPLE]).size > _SAMPLE // 2:
            words = _text_codes(items, words)
    elif items.dtype.kind == "U":
        words = items.astype("U1", copy=False) if items.itemsize == 0 else items
        words = words.view(np.uint32 if words.itemsize % 8 else np.uint64)
    elif items.dtype.kind == "f":  # 0.0 and -0.0 are equal, and differ in their bits
        words = (items.astype(np.float64) + 0.0).view(np.uint64)
    else:
        words = items.astype(np.int64).view(np.uint64)
    return _kernels.number_rows(words.reshape(items.size, -1))


def _text_codes(items: NDArray[Any], otherwise: NDArray[np.uintp]) -> NDArray[np.uintp]:
    """Give equal texts equal numbers, if all items are texts or None."""
    import polars as pl

    try:
        labels = _polars_dictionary(pl.Series(items.tolist(), dtype=pl.String))
    except (TypeError, UnicodeError, pl.exceptions.PolarsError):
        return otherwise
    return labels.codes.astype(np.uintp)


def _number_integers(array: NDArray[Any]) -> Labels:
    from fivefold.inputs import _kernels

    kind = array.dtype.kind
    if array.size and array.dtype != np.uint64:
        numbers = np.ascontiguousarray(array.view(np.uint8) if kind == "b" else array)
        codes, values = _kernels.number_integers(numbers, _WIDEST_SPAN)
        if codes.size:
            return Labels((values.astype(bool) if kind == "b" else values).tolist(), codes, kind)
    codes, first = number_items(array)
    order = np.argsort(array[first])
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    return Labels(array[first][order].tolist(), place[codes], kind)


def _merged(objects: Sequence[Any], codes: Codes, kind: str) -> Labels:
    """Make one of equal values, and -1 of missing ones."""
    values = list(dict.fromkeys(objects))
    if set(map(type, values)) != {str}:
        values = [value for value in values if not is_missing(value)]
    if len(values) == len(objects):
        return Labels(values, codes, kind)
    return Labels(values, codes_of(objects, values)[codes], kind)


def only_present(column: Labels) -> Labels:
    """Leave out the categories that no row has."""
    codes, declared = column.codes, column.values
    seen = np.flatnonzero(count_codes(codes, len(declared)))
    if seen.size < len(declared):
        place = np.full(len(declared) + 1, -1, dtype=codes.dtype)
        place[seen] = np.arange(seen.size)
        codes, declared = at_codes(place, codes), [declared[i] for i in seen.tolist()]
    return Labels(declared, codes)


def _dictionary(series: nw.Series[Any]) -> Labels:
    # Each library factorises in compiled code; narwhals has no common name for it.
    native: Any = nw.to_native(series)
    implementation = series.implementation
    if implementation.is_polars():
        return _polars_dictionary(native)
    if implementation.is_pandas_like():
        if isinstance(series.dtype, nw.String):
            codes, values = native.factorize()
            return Labels(list(values), codes)
        return Labels(native.cat.categories.tolist(), native.cat.codes.to_numpy())
    if implementation.is_pyarrow():
        if not isinstance(series.dtype, nw.Categorical):
            native = native.dictionary_encode()
        whole = native.unify_dictionaries().combine_chunks()
        return Labels(whole.dictionary.to_pylist(), whole.indices.cast("int32").fill_null(-1).to_numpy())
    return number_labels(object_array(series), series.name)


def _polars_dictionary(native: Any) -> Labels:
    import polars as pl

    if isinstance(native.dtype, pl.Categorical):  # its numbers may be shared with other columns
        numbers = native.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        codes, first = number_items(numbers)
        return _merged(native.gather(first).to_list(), codes, "O")
    if not isinstance(native.dtype, pl.Enum):
        if len(native) < _FEW:  # a dictionary of Python's is quicker than polars' queries
            values = native.to_list()
            known = [value for value in dict.fromkeys(values) if value is not None]
            return Labels(known, codes_of(values, known))
        native = native.cast(pl.Enum(native.unique(maintain_order=True).drop_nulls()))
    codes = native.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    return Labels(native.dtype.categories.to_list(), codes)


def codes_of(values: Sequence[Any], categories: Sequence[Any]) -> Codes:
    """Give each value its place among the categories, -1 where it has none."""
    place = {category: i for i, category in enumerate(categories)}
    return np.fromiter(map(place.get, values, repeat(-1)), dtype=np.int32, count=len(values))


def _recoded(codes: NDArray[Any], values: Sequence[Any], categories: Sequence[Any]) -> Codes:
    """Turn places among values into places among categories; -1 where there is none."""
    recoded: Codes = np.append(codes_of(values, categories), np.int32(-1))[codes]
    return recoded


def is_missing(value: object) -> bool:
    """Say whether a value means "nothing here": None, NaN, NaT or pandas' NA."""
    if type(value).__name__ in _MISSING_TYPES:
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)  # noqa: PLR0124


def plain_item(value: Any) -> Any:
    """Turn a number of numpy's into Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def encode(y: object, classes: NDArray[Any], name: str) -> Codes:
    """Replace each label by its position in ``classes``; missing becomes -1, unknown is an error."""
    labels = read_labels(y, name)
    known = {label: code for code, label in enumerate(classes.tolist())}
    places = [known.get(label, -2) for label in labels.values]
    if places == list(range(len(places))):
        return np.ascontiguousarray(labels.codes, dtype=np.int32)
    codes: Codes = at_codes(np.array([*places, NO_ANSWER], dtype=np.int32), labels.codes)
    if -2 in places:
        row = int(np.flatnonzero(codes == -2)[0])
        _refuse_unknown(labels.values[labels.codes[row]], row, classes, name)
    return codes


def encode_truth(y_true: object, classes: NDArray[Any], name: str = "y_true") -> Codes:
    """Code the true classes; a missing or unknown class is an error."""
    codes = encode(y_true, classes, name)
    refuse_missing(codes, name)
    return codes


def refuse_missing(codes: Codes, name: str) -> None:
    """Insist on a class in every row."""
    absent = np.flatnonzero(codes == NO_ANSWER)
    if absent.size:
        raise InputError(
            f"{name} to hold a class in every row",
            f"a missing value in row {absent[0]} ({absent.size} in all)",
            "drop the cases whose class is not known",
        )


def _refuse_unknown(label: object, row: int, classes: NDArray[Any], name: str) -> None:
    label = plain_item(label)
    known = classes.tolist()
    listed = ", ".join(map(repr, known[:8])) + (", …" if len(known) > 8 else "")
    if label == "":
        hint = "no answer is None or NaN, not an empty text"
    elif any(str(label) == str(other) for other in known):
        hint = f"the classes are of type {type(known[0]).__name__}; convert one side"
    else:
        hint = "write them as the classes are written, or name every class of the problem (classes=)"
    raise InputError(f"{name} to hold only the classes {listed}", f"{show(label)} in row {row}", hint)


def refuse_strange_answers(
    classes: Sequence[Any], answers: Sequence[Any], name: str, hint: str = "classes=, --class"
) -> None:
    """Refuse answers of which none is a class that occurs: they are in other words than the truth."""
    if not answers or not classes or set(answers) & set(classes):
        return
    known = {plain_word(label) for label in classes}
    if 2 * sum(known.issuperset(map(plain_word, str(label).split("|"))) for label in answers) >= len(answers):
        advice = "capitals, blanks or type differ; write both alike, as --normalise (normalise=True) does"
    else:
        advice = about_numbers(map(str, answers)) or "translate the one into the other"
        advice += hint and f", or name every class of the problem ({hint})"
    true, given = (show(list(map(plain_item, labels[:8])), 200) for labels in (list(classes), list(answers)))
    raise InputError(f"{name} to meet the true classes {true}", f"{given}, so no answer can be right", advice)


def about_numbers(texts: Iterable[str]) -> str:
    """Ask whether numbers in place of classes are probabilities or amounts; whole ones may be classes."""
    try:
        numbers = np.array([float(text.replace("%", "e-2")) for text in texts])
    except ValueError:
        return ""
    if not np.isfinite(numbers).all() or not np.mod(numbers, 1).any():
        return ""
    if numbers.min() >= 0 and numbers.max() <= 1:
        return "if they are probabilities, give them by `report --probability` (probabilities=, y_prob=)"
    return "if they are amounts, put them into ranges, for classes are judged here"


def plain_word(label: object) -> str:
    """Write a label as it reads, whatever its type: ``1.0`` is 1, and blanks and capitals do not count."""
    return unicodedata.normalize("NFKC", str(label)).strip().casefold().removesuffix(".0")


def infer_classes(columns: Sequence[object], names: Sequence[str]) -> NDArray[Any]:
    """Take the sorted union of all labels that occur as the universe of classes."""
    return sort_classes(
        [label for column, name in zip(columns, names, strict=True) for label in distinct(column, name)]
    )


def given_classes(classes: object) -> NDArray[Any]:
    """Check a universe of classes that the caller gave; its order is kept."""
    labels = list(map(plain_item, as_labels(classes, "classes").tolist()))
    if any(is_missing(label) for label in labels):
        raise InputError("classes to hold labels only", f"a missing value among {show(labels)}")
    _check_labels(labels, "classes")
    if len(set(labels)) < len(labels):
        twice = next(label for index, label in enumerate(labels) if label in labels[:index])
        raise InputError("classes without repetition", f"{show(twice)} twice")
    _check_one_type(labels)
    _check_count(len(labels))
    return _label_array(labels)


def distinct(y: object, name: str) -> list[Any]:
    """List the different labels of a column, without missing values; complain about what can be no label."""
    labels = read_labels(y, name)
    if labels.kind == "f":
        return sorted(_whole_numbers(labels.values, name))
    if labels.kind in "iu" and labels.values:
        _check_size(labels.values[-1], name)
    elif labels.kind == "O":
        _check_labels(labels.values, name)
    return labels.values


def encode_together(columns: Sequence[object], names: Sequence[str]) -> tuple[list[Codes], tuple[Any, ...]]:
    """Code columns by the sorted union of all their labels, however few; give that, too. Missing becomes -1.

    Examples
    --------
    >>> codes, classes = encode_together([["b", "a", "b"], ["a", "c", None]], ["y_pred_a", "y_pred_b"])
    >>> [column.tolist() for column in codes], classes
    ([[1, 0, 1], [0, 2, -1]], ('a', 'b', 'c'))
    """
    labels = [read_labels(column, name) for column, name in zip(columns, names, strict=True)]
    unique = {
        value: None for column, name in zip(labels, names, strict=True) for value in distinct(column, name)
    }
    _check_one_type(list(unique))
    classes = _label_array(sorted(unique)).tolist()
    return [_recoded(column.codes, column.values, classes) for column in labels], tuple(classes)


def _whole_numbers(values: Sequence[float], name: str) -> list[int]:
    if any(map(np.isinf, values)):
        raise InputError(f"{name} to hold labels", "an infinite number (inf)")
    for value in values:
        if not float(value).is_integer():
            hint = about_numbers(map(str, values))
            raise InputError(f"{name} to hold class labels", f"the number {float(value)!r}", hint)
    if values:
        _check_size(max(values, key=abs), name)
    return list(map(int, values))


def _check_labels(labels: Iterable[Any], name: str) -> None:
    for label in labels:
        whole = isinstance(label, numbers.Integral | np.bool_) or (
            isinstance(label, numbers.Real) and float(label).is_integer()
        )
        if not whole and not isinstance(label, str):
            raise InputTypeError(
                f"{name} to hold labels (text, whole numbers or booleans)",
                f"{show(label)} ({type(label).__name__})",
            )
        if not isinstance(label, str):
            _check_size(label, name)


def _check_size(label: Any, name: str) -> None:
    if not -(2**63) <= int(label) < 2**63:
        raise InputError(
            f"{name} to hold whole numbers of at most 64 bits", show(label), "write long identifiers as text"
        )


def sort_classes(labels: Iterable[Any]) -> NDArray[Any]:
    """Sort the different labels into a universe of classes."""
    unique = list(dict.fromkeys(labels))
    _check_one_type(unique)
    _check_count(len(unique))
    return _label_array(sorted(unique))


def _check_one_type(labels: Sequence[Any]) -> None:
    texts = [label for label in labels if isinstance(label, str)]
    others = [label for label in labels if not isinstance(label, str)]
    if texts and others:
        raise InputTypeError(
            "labels of one type",
            f"text such as {show(plain_item(texts[0]))} and numbers such as {show(plain_item(others[0]))}",
            "convert one of them; 1 and '1' are different labels",
        )


def _check_count(count: int) -> None:
    if count < 2:
        raise InputError(
            "at least two classes",
            f"{count}",
            "name every class of the problem, also those that do not occur in these cases: with classes=, "
            "or --class on the command line",
        )
    if count > MAX_CLASSES:
        raise InputError(
            f"at most {MAX_CLASSES:,} classes", f"{count:,}", "is this an identifier or a measured number?"
        )


def _label_array(labels: Sequence[Any]) -> NDArray[Any]:
    if all(isinstance(label, str) for label in labels):
        array = np.array(labels, dtype=object)
        return array.astype(np.str_) if all("\0" not in label for label in labels) else array
    if all(isinstance(label, (bool, np.bool_)) for label in labels):
        return np.array(labels, dtype=bool)
    return np.array([int(label) for label in labels], dtype=np.int64)


def read_objects(values: Any, name: str) -> Labels:
    """Read a column (narwhals Series or array) of Python objects; complain where they are not of one family."""
    array = values if isinstance(values, np.ndarray) else object_array(values)
    codes, first = number_items(array)
    objects = array[first].tolist()
    return _merged(objects, codes, _one_family(objects, first.tolist(), name))


def _one_family(objects: Sequence[Any], rows: Sequence[int], name: str) -> str:
    """Give numpy's letter for text, booleans or numbers; nothing at all counts as numbers."""
    of_kind = {kind: _family_of(kind) for kind in set(map(type, objects))}
    for kind, family in of_kind.items():
        if kind.__name__ not in _MISSING_TYPES and family is None:
            row, value = next(pair for pair in zip(rows, objects, strict=True) if type(pair[1]) is kind)
            raise InputTypeError(
                f"text, numbers or booleans in column {show(name)}",
                f"{show(value)} ({kind.__name__}) in row {row}",
                "each argument must be a string, a number or a boolean; turn times into numbers, and other "
                "objects into text or a declared category",
            )
    if len({*of_kind.values()} - {None}) < 2:
        return next(filter(None, of_kind.values()), "f")
    known = [(row, value) for row, value in zip(rows, objects, strict=True) if not is_missing(value)]
    families = [of_kind[type(value)] for _, value in known]
    other = next((place for place, family in enumerate(families) if family != families[0]), None)
    if other is not None:
        raise InputError(
            f"values of one type in column {show(name)}",
            " and ".join(f"{show(value)} in row {row}" for row, value in (known[0], known[other])),
            "make the values of a column all text, all numbers or all booleans, with None for missing",
        )
    return (families[0] if families else None) or "f"


def _family_of(kind: type) -> str | None:
    families = {"b": bool | np.bool_, "U": str, "f": int | float | np.integer | np.floating}
    return next((letter for letter, types in families.items() if issubclass(kind, types)), None)


def are_bools(categories: tuple[object, ...] | None) -> bool:
    """Tell whether the categories are (False, True); (0, 1), which is equal to it, is not."""
    return categories == BOOLS and isinstance(categories[0], bool)


def encode_nominal(values: Any, name: str) -> Encoded:
    """Read a column (narwhals Series, array or Labels) as codes and sorted categories."""
    labels = values if isinstance(values, Labels) else _read_nominal(values, name)
    if labels.kind == "b":
        categories: Sequence[Any] = BOOLS
    else:
        try:
            categories = sorted(labels.values)
        except TypeError as problem:
            raise InputError(
                f"categories of one type in column {show(name)}",
                f"{show(labels.values)} ({problem})",
                "make the categories all text or all numbers",
            ) from problem
    codes = labels.codes.astype(np.int32, copy=False)
    if list(categories) != labels.values:
        codes = _recoded(codes, labels.values, categories)
    return codes, tuple(map(plain_item, categories))


def _read_nominal(values: Any, name: str) -> Labels:
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InputError(f"one value for each case in {show(name)}", f"an array of shape {values.shape}")
        if values.dtype.kind not in "OTbfiuU":
            raise InputTypeError(
                f"text, numbers or booleans in column {show(name)}",
                f"an array of {values.dtype}",
                "decode it",
            )
        return read_objects(values, name) if values.dtype.kind in "OT" else number_labels(values, name)
    dtype = values.dtype
    refuse_type(values, name)
    if isinstance(dtype, nw.Decimal):
        values = values.cast(nw.Float64)
    if dtype.is_numeric() and not (dtype.is_integer() and values.null_count()):
        return number_labels(values.to_numpy(), name)
    if dtype.is_numeric() or isinstance(dtype, nw.Boolean) or holds_objects(values):
        return read_objects(values, name)
    return _dictionary(values)


def recode(codes: Codes, new: Sequence[object], old: tuple[object, ...], name: str) -> Codes:
    """Turn codes into `new` categories into codes into `old` ones; -1 where there is no such category."""
    if new == old:
        return codes
    if new and old and isinstance(new[0], str) != isinstance(old[0], str):
        raise InputTypeError(
            f"categories such as {show(old[0])} in column {show(name)}, as at fitting time",
            show(new[0]),
            "pass the column with the type it had at fitting time",
        )
    return _recoded(codes, new, old)
