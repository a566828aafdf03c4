cimport cython
from libc.stdint cimport int32_t, int64_t

@cython.locals(view=double[:, ::1])
cpdef object count_classes(
    const int32_t[:] places, const int32_t[:] classes, const double[:] weights, Py_ssize_t n_parts, Py_ssize_t n_classes
)
@cython.locals(
    interval=double[::1], group=double[::1], view=int64_t[::1],
    n_starts=Py_ssize_t, place=Py_ssize_t, after=Py_ssize_t
)
cpdef object interval_starts(
    const double[::1] values, const int32_t[::1] classes, const double[::1] weights, Py_ssize_t n_classes, double small
)
cdef bint _parts(const double[::1] before, const double[::1] group, double small) noexcept nogil
@cython.locals(best=Py_ssize_t, tied=bint)
cdef Py_ssize_t _leader(const double[::1] counts) noexcept nogil
@cython.locals(view=double[:, :, ::1])
cpdef object count_pairs(
    const int32_t[::1] values, const int32_t[::1] parent_values, const int32_t[::1] classes, shape
)
cpdef object add_logs(
    double[:, ::1] logs, const double[:, :, ::1] plain, const double[:, :, ::1] own,
    const double[:, :, ::1] plain_alone, const double[:, :, ::1] own_alone,
    const int32_t[::1] values, const int32_t[::1] parent_values, const int32_t[::1] classes
)
@cython.locals(correct=int64_t, best=Py_ssize_t)
cpdef int64_t count_correct(const double[:, ::1] logs, const int32_t[::1] classes, double tie)
