"""Concepts in disjunctive normal form, from which cases are drawn and by which models are judged."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data import exact_error
from fivefold.data.exact_error import ErrorShares, Formula, TrueError
from fivefold.errors import FivefoldError, InputError, InputTypeError, show
from fivefold.inputs.options import RandomState, as_generator, fraction, instance_of, one_of, positive_int

Clause: TypeAlias = tuple[tuple[int, bool], ...]  # attributes and the values that they must have
_TOKEN = re.compile(r"\s*(?P<token>~\s*[A-Z]+|[A-Z]+|\||&)")
_LETTERS = 26
PROBES = 200
MOST_SAMPLED = 100_000_000
_FORMULAS = {
    "dnf1": "B C | ~A C D | ~C B | A ~D",
    "dnf1_star": "B C | ~A C D | ~C D | A ~D",
    "dnf2": "B C ~D E | ~A F G ~H",
    "dnf3": "B C ~D ~E",
    "dnf4": "~B C | ~A C D",
}


def concept(name: str) -> Concept:
    """Give a concept of Bailey and Elkan's experiments, over 50 attributes.

    Parameters
    ----------
    name : {"dnf1", "dnf1_star", "dnf2", "dnf3", "dnf4"}
        The concept. ``"dnf1"`` is as printed; since B C or not C B is B, it is simpler than it looks, and it does
        not give the printed numbers. ``"dnf1_star"`` has ~C D for ~C B and does; that the paper meant it is a
        conjecture.

    Returns
    -------
    Concept

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, 895-900.

    Examples
    --------
    >>> print(concept("dnf3"), concept("dnf3").probability)
    B C ~D ~E 0.0625
    """
    return Concept.parse(_FORMULAS[one_of(name, _FORMULAS, "name")])


def concept_names() -> list[str]:
    """Name the concepts that `concept` knows.

    Examples
    --------
    >>> concept_names()
    ['dnf1', 'dnf1_star', 'dnf2', 'dnf3', 'dnf4']
    """
    return list(_FORMULAS)


@dataclass(frozen=True)
class Concept:
    r"""A concept over boolean attributes: a case is of the concept if one of the clauses holds for it.

    Cases come from a mixture. A coin decides whether the next case is of the concept, and its attributes are then
    uniform among all cases of which that is true. So the classes are balanced however rare the concept is, and

    .. math:: \mathrm{Err}(h) = b\,P(h = 0 \mid c = 1) + (1 - b)\,P(h = 1 \mid c = 0),

    where the attributes are fair, independent bits and :math:`b` is the balance. With noise :math:`\eta` a label
    is wrong with that probability, and the error is :math:`\eta + (1 - 2\eta)\,\mathrm{Err}(h)`.

    Parameters
    ----------
    clauses : tuple of tuple of (int, bool)
        For each clause the attributes that it asks for, from 0, and the values that they must have.
    n_attributes : int
        How many attributes a case has; those in no clause are irrelevant.
    balance : float
        The probability that a case is of the concept.
    noise : float
        The probability that a label is wrong.

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, 895-900.

    Examples
    --------
    >>> from fivefold.data import Concept
    >>> concept = Concept.parse("A B | ~C", n_attributes=5)
    >>> concept.probability
    0.625
    >>> X, y = concept.sample(4, random_state=0)
    >>> bool((concept.label(X) == y).all())
    True
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = concept.sample(100, random_state=0)
    >>> print(concept.true_error(DecisionTreeClassifier(max_depth=1).fit(X, y)))
    true error 10.000% (exact)
    """

    clauses: tuple[Clause, ...]
    n_attributes: int = 50
    balance: float = 0.5
    noise: float = 0.0

    def __post_init__(self) -> None:
        positive_int(self.n_attributes, "n_attributes")
        try:
            for clause in self.clauses:
                _check_clause(clause, self.n_attributes)
        except (TypeError, ValueError) as problem:
            if isinstance(problem, FivefoldError):
                raise
            wanted = "clauses, each a tuple of pairs (place of the attribute, whether it is true)"
            raise InputTypeError(wanted, show(self.clauses), 'or Concept.parse("B C ~D | A ~E")') from problem
        if not 0 < fraction(self.balance, "balance") < 1:
            raise InputError("balance between 0 and 1, both excluded", show(self.balance))
        if fraction(self.noise, "noise") >= 0.5:
            raise InputError("noise below one half", show(self.noise))
        if self.probability in (0, 1):
            always = "always" if self.probability else "never"
            raise InputError(
                "a concept that holds for some cases and not for others",
                f"{str(self)!r}, which {always} holds",
            )

    @classmethod
    def parse(cls, text: str, *, n_attributes: int = 50, balance: float = 0.5, noise: float = 0.0) -> Self:
        """Read a concept such as ``"B C ~D | A ~E"``.

        Parameters
        ----------
        text : str
            Clauses between ``|``; in a clause attributes, those after ``~`` negated. Attributes are called A to Z,
            then AA, AB, …, as columns of a spreadsheet.
        n_attributes, balance, noise
            As in the class.

        Examples
        --------
        >>> concept = Concept.parse("B C ~D | A ~AX")
        >>> print(concept)
        B C ~D | A ~AX
        >>> Concept.parse(str(concept)) == concept
        True
        """
        instance_of(text, (str,), "a formula as text")
        return cls(
            read_formula(text, positive_int(n_attributes, "n_attributes")), n_attributes, balance, noise
        )

    @cached_property
    def probability(self) -> float:
        """The exact share of all cases, were they uniform, that are of the concept."""
        return exact_error.probability(self._formula)

    @property
    def relevant(self) -> tuple[str, ...]:
        """The names of the attributes that the formula mentions."""
        places = {place for clause in self.clauses for place, _ in clause}
        return tuple(attribute_name(place) for place in sorted(places))

    def label(self, X: Any) -> NDArray[np.bool_]:
        """Say which cases are of the concept.

        Parameters
        ----------
        X : ndarray of bool of shape (n_cases, n_attributes)
            The cases.
        """
        table = np.asarray(X)
        if table.dtype.kind != "b" or table.ndim != 2:
            raise InputTypeError("a table of booleans", f"{table.dtype} of shape {table.shape}", "use X == 1")
        if table.shape[1] != self.n_attributes:
            raise InputError(f"{self.n_attributes} attributes", f"{table.shape[1]}")
        return exact_error.holds(self._formula, table)

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Give the same as `label`, so that a concept can stand where a model is asked for."""
        return self.label(X)

    def sample(self, n: int, random_state: RandomState = None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Draw cases and their labels.

        Parameters
        ----------
        n : int
            How many cases.
        random_state : int, Generator, RandomState or None
            Where the randomness comes from.

        Returns
        -------
        X : ndarray of bool of shape (n, n_attributes)
        y : ndarray of bool of shape (n,)
        """
        rng = as_generator(random_state)
        truth = rng.random(positive_int(n, "n", most=MOST_SAMPLED)) < self.balance
        X = exact_error.draw(self._formula, truth, self.n_attributes, rng)
        return X, truth ^ (rng.random(n) < self.noise)

    def true_error(
        self, model: Any, *, n_cases: int = 20_000, max_states: int = 50_000, random_state: RandomState = 0
    ) -> TrueError:
        """Give the probability that a fitted model is wrong about the next case.

        Exact for a model with a method ``rules()`` whose answers depend on nothing but which of the rules hold
        (all rule and tree learners of `fivefold.learners`), for scikit-learn's ``DecisionTreeClassifier``, and for
        another concept; by simulation for all others.

        Parameters
        ----------
        model : fitted classifier, or Concept
            Fitted with cases and labels as `sample` gives them. No answer (None) is a wrong one.
        n_cases : int
            Cases of a simulation, half of them of the concept whatever the balance.
        max_states : int
            The most states of the exact computation; beyond them it is given up for the simulation.
        random_state : int, Generator, RandomState or None
            Randomness of a simulation.

        Notes
        -----
        Attributes are decided one after the other, for the concept and the rules together, and what has become
        equal is continued once, so that the work depends on the rules and not on the number of attributes. Where
        the model's ``theory()`` is a list of rules or one concept, rules that can make no difference any more are
        forgotten. The model is then asked once for each set of rules that can hold together; what its `predict`
        makes of several rules or of none is what counts. That its answers depend on nothing else is tried out on
        200 cases; if they do, the error is simulated.

        Examples
        --------
        A rule that has forgotten one of four conditions is wrong about half of its false alarms:

        >>> from fivefold.data import concept
        >>> print(concept("dnf3").true_error(Concept.parse("B C ~D")))
        true error 3.333% (exact)
        """
        n_cases = positive_int(n_cases, "n_cases")
        max_states = positive_int(max_states, "max_states", least=0)
        self._check_model(model)
        if isinstance(model, Concept):
            shares = exact_error.formula_shares(model._formula, self._formula, max_states)
        else:
            shares = exact_error.exact_shares(
                model, self._formula, self.n_attributes, max_states, self._probe
            )
        if shares is None:
            rng = as_generator(random_state)
            shares = exact_error.simulated_shares(model, self._formula, self.n_attributes, n_cases, rng)
        return self._error(shares)

    def __str__(self) -> str:
        return write_formula(self.clauses)

    @cached_property
    def _formula(self) -> Formula:
        return tuple(
            (
                sum(1 << place for place, wanted in clause if wanted),
                sum(1 << place for place, wanted in clause if not wanted),
            )
            for clause in self.clauses
        )

    @cached_property
    def _probe(self) -> NDArray[np.bool_]:
        return self.sample(PROBES, random_state=0)[0]

    def _check_model(self, model: Any) -> None:
        if not callable(getattr(model, "predict", None)):
            raise InputTypeError(
                "a fitted classifier or a Concept", f"{show(model)} ({type(model).__name__})"
            )
        n_attributes = getattr(
            model, "n_attributes" if isinstance(model, Concept) else "n_features_in_", None
        )
        if n_attributes not in (None, self.n_attributes):
            hint = "fit it with cases of this concept"
            raise InputError(f"a model of {self.n_attributes} attributes", f"one of {n_attributes}", hint)

    def _error(self, shares: ErrorShares) -> TrueError:
        missed, false_alarms = shares.missed, shares.false_alarms
        value = self.balance * missed + (1 - self.balance) * false_alarms
        value = self.noise + (1 - 2 * self.noise) * value
        if shares.n_each is None:
            return TrueError(value, missed, false_alarms)
        variances = (
            self.balance**2 * missed * (1 - missed)
            + (1 - self.balance) ** 2 * false_alarms * (1 - false_alarms)
        ) / shares.n_each
        error = (1 - 2 * self.noise) * math.sqrt(variances)
        return TrueError(value, missed, false_alarms, error, 2 * shares.n_each)


def _check_clause(clause: Clause, n_attributes: int) -> None:
    places = [place for place, _ in clause]
    if len(set(places)) < len(places):
        raise InputError("each attribute at most once in a clause", show(clause))
    for place in places:
        if not 0 <= place < n_attributes:
            raise InputError(
                f"attributes from 0 to {n_attributes - 1}", f"{show(place)} in the clause {show(clause)}"
            )


def attribute_name(place: int) -> str:
    """Name an attribute as a spreadsheet names its columns: A to Z, then AA, AB, ….

    Examples
    --------
    >>> [attribute_name(place) for place in (0, 25, 26, 49, 701, 702)]
    ['A', 'Z', 'AA', 'AX', 'ZZ', 'AAA']
    """
    name, left = "", place + 1
    while left:
        left, letter = divmod(left - 1, _LETTERS)
        name = chr(ord("A") + letter) + name
    return name


def attribute_place(name: str) -> int:
    """Give the place of a named attribute, counted from 0; the inverse of `attribute_name`."""
    place = 0
    for letter in name:
        place = place * _LETTERS + ord(letter) - ord("A") + 1
    return place - 1


def write_formula(clauses: tuple[Clause, ...]) -> str:
    """Write clauses so that `read_formula` reads the same ones."""
    return " | ".join(
        " ".join(f"{'' if wanted else '~'}{attribute_name(place)}" for place, wanted in clause)
        for clause in clauses
    )


def read_formula(text: str, n_attributes: int) -> tuple[Clause, ...]:
    """Read clauses such as ``B C ~D | A ~E``; what cannot be read is named with its position, from 0."""
    clauses: list[Clause] = []
    clause: dict[int, bool] = {}
    start = 0
    for token, position in _tokens(text):
        if token == "|":
            clauses.append(_closed(clause, start, text))
            clause, start = {}, position + 1
        elif token != "&":
            place = _attribute(token, position, n_attributes)
            if place in clause:
                raise InputError(
                    "each attribute at most once in a clause",
                    f"{token!r} again at position {position} of {show(text)}",
                )
            clause[place] = not token.startswith("~")
    clauses.append(_closed(clause, start, text))
    return tuple(clauses)


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    place = 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            place += len(text[place:]) - len(text[place:].lstrip())
            raise InputError(
                "a formula of attributes, ~ for not, spaces for and, | for or",
                f"{text[place]!r} at position {place} of {show(text)}",
                "attributes are A to Z, then AA, AB, …, in capital letters",
            )
        yield match["token"], match.start("token")
        place = match.end()


def _attribute(token: str, position: int, n_attributes: int) -> int:
    place = attribute_place(token.lstrip("~ \t\n"))
    if place >= n_attributes:
        raise InputError(
            f"attributes from A to {attribute_name(n_attributes - 1)}, as there are {n_attributes}",
            f"{token!r} at position {position}",
            "raise n_attributes",
        )
    return place


def _closed(clause: dict[int, bool], start: int, text: str) -> Clause:
    if not clause:
        raise InputError(
            "an attribute in every clause", f"an empty clause at position {start} of {show(text)}"
        )
    return tuple(clause.items())
