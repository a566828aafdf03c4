"""STUCCO: search and testing for understandable consistent contrasts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, overload

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Term
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import CategoricalFeatures, Column, read_columns
from fivefold.inputs.frames import check_length
from fivefold.inputs.options import RandomState, as_generator, fraction, one_of, positive_int
from fivefold.results import Direction, Result, say_p
from fivefold.slices import significance
from fivefold.slices.contrast_search import Findings, Settings, mine
from fivefold.slices.items import Bins, GroupedRows, Items, RowsInMemory
from fivefold.slices.labels import agreement, code_groups, code_together


@dataclass(frozen=True)
class ContrastSet:
    """A conjunction and how often it holds in each group.

    Parameters
    ----------
    terms : tuple of Term
        The conditions, all of which must hold.
    counts : tuple of int
        Cases of each group for which it holds.
    supports : tuple of float
        The same as a share of the group.
    difference : float
        The largest difference between two supports.
    statistic : float
        Pearson's chi-square of the 2 x G table.
    p_value : float
        Its tail, for this test alone.
    adjusted_p_value : float
        After correction for all tests made.
    shown : bool
        Whether the summary stage shows it: a single term, or one that its shown parts do not explain.
    """

    terms: tuple[Term, ...]
    counts: tuple[int, ...]
    supports: tuple[float, ...]
    difference: float
    statistic: float
    p_value: float
    adjusted_p_value: float
    shown: bool

    @property
    def text(self) -> str:
        """The conjunction in words."""
        return " and ".join(term.to_text() for term in self.terms)

    def to_sql(self) -> str:
        """Write the conjunction as the text of a WHERE clause."""
        return " AND ".join(term.to_sql() for term in self.terms)

    def __str__(self) -> str:
        shares = ", ".join(f"{support:.1%}" for support in self.supports)
        return f"{self.text}: {shares} ({say_p(self.adjusted_p_value)} after correction)"


@dataclass(frozen=True, eq=False)
class ContrastSets(Result, Sequence[ContrastSet]):
    """What a contrast-set miner found, and how many tests that took.

    Parameters
    ----------
    sets : tuple of ContrastSet
        Level by level, the larger chi-square first.
    groups : tuple
        The groups, in the order of counts and supports.
    sizes : tuple of int
        The number of cases in each.
    correction : str
        ``"layered"`` or ``"westfall-young"``.
    alpha : float
        The chance of any false finding that was allowed.
    n_tests : tuple of int
        Conjunctions of each length that the correction accounts for.
    alphas : tuple of float
        The level of one test at each length.
    """

    title: ClassVar[str] = "Contrast sets"
    unit: ClassVar[str] = "share of a group"
    direction: ClassVar[Direction] = "neither"

    sets: tuple[ContrastSet, ...] = field(repr=False)
    groups: tuple[object, ...]
    sizes: tuple[int, ...]
    correction: str
    alpha: float
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]

    @property
    def shown(self) -> tuple[ContrastSet, ...]:
        """The sets that the summary stage shows."""
        return tuple(one for one in self.sets if one.shown)

    def __len__(self) -> int:
        return len(self.sets)

    @overload
    def __getitem__(self, place: int) -> ContrastSet: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ContrastSet, ...]: ...
    def __getitem__(self, place: int | slice) -> ContrastSet | tuple[ContrastSet, ...]:
        return self.sets[place]

    def __iter__(self) -> Iterator[ContrastSet]:
        return iter(self.sets)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each set."""
        table: dict[str, Any] = {"terms": [one.text for one in self.sets]}
        for place, group in enumerate(self.groups):
            table[f"count {group}"] = [one.counts[place] for one in self.sets]
        for place, group in enumerate(self.groups):
            table[f"support {group}"] = [one.supports[place] for one in self.sets]
        for name in ("difference", "statistic", "p_value", "adjusted_p_value", "shown"):
            table[name] = [getattr(one, name) for one in self.sets]
        return table

    def __str__(self) -> str:
        return (
            f"{len(self.sets):,} contrast sets, {len(self.shown):,} of them shown, "
            f"of {sum(self.n_tests):,} tested ({self.correction}, alpha {self.alpha:g})"
        )


def label_name(values: Any, given: str | None, otherwise: str) -> str:
    """Give the name to use: the given one, or that of a named column, or another."""
    if given is not None:
        return given
    if isinstance(values, str):
        return values
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else otherwise


def add_columns(columns: Sequence[Column], extra: Sequence[Column]) -> tuple[Column, ...]:
    """Add columns whose names must not be taken."""
    taken = {column.name for column in columns}
    for column in extra:
        if column.name in taken:
            raise InputError(
                f"another name for the column {show(column.name)} of labels",
                "an attribute of that name",
                "drop it from X, or rename the labels",
            )
        taken.add(column.name)
    return (*columns, *extra)


def read_errors(
    X: Any, y_true: Any, y_pred: Any, *, target: str | None, categorical_features: CategoricalFeatures
) -> RowsInMemory:
    """Read wrong (0) and right (1) answers; the truth becomes an attribute `target`, unless that is None."""
    columns = read_columns(X, categorical_features=categorical_features)
    agree, truth, classes = agreement(y_true, y_pred)
    check_length(agree, len(columns[0]), "y_true")
    if target is not None:
        columns = add_columns(columns, [Column(target, "nominal", truth, classes)])
    return RowsInMemory(columns, agree, 2)


