"""Columns, tables, labels and probabilities as strange as the world has them, drawn by a seeded generator.

Hypothesis would take ten times as long to draw such values as the calls take that are tried with them.
"""

import datetime as dt
import struct
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

MOST_ROWS = 12

TEXTS = [
    "",
    " ",
    "a",
    "b",
    "nan",
    "None",
    "1",
    "01",
    "a|b",
    "é",
    "e\u0301",
    "🦊",
    "שלום",
    "\u202eabc",
    "a\0b",
    "<b>&\"'",
    "x" * 300,
    "\n",
    "{0}",
    "%s",
    "y",
    "class",
]
NUMBERS = [
    0,
    1,
    2,
    -1,
    0.5,
    1.0,
    1e300,
    -1e300,
    5e-324,
    float("nan"),
    float("inf"),
    -float("inf"),
    2**53 + 1,
    2**63,
    -(2**70),
    10**400,
    True,
    -0.0,
]
OTHERS = [
    None,
    b"a",
    (),
    ("a",),
    {"a"},
    [],
    {},
    1j,
    dt.date(2020, 1, 1),
    dt.timedelta(1),
    Decimal("0.1"),
    pd.NA,
    pd.NaT,
    np.float32(0.1),
    np.int8(3),
    np.str_("a"),
    object,
]
SCALARS = [
    None,
    0,
    1,
    -1,
    2,
    0.5,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "a",
    True,
    b"",
    (),
    [],
    {},
    10**30,
    10**400,
    "cv",
]


def either(rng, *kinds):
    """Draw from one of several kinds: a function of the generator, or a list to choose from."""
    kind = rng.choice(kinds)
    return kind(rng) if callable(kind) else rng.choice(kind)


def any_float(rng):
    """Draw any pattern of 64 bits: a number of any size, subnormal, infinite or not a number."""
    return struct.unpack("d", rng.randbytes(8))[0]


def any_text(rng):
    """Draw up to four characters of any script."""
    highest = rng.choice([0x7F, 0x7FF, 0xD7FF, 0x1F9FF])
    return "".join(
        chr(code) for code in rng.choices(range(highest), k=rng.randint(0, 4)) if not 0xD800 <= code <= 0xDFFF
    )


def texts(rng):
    return either(rng, TEXTS, any_text)


def numbers(rng):
    return either(rng, NUMBERS, any_float, range(-3, 4))


def cells(rng):
    return either(rng, texts, numbers, OTHERS)


def scalars(rng):
    return rng.choice(SCALARS)


def lists(rng, elements, n):
    return [elements(rng) for _ in range(n)] if callable(elements) else rng.choices(elements, k=n)


def good_labels(rng, n):
    """Draw labels that most functions can use."""
    names = [["a", "b"], ["b", "a", "c"], [0, 1], [0, 1, 7], [False, True], ["🦊", "é"], ["y", "n"]]
    return lists(rng, rng.choice(names), n)


def labels(rng, n):
    """Draw a column of classes or answers, good or bad, in any container."""
    n = nearly(rng, n)
    values = good_labels(rng, n) if rng.random() < 0.4 else lists(rng, rng.choice([texts, numbers, cells]), n)
    if values and rng.random() < 0.25:
        values[-1] = None
    return contain(values, rng.choice(sorted(CONTAINERS)))


def nearly(rng, n):
    """Draw the number of rows that is right, but for one time in five."""
    return rng.choice([n] * 12 + [0, 1, n + 1])


def answer_sets(rng, n):
    """Draw several or no answers for each case."""
    if rng.random() < 0.5:
        k = rng.randint(0, 4)
        return np.array([[rng.random() < 0.5 for _ in range(k)] for _ in range(n)], dtype=bool).reshape(n, k)
    return [lists(rng, ["a", "b", "c", None, 0, "a|b"], rng.randint(0, 3)) for _ in range(n)]


def shares(rng):
    return either(rng, [0.0, 1.0, 0.5, 0.25, 5e-324, 1 - 1e-16], lambda rng: rng.random())


PROBABILITY_FORMS = [
    np.asarray,
    np.asarray,
    np.float32,
    np.float16,
    np.asfortranarray,
    pd.DataFrame,
    np.ndarray.tolist,
    sparse.csr_matrix,
    lambda each: each[:, :, None],
    lambda each: pl.DataFrame(list(each.T)),
]


def probabilities(rng, n):
    """Draw what should be the probabilities of classes."""
    n, k = nearly(rng, n), rng.choice([2, 2, 2, 3, 1, 0, 4])
    if rng.random() < 0.5:
        column = lists(rng, rng.choice([shares, shares, shares, numbers, cells]), n)
        return contain(column, rng.choice(sorted(CONTAINERS)))
    matrix = np.array([lists(rng, shares, k) for _ in range(n)], dtype=float).reshape(n, k)
    if k and rng.random() < 0.75:
        matrix[matrix.sum(axis=1) == 0] = 1 / k
        matrix /= matrix.sum(axis=1, keepdims=True)
    return rng.choice(PROBABILITY_FORMS)(matrix)


