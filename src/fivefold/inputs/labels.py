"""Labels and categories: the values that occur, sorted, and each value as a position among them."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs import _kernels
from fivefold.inputs.frames import CodedColumn, as_array, holds_objects, refuse_type

NO_ANSWER = -1
MAX_CLASSES = 65_536
_LOOKUP_SPAN = 1 << 20


@dataclass(frozen=True)
class ClassCodes:
    """Labels as positions in ``classes``; ``-1`` stands for no answer."""

    classes: NDArray[Any]
    codes: NDArray[np.int32]


def encode_truth(y_true: object, classes: NDArray[Any], name: str = "y_true") -> NDArray[np.int32]:
    """Code the true classes; a missing or unknown class is an error."""
    codes = encode(as_labels(y_true, name), classes, name)
    absent = np.flatnonzero(codes == NO_ANSWER)
    if absent.size:
        raise InputError(
            f"{name} to hold a class in every row",
            f"a missing value in row {absent[0]} ({absent.size} in all)",
            "drop the cases whose class is not known",
        )
    return codes


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


def infer_classes(arrays: Sequence[NDArray[Any]], names: Sequence[str]) -> NDArray[Any]:
    """Take the sorted union of all labels that occur as the universe of classes."""
    return sort_classes(
        [label for array, name in zip(arrays, names, strict=True) for label in distinct(array, name)]
    )


def given_classes(classes: object) -> NDArray[Any]:
    """Check a universe of classes that the caller gave; its order is kept."""
    array = as_labels(classes, "classes")
    labels = [item.item() if isinstance(item, np.generic) else item for item in array.tolist()]
    if any(is_missing(label) for label in labels):
        raise InputError("classes to hold labels only", f"a missing value among {show(labels)}")
    _check_labels(labels, "classes")
    if len(set(labels)) < len(labels):
        twice = next(label for index, label in enumerate(labels) if label in labels[:index])
        raise InputError("classes without repetition", f"{show(twice)} twice")
    _check_one_type(labels)
    _check_count(len(labels))
    return _label_array(labels)


def distinct(array: NDArray[Any], name: str) -> list[Any]:
    """List the different labels of a column, without missing values."""
    if array.dtype.kind in "biuf":
        return _distinct_numbers(array, name)
    labels = [label for label in dict.fromkeys(_plain_labels(array, name)) if not is_missing(label)]
    _check_labels(labels, name)
    return labels


def _check_labels(labels: Iterable[Any], name: str) -> None:
    for label in labels:
        if not isinstance(label, (str, numbers.Integral)) and not _is_whole(label):
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


def encode(array: NDArray[Any], classes: NDArray[Any], name: str) -> NDArray[np.int32]:
    """Replace each label by its position in ``classes``; missing becomes -1, unknown is an error."""
    numeric = array.dtype.kind in "biuf"
    if numeric and classes.dtype.kind in "biu":
        codes = _encode_numbers(array, classes, name)
    else:
        lookup = {label: code for code, label in enumerate(classes.tolist())} | {
            None: NO_ANSWER,
            np.nan: NO_ANSWER,
        }
        codes = np.fromiter(
            (lookup.get(label, -2) for label in _plain_labels(array, name)),
            dtype=np.int32,
            count=array.shape[0],
        )
    return _settle_unknown(codes, array, classes, name)


def _settle_unknown(
    codes: NDArray[np.int32], array: NDArray[Any], classes: NDArray[Any], name: str
) -> NDArray[np.int32]:
    for row in np.flatnonzero(codes == -2):
        if not is_missing(array[row]):
            _refuse_unknown(array[row], int(row), classes, name)
        codes[row] = NO_ANSWER
    return codes


def _refuse_unknown(label: object, row: int, classes: NDArray[Any], name: str) -> None:
    label = label.item() if isinstance(label, np.generic) else label
    known = classes.tolist()
    listed = ", ".join(map(repr, known[:8])) + (", …" if len(known) > 8 else "")
    if label == "":
        hint = "no answer is None or NaN, not an empty text"
    elif any(str(label) == str(other) for other in known):
        hint = f"the classes are of type {type(known[0]).__name__}; convert one side"
    else:
        hint = "pass classes= with every class of the problem"
    raise InputError(f"{name} to hold only the classes {listed}", f"{show(label)} in row {row}", hint)


def _distinct_numbers(array: NDArray[Any], name: str) -> list[Any]:
    if array.dtype.kind == "f":
        array = array[~np.isnan(array)]
        if array.size and not np.all(np.isfinite(array)):
            raise InputError(f"{name} to hold labels", "an infinite number (inf)")
        if np.any(array != np.floor(array)):
            value = float(array[np.flatnonzero(array != np.floor(array))[0]])
            raise InputError(
                f"{name} to hold class labels",
                f"the number {value!r}",
                "bin continuous values into classes first",
            )
        if array.size:
            _check_size(array[np.argmax(np.abs(array))].item(), name)
        array = array.astype(np.int64)
    if array.dtype.kind == "b":
        return [bool(value) for value in (False, True) if np.any(array == value)]
    if array.size == 0:
        return []
    low, high = int(array.min()), int(array.max())
    _check_size(high, name)
    if high - low < _LOOKUP_SPAN:
        return [low + int(step) for step in np.flatnonzero(_kernels.present(array, low, high - low + 1))]
    return [int(value) for value in np.unique(array)]


def _encode_numbers(array: NDArray[Any], classes: NDArray[Any], name: str) -> NDArray[np.int32]:
    if array.dtype in (np.float16, np.longdouble):  # which the kernels do not know
        array = array.astype(np.float64)
    labels = classes.astype(np.int64)
    low, high = int(labels.min()), int(labels.max())
    if high - low < _LOOKUP_SPAN:
        table = np.full(high - low + 1, -2, dtype=np.int32)
        table[labels - low] = np.arange(labels.size, dtype=np.int32)
        return _kernels.look_up(array, low, table)
    order = np.argsort(labels)
    place = np.clip(np.searchsorted(labels[order], array), 0, labels.size - 1)
    return np.where(labels[order][place] == array, order[place], -2).astype(np.int32)


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
            f"text such as {show(texts[0])} and numbers such as {show(others[0])}",
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


def _plain_labels(array: NDArray[Any], name: str) -> list[Any]:
    if array.dtype.kind == "S":
        raise InputTypeError(f"{name} to hold text", "bytes", "decode them: array.astype(str)")
    labels: list[Any] = array.tolist()
    many = tuple(kind for kind in set(map(type, labels)) if kind.__hash__ is None or issubclass(kind, tuple))
    if many:
        row = next(row for row, label in enumerate(labels) if isinstance(label, many))
        raise InputTypeError(
            f"{name} to hold one label in each row",
            f"{show(labels[row])} in row {row} ({type(labels[row]).__name__})",
        )
    return labels


def is_missing(value: object) -> bool:
    """Say whether a value means "nothing here": None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _is_whole(value: object) -> bool:
    return isinstance(value, (bool, np.bool_, numbers.Real)) and float(value).is_integer()


