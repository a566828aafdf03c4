cimport cython
from libc.math cimport INFINITY, isnan, log, sqrt
from libc.stdint cimport int32_t, int64_t

from fivefold.learners.trees._c45_double cimport (
    LEAF, LN2, NOMINAL, NUMERIC, Frames, NodeViews, Order, Scores, TableViews, branch_information, class_information,
    copy_row, count_classes, divide, enough_branches, enter_branch, exchange, extra_errors, flag, greatest_value_below,
    group_branch, group_unknown, leave_branch, size, sort_by_key, weight_between,
)

cdef enum:
    BRANCHES = 0
    LARGEST = 1
    RAISED = 2
    DONE = 3

cdef double EPSILON, CLOSE, SLACK, LARGE_SHARE, NEARLY_ALL

cdef class Thresholds:
    cdef object options
    cdef double average_weight, code_weight

cdef class PruningEstimates:
    cdef int32_t[::1] phase, largest
    cdef flag[::1] update, regrow
    cdef double[::1] as_leaf, as_tree
    cdef double[:, ::1] pool, counts
    cdef const double[::1] limit, scale

cdef class Garden:
    cdef Scores scores
    cdef Thresholds thresholds
    cdef Frames frames

cdef class Subtrees:
    cdef double[::1] errors, extra, price
    cdef int64_t[::1] leaves
    cdef flag[::1] reached, inside, chosen

@cython.locals(few=bint)
cdef size choose(TableViews cases, Order order, Scores scores, Thresholds thresholds, size start, size stop, double total) noexcept nogil
@cython.locals(close=bint, simpler=bint, forks=size)
cdef size _best_ratio(TableViews cases, Scores scores, double least) noexcept nogil
cdef void _score_nominal(TableViews cases, Order order, Scores scores, size a, size start, size stop, double total, double base) noexcept nogil
cdef double _known_information(Scores scores, size forks) noexcept nogil
cdef void _clear_row(double[:, ::1] counts, size row) noexcept nogil
@cython.locals(total=double)
cdef double row_sum(double[:, ::1] counts, size row) noexcept nogil
cdef void _score_numeric(TableViews cases, Order order, Scores scores, size a, size start, size stop, double total, double base) noexcept nogil
cdef size _known_from(TableViews cases, Order order, Scores scores, size a, size start, size stop) noexcept nogil
cdef (size, double, size, double) _best_cut(TableViews cases, Order order, Scores scores, size first, size stop, double smallest, double known) noexcept nogil
@cython.locals(entered=bint, keep=bint)
cdef void grow_below(TableViews cases, Order order, Scores scores, Thresholds thresholds, NodeViews nodes, Frames frames, size node, size start, size stop, bint unit) noexcept nogil
cdef bint _open(TableViews cases, Order order, Scores scores, Thresholds thresholds, NodeViews nodes, Frames frames, size depth, bint keep) noexcept nogil
cdef bint _make_branches(TableViews cases, Order order, Scores scores, NodeViews nodes, Frames frames, size depth, double total) noexcept nogil
cdef void _collapse(NodeViews nodes, size node) noexcept nogil
cpdef double upper_extra(double n, double e, size best, const double[::1] limit, const double[::1] scale) noexcept nogil
cdef double _extra(double n, double e, const double[::1] limit) noexcept nogil
@cython.locals(entered=bint)
cdef void prune_all(TableViews cases, Order order, NodeViews nodes, Frames frames, PruningEstimates estimates, Garden garden, bint unit) noexcept nogil
cdef bint _begin(TableViews cases, Order order, NodeViews nodes, Frames frames, PruningEstimates estimates, size depth) noexcept nogil
cdef bint _descend(TableViews cases, Order order, NodeViews nodes, Frames frames, PruningEstimates estimates, Garden garden, size depth) noexcept nogil
cdef void _whole_node_above(Frames frames, size depth, size node) noexcept nogil
cdef bint _enter_branch(TableViews cases, Order order, NodeViews nodes, Frames frames, PruningEstimates estimates, size depth) noexcept nogil
cdef void _add_pool(PruningEstimates estimates, size depth) noexcept nogil
@cython.locals(same=bint)
cdef size _largest_branch(TableViews cases, NodeViews nodes, size node) noexcept nogil
cdef void _receive(TableViews cases, Order order, NodeViews nodes, Frames frames, PruningEstimates estimates, Garden garden, size depth) noexcept nogil
cdef void _leave_branch(TableViews cases, Order order, NodeViews nodes, Frames frames, PruningEstimates estimates, double min_cases, size depth, double below) noexcept nogil
cdef void _decide(NodeViews nodes, PruningEstimates estimates, size node, size depth, double as_branch) noexcept nogil
cdef void _raise(TableViews cases, Order order, NodeViews nodes, Frames frames, PruningEstimates estimates, Garden garden, size depth) noexcept nogil
cdef void simplify_all(NodeViews nodes, Subtrees trees, double allowance) noexcept nogil
cdef double own_errors(NodeViews nodes, size node) noexcept nogil
cdef void _sum_errors(NodeViews nodes, Subtrees trees) noexcept nogil
cdef void _price(NodeViews nodes, Subtrees trees, double allowance) noexcept nogil
@cython.locals(any_chosen=bint)
cdef double _choose_cheapest(NodeViews nodes, Subtrees trees) noexcept nogil
cpdef object grow_and_prune(cases, weights, Thresholds thresholds, limit, scale, nodes)
