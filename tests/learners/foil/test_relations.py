import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.errors import InputError, InputTypeError
from fivefold.learners.relational_foil import OUTSIDE, Examples, Relation, Relations, Type

TEXT = """| a comment
*N: *0, *1, 2,
    3 .
#E: Mary\\, the first, b b .
Age: continuous.

plus(N,N,N) ##-/#-#    | two keys
0,1,1
1, 2,3
;
0,0,^
.
*old(E,Age)
Mary\\, the first, 91.5
b  b,?
.

plus
0,0,0: +
1,1,1: -
.
"""


def test_reading_the_format():
    task = Relations.parse(TEXT)
    assert task.types == (
        Type("N", "0123", "01", "given"),
        Type("E", ["Mary, the first", "b b"], order="none"),
        Type("Age", continuous=True),
    )
    plus, old = task.relations
    assert plus == Relation(
        "plus", "NNN", [tuple("011"), tuple("123")], [("0", "0", OUTSIDE)], ["##-", "#-#"], target=True
    )
    assert old == Relation("old", ("E", "Age"), [("Mary, the first", 91.5), ("b b", None)])
    assert task.tests == (Examples("plus", (tuple("000"), tuple("111")), (True, False)),)
    assert task.targets == ("plus",)


def test_reading_a_file(tmp_path):
    path = tmp_path / "plus.d"
    path.write_text(TEXT)
    assert Relations.read(path) == Relations.parse(TEXT)


def test_marks_of_other_systems_make_no_difference(tmp_path):
    path = tmp_path / "plus.d"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert Relations.read(path) == Relations.parse(TEXT)
    path.write_bytes(TEXT.replace("Mary", "Mari\xe9").encode("latin-1"))
    with pytest.raises(InputError, match=r"UTF-8; got .* in line 4 of plus.d"):
        Relations.read(path)


names = st.text(st.characters(codec="ascii", exclude_categories=["Cc"], exclude_characters=" "), min_size=1)


@given(
    st.lists(names.filter(lambda name: name not in ("?", "^") and name[0] != "*"), unique=True, min_size=2)
)
def test_any_name_can_be_written_with_backslashes(constants):
    def write(name):
        return "".join(f"\\{letter}" if letter in ",|():.;\\" else letter for letter in name)

    rows = "".join(f"{write(constant)},{write(constant)}\n" for constant in constants)
    task = Relations.parse(f"#X: {', '.join(map(write, constants))}.\n\nsame(X,X)\n{rows}.\n")
    assert task.types == (Type("X", constants, order="none"),)
    assert task.relation("same").positive == tuple((constant, constant) for constant in constants)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("X a, b.\n", 1, "a type, as in"),
        ("X: a, b\n\nr(X)\na\n.\n", 3, "`,` or `.` after a constant"),
        ("X: a, f(b).\n", 1, "`,` or `.` after a constant"),
        ("X: a,, b.\n", 1, "nothing before ','"),
        ("X: a. Y: b.\n", 1, "nothing after the full stop"),
        ("X: a, a.\n\nr(X)\na\n.\n", 1, "'a' twice"),
        ("X: a.\nX: b.\n\nr(X)\na\n.\n", 2, "a second 'X'"),
        ("X: a.\n\nr(Y)\na\n.\n", 3, "'Y'"),
        ("X: a.\n\nr(X\na\n.\n", 3, "`,` or `)`"),
        ("X: a.\n\nr(X)\na\n.\nr(X)\na\n.\n", 6, "a second 'r'"),
        ("X: a.\n\nr(X) #-\na\n.\n", 3, "keys of 1"),
        ("| a\nX: a.\n\nr(X)\na\n\nc\n.\n", 7, "'c'"),
        ("X: a.\n\nr(X,X)\na\n.\n", 4, "2 values in a tuple; got 1"),
        ("X: a.\n\nr(X)\na,a\n.\n", 4, "1 values in a tuple; got more"),
        ("X: a.\n\nr(X)\na.\n", 4, "one tuple a line"),
        ("X: a.\n\nr(X)\na\n", 5, "got the end"),
        ("C: continuous.\n\nr(C)\n1\nhigh\n.\n", 5, "'high'"),
        ("C: continuous.\n\nr(C)\nnan\n.\n", 4, "'nan'"),
        ("X: a.\n\nr(X)\na\n.\n\ns\na: +\n.\n", 7, "to test; got 's'"),
        ("X: a.\n\nr(X)\na\n.\n\nr\na\n.\n", 8, "after a tuple to test"),
    ],
)
def test_texts_that_make_no_sense(text, line, message):
    with pytest.raises(InputError) as caught:
        Relations.parse(text)
    assert message in str(caught.value)
    assert f" in line {line} of the text." in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n| only a comment\n", "X: a.\n"])
def test_a_text_without_relations(text):
    with pytest.raises(InputError, match="at least one relation"):
        Relations.parse(text)


def test_outside_is_one_and_the_same_in_copies():
    task = Relations.parse(TEXT)
    for copied in (pickle.loads(pickle.dumps(task)), copy.deepcopy(task)):
        assert copied == task
        assert copied.relation("plus").negative[0][2] is OUTSIDE


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Type("X"), InputError, "no constants"),
        (lambda: Type("X", "ab", continuous=True), InputError, "constants of a continuous type"),
        (lambda: Type("X", "ab", theory="c"), InputError, "'c'"),
        (lambda: Type("X", "ab", order="up"), InputError, "'up'"),
        (lambda: Relation("r", "", []), InputError, "at least one argument"),
        (lambda: Relation("r", "XX", [("a",)]), InputError, "tuples of 2"),
        (lambda: Relations([], []), InputError, "none"),
        (lambda: Relations([Type("X", "a"), Type("X", "b")], []), InputError, "'X' twice"),
        (lambda: Relations([Type("X", "a")], [Relation("r", "X", [("b",)])]), InputError, "'b' in r"),
        (
            lambda: Relations([Type("X", continuous=True)], [Relation("r", "X", [("b",)])]),
            InputTypeError,
            "'b' in r",
        ),
        (
            lambda: Relations([Type("X", continuous=True)], [Relation("r", "X", [(float("inf"),)])]),
            InputError,
            "inf in r",
        ),
    ],
)
def test_relations_that_make_no_sense(make, error, message):
    with pytest.raises(error, match=message):
        make()
