cimport cython
from libc.math cimport isnan, log2
from libc.stdint cimport int32_t, int64_t

ctypedef Py_ssize_t size
ctypedef unsigned char flag

cdef enum:
    LEAF = 0
    NUMERIC = 2

cdef enum:
    NOTHING
    WHOLE
    LEFT
    RIGHT
    ABSENT
    BRANCHES

cdef double EPSILON, NO_SPLIT

cdef class SplitSearch:
    cdef const double[:, ::1] values
    cdef const int64_t[::1] sizes
    cdef const int32_t[::1] classes
    cdef double[:, ::1] room
    cdef double[::1] gains, cuts
    cdef object table, numeric

@cython.locals(c=double)
cdef double information(SplitSearch search, size a, size b) noexcept nogil
@cython.locals(room=double[:, ::1], branch=size, missing=size)
cdef double nominal_gain(SplitSearch search, size attribute, const int64_t[::1] rows) noexcept nogil
@cython.locals(room=double[:, ::1], known=size, low=double, high=double, after=double)
cdef (double, double) numeric_gain(
    SplitSearch search, size attribute, const int64_t[:, ::1] order, size k
) noexcept nogil
@cython.locals(room=double[:, ::1], known=size)
cdef size _start_right(SplitSearch search, size attribute, const int64_t[:, ::1] order, size k) noexcept nogil
@cython.locals(step=size, start=size, best=size)
cpdef object best_test(SplitSearch search, usable, rows, counts, bint allow_zero_gain)
cdef void _start(SplitSearch search, const flag[::1] usable, const int64_t[::1] rows, const double[::1] counts)
@cython.locals(a=size)
cdef void _numeric_gains(SplitSearch search, const int64_t[:, ::1] some, const int64_t[:, ::1] order)
@cython.locals(best=size)
cdef size _first_best(const double[::1] gains) noexcept nogil

cdef class TreeViews:
    cdef const int32_t[::1] kind, attribute, child, forks
    cdef const double[::1] cut, items

cdef size _next_node(TreeViews tree, size node, double value, size n_categories) noexcept nogil
@cython.locals(reached=int32_t[::1], node=size, following=size, a=size)
cpdef object nodes_reached(nodes, const double[:, ::1] values, const int64_t[::1] sizes, bint missing_fails)