def _array(values):
    # an array of tuples would become a matrix
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _polars(values):
    try:
        return pl.Series("s", values, strict=False)
    except Exception:
        return values


def _series(values, **options):
    try:
        return pd.Series(values, **options)
    except Exception:
        return values


def _plain_array(values):
    try:
        return np.array(values)
    except ValueError:
        return _array(values)


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "array": _plain_array,
    "objects": _array,
    "pandas": lambda values: _series(values, index=range(5, 5 + len(values))),
    "pandas twice indexed": lambda values: _series(values, index=[0] * len(values), dtype=object),
    "category": lambda values: _series([str(v) for v in values], dtype="category"),
    "polars": _polars,
    "polars enum": lambda values: (
        pl.Series([str(v) for v in values]).cast(pl.Categorical) if values else values
    ),
    "masked": lambda values: np.ma.array(_plain_array(values), mask=[i == 0 for i in range(len(values))]),
    "column": lambda values: _array(values).reshape(-1, 1),
    "dict": lambda values: dict(enumerate(values)),
    "text": lambda values: "".join(map(str, values)),
    "iterator": lambda values: tuple(map(str, values)),
}


def contain(values, name):
    return CONTAINERS[name](values)


DAY = dt.date(2020, 1, 1)
COLUMNS = {
    "numbers": (lambda rng: either(rng, [None], lambda rng: rng.uniform(-5, 5)), pl.Float64),
    "odd numbers": ([float("nan"), float("inf"), 1e308, -1e308, 0.0, None], pl.Float64),
    "whole": (range(-3, 4), pl.Int64),
    "large": ([2**63 - 1, -(2**63), 0], pl.Int64),
    "unsigned": ([2**64 - 1, 0], pl.UInt64),
    "texts": (texts, pl.String),
    "categories": (["r", "g", None], pl.Categorical),
    "flags": ([False, True, None], pl.Boolean),
    "missing": ([None], pl.Null),
    "missing numbers": ([None], pl.Float64),
    "missing texts": ([None], pl.String),
    "constant": (["same"], pl.String),
    "days": ([DAY], pl.Date),
    "spans": ([dt.timedelta(1)], pl.Duration),
    "lists": ([[1, 2]], pl.List(pl.Int64)),
    "records": ([{"a": 1}], pl.Struct({"a": pl.Int64})),
    "bytes": ([b"a"], pl.Binary),
    "exact": ([Decimal("0.1")], pl.Decimal(10, 2)),
    "objects": (OTHERS[5:9], pl.Object),
}
COMMON = ["numbers", "whole", "texts", "categories", "flags"]


def columns(rng, n):
    """Draw a column of attributes: a polars series of some type."""
    elements, dtype = COLUMNS[rng.choice(COMMON * 3 + sorted(COLUMNS))]
    return pl.Series(lists(rng, elements, n), dtype=dtype)


NAMES = ["a", "b", "y", "class", "", " ", "é", "🦊", "a:b", "a=b", "__index__", "prediction", "0", "x\0"]


def frames(rng, n):
    """Draw a table of attributes as polars, pandas or arrays."""
    n = nearly(rng, n)
    names = rng.sample(NAMES, rng.randint(0, 4))
    form = rng.choice(["polars", "pandas", "pandas", "dict", "floats", "objects", "sparse", "odd"])
    if form == "odd":
        return cells(rng) if rng.random() < 0.5 else labels(rng, n)
    if form in ("floats", "sparse"):
        values = [lists(rng, rng.choice([NUMBERS[4:12], _small]), len(names)) for _ in range(n)]
        matrix = np.array(values, dtype=float).reshape(n, len(names))
        return sparse.csr_matrix(matrix) if form == "sparse" else matrix
    if form == "objects":
        values = [lists(rng, rng.choice([texts, numbers, [None]]), len(names)) for _ in range(n)]
        return np.array(values, dtype=object).reshape(n, len(names))
    table = {name: columns(rng, n) for name in names}
    if form == "polars":
        return pl.DataFrame(table)
    if form == "dict":
        return {name: each.to_list() for name, each in table.items()}
    frame = pd.DataFrame({name: pd.Series(each.to_list(), dtype=object) for name, each in table.items()})
    return rng.choice(PANDAS_FORMS)(frame)


def _small(rng):
    return rng.uniform(-3, 3)


def _same_names(frame):
    return frame.set_axis(["a"] * frame.shape[1], axis=1)


PANDAS_FORMS = [
    lambda frame: frame,
    lambda frame: frame.infer_objects(),
    lambda frame: frame.astype(str),
    lambda frame: (
        frame.astype("category")
        if not frame.map(lambda v: isinstance(v, list | dict)).any(axis=None)
        else frame
    ),
    _same_names,
    lambda frame: frame.set_axis(range(frame.shape[1]), axis=1),
    lambda frame: frame.set_axis([0] * len(frame), axis=0),
    lambda frame: (
        frame.set_axis(pd.MultiIndex.from_tuples([("a", i) for i in range(frame.shape[1])]), axis=1)
        if frame.shape[1]
        else frame
    ),
]
