"""Options: one of a few words, yes or no, numbers within a range, sample weights, and ``random_state``."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.frames import as_numbers, check_length


def one_of(value: object, allowed: Iterable[str], name: str) -> str:
    """Return ``value`` if it is one of the allowed words."""
    words = list(allowed)
    if isinstance(value, str) and value in words:
        return value
    raise InputError(f"{name} to be one of {', '.join(map(repr, words))}", show(value))


def close_names(name: object, known: Iterable[str], *, otherwise: str | None = None) -> str:
    """Suggest the known names that are written much like this one, or list the first of them, or say `otherwise`.

    Examples
    --------
    >>> close_names("aeg", ["age", "sex"])
    "did you mean 'age'?"
    >>> close_names("zz", ["age", "sex"])
    "there are 'age', 'sex'"
    """
    names = list(known)
    by_case = {str(other).casefold(): other for other in reversed(names)}
    close = get_close_matches(str(name).casefold(), by_case)
    if close:
        return f"did you mean {' or '.join(repr(by_case[other]) for other in close)}?"
    if otherwise is not None:
        return otherwise
    return f"there {'is' if len(names) == 1 else 'are'} {show_list(names) if names else 'none'}"


def show_list(names: Iterable[object], most: int = 12) -> str:
    """List the first of some names.

    Examples
    --------
    >>> show_list("abc", 2)
    "'a', 'b' and 1 more"
    """
    shown = [show(name) for name in names]
    rest = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + rest


def yes_or_no(value: object, name: str) -> bool:
    """Return ``value`` if it is True or False; nothing else is taken for either."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputTypeError(f"{name} to be True or False", f"{show(value)} ({type(value).__name__})")


def positive_int(value: object, name: str, *, least: int = 1, most: int = sys.maxsize) -> int:
    """Return ``value`` as an int if it is a whole number that is large enough, and not too large."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputTypeError(f"{name} to be a whole number", f"{show(value)} ({type(value).__name__})")
    number = int(value)
    if number < least:
        raise InputError(f"{name} to be at least {least}", show(value))
    if number > most:
        raise InputError(f"{name} to be at most {most:,}", show(value))
    return number


def check_n_jobs(n_jobs: object) -> None:
    """Insist on a number of jobs as joblib has it."""
    if n_jobs is not None and positive_int(n_jobs, "n_jobs", least=-sys.maxsize) == 0:
        raise InputError("n_jobs to be a number other than 0, or None", "0", "-1 takes all cores")


def instance_of(value: object, kinds: tuple[type, ...], what: str) -> None:
    """Refuse what is none of these kinds."""
    if not isinstance(value, kinds):
        raise InputTypeError(what, f"{show(value)} ({type(value).__name__})")


def fraction(value: object, name: str) -> float:
    """Return ``value`` as a float if it lies in [0, 1]."""
    if not 0 <= (share := _number(value, name)) <= 1:
        raise InputError(f"{name} to lie between 0 and 1", show(value), _of_per_cent(share))
    return float(share)


def open_fraction(value: object, name: str) -> float:
    """Return ``value`` as a float if it lies strictly between 0 and 1."""
    if not 0 < (share := _number(value, name)) < 1:
        raise InputError(f"{name} between 0 and 1", show(value), _of_per_cent(share))
    return float(share)


def _of_per_cent(number: Any) -> str | None:
    return f"write {float(number):g}% as {float(number) / 100:g}" if 1 < number <= 100 else None


def amount(value: object, name: str) -> float:
    """Return ``value`` as a float if it is a finite number that is not negative.

    Examples
    --------
    >>> amount(6, "small")
    6.0
    """
    if not 0 <= (number := _number(value, name)) <= sys.float_info.max:
        raise InputError(f"{name} to be a finite number of at least 0", show(value))
    return float(number)


def finite(value: object, name: str) -> float:
    """Return ``value`` as a float if it is a finite number."""
    if not -sys.float_info.max <= (number := _number(value, name)) <= sys.float_info.max:
        raise InputError(f"{name} to be a finite number", show(value))
    return float(number)


def _number(value: object, name: str) -> Any:
    # as it is: a whole number may be too large for a float
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputTypeError(f"{name} to be a number", f"{show(value)} ({type(value).__name__})")
    return value if isinstance(value, numbers.Rational) else float(value)


RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


def as_generator(random_state: Any) -> np.random.Generator:
    """Turn a seed, a generator or scikit-learn's ``RandomState`` into a generator.

    Examples
    --------
    >>> as_generator(7).integers(10) == as_generator(7).integers(10)
    np.True_
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=4))
    if random_state is None:
        return np.random.default_rng()
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if whole and int(random_state) >= 0:
        return np.random.default_rng(int(random_state))
    raise InputTypeError(
        "random_state to be a seed (a whole number from 0), a numpy Generator or RandomState, or None",
        f"{show(random_state)} ({type(random_state).__name__})",
    )


def as_weights(sample_weight: object, n_cases: int) -> NDArray[np.float64] | None:
    """Check the weights; ``None`` stays ``None`` and means one for each case."""
    if sample_weight is None:
        return None
    weights = as_numbers(sample_weight, "sample_weight").astype(np.float64)
    if weights.ndim != 1:
        raise InputError("sample_weight to be one-dimensional", f"an array of shape {weights.shape}")
    check_length(weights, n_cases, "sample_weight")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise InputError("weights that are finite and not negative", f"{weights[bad[0]]} in row {bad[0]}")
    if weights.sum() == 0:
        raise InputError("at least one weight above zero", "all weights zero")
    return weights


def refuse_weights(sample_weight: object, reason: str) -> None:
    """Refuse weights where they have no meaning, and say why."""
    if sample_weight is not None:
        raise InputError("no sample_weight here", show(sample_weight), reason)
