"""Options, weights and seeds."""

import numpy as np
import pytest

from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.options import (
    as_generator,
    as_weights,
    fraction,
    one_of,
    positive_int,
    refuse_weights,
    yes_or_no,
)


def test_one_of():
    assert one_of("b", ("a", "b"), "letter") == "b"
    for value in ("c", None, 1, ["a"], np.array(["a"])):
        with pytest.raises(InputError, match="letter to be one of 'a', 'b'; got"):
            one_of(value, ("a", "b"), "letter")


def test_per_cent_are_told_apart_from_shares():
    with pytest.raises(InputError, match=r"got 90\. Hint: write 90% as 0\.9\."):
        fraction(90, "coverage")
    for value in (-1, 101, float("inf"), 10**400):
        with pytest.raises(InputError) as problem:
            fraction(value, "coverage")
        assert problem.value.hint is None


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_whole_numbers(value):
    assert type(positive_int(value, "size")) is int
    assert positive_int(value, "size", least=3) == 3


@pytest.mark.parametrize(("value", "error"), [(0, InputError), (-1, InputError), (2.0, InputTypeError)])
def test_what_is_no_count(value, error):
    with pytest.raises(error, match=f"size to be .*; got {value}"):
        positive_int(value, "size")


@pytest.mark.parametrize("value", [True, "3", None, np.float64(3), [3]])
def test_what_is_no_number_at_all(value):
    with pytest.raises(InputTypeError, match="whole number"):
        positive_int(value, "size")


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.25)])
def test_fractions(value):
    assert type(fraction(value, "share")) is float
    assert fraction(value, "share") == value


def test_weights_are_a_copy_of_floats():
    given = np.array([1, 2, 0])
    weights = as_weights(given, 3)
    assert weights.dtype == np.float64
    assert weights.tolist() == [1, 2, 0]
    own = np.array([1.0, 2.0])
    assert not np.shares_memory(as_weights(own, 2), own)
    assert as_weights(None, 3) is None


def test_texts_are_no_weights():
    with pytest.raises(InputTypeError, match="'1' in row 0"):
        as_weights(["1", "2"], 2)


def test_refused_weights_are_told_why():
    refuse_weights(None, "because")
    with pytest.raises(InputError, match=r"got \[1, 1\]\. Hint: because"):
        refuse_weights([1, 1], "because")


def test_seeds():
    draws = [as_generator(seed).integers(1 << 40) for seed in (3, np.int32(3), np.random.default_rng(3))]
    assert len(set(draws)) == 1
    generator = np.random.default_rng(0)
    assert as_generator(generator) is generator
    a, b = (as_generator(np.random.RandomState(5)).integers(1 << 40) for _ in range(2))
    assert a == b
    assert as_generator(None).integers(1 << 40) != as_generator(None).integers(1 << 40)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, [1]])
def test_what_is_no_seed(seed):
    with pytest.raises(InputTypeError, match="random_state"):
        as_generator(seed)


def test_only_booleans_are_yes_or_no():
    assert yes_or_no(True, "prune") is True
    assert yes_or_no(np.False_, "prune") is False
    for value in ("yes", 1, 0, None, []):
        with pytest.raises(InputTypeError, match="prune to be True or False; got"):
            yes_or_no(value, "prune")
