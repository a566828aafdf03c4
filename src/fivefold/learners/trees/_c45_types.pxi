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

cdef class CaseViews:
    cdef const Real[:, ::1] values
    cdef const int32_t[:, ::1] codes
    cdef const int32_t[::1] classes, place, forks
    cdef const flag[::1] numeric
    cdef const Real[::1] distinct
    cdef const int64_t[::1] edges
    cdef size n_classes
    cdef int32_t[::1] items
    cdef Real[::1] weight
    cdef bint unit

cdef class Tree:
    cdef int32_t[::1] kind, leaf, attribute, child, forks
    cdef Real[::1] cut, items, errors
    cdef Real[:, ::1] counts
    cdef int64_t[::1] used
    cdef int32_t[::1] node, start, stop, known, branch
    cdef flag[::1] unit
    cdef Real[::1] known_weight, factor

cdef class Scores:
    cdef double min_cases, many, average_weight, code_weight
    cdef bint all_many
    cdef int penalty
    cdef Real[:, ::1] frequency
    cdef Real[::1] sizes, keys, trial_gain, gain, info, bar
    cdef int32_t[::1] trial_at
    cdef flag[::1] tested
    cdef double[::1] n_log_n
    cdef Real base, unknown_rate, known

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

cdef void exchange(CaseViews cases, size a, size b) noexcept nogil
cdef Real weight_between(CaseViews cases, size start, size stop, bint unit) noexcept nogil
cdef size group_unknown(CaseViews cases, size a, size start, size stop) noexcept nogil
cdef size group_branch(CaseViews cases, size a, Real cut, size v, size start, size stop) noexcept nogil
cdef void sort_by_key(Scores scores, CaseViews cases, size start, size stop) noexcept nogil
cdef void _swap(Scores scores, CaseViews cases, size a, size b) noexcept nogil
cdef (size, size) _partition(Scores scores, CaseViews cases, size low, size high) noexcept nogil
cdef void _sort_by_heap(Scores scores, CaseViews cases, size low, size high) noexcept nogil
cdef void _sift_down(Scores scores, CaseViews cases, size low, size root, size n) noexcept nogil
@cython.locals(whole=size)
cdef double n_log_n(double n, Scores scores) noexcept nogil
cdef void fill_n_log_n(Scores scores) noexcept nogil
cdef Real class_information(Scores scores, size v) noexcept nogil
cdef Real branch_information(Scores scores, size rows) noexcept nogil
cdef Real known_base_information(Scores scores, size rows, Real known) noexcept nogil
cdef Real information_gain(Scores scores, size rows) noexcept nogil
cdef bint enough_branches(Scores scores, size rows) noexcept nogil
cdef void clear_frequency(Scores scores, size rows) noexcept nogil
cdef void clear_row(Real[:, ::1] counts, size row) noexcept nogil
cdef Real row_sum(Real[:, ::1] counts, size row) noexcept nogil
cdef void count_values(CaseViews cases, Scores scores, size a, size start, size stop) noexcept nogil
@cython.locals(few=bint)
cdef size choose(CaseViews cases, Scores scores, size start, size stop, Real total, bint unit) noexcept nogil
cdef size _best_ratio(Scores scores, Real average) noexcept nogil
cdef void _score_nominal(CaseViews cases, Scores scores, size a, size start, size stop, Real total, bint unit) noexcept nogil
cdef void _score_numeric(CaseViews cases, Scores scores, size a, size start, size stop, bint unit) noexcept nogil
cdef size _unknown_to_front(CaseViews cases, Scores scores, size a, size start, size stop) noexcept nogil
cdef size _try_cuts(CaseViews cases, Scores scores, size forks, size first, size stop, Real known) noexcept nogil
cdef Real _smallest_side(Real known, size n_classes, double min_cases) noexcept nogil
cdef size _distinct_keys(Scores scores, size first, size stop) noexcept nogil
cdef void _keep_best_cut(Scores scores, CaseViews cases, size a, size tries, size trials, size first, Real known, Real total) noexcept nogil
cdef void push(Tree tree, size depth, size node, size start, size stop, bint unit) noexcept nogil
cdef bint _open(CaseViews cases, Scores scores, Tree tree, size depth) noexcept nogil
cdef void set_test(CaseViews cases, Scores scores, Tree tree, size node, size a) noexcept nogil
@cython.locals(unit=bint)
cdef bint make_branches(CaseViews cases, Scores scores, Tree tree, size depth, Real total) noexcept nogil
cdef size count_classes(CaseViews cases, size start, size stop, Real[:, ::1] counts, size row, size favourite) noexcept nogil
cdef void copy_row(Real[:, ::1] source, size row, Real[:, ::1] target, size at) noexcept nogil
cdef Real greatest_value_below(CaseViews cases, size a, Real bar) noexcept nogil
@cython.locals(unit=bint)
cdef bint enter_branch(CaseViews cases, Tree tree, size depth) noexcept nogil
cdef void leave_branch(CaseViews cases, Tree tree, size depth) noexcept nogil
cdef void _collapse(Tree tree, size node) noexcept nogil
cpdef Real extra_errors(Real n, Real e, const Real[::1] limit) noexcept nogil
cdef Real _extra_beyond_one(Real n, Real e, const Real[::1] limit) noexcept nogil
cdef bint _begin(CaseViews cases, Tree tree, Estimates estimates, size depth) noexcept nogil
cdef bint _descend(CaseViews cases, Tree tree, Estimates estimates, size depth) noexcept nogil
cdef void _receive(CaseViews cases, Tree tree, Estimates estimates, size depth) noexcept nogil
cdef void _make_leaf(Tree tree, Estimates estimates, size node, size depth) noexcept nogil
cdef void _copy_node(Tree tree, size source, size target) noexcept nogil
cdef size branch_of(Descent tree, size node, size i) noexcept nogil
cdef void add_class_weights(
    Descent tree, const Real[:, ::1] shares, const Real[::1] wholes, Real[:, ::1] sums, int32_t[::1] waiting,
    Real[::1] parts,
) noexcept
@cython.locals(leaves=int32_t[::1], node=size, v=size)
cpdef object leaves_reached(nodes, values, codes, place)
@cython.locals(depth=size, entered=bint)
cpdef object grow(table, items, weights, options, nodes)
@cython.locals(depth=size, entered=bint)
cpdef object prune(table, items, weights, nodes, limit)
