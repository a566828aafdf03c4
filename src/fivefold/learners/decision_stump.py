"""The 1R decision stump: 1R as a model of probabilities."""

from __future__ import annotations

from fivefold.learners.one_r.estimator import OneR


class DecisionStump(OneR):
    r"""1R read as a model of probabilities: one attribute, and the class frequencies in each of its cells.

    The attribute and its cells are those of :class:`OneR`. A case in cell z has class c with probability

    .. math:: P(c \mid z) = \frac{n_{zc} + \alpha}{n_z + \alpha K}

    for K classes. The model is written with these probabilities instead of counts and errors.

    Parameters
    ----------
    small : float
        Every interval but the rightmost has more than this many cases of its class.
    leaf_alpha : float
        The :math:`\alpha` above. With 0 a probability may be 0, and a log score of it infinite.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    attribute_, cuts_, cell_counts_, n_correct_
        As in :class:`OneR`.

    Notes
    -----
    This is not the stump of Weka or of boosting, which chooses one binary split by its entropy.

    References
    ----------
    R. C. Holte (1993). Very simple classification rules perform well on most commonly used datasets.
    Machine Learning 11, 63-91.
    K. B. Korb, L. R. Hope and M. J. Hughes (2001). The evaluation of predictive learners: some theoretical
    and empirical results. ECML 2001, LNAI 2167, 276-287.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import DecisionStump
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> print(DecisionStump(leaf_alpha=1).fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"]))
    outlook = overcast: yes 0.75, no 0.25
    outlook = rain: yes 0.6, no 0.4
    outlook = sunny: no 0.75, yes 0.25
    """

    def _answer_texts(self) -> list[str]:
        labels = self.classes_.tolist()
        likeliest_first = [
            sorted(zip(-row, labels, strict=True), key=lambda pair: float(pair[0]))
            for row in self._cell_probabilities()
        ]
        return [", ".join(f"{label} {-p:.4g}" for p, label in row if p) for row in likeliest_first]
