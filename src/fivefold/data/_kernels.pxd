cimport cython
from libc.math cimport INFINITY as inf, log2
from libc.stdint cimport int32_t, int64_t

ctypedef (double, int64_t, int64_t) part_t

cdef void _count(const int32_t[::1] codes, Py_ssize_t start, Py_ssize_t stop, int64_t[::1] counts) noexcept nogil
@cython.locals(n=int64_t, k=int64_t)
cdef part_t _describe(const int64_t[::1] counts) noexcept nogil
@cython.locals(best_place=Py_ssize_t)
cdef Py_ssize_t _best_cut(
    const double[::1] values, const int32_t[::1] codes, Py_ssize_t start, Py_ssize_t stop, int64_t[::1] left, int64_t[::1] right
) noexcept nogil
cdef bint _is_worth_it(part_t whole, part_t part1, part_t part2) noexcept nogil
@cython.locals(start=Py_ssize_t, stop=Py_ssize_t, place=Py_ssize_t, whole=part_t, left=int64_t[::1], right=int64_t[::1])
cpdef object mdlp_places(const double[::1] values, const int32_t[::1] codes, Py_ssize_t n_classes)
