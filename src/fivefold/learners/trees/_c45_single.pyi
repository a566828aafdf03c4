from fivefold.learners.trees._c45_kernels import *  # noqa: F403
