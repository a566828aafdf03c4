cimport cython
from libc.math cimport lgamma, log, log2
from libc.stdint cimport int32_t, int64_t

cdef int JOIN, LEAF, NUMERIC
cdef double EPSILON, INFINITY

cdef class LeafCode:
    cdef double alpha
    cdef const double[::1] rising, rising_all

cdef double _rising(const double[::1] table, double start, double n) noexcept nogil
@cython.locals(bits=double, n=double)
cpdef double leaf_bits(const double[::1] counts, LeafCode code) noexcept nogil
@cython.locals(view=double[:, ::1], both=double[::1])
cpdef object pooled_bits(const double[:, ::1] some, const double[:, ::1] others, LeafCode code)
@cython.locals(parts=int64_t, j=int64_t)
cpdef double cut_bits(int64_t rank, int64_t n_values, bint uniform) noexcept nogil

cdef class Grouped:
    cdef const int32_t[:, ::1] codes
    cdef const int32_t[::1] classes, rows
    cdef const double[::1] shares
    cdef Py_ssize_t n_values
    cdef int32_t[::1] values
    cdef double[:, ::1] weights
    cdef double[::1] unknown, known, low, left, right
    cdef int64_t[::1] keys
    cdef void _share_out(self, double[:, ::1] sums) noexcept

cdef void _group(Grouped grouped, Py_ssize_t a, int64_t size, bint compress) noexcept nogil
cdef bint _is_few(int64_t n_rows, int64_t size) noexcept nogil
cdef void _start_value(Grouped grouped, Py_ssize_t place, int32_t value) noexcept nogil
@cython.locals(n=Py_ssize_t, m=Py_ssize_t, i=Py_ssize_t, value=int32_t)
cdef void _group_few(Grouped grouped, Py_ssize_t a) noexcept nogil
@cython.locals(gap=Py_ssize_t, free=Py_ssize_t)
cdef void _sort(int64_t[::1] keys, Py_ssize_t n) noexcept nogil
@cython.locals(m=Py_ssize_t)
cdef void _close_gaps(Grouped grouped) noexcept nogil
@cython.locals(total=double)
cdef double _value_sum(Grouped grouped, Py_ssize_t v) noexcept nogil
@cython.locals(total=double)
cdef double _sum(const double[::1] numbers) noexcept nogil
@cython.locals(known=double, bits=double, share=double, taken=int64_t)
cdef double _nominal_cost(Grouped grouped, LeafCode code) noexcept nogil
@cython.locals(best=double, best_code=double, best_rank=Py_ssize_t, missing=bint)
cdef (double, Py_ssize_t) _numeric_cost(Grouped grouped, LeafCode code, bint uniform) noexcept nogil
cdef void _move_cut(Grouped grouped, Py_ssize_t rank, double known, bint missing) noexcept nogil
@cython.locals(room=int64_t, few=bint)
cdef int64_t _room(const int32_t[::1] sizes, const unsigned char[::1] numeric, int64_t n_rows) noexcept
@cython.locals(size=int64_t, cost=double, rank=Py_ssize_t)
cdef void _price(
    Grouped grouped, const int32_t[::1] sizes, const unsigned char[::1] numeric, const unsigned char[::1] usable,
    LeafCode code, bint uniform, double[::1] costs, int32_t[::1] lefts, double[::1] cuts
)

cdef class Graph:
    cdef const int32_t[::1] kind, attribute, child, forks
    cdef const double[::1] cut

cdef Py_ssize_t _branch(Graph graph, Py_ssize_t node, double value) noexcept nogil
@cython.locals(node=Py_ssize_t)
cdef Py_ssize_t _walk(Graph graph, const double[:, ::1] values, Py_ssize_t i) noexcept nogil
@cython.locals(node=Py_ssize_t, child=Py_ssize_t)
cdef void _spread(
    Graph graph, const double[::1] shares, const double[:, ::1] values, Py_ssize_t i, Py_ssize_t start, double[::1] parts
) noexcept nogil
@cython.locals(graph=Graph, parts=double[::1], view=double[:, ::1])
cpdef object probabilities(
    object nodes, const double[:, ::1] estimates, const double[::1] shares, const double[:, ::1] values
)
@cython.locals(graph=Graph, view=int32_t[::1])
cpdef object leaves_reached(object nodes, const double[:, ::1] values)