Family: TypeAlias = Literal["text", "number", "bool", "nothing"]

# pandas marks missing values with types of its own, which are told by name: pandas need not be installed
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}
_HINT = "make the values of a column all text, all numbers or all booleans, with None for missing"


@dataclass(frozen=True, slots=True)
class ObjectColumn:
    """The distinct values of a column of objects, without the missing ones, and what they all are."""

    family: Family
    distinct: tuple[Any, ...]


def describe_objects(values: Sequence[Any], name: str) -> ObjectColumn:
    """Find the distinct values and the one family they belong to; complain where there are several."""
    types = set(map(type, values))
    for kind in types:
        if kind.__name__ not in _MISSING_TYPES and _family_of(kind) is None:
            row = next(i for i, value in enumerate(values) if type(value) is kind)
            raise InputTypeError(
                f"text, numbers or booleans in column {show(name)}",
                f"{show(values[row])} ({kind.__name__}) in row {row}",
                "each argument must be a string, a number or a boolean; turn times into numbers, and other "
                "objects into text or a declared category",
            )
    distinct = tuple(value for value in set(values) if not is_missing(value))
    return ObjectColumn(_one_family(types, distinct, values, name), distinct)


def _one_family(types: set[type], distinct: Iterable[Any], values: Sequence[Any], name: str) -> Family:
    families = {family for kind in types if (family := _family_of(kind)) is not None}
    if (
        "number" in families
        and len(families) > 1
        and not any(_family_of(type(value)) == "number" for value in distinct)
    ):
        families.discard("number")  # its only numbers were NaN
    if len(families) > 1:
        first, other = _two_kinds(values)
        raise InputError(
            f"values of one type in column {show(name)}",
            f"{show(values[first])} in row {first} and {show(values[other])} in row {other}",
            _HINT,
        )
    if families == {"number"} and not distinct:
        return "nothing"
    return families.pop() if families else "nothing"


def _two_kinds(values: Sequence[Any]) -> tuple[int, int]:
    known = [(i, _family_of(type(v))) for i, v in enumerate(values) if not is_missing(v)]
    first, family = known[0]
    return first, next(i for i, other in known if other != family)


def _family_of(kind: type) -> Family | None:
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, int | float | np.integer | np.floating):
        return "number"
    return None


def codes_of(values: Sequence[Any], categories: Sequence[Any]) -> NDArray[np.int32]:
    """Give each value its place among the categories, -1 where it has none."""
    place = {category: i for i, category in enumerate(categories)}
    return np.fromiter(map(place.get, values, repeat(-1)), dtype=np.int32, count=len(values))


BOOLS: tuple[object, ...] = (False, True)

