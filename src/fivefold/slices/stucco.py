"""STUCCO: search and testing for understandable consistent contrasts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import RandomState, as_generator, fraction, one_of, positive_int
from fivefold.slices import pruning
from fivefold.slices.bins import Bins
from fivefold.slices.cases import Cases, HeldCases
from fivefold.slices.contrast_set import ContrastSet, ContrastSets
from fivefold.slices.items import Items
from fivefold.slices.mining import Findings, Settings, mine
from fivefold.slices.reading import read_groups
from fivefold.slices.spread.opening import read_cases

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
        cases = read_cases(read_groups, X, (groups,), categorical_features=self.categorical_features)
        items, found = self.mine_cases(cases)
        return _report(items, found, cases.group_names, self)

    def mine(self, columns: Sequence[Column], groups: NDArray[Any], n_groups: int) -> tuple[Items, Findings]:
        """Mine columns that are read already, for groups that are numbered from 0."""
        return self.mine_cases(HeldCases(tuple(columns), groups, n_groups))

    def mine_cases(self, cases: Cases) -> tuple[Items, Findings]:
        """Mine cases, wherever they are."""
        settings = self.settings()
        least = pruning.LEAST_EXPECTED * cases.sizes.sum() / cases.sizes.min()
        items = cases.pack(cases.cut_points(self.bins), self.missing_as_value, least, settings.threads)
        return items, mine(items, settings, as_generator(self.random_state))

    def with_cuts(self, cases: Cases) -> Stucco:
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
    differences = pruning.support_difference(found.counts, sizes)
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
