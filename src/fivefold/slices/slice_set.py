"""Slices: conjunctions of conditions, what a model does where they hold, and the rows they select."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import compress
from typing import Any, ClassVar, overload

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Term, sql_identifier
from fivefold.errors import InputError, show
from fivefold.inputs.columns import Column, read_columns
from fivefold.inputs.options import RandomState, as_generator
from fivefold.plain_text import visible
from fivefold.results import Result
from fivefold.slices.attributes import LEFT_OUT, READ_AS, read_again, say_columns
from fivefold.slices.significance import Correction
from fivefold.slices.stability import FindAgain, Stability, measure_stability

Places = NDArray[np.intp]


# so many of those that a slice explains are named beside it
MOST_EXPLAINED = 5


@dataclass(frozen=True)
class Slice:
    r"""A conjunction and how the cases in it differ from all cases.

    With A of T cases agreeing, and :math:`a` of the :math:`n` in the slice, the difference is
    :math:`a/n - A/T` and the effect size is :math:`a - nA/T`: what is *additional to average*, not the total.

    Parameters
    ----------
    terms : tuple of Term
        The conditions, all of which hold in the slice.
    n : int
        Cases in the slice.
    n_agree : int or None
        How many of them agree; None where numbers are sliced.
    rate : float
        Their share, or the mean of the numbers.
    difference : float
        The rate less that of all cases.
    effect_size : float
        The difference times n.
    interval : tuple of float
        Where the difference lies, for all slices at once.
    statistic : float
        Of the test: Pearson's chi-square, or z.
    p_value : float
        Of this test alone.
    adjusted_p_value : float
        After correction for all tests.
    shrunk : float
        The difference, less what its choice for being large adds: as often too high as too low.
    n_explained : int
        How many other proven slices deviate because of this one.
    because_of : str
        The conditions of the slice because of which this one deviates; empty for a cause.
    sentence : str
        All this in words.
    held_back : HeldBack or None
        The slice measured again on cases held back.
    who_is_right : WhoIsRight or None
        For two models and a known truth.
    """

    terms: tuple[Term, ...]
    n: int
    n_agree: int | None
    rate: float
    difference: float
    effect_size: float
    interval: tuple[float, float]
    statistic: float
    p_value: float
    adjusted_p_value: float
    shrunk: float
    n_explained: int = 0
    because_of: str = ""
    sentence: str = ""
    held_back: HeldBack | None = None
    who_is_right: WhoIsRight | None = None

    @property
    def conditions(self) -> str:
        """The conditions, as people write them."""
        return written(self.terms)

    @property
    def words(self) -> str:
        """The conditions as one says them in a sentence."""
        return " and ".join(term.to_words() for term in self.terms)

    def to_sql(self) -> str:
        """Write the conditions as the text of a WHERE clause, names and values quoted."""
        return " AND ".join(term.to_sql() for term in self.terms)

    def to_python(self) -> str:
        """Write the conditions as a mask over a pandas frame `df`, names and values quoted."""
        return " & ".join(term.to_python() for term in self.terms)

    def __str__(self) -> str:
        return visible(self.sentence)

    def row(self) -> dict[str, Any]:
        """Give the numbers by name, as a row of `SliceSet.frame`."""
        plain = ("n", "n_agree", "rate", "difference", "shrunk", "effect_size")
        tests = ("statistic", "p_value", "adjusted_p_value")
        row: dict[str, Any] = {"conditions": self.conditions, **{name: getattr(self, name) for name in plain}}
        row["low"], row["high"] = self.interval
        row |= {name: getattr(self, name) for name in (*tests, "n_explained")}
        if self.held_back is not None:
            row["held_back_n"] = self.held_back.n
            row["held_back_difference"] = self.held_back.difference
            row["held_back_low"], row["held_back_high"] = self.held_back.interval
            row["held_back_p_value"] = self.held_back.adjusted_p_value
        if self.who_is_right is not None:
            row["first_right"] = self.who_is_right.n_first
            row["second_right"] = self.who_is_right.n_second
            row["neither_right"] = self.who_is_right.n_neither
            row["who_p_value"] = self.who_is_right.adjusted_p_value
        row["sql"] = self.to_sql()
        return row


@dataclass(frozen=True)
class HeldBack:
    """A slice measured again on cases that the search never saw.

    Parameters
    ----------
    n : int
        Held-back cases in the slice.
    rate, difference : float
        As in `Slice`, on these cases.
    interval : tuple of float
        Where the difference lies, for all slices at once.
    adjusted_p_value : float
        By Holm's method over all slices.
    """

    n: int
    rate: float
    difference: float
    interval: tuple[float, float]
    adjusted_p_value: float


@dataclass(frozen=True)
class WhoIsRight:
    """Where two models differ, which of them is right.

    Parameters
    ----------
    n_differ : int
        Cases of the slice on which the answers differ.
    n_first, n_second, n_neither : int
        How many of them the first model, the second or neither has right.
    adjusted_p_value : float
        McNemar's exact test of equal chances, by Holm's method over all slices.
    """

    n_differ: int
    n_first: int
    n_second: int
    n_neither: int
    adjusted_p_value: float


@dataclass(frozen=True)
class Wording(ABC):
    """How to say what a slice shows, beside the average of all rows."""

    unit: ClassVar[str] = " points"
    agrees: ClassVar[str] = ""

    @property
    def tested(self) -> str:
        """What was tested, if it is not the difference that is told."""
        return ""

    @abstractmethod
    def claim(self, part: Slice) -> str:
        """Say what is so."""

    @abstractmethod
    def counts(self, part: Slice, average: float) -> str:
        """Say the counts."""

    def tell(self, part: Slice, average: float, tests: Correction) -> Slice:
        """Give the slice with a sentence that says what is so, and how that is known."""
        low, high = (self.amount(end) for end in part.interval)
        sentence = (
            f"{self.claim(part)} {self.counts(part, average)}. The difference lies between {low} and "
            f"{high}{self.unit}, with {100 * (1 - tests.alpha):.4g}% confidence for all slices at once "
            f"({tests.say_p(part.adjusted_p_value)}{self.tested} after correction for {tests.total:,} "
            f"tests).{self.shrunk(part)}"
        )
        return replace(part, sentence=sentence)

    def shrunk(self, part: Slice) -> str:
        """Say the size to expect on other cases, if choosing the slice for its size has made that larger."""
        expected = self.amount(part.shrunk)
        if abs(part.shrunk - part.difference) < 0.05 * abs(part.difference):
            return ""
        why = "large differences shrink when they are picked for being large"
        return f" Expect about {expected}{self.unit} on new cases: {why}."

    def amount(self, number: float) -> str:
        """Write a signed difference."""
        return f"{100 * number:+.1f}"


@dataclass(frozen=True)
class Errors(Wording):
    """A model is more or less accurate than average."""

    agrees: ClassVar[str] = "it is right"

    model: str = "The model"
    one_class_each: bool = True

    def claim(self, part: Slice) -> str:
        """Say where the model is more or less accurate; who names no class, or several, is not wrong."""
        less, wrong = part.difference < 0, "wrong" if self.one_class_each else "not right"
        return (
            f"{self.model} is {_points(part.difference)} {'less' if less else 'more'} accurate than average on "
            f"cases with {part.words}: {_n_apart(part):,} {wrong}, {_beyond(part)}."
        )

    def counts(self, part: Slice, average: float) -> str:
        """Say how many answers are right."""
        right = f"{part.n_agree:,} of {part.n:,}"
        alone = f"it names the truth and no other class on {right} cases"
        verb = "is" if part.n_agree == 1 else "are"
        right = f"{right} answers {verb} right" if self.one_class_each else alone
        return f"There {right}, {part.rate:.1%} against {average:.1%} on average"


@dataclass(frozen=True)
class Differences(Wording):
    """Two models agree more or less often than average; `judged` by a known truth, one of them may be right."""

    agrees: ClassVar[str] = "they agree"

    first: str = "Model A"
    second: str = "Model B"
    judged: bool = False

    def claim(self, part: Slice) -> str:
        """Say where the models agree more or less."""
        less, n_apart = part.difference < 0, _n_apart(part)
        return (
            f"{self.first} and {self.second} agree {_points(part.difference)} {'less' if less else 'more'} often "
            f"than average on cases with {part.words}: {n_apart:,} "
            f"{'answer differs' if n_apart == 1 else 'answers differ'}, {_beyond(part)}."
        )

    def counts(self, part: Slice, average: float) -> str:
        """Say how many answers agree."""
        return (
            f"There they agree on {part.n_agree:,} of {part.n:,} cases, {part.rate:.1%} against "
            f"{average:.1%} on average"
        )


@dataclass(frozen=True)
class Scores(Wording):
    """A number for each case is higher or lower than average."""

    unit: ClassVar[str] = ""

    score: str = "The score"
    by_ranks: bool = False

    @property
    def tested(self) -> str:
        """Say that ranks were tested, not the mean."""
        return " by ranks" if self.by_ranks else ""

    def claim(self, part: Slice) -> str:
        """Say where the number is higher or lower."""
        lower, less = ("lower", "less") if part.difference < 0 else ("higher", "more")
        return (
            f"{self.score} is {abs(part.difference):.3g} {lower} than average on cases with {part.words}: "
            f"{abs(part.effect_size):.4g} {less} in all."
        )

    def counts(self, part: Slice, average: float) -> str:
        """Say the mean."""
        return f"The mean of these {part.n:,} cases is {part.rate:.4g} against {average:.4g} on average"

    def amount(self, number: float) -> str:
        """Write a signed difference."""
        return f"{number:+z.3g}"


def _points(difference: float) -> str:
    whole = f"{100 * abs(difference):.0f}"
    amount = whole if whole != "0" else f"{100 * abs(difference):.1f}"
    return f"{amount} point{'' if amount == '1' else 's'}"


def _n_apart(part: Slice) -> int:
    assert part.n_agree is not None
    return part.n - part.n_agree


def _beyond(part: Slice) -> str:
    return f"{abs(part.effect_size):,.0f} {'more' if part.difference < 0 else 'fewer'} than on average"


@dataclass(frozen=True, eq=False)
class Proven:
    """All that a search has proven, whether it is shown or not; it is told when it is looked at.

    terms: The conditions of each.
    difference, effect_size (m,): As in `Slice`.
    shown: The places of those that are shown, in order.
    because (m,): The place of the cause that explains each; -1 for none.
    places: The places of those that count, all or some.
    tell: Gives the slices at some places.
    explain: Gives, for some places alone, the causes among them and what explains each, as places among these;
        None where no causes are looked for.
    """

    terms: Sequence[tuple[Term, ...]]
    difference: NDArray[np.float64]
    effect_size: NDArray[np.float64]
    shown: Places
    because: Places
    places: Places
    tell: Callable[[Places], tuple[Slice, ...]] = field(repr=False)
    explain: Callable[[Places], tuple[Places, Places]] | None = field(repr=False)

    def told(self, places: Places) -> tuple[Slice, ...]:
        """Tell the slices at some places, with what they explain or what explains them."""
        n_explained = np.bincount(self.because[self.because >= 0], minlength=self.because.size)
        slices = []
        for place, part in zip(places, self.tell(places), strict=True):
            cause, sentence = "", part.sentence
            if self.because[place] >= 0:
                cause = written(self.terms[self.because[place]])
                sentence += f" This is because of {cause}: with all causes set aside, nothing is proven here."
            many = int(n_explained[place])
            slices.append(replace(part, n_explained=many, because_of=cause, sentence=sentence))
        return tuple(slices)

    def explained_by(self, cause: int | None = None) -> Places:
        """Find what a cause explains, or any does; the largest effect first."""
        places = np.flatnonzero(self.because >= 0 if cause is None else self.because == cause)
        return places[np.argsort(-np.abs(self.effect_size[places]), kind="stable")]

    def among(self, places: Places) -> Proven:
        """Name the causes of some of what was proven; without causes, show some of what is shown.

        These are told together with the others as before: what was corrected for all stays so.
        """
        if self.explain is None:
            return replace(self, shown=places, tell=partial(_tell_some, self.tell, self.shown))
        shown, because = self.explain(places)
        whole = np.full(self.because.size, -1, dtype=np.intp)
        whole[places] = np.where(because >= 0, places[because], -1)
        return replace(self, shown=places[shown], because=whole, places=places)


def _tell_some(
    tell: Callable[[Places], tuple[Slice, ...]], together: Places, places: Places
) -> tuple[Slice, ...]:
    return tuple(compress(tell(together), np.isin(together, places)))


@dataclass(frozen=True, eq=False)
class SliceSet(Result, Sequence[Slice], title="Slices", unit="difference from average"):
    """Slices in the order of their importance: causes by their evidence, others by their effect.

    Parameters
    ----------
    n_cases : int
        Cases that were searched.
    n_agree : int or None
        How many agree; None where numbers were sliced.
    rate : float
        Their share, or the mean of the numbers.
    tests : Correction
        How many tests were made, and the correction.
    schema : tuple of Column
        The columns, without their values.
    afterwards : frozenset of str
        Columns that are not known when a model is used: the truth, the answers.
    note : str
        What else must be said.
    cuts : mapping from column to ndarray
        Where the numeric columns were cut into intervals; dates are numbers of microseconds.
    left_out : mapping of str to str
        Columns that are no attributes, and why.
    read_as : mapping of str to str
        Columns of dates and text, and what was made of them.
    n_groups : int or None
        Groups of cases that belong together, where they were named.
    """

    n_cases: int
    n_agree: int | None
    rate: float
    tests: Correction
    schema: tuple[Column, ...] = field(repr=False)
    afterwards: frozenset[str] = frozenset()
    note: str = ""
    cuts: Mapping[str, NDArray[np.float64]] = field(default_factory=dict, repr=False)
    find_again: FindAgain | None = field(default=None, repr=False)
    proven: Proven | None = field(default=None, repr=False)
    left_out: Mapping[str, str] = field(default_factory=dict, repr=False)
    read_as: Mapping[str, str] = field(default_factory=dict, repr=False)
    n_groups: int | None = field(default=None, repr=False)

    @cached_property
    def slices(self) -> tuple[Slice, ...]:
        """The slices that are shown."""
        return () if self.proven is None else self.proven.told(self.proven.shown)

    def __len__(self) -> int:
        return 0 if self.proven is None else self.proven.shown.size

    @overload
    def __getitem__(self, place: int) -> Slice: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Slice, ...]: ...
    def __getitem__(self, place: int | slice) -> Slice | tuple[Slice, ...]:
        return self.slices[place]

    @property
    def n_proven(self) -> int:
        """How many slices deviate beyond chance, whether they are shown or not."""
        return 0 if self.proven is None else len(self.proven.terms)

    @property
    def explained(self) -> tuple[Slice, ...]:
        """The proven slices that deviate because of the ones shown, the largest effect first."""
        return self.explained_by(None)

    def explained_by(self, part: int | None, most: int | None = None) -> tuple[Slice, ...]:
        """Give the proven slices that deviate because of one that is shown, the largest effect first.

        Parameters
        ----------
        part : int or None
            The place of the slice, from 0; None for any.
        most : int, optional
            The most to give.
        """
        proven = self.proven
        if proven is None or proven.explain is None:
            return ()
        return proven.told(proven.explained_by(None if part is None else int(proven.shown[part]))[:most])

    def deployable(self) -> SliceSet:
        """Keep what names nothing but attributes, and is of use before the truth is known.

        Causes are looked for among these alone: one that names the truth may explain them all.
        """
        return self._keep(lambda terms, _: not self._names_afterwards(terms))

    def naming_afterwards(self) -> SliceSet:
        """Keep the slices that name the truth or an answer."""
        return self._keep(lambda terms, _: self._names_afterwards(terms))

    def worse(self, by: float = 0.0) -> SliceSet:
        """Keep what is below average; causes are looked for among these slices alone.

        Parameters
        ----------
        by : float
            How far below at least; 0.1 is ten percentage points.
        """
        below = self._keep(lambda _, difference: difference < 0)
        if below.proven is None or by <= 0:
            return below
        alone = replace(below, proven=replace(below.proven, explain=None))
        return alone._keep(lambda _, difference: difference <= -by)

    def _names_afterwards(self, terms: Sequence[Term]) -> bool:
        return any(term.column in self.afterwards for term in terms)

    def _keep(self, wanted: Callable[[tuple[Term, ...], float], bool]) -> SliceSet:
        """Keep some of the slices; where causes are shown, the causes of some of what was proven."""
        proven = self.proven
        if proven is None:
            return self
        places = proven.shown if proven.explain is None else proven.places
        flags = [wanted(proven.terms[place], proven.difference[place]) for place in places]
        return self if all(flags) else replace(self, proven=proven.among(places[flags]))

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each slice."""
        rows = [part.row() for part in self.slices]
        if not rows:
            return {name: [] for name in ("conditions", "n", "rate", "difference", "effect_size", "sql")}
        # where no case held back lies in a slice, it has none of these numbers
        names = max(rows, key=len)
        return {name: [row.get(name) for row in rows] for name in names}

    def mask(self, X: Any) -> NDArray[np.bool_]:
        """Say which cases of a table lie in which slices.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            Cases with the columns that the slices name.

        Returns
        -------
        ndarray of shape (n, number of slices)
        """
        columns = self._read(X)
        named = {column.name: column for column in columns}
        marked = np.ones((len(columns[0]), len(self.slices)), dtype=bool)
        for place, part in enumerate(self.slices):
            for term in part.terms:
                marked[:, place] &= term.holds(named)
        return marked

    def flag(self, X: Any, *, by: float = 0.1) -> NDArray[np.bool_]:
        """Flag the cases that lie in any slice far below average which names attributes only.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The attributes.
        by : float
            How far below average a slice must be; 0.1 is ten percentage points. A large slice may be below average
            for certain and yet hardly at all: with 0 such slices soon cover all cases.
        """
        return np.asarray(self.deployable().worse(by).mask(X).any(axis=1))

    def _read(self, X: Any) -> tuple[Column, ...]:
        wanted = {term.column for part in self.slices for term in part.terms}
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        framed = isinstance(frame, nw.DataFrame)
        if not framed and not self.left_out and not any(column.derived for column in self.schema):
            known = [column for column in self.schema if column.name not in self.afterwards]
            return self._checked(read_columns(X, like=known), wanted)
        columns = read_again(X, self.schema, lambda column: not wanted or column.name in wanted)
        if not columns and not framed:
            raise InputError("a table with the columns that were searched", show(X))
        if not columns:
            raise InputError(
                "the columns that were searched", f"the columns {show(frame.columns)}", "pass the same table"
            )
        return self._checked(columns, wanted)

    def _checked(self, columns: tuple[Column, ...], wanted: set[str]) -> tuple[Column, ...]:
        absent = sorted(wanted - {column.name for column in columns})
        if absent:
            raise InputError(
                f"a column called {show(absent[0])}, which a slice names",
                f"the columns {show([column.name for column in columns])}",
                "add it, or use .deployable() for the slices that name attributes only",
            )
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers, texts, lists and dictionaries: what JSON holds.

        A slice has the names of the columns of `frame`, its query in Python, its sentence, the largest of those
        that it explains, and ``known_before``: whether it names nothing but attributes, and so is of use before
        the truth is known.
        """
        return {
            "n_cases": self.n_cases,
            "n_agree": self.n_agree,
            "rate": self.rate,
            "n_proven": self.n_proven,
            "tests": asdict(self.tests)
            | {
                "n_tests": list(self.tests.n_tests),
                "alphas": list(self.tests.alphas),
                "total": self.tests.total,
            },
            "note": self.note,
            "left_out": dict(self.left_out),
            "read_as": dict(self.read_as),
            "summary": str(self),
            "slices": [
                part.row()
                | {
                    "python": part.to_python(),
                    "known_before": not self._names_afterwards(part.terms),
                    "sentence": part.sentence,
                    "explains": [
                        {name: getattr(other, name) for name in ("conditions", "n", "difference", "shrunk")}
                        for other in self.explained_by(place, most=MOST_EXPLAINED)
                    ],
                }
                for place, part in enumerate(self.slices)
            ],
        }

    def to_sql(self, table: str | None = None) -> list[str]:
        """Write each slice as the text of a WHERE clause, or as a query on a table.

        Parameters
        ----------
        table : str, optional
            The name of a table to select from.
        """
        before = "" if table is None else f"SELECT * FROM {sql_identifier(table)} WHERE "
        return [before + part.to_sql() for part in self.slices]

    def summary(self, most: int = 10) -> str:
        """Say the most important slices, and how many tests stand behind them.

        Parameters
        ----------
        most : int
            The number of slices to name.
        """
        lines = [str(self), *(f"{place}. {part}" for place, part in enumerate(self.slices[:most], start=1))]
        if len(self.slices) > most:
            lines.append(f"… and {len(self.slices) - most} more.")
        return "\n".join(lines)

    def stability(
        self, *, n_samples: int = 20, sample_size: int | None = None, random_state: RandomState = 0
    ) -> Stability:
        """Estimate how far the slices of two fresh samples, each of half as many cases, would agree.

        The cases are dealt into samples that have none in common, again and again, and only samples of the same
        deal are compared: samples that overlap would agree about their common noise. So the mean is, without bias,
        what two fresh samples of this size would have in common. Nothing is said of samples as large as all cases:
        their agreement may be higher, or lower where half as many show none. Groups of cases are dealt as a whole,
        and numbers are cut as here in all samples: slices that differ by a cut alone are the same to a reader.
        All that a search shows is compared, also where only some of it was kept, as by `worse`.

        Parameters
        ----------
        n_samples : int
            Samples to search; one more where it takes that to compare the last.
        sample_size : int, optional
            Cases in each, or groups where these were named; at most half of them, which is the default.
        random_state : int, Generator or None
            For the samples.
        """
        if self.find_again is None:
            raise InputError(
                "slices that know the cases they come from",
                "slices without them: of a Dask DataFrame, of another engine, or of numbers",
                "search a sample in memory",
            )
        n_units, drawn = (self.n_cases, "cases") if self.n_groups is None else (self.n_groups, "groups")
        size = n_units // 2 if sample_size is None else sample_size
        return measure_stability(self.find_again, n_units, n_samples, size, as_generator(random_state), drawn)

    @property
    def found(self) -> str:
        """How many slices there are, and how many more deviate because of them, in a sentence."""
        rate = f"{self.rate:.1%}" if self.n_agree is not None else f"{self.rate:.4g}"
        cases = f"{self.n_cases:,} cases (average {rate})"
        # of what was proven the paper's summary may show nothing, and so may a choice such as worse()
        n_slices = len(self) or self.n_proven
        many = f"{n_slices:,} slice{'' if n_slices == 1 else 's'} found in {cases}"
        if len(self):
            return f"{many}{self._say_explained()}."
        if n_slices:
            return f"{many} {'deviates' if n_slices == 1 else 'deviate'} beyond chance, but none is shown."
        if not self.tests.total and self.n_agree not in (0, self.n_cases):
            return f"No slice of {cases} is large enough to be tested."
        return f"No slice of {cases} that is large enough to matter deviates beyond chance."

    def __str__(self) -> str:
        return " ".join(filter(None, (self.found, f"{self.tests}.", self.note, *self.about_columns())))

    def __repr__(self) -> str:
        return self.summary()

    def about_columns(self, most: int = 5) -> list[str]:
        """Say which columns were left out and why, and what was made of dates and text.

        Parameters
        ----------
        most : int
            The number of columns to name in each sentence.
        """
        said = say_columns(LEFT_OUT, self.left_out, most), say_columns(READ_AS, self.read_as, most)
        return [sentence for sentence in said if sentence]

    def _say_explained(self) -> str:
        if self.proven is None or self.proven.explain is None:
            return ""
        n_explained = int((self.proven.because >= 0).sum())
        them = "it" if len(self) == 1 else "them"
        said = f"; {_say_more(n_explained)} because of {them}" if n_explained else ""
        rest = self.proven.places.size - n_explained - len(self.slices)
        return f"{said}; {_say_more(rest)} on {'its' if rest == 1 else 'their'} own" if rest else said


def _say_more(n: int) -> str:
    return f"{n:,} more {'deviates' if n == 1 else 'deviate'}"


def written(terms: Sequence[Term]) -> str:
    """Write conditions for people."""
    return " and ".join(term.to_text() for term in terms)
