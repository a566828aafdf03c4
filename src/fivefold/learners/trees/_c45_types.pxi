# The C types of `_c45_kernels.py`. `Real` is float in one build of it and double in the other.
cimport cython
from libc.math cimport exp, isnan, log, sqrt
from libc.stdint cimport int32_t, int64_t

ctypedef Py_ssize_t size
ctypedef unsigned char flag

cdef inline Real real(double x) noexcept nogil:
    return <Real>x

cdef enum:
    LEAF = 0
    NOMINAL = 1
    NUMERIC = 2

cdef enum:
    BRANCHES = 0
    LARGEST = 1
    RAISE = 2
    RAISED = 3
    DONE = 4

cdef double LN2, EPSILON, SLACK

cdef class TableViews:
    cdef const Real[:, ::1] values
    cdef const int32_t[:, ::1] codes
    cdef const int32_t[::1] classes, place, forks
    cdef const flag[::1] numeric
    cdef const Real[::1] distinct
    cdef const int64_t[::1] edges
    cdef size n_classes

cdef class NodeViews:
    cdef int32_t[::1] kind, leaf, attribute, child, forks
    cdef Real[::1] cut, items, errors
    cdef Real[:, ::1] counts
    cdef int64_t[::1] used

cdef class Order:
    cdef int32_t[::1] items
    cdef Real[::1] weight

cdef class Frames:
    cdef int32_t[::1] node, start, stop, known, branch
    cdef flag[::1] unit
    cdef Real[::1] known_weight, factor

cdef class Scores:
    cdef double min_cases, many
    cdef bint all_many
    cdef int penalty
    cdef Real[:, ::1] frequency
    cdef Real[::1] sizes, keys, trial_gain, gain, info, bar
    cdef int32_t[::1] trial_at
    cdef flag[::1] tested
    cdef double[::1] n_log_n

cdef class Estimates:
    cdef int32_t[::1] phase, largest
    cdef flag[::1] update
    cdef Real[::1] largest_factor, as_leaf, as_tree
    cdef Real[:, ::1] counts
    cdef const Real[::1] limit

cdef class Descent:
    cdef const int32_t[::1] kind, attribute, child, forks, place
    cdef const double[::1] cut
    cdef const Real[::1] items
    cdef const double[:, ::1] values
    cdef const int32_t[:, ::1] codes

cdef class ClassWeights:
    cdef const Real[:, ::1] shares
    cdef const Real[::1] wholes
    cdef Real[:, ::1] sums
    cdef int32_t[::1] waiting
    cdef Real[::1] parts

