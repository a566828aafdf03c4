"""The options of trees and rules: checked, and as the kernels take them."""

from __future__ import annotations

import numpy as np

from fivefold.errors import InputError, show
from fivefold.inputs.options import one_of
from fivefold.learners.amounts import amount
from fivefold.learners.c45.structures import Cases, Options


def check_growing(min_objs: object, cf: object, cut_penalty: object, dtype: object) -> None:
    """Check what trees and rules have in common."""
    one_of(cut_penalty, ("release8", "paper"), "cut_penalty")
    one_of(dtype, ("float32", "float64"), "dtype")
    if not 0 < amount(cf, "cf") <= 1:
        raise InputError("cf above 0 and at most 1", show(cf))
    if not amount(min_objs, "min_objs") > 0:
        raise InputError("min_objs above 0", show(min_objs))


def growing_options(min_objs: float, cut_penalty: str, cases: Cases, total: float) -> Options:
    """Write the options as the kernels take them; `total` is the weight of all cases."""
    many = 0.3 * total
    all_many = bool(np.all(~cases.numeric & (cases.forks >= many)))
    return Options(float(min_objs), many, all_many, cut_penalty == "paper")
