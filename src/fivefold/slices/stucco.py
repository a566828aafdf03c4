"""STUCCO: search and testing for understandable consistent contrasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Term
from fivefold.errors import InputError, show
from fivefold.inputs.frames import check_length
from fivefold.inputs.labels import encode_together
from fivefold.progress import shows_progress
from fivefold.results import Result, say_p
from fivefold.slices.contrast_search import Findings, ReadAttributes, SearchOptions, mine_rows, read_rows
from fivefold.slices.items import RowsInMemory


@dataclass(frozen=True, kw_only=True)
class Stucco(SearchOptions):
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
    correction : {"layered", "westfall-young", "auto"}
        ``"layered"``: Pearson's chi-square at :math:`\alpha_l = \min(\alpha / (2^l |C_l|), \alpha_{l-1})`
        for the :math:`|C_l|` candidates of length l. ``"westfall-young"``: the step-down test over
        permutations of the group labels, which knows that conjunctions overlap; its statistic is the likelihood
        ratio less :math:`2 \log(2^l |C_l|)`. ``"auto"``: permutations where they take about two seconds at most
        (up to 500,000 cases), at least 10 / alpha of them; else, where cases belong together, and for the
        paper's summary, layered. The result says which it was.
    test : {"guarded", "chi2"}
        ``"guarded"``: a finding must also pass chi-square and the exact hypergeometric test of a group against the
        rest, at the level of the correction. ``"chi2"``: chi-square (the published test, which promises too much
        where few cases are expected) or the permutations alone.
    bins : int, "quantile", "mdlp", mapping or None
        How columns of numbers and dates become intervals: a number of quantiles (None: four, of dates eight), or
        cut points by column, such as ``{"age": [25, 45], "date": ["2025-03-15"]}``.
        ``"mdlp"`` looks at the groups, spends the test by this, and warns.
    missing_as_value : bool
        Whether "is missing" is a term, as it is for `find_errors`, `find_differences` and `find_scores`.
    summary : {"causes", "paper", "none"}
        What to show. ``"causes"``: the few findings because of which the others deviate, by
        :mod:`fivefold.slices.causes`. ``"paper"``: single terms, and what shorter shown sets do not explain by a
        log-linear model. ``"none"``: everything.
    min_surprise : float or None
        For ``"paper"``: the least difference of support from what the shown parts explain; None: half of
        `min_support_difference`.
    n_permutations : int
        For ``"westfall-young"``; no more are made once they have shown that nothing can be found.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal, as in :func:`fivefold.inputs.columns.read_columns`.
    keep : sequence of str
        Columns to take as they are, though they look like identifiers or text: names, or patterns (``"id*"``).
    n_jobs : int or None
        Threads; None is one, -1 is one for each core. The result is the same for any number.
    device : {"cpu", "cuda", "auto"}
        Where to count. ``"cuda"``: on an NVIDIA card, with ``fivefold[cuda]``; ``"auto"``: there, if there is one
        and so many cases that it pays. The result is the same bit for bit.
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

    missing_as_value: bool = False

    @shows_progress
    def find(self, X: Any, groups: Any, *, progress: bool | None = None) -> ContrastSets:
        """Find what distinguishes the groups.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The attributes; may be a Dask DataFrame.
        groups : array-like, or str
            The group of each case, at least two groups; or the name of a column of `X`. These are contrasted; the
            cases themselves are taken for independent (`find_errors` knows of cases that belong together).
        progress : bool, optional
            Whether to tell on standard error what is being done; by default on a terminal and in a notebook.

        Returns
        -------
        ContrastSets
            By length, the larger chi-square first.
        """
        rows = read_rows(_read_groups, X, (groups,), options=self)
        findings = mine_rows(self, rows, rows.cut_points(self.bins))
        lengths = np.array([len(terms) for terms in findings.conjunctions], dtype=np.int64)
        order, shown = np.lexsort((-findings.statistic, lengths)), set(findings.shown.tolist())
        return ContrastSets(
            tuple(_contrast_set(findings, place, rows.sizes, place in shown) for place in order),
            rows.group_names,
            tuple(rows.sizes.tolist()),
            "westfall-young" if findings.n_permutations else "layered",
            self.alpha,
            findings.n_tests,
            findings.alphas,
            rows.left_out,
            rows.read_as,
        )


def _contrast_set(findings: Findings, place: int, sizes: NDArray[np.int64], shown: bool) -> ContrastSet:
    counts = findings.counts[place]
    return ContrastSet(
        findings.conjunctions[place],
        tuple(counts.tolist()),
        tuple((counts / sizes).tolist()),
        float(np.ptp(counts / sizes)),
        float(findings.statistic[place]),
        float(findings.p_value[place]),
        float(findings.adjusted_p_value[place]),
        shown,
    )


def _read_groups(X: Any, groups: Any, *, read_attributes: ReadAttributes) -> RowsInMemory:
    attributes = read_attributes(X)
    (codes,), names = encode_together((groups,), ("groups",))
    if (codes < 0).any():
        raise InputError("a group for every case", f"none in row {int(np.flatnonzero(codes < 0)[0])}")
    if len(names) < 2:
        raise InputError("at least two groups", f"only {show(list(names))}")
    check_length(codes, len(attributes.columns[0]), "groups")
    rows = RowsInMemory(attributes.columns, codes, len(names), group_names=names)
    return replace(rows, left_out=attributes.left_out, read_as=attributes.read_as)


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
        Whether the summary shows it.
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
class ContrastSets(Result, Sequence[ContrastSet], title="Contrast sets", unit="share of a group"):
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
    left_out, read_as : mapping of str to str
        Columns that are no attributes, and why; columns of dates and text, and what was made of them.
    """

    sets: tuple[ContrastSet, ...] = field(repr=False)
    groups: tuple[object, ...]
    sizes: tuple[int, ...]
    correction: str
    alpha: float
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    read_as: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> tuple[ContrastSet, ...]:
        """The sets that the summary stage shows."""
        return tuple(contrast for contrast in self.sets if contrast.shown)

    def __len__(self) -> int:
        return len(self.sets)

    @overload
    def __getitem__(self, place: int) -> ContrastSet: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ContrastSet, ...]: ...
    def __getitem__(self, place: int | slice) -> ContrastSet | tuple[ContrastSet, ...]:
        return self.sets[place]

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each set."""
        table: dict[str, Any] = {"terms": [contrast.text for contrast in self.sets]}
        for place, group in enumerate(self.groups):
            table[f"count {group}"] = [contrast.counts[place] for contrast in self.sets]
        for place, group in enumerate(self.groups):
            table[f"support {group}"] = [contrast.supports[place] for contrast in self.sets]
        for name in ("difference", "statistic", "p_value", "adjusted_p_value", "shown"):
            table[name] = [getattr(contrast, name) for contrast in self.sets]
        return table

    def __str__(self) -> str:
        return (
            f"{len(self.sets):,} contrast sets, {len(self.shown):,} of them shown, "
            f"of {sum(self.n_tests):,} tested ({self.correction}, alpha {self.alpha:g})"
        )
