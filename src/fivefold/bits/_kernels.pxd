cimport cython
from libc.math cimport log2
from libc.stdint cimport int32_t, int64_t

cdef int64_t LEAST
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
cdef class Beliefs:
    cdef const double[::1] odds
    cdef const double[::1] memories
    cdef const double[::1] prior
    cdef double[::1] mantissa
    cdef int64_t[::1] exponent
    cdef double[::1] lift
    cdef double[::1] seen
    cdef const int32_t[::1] labels, symbols
    cdef const int64_t[::1] memory, starts, classes, totals
    cdef Answers coded
    cdef bint informed
    cdef double price, total, before
    cdef int64_t mass, top

cpdef void begin(Beliefs beliefs) noexcept nogil
@cython.locals(coded=Answers)
cpdef double send(Beliefs beliefs, const int32_t[::1] cells, double[::1] sums, double[::1] out) except? -1
@cython.locals(mass=int64_t, inside=int64_t, highest=int64_t, label=Py_ssize_t)
cdef double _send(Beliefs beliefs, Answers coded, Py_ssize_t cell) noexcept nogil
cdef void _trust(Beliefs beliefs, bint hit, double share, double rest) noexcept nogil
@cython.locals(expected=double)
cdef void _remember(
    Beliefs beliefs, Py_ssize_t symbol, Py_ssize_t cell, Py_ssize_t label, const int64_t[::1] weight, int64_t mass
) noexcept nogil
@cython.locals(highest=int64_t)
cdef int64_t _rescale(Beliefs beliefs) noexcept nogil
cdef double _sum_at(int64_t highest, Beliefs beliefs) noexcept nogil

@cython.locals(weight=int64_t[::1], out=double[::1])
cpdef object frequency_null(const int32_t[::1] truth, int64_t n_classes)