def read_differences(
    X: Any,
    pred_a: Any,
    pred_b: Any,
    y_true: Any = None,
    *,
    answers: tuple[str, ...],
    categorical_features: CategoricalFeatures,
) -> RowsInMemory:
    """Read different (0) and same (1) answers; with two names in `answers` they become attributes."""
    columns = read_columns(X, categorical_features=categorical_features)
    first, second, classes = code_together(pred_a, pred_b, ("pred_a", "pred_b"))
    check_length(first, len(columns[0]), "pred_a")
    extra = [
        Column(name, "nominal", codes, classes) for name, codes in zip(answers, (first, second), strict=False)
    ]
    said = () if y_true is None else (pred_a, pred_b)
    right = tuple(agreement(y_true, answer)[0] for answer in said)
    return RowsInMemory(add_columns(columns, extra), first == second, 2, right)


def read_groups(X: Any, groups: Any, *, categorical_features: CategoricalFeatures) -> RowsInMemory:
    """Read cases in any number of groups."""
    columns = read_columns(X, categorical_features=categorical_features)
    codes, names = code_groups(groups)
    check_length(codes, len(columns[0]), "groups")
    return RowsInMemory(columns, codes, len(names), group_names=names)


def read_rows(
    read: Callable[..., RowsInMemory],
    X: Any,
    labels: Sequence[Any],
    *,
    needed: int = 0,
    categorical_features: CategoricalFeatures,
) -> GroupedRows:
    """Read cases by `read(X, *labels, categorical_features=…)`; for a Dask DataFrame, on its partitions.

    A label that is a text names a column of `X`, which is then left out of the attributes. `needed` is the place
    of the label that no case may lack.
    """
    X, labels = _take_named(X, labels)
    if is_dask(X):
        from fivefold.slices.dask_tables import read_partitions

        return read_partitions(read, X, labels, needed, categorical_features)
    if any(map(is_dask, labels)):
        raise InputTypeError(
            "X to be a Dask DataFrame like the labels",
            type(X).__name__,
            "compute() the labels, or pass both from Dask",
        )
    return read(X, *labels, categorical_features=categorical_features)


def is_dask(values: Any) -> bool:
    """Say whether this is a collection of Dask, without importing it."""
    return type(values).__module__.partition(".")[0] == "dask" and hasattr(values, "to_delayed")


def refuse_dask(X: Any, what: str) -> None:
    """Complain about a Dask DataFrame where cases must be in memory."""
    if is_dask(X):
        raise InputTypeError(
            f"cases in memory for {what}",
            "a Dask DataFrame",
            "pass X.compute(), or a sample: X.sample(frac=0.01)",
        )


def _take_named(X: Any, labels: Sequence[Any]) -> tuple[Any, tuple[Any, ...]]:
    names = [label for label in labels if isinstance(label, str)]
    if not names:
        return X, tuple(labels)
    frame = X if is_dask(X) else nw.from_native(X, eager_only=True, pass_through=True)
    if not hasattr(frame, "columns"):
        raise InputTypeError("a dataframe, for labels by the name of a column", type(X).__name__)
    for name in names:
        if name not in frame.columns:
            raise InputError(
                "the name of a column of X", show(name), f"the columns are {show(list(frame.columns), 200)}"
            )
    taken = tuple(frame[label] if isinstance(label, str) else label for label in labels)
    if is_dask(X):
        return frame.drop(columns=list(dict.fromkeys(names))), taken
    native = (each.to_native() if isinstance(each, nw.Series) else each for each in taken)
    return frame.drop(names).to_native(), tuple(native)


MOST_TERMS = 8


