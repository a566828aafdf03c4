"""Code lengths as plain numbers: how many bits the answers of a model save."""

from __future__ import annotations

from fivefold.bits.run_code import CODES, NO_WEIGHTS, null_bits, run_code
from fivefold.inputs.answers import as_answers
from fivefold.inputs.labels import as_labels, encode_truth, given_classes, infer_classes
from fivefold.inputs.options import one_of, refuse_weights
from fivefold.results.metric import metric


@metric("Code length", unit="bits", direction="lower is better", reads="answers", order_free=False)
def code_length(
    y_true: object,
    predicted: object,
    *,
    classes: object = None,
    code: str = "frequency",
    sample_weight: None = None,
) -> float:
    r"""Bits needed to tell someone the true classes who already has the model's answers, :math:`I(D|T,Q)`.

    Let :math:`R_t` be the set of classes answered for case :math:`t`, :math:`p_i = (c_i + 1)/(t + n)` the
    running frequency of class :math:`i`, and :math:`r = \sum_{i \in R_t} p_i`. The frequency-weighted code
    sends the true class :math:`y` in

    .. math:: \lg\frac{\alpha r + \beta (1 - r)}{w\, p_y}, \qquad w = \alpha \text{ if } y \in R_t
        \text{ else } \beta

    bits and then adds :math:`p_y / r` to :math:`\alpha` or :math:`p_y / (1 - r)` to :math:`\beta`; both start
    at :math:`1/n`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    predicted : array-like
        Labels (``None`` or NaN for no answer), or a boolean ``(n, k)`` matrix in class order (MAPIE's
        ``(n, k, 1)`` too), or a sequence of collections of labels.
    classes : array-like, optional
        All classes of the problem. Their number enters every code, so name them when some may not occur;
        without it the sorted labels of ``y_true`` and ``predicted`` are taken.
    code : {"frequency", "constant", "laplace", "corrected", "mixture"}
        ``"frequency"`` and ``"constant"`` are the paper's two codes as printed, ``"laplace"`` its first
        attempt. ``"corrected"`` repairs the double use of class frequencies; ``"mixture"`` never costs more
        than one bit above the null code and is the one to decide by.
    sample_weight : None
        Refused: a sequential code sends whole cases in turn.

    Returns
    -------
    float
        Total bits. It depends on the order of the cases (a few bits in shuffled data, many in data sorted by
        class); `encode` with ``orderings`` measures how much.

    References
    ----------
    J. G. Cleary, S. Legg and I. H. Witten, "An MDL estimate of the significance of rules", 1996.

    Examples
    --------
    Four right answers in two classes leave 2.3 bits to be sent, against 4.9 bits without any answers:

    >>> import fivefold as ff
    >>> truth = ["yes", "no", "yes", "no"]
    >>> round(ff.bits.code_length(truth, ["yes", "no", "yes", "no"]), 2)
    2.28
    >>> round(ff.bits.null_code_length(truth), 2)
    4.91
    """
    refuse_weights(sample_weight, NO_WEIGHTS)
    one_of(code, CODES, "code")
    truth, answers, universe = as_answers(y_true, predicted, classes)
    return run_code(code, truth, answers, universe.size)


@metric("Null code length", unit="bits", direction="neither", reads="truth")
def null_code_length(
    y_true: object, *, classes: object = None, code: str = "frequency", sample_weight: None = None
) -> float:
    r"""Bits needed to tell someone the true classes who has no model, :math:`I(D|Q)`.

    For the codes that count classes ("frequency", "corrected", "mixture"), with :math:`c_i` cases of class
    :math:`i` among :math:`N`,

    .. math:: I(D|Q) = \lg \frac{(N + n - 1)!}{(n - 1)! \prod_i c_i!};

    for "constant" and "laplace", which do not, it is :math:`N \lg n`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    classes : array-like, optional
        All classes of the problem; without it those that occur.
    code : str
        As in `code_length`.
    sample_weight : None
        Refused: a sequential code sends whole cases in turn.

    Returns
    -------
    float
        Total bits, the same for every order of the cases.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bits.null_code_length(["a", "b", "a", "a"], code="constant")
    4.0
    """
    refuse_weights(sample_weight, NO_WEIGHTS)
    one_of(code, CODES, "code")
    labels = as_labels(y_true, "y_true")
    universe = given_classes(classes) if classes is not None else infer_classes([labels], ["y_true"])
    return null_bits(code, encode_truth(labels, universe), universe.size)


@metric("Significance", unit="bits", direction="higher is better", reads="answers", order_free=False)
def significance(
    y_true: object,
    predicted: object,
    *,
    classes: object = None,
    code: str = "frequency",
    sample_weight: None = None,
) -> float:
    r"""Bits that the answers save, :math:`S = I(D|Q) - I(D|T,Q)`.

    Above zero the model has learned something that the class frequencies alone do not tell; below zero
    listening to it costs more than ignoring it. Under ``code="mixture"`` it is never below -1.

    Parameters
    ----------
    y_true, predicted, classes, code, sample_weight
        As in `code_length`.

    Returns
    -------
    float
        Bits saved in all.

    References
    ----------
    J. G. Cleary, S. Legg and I. H. Witten, "An MDL estimate of the significance of rules", 1996.

    Examples
    --------
    >>> import fivefold as ff
    >>> truth = (["well"] * 19 + ["ill"]) * 5
    >>> always_well = ["well"] * 100
    >>> round(ff.bits.significance(truth, always_well, code="mixture"), 2)   # 95 % correct, nothing learned
    -0.92
    """
    refuse_weights(sample_weight, NO_WEIGHTS)
    one_of(code, CODES, "code")
    truth, answers, universe = as_answers(y_true, predicted, classes)
    return null_bits(code, truth, universe.size) - run_code(code, truth, answers, universe.size)
