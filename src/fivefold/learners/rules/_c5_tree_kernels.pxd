cimport cython
from libc.math cimport INFINITY, isnan, log, sqrt
from libc.stdint cimport int32_t, int64_t

from fivefold.learners.trees cimport _c45_double as c45
from fivefold.learners.trees._c45_double cimport LEAF, CaseViews, Estimates, Scores, Tree, flag, size

cdef enum:
    BRANCHES = 0
    LARGEST = 1
    RAISED = 2
    DONE = 3

cdef double EPSILON, CLOSE, SLACK, LARGE_SHARE, NEARLY_ALL

cdef class PruningEstimates(Estimates):
    cdef flag[::1] regrow
    cdef double[:, ::1] pool
    cdef const double[::1] scale

cdef class Subtrees:
    cdef double[::1] errors, extra, price
    cdef int64_t[::1] leaves
    cdef flag[::1] reached, inside, chosen

@cython.locals(few=bint)
cdef size choose(CaseViews cases, Scores scores, size start, size stop, double total) noexcept nogil
@cython.locals(close=bint, simpler=bint, forks=size)
cdef size _best_ratio(CaseViews cases, Scores scores, double least) noexcept nogil
cdef void _score_nominal(CaseViews cases, Scores scores, size a, size start, size stop, double total, double base) noexcept nogil
cdef double _known_information(Scores scores, size forks) noexcept nogil
cdef void _score_numeric(CaseViews cases, Scores scores, size a, size start, size stop, double total, double base) noexcept nogil
cdef size _known_from(CaseViews cases, Scores scores, size a, size start, size stop) noexcept nogil
cdef (size, double, size, double) _best_cut(CaseViews cases, Scores scores, size first, size stop, double smallest, double known) noexcept nogil
@cython.locals(entered=bint, keep=bint)
cdef void grow_below(CaseViews cases, Scores scores, Tree tree, size node, size start, size stop, bint unit) noexcept nogil
cdef bint _open(CaseViews cases, Scores scores, Tree tree, size depth, bint keep) noexcept nogil
cdef void _collapse(Tree tree, size node) noexcept nogil
cpdef double upper_extra(double n, double e, size best, const double[::1] limit, const double[::1] scale) noexcept nogil
cdef double _extra(double n, double e, const double[::1] limit) noexcept nogil
@cython.locals(entered=bint)
cdef void prune_all(CaseViews cases, Scores scores, Tree tree, Tree regrowing, PruningEstimates estimates) noexcept nogil
cdef bint _begin(CaseViews cases, Tree tree, PruningEstimates estimates, size depth) noexcept nogil
cdef bint _descend(CaseViews cases, Tree tree, PruningEstimates estimates, size depth) noexcept nogil
cdef void _add_pool(PruningEstimates estimates, size depth) noexcept nogil
@cython.locals(same=bint)
cdef size _largest_branch(CaseViews cases, Tree tree, size node) noexcept nogil
cdef void _receive(CaseViews cases, Scores scores, Tree tree, Tree regrowing, PruningEstimates estimates, size depth) noexcept nogil
cdef void _decide(Tree tree, PruningEstimates estimates, size node, size depth, double as_branch) noexcept nogil
cdef void _raise(CaseViews cases, Scores scores, Tree tree, Tree regrowing, PruningEstimates estimates, size depth) noexcept nogil
@cython.locals(allowance=double)
cpdef object simplify(nodes, double base_errors, double n_cases)
cdef double own_errors(Tree tree, size node) noexcept nogil
cdef void _sum_errors(Tree tree, Subtrees trees) noexcept nogil
cdef void _price(Tree tree, Subtrees trees, double allowance) noexcept nogil
@cython.locals(any_chosen=bint)
cdef double _choose_cheapest(Tree tree, Subtrees trees) noexcept nogil
