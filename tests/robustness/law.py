"""The one law of this folder: any input gives a result or a clear refusal, and comes back as it went in."""

import os
import re
import signal
import traceback
import warnings
from contextlib import contextmanager
from functools import singledispatch

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse
from sklearn.base import BaseEstimator

from fivefold.errors import FivefoldError

PATIENCE_SECONDS = 120
STEERS = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]")


def obey(call, *arguments, **options):
    """Call with odd input; give the result, or None where it was refused in the house's form."""
    before = fingerprint([arguments, options])
    try:
        with no_hang(), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)  # those are said on purpose
            warnings.filterwarnings("ignore", module=r"sklearn\.")  # of a model that was handed over
            result = call(*arguments, **options)
    except (FivefoldError, ValueError, TypeError, OSError) as refusal:
        check_refusal(refusal)
        result = None
    except (RuntimeWarning, OverflowError) as problem:
        if not _is_scikit_learns(problem):
            raise
        result = None
    assert fingerprint([arguments, options]) == before, "the input was changed"
    return result


def check_refusal(refusal):
    text = str(refusal)
    if isinstance(refusal, OSError) or _is_scikit_learns(refusal):
        return
    if not (text.startswith("expected ") and "; got " in text):
        raise AssertionError(f"not the form of the house: {type(refusal).__name__}: {text}") from refusal
    assert len(text) < 2_000, "nobody reads so long a sentence"


def check_texts(result):
    """See that a result of ours writes itself briefly, and lets nothing from data steer a terminal or a page."""
    if not type(result).__module__.startswith("fivefold"):
        return
    texts = [repr(result), str(result)]
    if hasattr(result, "_repr_html_"):
        texts.append(result._repr_html_())
    for text in texts:
        assert not STEERS.search(text)
    assert len(texts[0]) < 10_000
    assert "array([" not in texts[0] or len(texts[0]) < 1_000


def _is_scikit_learns(refusal):
    """Say whether scikit-learn refused a model or its table, whose habits estimators keep."""
    frames = traceback.walk_tb(refusal.__traceback__)
    return any(f"{os.sep}sklearn{os.sep}" in frame.f_code.co_filename for frame, _line in frames)


@contextmanager
def no_hang():
    """Stop what takes minutes: the inputs here are tiny."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(_number, _frame):
        raise AssertionError(f"still busy after {PATIENCE_SECONDS} seconds")

    former = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


def fingerprint(value):
    """Write all that a caller could see of a value, so that two of them can be compared."""
    return repr(parts(value))


def parts(value):
    return type(value), seen(value)


@singledispatch
def seen(value):
    if sparse.issparse(value):
        return value.shape, value.toarray().tolist()
    return value


@seen.register(BaseEstimator)
def _(value):
    return parts(vars(value))


@seen.register(list)
@seen.register(tuple)
def _(value):
    return [parts(each) for each in value]


@seen.register(dict)
def _(value):
    return [(key, parts(each)) for key, each in value.items()]


@seen.register(np.ndarray)
def _(value):
    return value.dtype, value.shape, np.asarray(value).tolist(), np.ma.getmaskarray(value).tolist()


@seen.register(pd.Series)
def _(value):
    return value.dtype, list(value), list(value.index)


@seen.register(pd.DataFrame)
def _(value):
    return (
        list(value.columns),
        value.dtypes.tolist(),
        value.to_numpy(dtype=object).tolist(),
        list(value.index),
    )


@seen.register(pl.Series)
def _(value):
    return value.name, value.dtype, value.to_list()


@seen.register(pl.DataFrame)
def _(value):
    return value.schema, value.rows()
