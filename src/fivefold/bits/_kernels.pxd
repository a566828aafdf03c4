cimport cython
from libc.math cimport log2
from libc.stdint cimport int32_t, int64_t

cdef int64_t ODDS, LEAST
cdef double RESCALE, TINY

cdef class Answers:
    cdef bint single
    cdef const int32_t[::1] codes
    cdef const unsigned char[:, ::1] sets
    cdef int64_t[::1] weight

cdef bint contains(Answers answers, Py_ssize_t t, Py_ssize_t label) noexcept nogil
@cython.locals(total=int64_t)
cdef int64_t weigh(Answers answers, Py_ssize_t t) noexcept nogil

@cython.locals(coded=Answers, hits=int64_t, misses=int64_t)
cpdef double laplace(const int32_t[::1] truth, object answers, int64_t n_classes, double[::1] out) except? -1
@cython.locals(coded=Answers, weight=int64_t[::1], mass=int64_t, step=double, settled=bint)
cpdef double weighted(
    const int32_t[::1] truth, object answers, int64_t n_classes, bint count_classes, bint corrected, double[::1] out
) except? -1
@cython.locals(
    coded=Answers, weight=int64_t[::1], mass=int64_t, top=int64_t, highest=int64_t,
    odds=double[::1], mantissa=double[::1], exponent=int64_t[::1],
)
cpdef double mixture(const int32_t[::1] truth, object answers, int64_t n_classes, double[::1] out) except? -1
@cython.locals(highest=int64_t)
cdef int64_t _learn(
    const double[::1] odds, double[::1] mantissa, int64_t[::1] exponent, bint hit, double share, double rest
) noexcept nogil
cdef double _sum_at(int64_t highest, const double[::1] mantissa, const int64_t[::1] exponent) noexcept nogil

@cython.locals(weight=int64_t[::1], out=double[::1])
cpdef object frequency_null(const int32_t[::1] truth, int64_t n_classes)
@cython.locals(coded=Answers, sizes=int64_t[::1], right=int64_t[::1])
cpdef object tally(const int32_t[::1] truth, object answers, int64_t n_classes)
