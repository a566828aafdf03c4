cimport cython
from libc.math cimport fabs, log
from libc.stdint cimport int32_t, int64_t

cdef int UNSURE, SEEN, LARGEST, SAFETY
cdef double INFINITY, NAN, TWO_PI, EPS

cdef class Neighbours:
    cdef const int32_t[:, ::1] order
    cdef const double[:, ::1] distances
    cdef double slack
    cdef const int32_t[::1] codes
    cdef int64_t k
    cdef int64_t[::1] votes

@cython.locals(view=int32_t[:, ::1])
cpdef object vote(Neighbours near, const int64_t[:, ::1] counts, const unsigned char[:, ::1] asked)
@cython.locals(inside=int64_t, only=int32_t, best=int32_t, j=Py_ssize_t)
cdef int32_t _vote(Neighbours near, const int64_t[:, ::1] counts, Py_ssize_t r, Py_ssize_t i) noexcept nogil
@cython.locals(seen=int64_t)
cdef double _edge(Neighbours near, const int64_t[:, ::1] counts, Py_ssize_t r, Py_ssize_t i) noexcept nogil

cdef class Categories:
    cdef const int32_t[:, ::1] values
    cdef const int64_t[::1] starts
    cdef const int32_t[::1] codes
    cdef int sizing
    cdef int64_t least
    cdef double added
    cdef bint spread, flat_prior
    cdef double class_added, tie
    cdef int64_t[::1] before, sizes
    cdef double[:, ::1] table, logs, known
    cdef double[::1] each, totals, prior, joint

@cython.locals(view=int32_t[:, ::1], terms=int64_t, noise=double)
cpdef object classify_categories(Categories bayes, const int64_t[:, ::1] counts, const unsigned char[:, ::1] asked)
cdef void _count(Categories bayes, const int64_t[:, ::1] counts, Py_ssize_t r) noexcept nogil
@cython.locals(size=int64_t, amount=double)
cdef double _describe(Categories bayes) noexcept nogil
@cython.locals(size=int64_t, cell=int64_t)
cdef int64_t _count_known(Categories bayes, Py_ssize_t a) noexcept nogil
@cython.locals(total=double)
cdef double _cell_sum(Categories bayes, Py_ssize_t cell) noexcept nogil
cdef double _sum(const double[::1] numbers) noexcept nogil
@cython.locals(present=int64_t)
cdef void _set_priors(Categories bayes) noexcept nogil
cdef int32_t _classify_categories(Categories bayes, Py_ssize_t i, double noise) noexcept nogil
cdef double _log_share(Categories bayes, Py_ssize_t a, Py_ssize_t cell, Py_ssize_t c) noexcept nogil
@cython.locals(best=int32_t, chosen=int32_t)
cdef int32_t _choose(Categories bayes, double noise) noexcept nogil
@cython.locals(best=int32_t)
cdef int32_t _first_greatest(const double[::1] numbers) noexcept nogil

cdef class Normals:
    cdef const double[:, ::1] X
    cdef const int32_t[::1] codes
    cdef double smoothing, big
    cdef Py_ssize_t n_classes
    cdef double[::1] totals, joint, noise
    cdef double[:, ::1] means, variances

@cython.locals(view=int32_t[:, ::1])
cpdef object classify_numbers(Normals bayes, const int64_t[:, ::1] counts, const unsigned char[:, ::1] asked)
cdef void _set_means(Normals bayes, const int64_t[:, ::1] counts, Py_ssize_t r) noexcept nogil
@cython.locals(widest=double)
cdef void _set_variances(Normals bayes, const int64_t[:, ::1] counts, Py_ssize_t r) noexcept nogil
cdef int32_t _classify_numbers(Normals bayes, Py_ssize_t i) noexcept nogil
@cython.locals(joint=double, noise=double)
cdef bint _add_logs(Normals bayes, Py_ssize_t i, Py_ssize_t c) noexcept nogil