cdef void exchange(Order order, size a, size b) noexcept nogil
cdef Real weight_between(Order order, size start, size stop, bint unit) noexcept nogil
cdef size group_unknown(TableViews cases, Order order, size a, size start, size stop) noexcept nogil
cdef size group_branch(TableViews cases, Order order, size a, Real cut, size v, size start, size stop) noexcept nogil
cdef void sort_by_key(Scores scores, Order order, size start, size stop) noexcept nogil
cdef void _swap(Scores scores, Order order, size a, size b) noexcept nogil
cdef (size, size) _partition(Scores scores, Order order, size low, size high) noexcept nogil
cdef void _sort_by_heap(Scores scores, Order order, size low, size high) noexcept nogil
cdef void _sift_down(Scores scores, Order order, size low, size root, size n) noexcept nogil
@cython.locals(whole=size)
cdef double n_log_n(double n, Scores scores) noexcept nogil
cdef void fill_n_log_n(Scores scores) noexcept nogil
cdef Real class_information(Scores scores, size v) noexcept nogil
cdef Real branch_information(Scores scores, size rows) noexcept nogil
cdef Real known_base_information(Scores scores, size rows, Real known) noexcept nogil
cdef Real information_gain(Scores scores, size rows, Real base, Real unknown_rate, Real known) noexcept nogil
cdef bint enough_branches(Scores scores, size rows) noexcept nogil
cdef void clear_frequency(Scores scores, size rows) noexcept nogil
@cython.locals(few=bint)
cdef size choose(TableViews cases, Order order, Scores scores, size start, size stop, Real total, bint unit) noexcept nogil
cdef size _best_ratio(Scores scores, Real average) noexcept nogil
cdef void _score_nominal(TableViews cases, Order order, Scores scores, size a, size start, size stop, Real total, bint unit) noexcept nogil
cdef void _score_numeric(TableViews cases, Order order, Scores scores, size a, size start, size stop, bint unit) noexcept nogil
cdef size _unknown_to_front(TableViews cases, Order order, Scores scores, size a, size start, size stop) noexcept nogil
cdef size _try_cuts(TableViews cases, Order order, Scores scores, size forks, size first, size stop, Real known, Real among, Real base, Real unknown_rate) noexcept nogil
cdef Real _smallest_side(Real known, size n_classes, double min_cases) noexcept nogil
cdef size _distinct_keys(Scores scores, size first, size stop) noexcept nogil
cdef void _keep_best_cut(Scores scores, Order order, size a, size tries, size trials, size first, Real known, Real total) noexcept nogil
@cython.locals(entered=bint)
cdef void grow_all(TableViews cases, Order order, Scores scores, NodeViews nodes, Frames frames, bint unit) noexcept nogil
cdef bint _open(TableViews cases, Order order, Scores scores, NodeViews nodes, Frames frames, size depth) noexcept nogil
@cython.locals(unit=bint)
cdef void divide(TableViews cases, Order order, size a, Frames frames, size depth, Real total) noexcept nogil
cdef size count_classes(TableViews cases, Order order, size start, size stop, Real[:, ::1] counts, size row, size favourite) noexcept nogil
cdef void copy_row(Real[:, ::1] source, size row, Real[:, ::1] target, size at) noexcept nogil
cdef Real greatest_value_below(TableViews cases, size a, Real bar) noexcept nogil
@cython.locals(unit=bint)
cdef bint enter_branch(TableViews cases, Order order, NodeViews nodes, Frames frames, size depth) noexcept nogil
cdef void _empty_leaf(NodeViews nodes, size parent, size child) noexcept nogil
cdef void leave_branch(TableViews cases, Order order, NodeViews nodes, Frames frames, size depth) noexcept nogil
cdef void _collapse(NodeViews nodes, size node) noexcept nogil
cpdef Real extra_errors(Real n, Real e, const Real[::1] limit) noexcept nogil
cdef Real _extra_beyond_one(Real n, Real e, const Real[::1] limit) noexcept nogil
@cython.locals(entered=bint)
cdef void prune_all(TableViews cases, Order order, NodeViews nodes, Frames frames, Estimates estimates, bint unit) noexcept nogil
cdef bint _begin(TableViews cases, Order order, NodeViews nodes, Frames frames, Estimates estimates, size depth) noexcept nogil
cdef bint _descend(TableViews cases, Order order, NodeViews nodes, Frames frames, Estimates estimates, size depth) noexcept nogil
@cython.locals(unit=bint)
cdef bint _enter_branch(TableViews cases, Order order, NodeViews nodes, Frames frames, Estimates estimates, size depth) noexcept nogil
cdef void _receive(TableViews cases, Order order, NodeViews nodes, Frames frames, Estimates estimates, size depth) noexcept nogil
cdef void _make_leaf(NodeViews nodes, Estimates estimates, size node, size depth) noexcept nogil
cdef void _copy_node(NodeViews nodes, size source, size target) noexcept nogil
cdef size list_reachable(NodeViews nodes, int32_t[::1] listed, int32_t[::1] child) noexcept
cdef size branch_of(Descent tree, size node, size i) noexcept nogil
cdef void add_class_weights(Descent tree, ClassWeights weights) noexcept nogil
cdef void find_leaves(Descent tree, int32_t[::1] leaves) noexcept
