from fivefold.learners.trees._c45_kernels import (
    class_weights as class_weights,
    extra_errors as extra_errors,
    grow as grow,
    leaves_reached as leaves_reached,
    prune as prune,
    reachable as reachable,
)
