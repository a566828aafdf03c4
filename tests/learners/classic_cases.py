"""Small classic data sets, and random tables with everything that a table may have."""

from itertools import product

import polars as pl
from hypothesis import strategies as st

_GOLF = """
sunny,85,85,false,no; sunny,80,90,true,no; overcast,83,78,false,yes; rain,70,96,false,yes; rain,68,80,false,yes;
rain,65,70,true,no; overcast,64,65,true,yes; sunny,72,95,false,no; sunny,69,70,false,yes; rain,75,80,false,yes;
sunny,75,70,true,yes; overcast,72,90,true,yes; overcast,81,75,false,yes; rain,71,80,true,no
"""

_TENNIS = """
sunny,hot,high,weak,no; sunny,hot,high,strong,no; overcast,hot,high,weak,yes; rain,mild,high,weak,yes;
rain,cool,normal,weak,yes; rain,cool,normal,strong,no; overcast,cool,normal,strong,yes; sunny,mild,high,weak,no;
sunny,cool,normal,weak,yes; rain,mild,normal,weak,yes; sunny,mild,normal,strong,yes; overcast,mild,high,strong,yes;
overcast,hot,normal,weak,yes; rain,mild,high,strong,no
"""


def _rows(text):
    return [[cell.strip() for cell in row.split(",")] for row in text.split(";")]


def golf():
    """Quinlan's 14 days with numbers."""
    names = ["outlook", "temperature", "humidity", "windy", "play"]
    frame = pl.DataFrame(_rows(_GOLF), schema=names, orient="row")
    X = frame.select("outlook", pl.col("temperature", "humidity").cast(pl.Float64), "windy")
    return X, frame["play"].to_list()


def tennis():
    """Mitchell's 14 days, all nominal."""
    names = ["outlook", "temperature", "humidity", "wind", "play"]
    frame = pl.DataFrame(_rows(_TENNIS), schema=names, orient="row")
    return frame.drop("play"), frame["play"].to_list()


def lenses():
    """Cendrowska's 24 contact-lens cases."""
    cases = list(
        product(["young", "pre", "presb"], ["myope", "hypermetrope"], ["no", "yes"], ["reduced", "normal"])
    )
    X = pl.DataFrame(cases, schema=["age", "prescription", "astigmatism", "tears"], orient="row")
    return X, [_lens(*case) for case in cases]


def _lens(age, prescription, astigmatism, tears):
    if tears == "reduced":
        return "none"
    if astigmatism == "no":
        return "none" if (age, prescription) == ("presb", "myope") else "soft"
    return "none" if prescription == "hypermetrope" and age != "young" else "hard"


DECLARED = pl.Enum(["a", "b", "c", "new"])


# a column is drawn as one text, a letter a cell: many times faster than cell by cell
_VALUES = {
    "nominal": {"a": "a", "b": "b", "c": "c"},
    "numeric": {str(digit): (digit - 3) / 2 for digit in range(10)},
}
_NEW = {"nominal": "new", "numeric": 0.25}


@st.composite
def tables(draw, max_rows=40, max_columns=4, kinds=("nominal", "numeric")):
    """Draw training columns, classes, and test columns that may hold values unknown in training."""
    n, m = draw(st.integers(1, max_rows)), draw(st.integers(1, 15))
    train, test = {}, {}
    for a in range(draw(st.integers(1, max_columns))):
        kind = draw(st.sampled_from(kinds))
        cells = {**_VALUES[kind], "?": None, "!": _NEW[kind]}
        known = "".join(_VALUES[kind]) + draw(st.sampled_from(["", "?"]))
        train[f"{kind}{a}"] = [cells[c] for c in draw(st.text(known, min_size=n, max_size=n))]
        test[f"{kind}{a}"] = [cells[c] for c in draw(st.text("".join(cells), min_size=m, max_size=m))]
    classes = draw(st.sampled_from(["uv", "uvw"]))
    return train, list(draw(st.text(classes, min_size=n, max_size=n))), test


def frame_of(columns, text=pl.String):
    """Make a frame of columns that are named for their kind; `text` is the type of the nominal ones."""
    types = {name: text if name.startswith("nominal") else pl.Float64 for name in columns}
    return pl.DataFrame(columns, schema=types)