Encoded: TypeAlias = tuple[NDArray[np.int32], tuple[object, ...]]


def are_bools(categories: tuple[object, ...] | None) -> bool:
    """Tell whether the categories are (False, True); (0, 1), which is equal to it, is not."""
    return categories == BOOLS and isinstance(categories[0], bool)


def encode_nominal(values: Any, name: str) -> Encoded:
    """Read a column (narwhals Series, array or Coded) as codes and sorted categories."""
    if isinstance(values, CodedColumn):
        return _sort_categories(values.codes, values.declared, name)
    if isinstance(values, np.ndarray):
        return _encode_array(values, name)
    dtype = values.dtype
    refuse_type(values, name)
    if isinstance(dtype, nw.Decimal):
        values = values.cast(nw.Float64)
    if dtype.is_numeric():
        whole = dtype.is_integer() and values.null_count()
        return _encode_objects(values.to_list(), name) if whole else _encode_array(values.to_numpy(), name)
    if isinstance(dtype, nw.Boolean) or holds_objects(values):
        return _encode_objects(values.to_list(), name)
    return _sort_categories(*_dictionary(values), name)


def recode(
    codes: NDArray[np.int32], new: Sequence[object], old: tuple[object, ...], name: str
) -> NDArray[np.int32]:
    """Turn codes into `new` categories into codes into `old` ones; -1 where there is no such category."""
    if new == old:
        return codes
    if new and old and isinstance(new[0], str) != isinstance(old[0], str):
        raise InputTypeError(
            f"categories such as {show(old[0])} in column {show(name)}, as at fitting time",
            show(new[0]),
            "pass the column with the type it had at fitting time",
        )
    return np.append(codes_of(new, old), np.int32(-1))[codes]


def _encode_array(values: NDArray[Any], name: str) -> Encoded:
    if values.dtype.kind == "b":
        return values.astype(np.int32), BOOLS
    if values.dtype.kind in "OUT":
        return _encode_objects(values.tolist(), name)
    if values.dtype.kind not in "fiu":
        raise InputTypeError(
            f"text, numbers or booleans in column {show(name)}", f"an array of {values.dtype}", "decode it"
        )
    present = ~np.isnan(values)
    distinct, places = np.unique(values[present], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[present] = places
    return codes, tuple(distinct.tolist())


def _encode_objects(values: Sequence[Any], name: str) -> Encoded:
    column = describe_objects(values, name)
    categories: Sequence[Any] = BOOLS if column.family == "bool" else sorted(column.distinct)
    return codes_of(values, categories), tuple(_plain_value(category) for category in categories)


def _plain_value(category: Any) -> object:
    return category.item() if isinstance(category, np.generic) else category


def _dictionary(series: nw.Series[Any]) -> tuple[NDArray[Any], list[Any]]:
    # Each library factorises in compiled code; narwhals has no common name for it.
    native: Any = nw.to_native(series)
    implementation = series.implementation
    if implementation.is_polars():
        return _polars_dictionary(native)
    if implementation.is_pandas_like():
        if isinstance(series.dtype, nw.String):
            codes, distinct = native.factorize()
            return codes, list(distinct)
        return native.cat.codes.to_numpy(), native.cat.categories.tolist()
    if implementation.is_pyarrow():
        if not isinstance(series.dtype, nw.Categorical):
            native = native.dictionary_encode()
        whole = native.unify_dictionaries().combine_chunks()
        return whole.indices.cast("int32").fill_null(-1).to_numpy(), whole.dictionary.to_pylist()
    values = series.to_list()
    distinct = describe_objects(values, series.name).distinct
    return codes_of(values, distinct), list(distinct)


def _polars_dictionary(native: Any) -> tuple[NDArray[Any], list[Any]]:
    import polars as pl

    dtype = native.dtype
    if not isinstance(dtype, pl.Enum):
        text = native.cast(pl.String)
        dtype = pl.Enum(text.unique().drop_nulls())
        native = text.cast(dtype)
    codes = native.to_physical()
    if native.null_count():
        codes = codes.cast(pl.Int32).fill_null(-1)
    return codes.to_numpy(), dtype.categories.to_list()


def _sort_categories(codes: NDArray[Any], declared: list[Any], name: str) -> Encoded:
    try:
        if sorted(declared) == declared:
            return codes.astype(np.int32, copy=False), tuple(map(_plain_value, declared))
        order = sorted(range(len(declared)), key=declared.__getitem__)
    except TypeError as problem:
        raise InputError(
            f"categories of one type in column {show(name)}",
            f"{show(declared)} ({problem})",
            "make the categories all text or all numbers",
        ) from problem
    place = np.full(len(declared) + 1, -1, dtype=np.int32)
    place[order] = np.arange(len(declared), dtype=np.int32)
    return place[codes], tuple(_plain_value(declared[i]) for i in order)
