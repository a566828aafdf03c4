cimport cython
from libc.math cimport isfinite
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef uint64_t PRIME, GOLDEN

ctypedef fused whole:
    int64_t
    int32_t
    int16_t
    int8_t
    uint32_t
    uint16_t
    uint8_t

ctypedef fused word:
    uint64_t
    uint32_t

ctypedef fused real:
    double
    float

@cython.locals(
    low=whole, high=whole, span=uint64_t, n_different=int64_t,
    codes=int32_t[::1], place=int32_t[::1], different=int64_t[::1],
)
cpdef object number_integers(const whole[::1] values, uint64_t widest)

@cython.locals(times=double[::1], sums=double[::1], place=double)
cpdef object pool(const double[::1] values, double least, double scale, int64_t n_bins)

cdef class Numbering:
    cdef int32_t[::1] codes
    cdef int64_t[::1] first
    cdef int32_t[::1] table
    cdef int64_t row
    cdef int64_t n_different
    cpdef void widen(self)

cpdef object number_rows(const word[:, ::1] words)
cdef void _enter_known(const word[:, ::1] words, Numbering numbering) noexcept nogil
@cython.locals(n_different=int64_t, row=int64_t, place=int64_t, number=int64_t)
cdef void _number_until_full(const word[:, ::1] words, Numbering numbering) noexcept nogil
@cython.locals(mixed=uint64_t)
cdef int64_t _mixed(const word[:, ::1] words, int64_t row) noexcept nogil
cdef bint _equal(const word[:, ::1] words, int64_t a, int64_t b) noexcept nogil

@cython.locals(total=double, least=double)
cpdef (int64_t, int) first_bad_row(const real[:, :] rows, double tolerance)
cdef int _reason(const real[:, :] rows, int64_t t) noexcept nogil
cpdef (int64_t, int) first_outside_unit(const real[:] values)

cdef Py_ssize_t _below(double chance, Py_ssize_t end) noexcept nogil
@cython.locals(
    first=Py_ssize_t, donor=Py_ssize_t, size=Py_ssize_t, stock=Py_ssize_t, other=Py_ssize_t, i=Py_ssize_t, work=int64_t[::1]
)
cpdef void transplant(
    const int64_t[::1] starts,
    const int64_t[::1] donors,
    double correlation,
    const double[:, ::1] chance,
    int64_t[::1] source,
)
cdef void _count(const int32_t[::1] codes, int64_t[::1] counts)
