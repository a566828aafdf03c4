"""The compiled codes against slow ones that are written from the definitions."""

import numpy as np
import pytest
from hypothesis import given

import fivefold as ff
from fivefold.errors import InputError

from . import reference
from .streams import as_matrix, streams

CODES = sorted(reference.CODES)


@given(streams())
def test_every_case_costs_what_the_definition_says(stream):
    n, truth, sets = stream
    for code in CODES:
        encoding = ff.bits.encode(truth, as_matrix(sets, n), classes=range(n), code=code)
        expected = reference.CODES[code](truth, sets, n)
        np.testing.assert_allclose(encoding.per_example, expected, rtol=1e-9, atol=1e-9)
        assert encoding.total == pytest.approx(sum(expected), rel=1e-9, abs=1e-8)


@given(streams(sizes=lambda n: (0, 1)))
def test_labels_sets_and_matrices_are_three_ways_to_say_the_same(stream):
    n, truth, sets = stream
    names = np.array(["ant", "bee", "cat", "dog", "eel", "fox"])[:n]
    labels = [names[min(answer)] if answer else None for answer in sets]
    collections = [[str(names[i]) for i in answer] for answer in sets]
    forms = [labels, collections, as_matrix(sets, n), as_matrix(sets, n)[:, :, np.newaxis]]
    for code in CODES:
        lengths = [ff.bits.code_length(names[truth], form, classes=names, code=code) for form in forms]
        assert lengths == [pytest.approx(lengths[0], abs=1e-9)] * 4


@given(streams())
def test_collections_of_any_kind_and_matrices_agree(stream):
    n, truth, sets = stream
    matrix = as_matrix(sets, n)
    for code in CODES:
        expected = ff.bits.code_length(truth, matrix, classes=range(n), code=code)
        for kind in (list, tuple, set, frozenset, lambda answer: np.array(sorted(answer), dtype=int)):
            assert ff.bits.code_length(
                truth, [kind(answer) for answer in sets], classes=range(n), code=code
            ) == pytest.approx(expected, abs=1e-9)


@given(streams())
def test_every_code_is_a_probability_distribution_over_the_next_class(stream):
    # Kraft with equality: what the classes that could have come would cost adds up to one.
    # The laplace code wastes some on impossible outcomes, which is the paper's complaint about it.
    # The mixture sends the class totals first, so it is one over arrangements (test_mixture).
    n, truth, sets = stream
    last = len(truth) - 1
    for code in set(CODES) - {"mixture"}:
        spent = []
        for label in range(n):
            encoding = ff.bits.encode([*truth[:last], label], as_matrix(sets, n), classes=range(n), code=code)
            spent.append(2.0 ** -encoding.per_example[-1])
        impossible = code == "laplace" and len(sets[last]) in (0, n)
        assert sum(spent) < 1 if impossible else sum(spent) == pytest.approx(1, abs=1e-9)


@given(streams())
def test_null_code_by_the_case_adds_up_to_its_closed_form(stream):
    n, truth, sets = stream
    for code in CODES:
        encoding = ff.bits.encode(truth, as_matrix(sets, n), classes=range(n), code=code)
        assert encoding.null == pytest.approx(encoding.null_per_example.sum(), rel=1e-9)
        assert encoding.null == pytest.approx(ff.bits.null_code_length(truth, classes=range(n), code=code))
        if code in ("laplace", "constant"):
            assert encoding.null == pytest.approx(len(truth) * np.log2(n))
        elif code == "mixture":  # the mean over all orders
            assert np.ptp(encoding.null_per_example[np.array(truth) == truth[0]]) == 0
        else:
            np.testing.assert_allclose(encoding.null_per_example, reference.null(truth, n), rtol=1e-9)


@given(streams())
def test_significance_is_the_null_less_the_code(stream):
    n, truth, sets = stream
    matrix = as_matrix(sets, n)
    for code in CODES:
        saved = ff.bits.significance(truth, matrix, classes=range(n), code=code)
        assert saved == pytest.approx(
            ff.bits.null_code_length(truth, classes=range(n), code=code)
            - ff.bits.code_length(truth, matrix, classes=range(n), code=code)
        )


def test_frequency_code_by_hand():
    # n=2, truth 0 then 1, both answered right. p=(1/2,1/2): 1 bit, alpha 1/2 -> 3/2.
    # Then p=(2/3,1/3), r=1/3: den = 3/2*1/3 + 1/2*2/3 = 5/6; bits = lg(5/6 / (3/2 * 1/3)) = lg(5/3).
    encoding = ff.bits.encode([0, 1], [0, 1], classes=[0, 1], code="frequency")
    np.testing.assert_allclose(encoding.per_example, [1, np.log2(5 / 3)])


def test_corrected_code_by_hand():
    # alpha = beta = 1: 1 bit, alpha -> 1 + 1/(1/2) = 3. Then den = 3*1/3 + 2/3 = 5/3, bits = lg(5/3 / (3*1/3)).
    encoding = ff.bits.encode([0, 1], [0, 1], classes=[0, 1], code="corrected")
    np.testing.assert_allclose(encoding.per_example, [1, np.log2(5 / 3)])


def test_constant_code_by_hand():
    # n=4, a right pair: lg 4 = 2 bits, alpha 1/4 -> 3/4. A wrong single: den = 3/4 + 3/4, beta = 1/4: lg 6 bits.
    encoding = ff.bits.encode([0, 3], [{0, 1}, {2}], classes=range(4), code="constant")
    np.testing.assert_allclose(encoding.per_example, [2, np.log2(6)])


def test_an_unknown_code_is_refused():
    with pytest.raises(InputError, match="zip"):
        ff.bits.code_length([0, 1], [0, 1], code="zip")