@dataclass(frozen=True, kw_only=True)
class Stucco:
    r"""Find the conjunctions of column = value whose support differs between groups.

    With :math:`s_g` the share of group g for which a conjunction holds, a conjunction is found if

    .. math:: \max_g s_g - \min_g s_g \ge \delta

    and a test rejects that the :math:`s_g` are equal, at a level corrected for all the tests made. The
    search is complete up to `max_terms` terms: a branch is left only where no finding can be in it, where a
    conjunction holds for the same cases as a part of it, or where only one group has cases left.

    Parameters
    ----------
    alpha : float
        The chance of any false finding at all.
    min_support_difference : float
        The least difference of support, :math:`\delta`.
    max_terms : int
        The most terms in a conjunction.
    correction : {"layered", "westfall-young"}
        ``"layered"``: Pearson's chi-square at :math:`\alpha_l = \min(\alpha / (2^l |C_l|), \alpha_{l-1})`
        for the :math:`|C_l|` candidates of length l. ``"westfall-young"``: the step-down test over
        permutations of the group labels, which knows that conjunctions overlap.
    test : {"guarded", "chi2"}
        For ``"layered"``. ``"guarded"``: where the exact hypergeometric test of a group against the rest is less
        sure than chi-square, it counts. ``"chi2"``: the published test alone, which promises too much where
        few cases are expected.
    bins : int, "quantile", "mdlp", mapping or None
        How numeric columns become intervals: a number of quantiles (None: four), or cut points by column.
        ``"mdlp"`` looks at the groups, spends the test by this, and warns.
    missing_as_value : bool
        Whether "is missing" is a term.
    summarise : bool
        Whether to mark as shown only single terms and what shorter shown sets do not explain.
    min_surprise : float or None
        The least difference of support from what the shown parts explain; None: half of
        `min_support_difference`.
    n_permutations : int
        For ``"westfall-young"``.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal, as in :func:`fivefold.inputs.columns.read_columns`.
    n_jobs : int or None
        Threads; None is one, -1 is one for each core. The result is the same for any number.
    random_state : int, Generator or None
        For the permutations.

    References
    ----------
    S. D. Bay and M. J. Pazzani, "Characterizing model errors and differences", 2000. P. H. Westfall and S. S.
    Young, *Resampling-based multiple testing*, 1993.

    Examples
    --------
    >>> import fivefold as ff
    >>> votes = ff.data.load("VO")
    >>> found = Stucco(max_terms=2).find(votes.X, votes.y)
    >>> print(found[0])
    physician-fee-freeze = y: 5.2%, 97.0% (p < 0.0001 after correction)
    """

    alpha: float = 0.05
    min_support_difference: float = 0.02
    max_terms: int = 3
    correction: str = "layered"
    test: str = "guarded"
    bins: Bins = None
    missing_as_value: bool = False
    summarise: bool = True
    min_surprise: float | None = None
    n_permutations: int = 999
    categorical_features: CategoricalFeatures = "from_dtype"
    n_jobs: int | None = None
    random_state: RandomState = None

    def find(self, X: Any, groups: Any) -> ContrastSets:
        """Find what distinguishes the groups.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The attributes; may be a Dask DataFrame.
        groups : array-like, or str
            The group of each case, at least two groups; or the name of a column of `X`.

        Returns
        -------
        ContrastSets
            By length, the larger chi-square first.
        """
        cases = read_rows(read_groups, X, (groups,), categorical_features=self.categorical_features)
        items, found = self.mine_cases(cases)
        return _report(items, found, cases.group_names, self)

    def mine(self, columns: Sequence[Column], groups: NDArray[Any], n_groups: int) -> tuple[Items, Findings]:
        """Mine columns that are read already, for groups that are numbered from 0."""
        return self.mine_cases(RowsInMemory(tuple(columns), groups, n_groups))

    def mine_cases(self, cases: GroupedRows) -> tuple[Items, Findings]:
        """Mine cases, wherever they are."""
        settings = self.settings()
        least = significance.LEAST_EXPECTED * cases.sizes.sum() / cases.sizes.min()
        items = cases.pack(cases.cut_points(self.bins), self.missing_as_value, least, settings.threads)
        return items, mine(items, settings, as_generator(self.random_state))

    def with_cuts(self, cases: GroupedRows) -> Stucco:
        """Give the same miner with the cut points that it finds in these cases."""
        cuts = cases.cut_points(self.bins)
        return replace(self, bins={name: points.tolist() for name, points in cuts.items()})

    def settings(self) -> Settings:
        """Check the options."""
        alpha = fraction(self.alpha, "alpha")
        if not 0.0 < alpha < 1.0:
            raise InputError("alpha between 0 and 1", show(self.alpha))
        delta = fraction(self.min_support_difference, "min_support_difference")
        max_terms = positive_int(self.max_terms, "max_terms")
        if max_terms > MOST_TERMS:
            raise InputError(
                f"max_terms of at most {MOST_TERMS}", show(self.max_terms), "nobody reads longer rules"
            )
        surprise = delta / 2 if self.min_surprise is None else fraction(self.min_surprise, "min_surprise")
        return Settings(
            alpha,
            delta,
            max_terms,
            one_of(self.correction, ("layered", "westfall-young"), "correction"),
            one_of(self.test, ("guarded", "chi2"), "test"),
            surprise,
            self.summarise,
            positive_int(self.n_permutations, "n_permutations"),
            _threads(self.n_jobs),
        )


def _threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InputError("n_jobs to be a number of threads, -1 for all cores, or None", show(n_jobs))
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def _report(items: Items, found: Findings, names: tuple[object, ...], options: Stucco) -> ContrastSets:
    sizes = items.sizes
    lengths = np.array([len(one) for one in found.sets], dtype=np.int64)
    differences = significance.support_difference(found.counts, sizes)
    sets = tuple(
        ContrastSet(
            tuple(items.terms[i] for i in found.sets[place]),
            tuple(found.counts[place].tolist()),
            tuple((found.counts[place] / sizes).tolist()),
            float(differences[place]),
            float(found.statistic[place]),
            float(found.p_value[place]),
            float(found.adjusted_p_value[place]),
            bool(found.shown[place]),
        )
        for place in np.lexsort((-found.statistic, lengths))
    )
    return ContrastSets(
        sets, names, tuple(sizes.tolist()), options.correction, options.alpha, found.n_tests, found.alphas
    )
