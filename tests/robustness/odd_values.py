"""Columns, tables, labels and probabilities as strange as the world has them."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st
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

texts = st.sampled_from(TEXTS) | st.text(max_size=4)
numbers = st.sampled_from(NUMBERS) | st.floats() | st.integers(-3, 3)
cells = texts | numbers | st.sampled_from(OTHERS)
scalars = st.sampled_from(SCALARS)


def lists(elements, n):
    return st.lists(elements, min_size=n, max_size=n)


@st.composite
def good_labels(draw, n):
    """Draw labels that most functions can use."""
    names = draw(
        st.sampled_from(
            [["a", "b"], ["b", "a", "c"], [0, 1], [0, 1, 7], [False, True], ["🦊", "é"], ["y", "n"]]
        )
    )
    return draw(lists(st.sampled_from(names), n))


@st.composite
def labels(draw, n):
    """Draw a column of classes or answers, good or bad, in any container."""
    n = draw(st.sampled_from([n] * 12 + [0, 1, n + 1]))
    values = draw(good_labels(n) | good_labels(n) | lists(texts, n) | lists(numbers, n) | lists(cells, n))
    values = draw(st.sampled_from([values] * 3 + [values[:-1] + [None] * bool(values)]))
    return contain(values, draw(st.sampled_from(sorted(CONTAINERS))))


@st.composite
def answer_sets(draw, n):
    """Draw several or no answers for each case."""
    if draw(st.booleans()):
        k = draw(st.integers(0, 4))
        return np.array(draw(lists(lists(st.booleans(), k), n)), dtype=bool).reshape(n, k)
    return draw(lists(st.lists(st.sampled_from(["a", "b", "c", None, 0, "a|b"]), max_size=3), n))


@st.composite
def probabilities(draw, n):
    """Draw what should be the probabilities of classes."""
    n = draw(st.sampled_from([n] * 12 + [0, 1, n + 1]))
    k = draw(st.sampled_from([2, 2, 2, 3, 1, 0, 4]))
    shares = st.sampled_from([0.0, 1.0, 0.5, 0.25, 5e-324, 1 - 1e-16]) | st.floats(0, 1)
    if draw(st.booleans()):
        column = draw(lists(draw(st.sampled_from([shares, shares, shares, numbers, cells])), n))
        return contain(column, draw(st.sampled_from(sorted(CONTAINERS))))
    matrix = np.array(draw(lists(lists(shares, k), n)), dtype=float).reshape(n, k)
    if k and draw(st.integers(0, 3)):
        matrix[matrix.sum(axis=1) == 0] = 1 / k
        matrix /= matrix.sum(axis=1, keepdims=True)
    forms = [
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
    return draw(st.sampled_from(forms))(matrix)


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


@st.composite
def columns(draw, n):
    """Draw a column of attributes: a polars series of some type."""
    day = dt.date(2020, 1, 1)
    kinds = {
        "numbers": (st.floats(-5, 5) | st.none(), pl.Float64),
        "odd numbers": (st.sampled_from([float("nan"), float("inf"), 1e308, -1e308, 0.0, None]), pl.Float64),
        "whole": (st.integers(-3, 3), pl.Int64),
        "large": (st.sampled_from([2**63 - 1, -(2**63), 0]), pl.Int64),
        "unsigned": (st.sampled_from([2**64 - 1, 0]), pl.UInt64),
        "texts": (texts, pl.String),
        "categories": (st.sampled_from(["r", "g", None]), pl.Categorical),
        "flags": (st.booleans() | st.none(), pl.Boolean),
        "missing": (st.none(), pl.Null),
        "missing numbers": (st.none(), pl.Float64),
        "missing texts": (st.none(), pl.String),
        "constant": (st.just("same"), pl.String),
        "days": (st.just(day), pl.Date),
        "spans": (st.just(dt.timedelta(1)), pl.Duration),
        "lists": (st.just([1, 2]), pl.List(pl.Int64)),
        "records": (st.just({"a": 1}), pl.Struct({"a": pl.Int64})),
        "bytes": (st.just(b"a"), pl.Binary),
        "exact": (st.just(Decimal("0.1")), pl.Decimal(10, 2)),
        "objects": (st.sampled_from(OTHERS[5:9]), pl.Object),
    }
    common = ["numbers", "whole", "texts", "categories", "flags"]
    elements, dtype = kinds[draw(st.sampled_from(common * 3 + sorted(kinds)))]
    return pl.Series(draw(lists(elements, n)), dtype=dtype)


NAMES = ["a", "b", "y", "class", "", " ", "é", "🦊", "a:b", "a=b", "__index__", "prediction", "0", "x\0"]


@st.composite
def frames(draw, n):
    """Draw a table of attributes as polars, pandas or arrays."""
    n = draw(st.sampled_from([n] * 12 + [0, 1, n + 1]))
    names = draw(st.lists(st.sampled_from(NAMES), max_size=4, unique=True))
    form = draw(st.sampled_from(["polars", "pandas", "pandas", "dict", "floats", "objects", "sparse", "odd"]))
    if form in ("floats", "sparse"):
        values = draw(lists(lists(st.floats(-3, 3) | st.sampled_from(NUMBERS[4:12]), len(names)), n))
        matrix = np.array(values, dtype=float).reshape(n, len(names))
        return sparse.csr_matrix(matrix) if form == "sparse" else matrix
    if form == "odd":
        return draw(cells | labels(n))
    if form == "objects":
        return np.array(draw(lists(lists(texts | numbers | st.none(), len(names)), n)), dtype=object).reshape(
            n, len(names)
        )
    table = {name: draw(columns(n)) for name in names}
    if form != "pandas":
        return (
            pl.DataFrame(table)
            if form == "polars"
            else {name: each.to_list() for name, each in table.items()}
        )
    frame = pd.DataFrame({name: pd.Series(each.to_list(), dtype=object) for name, each in table.items()})
    return draw(st.sampled_from(PANDAS_FORMS))(frame)


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
