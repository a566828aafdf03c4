cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport exp, log, log2
from libc.stdint cimport int32_t, int64_t

cdef extern from "numpy/random/distributions.h" nogil:
    ctypedef struct bitgen_t:
        pass
    ctypedef struct binomial_t:
        pass
    int64_t random_binomial(bitgen_t *bits, double p, int64_t n, binomial_t *kept)
    void random_standard_uniform_fill(bitgen_t *bits, Py_ssize_t n, double *out)

cdef int64_t LONG_RUN
cdef double LARGE_PRODUCT

ctypedef fused real:
    double
    float

@cython.locals(best=Py_ssize_t, most=real)
cdef Py_ssize_t select(const real[:, :] prob, bint second, Py_ssize_t t) noexcept nogil

@cython.locals(p=double, reward=double, chosen=Py_ssize_t)
cpdef double rewards(
    const int32_t[::1] truth,
    const real[:, :] prob,
    bint second,
    bint contrast,
    double zero_point,
    double low,
    double high,
    const double[::1] weight,
    double[::1] out,
    double total,
) noexcept
@cython.locals(
    loss=double, by_slope=double, by_offset=double, bend_slope=double, bend_both=double, bend_offset=double,
    product=double, z=double, e=double, p=double, weight=double, error=double,
)
cpdef (double, double, double, double, double, double) logistic(
    const double[::1] score, const double[::1] target, double slope, double offset
) noexcept
@cython.locals(total=double, error=double)
cpdef void squared_errors(const int32_t[::1] truth, const real[:, :] prob, bint second, double[::1] out) noexcept
@cython.locals(p=double[::1], happened=cython.uchar[::1], chosen=Py_ssize_t)
cpdef object selected_events(const int32_t[::1] truth, const real[:, :] prob, bint second)

@cython.locals(ends=int64_t[::1], count=int64_t, start=int64_t)
cpdef object tied_ends(const double[::1] p, int64_t least)
@cython.locals(cases=int64_t[::1], hits=int64_t[::1], mean=double[::1], squares=double[::1], start=int64_t)
cpdef object cell_statistics(const double[::1] p, const unsigned char[::1] happened, const int64_t[::1] ends)

cdef class Runs:
    cdef double[::1] value
    cdef int64_t[::1] length
    cdef double[::1] excess
    cdef int64_t[::1] cell_ends
    cdef int64_t[::1] drawn_ends
    cdef object rng
    cdef bitgen_t *bits
    cdef binomial_t kept

cdef inline bitgen_t *bits_of(object rng) except NULL:
    return <bitgen_t *> PyCapsule_GetPointer(rng.bit_generator.capsule, "BitGenerator")

cdef inline void draw_chances(Runs runs, int64_t first, int64_t end) noexcept nogil:
    random_standard_uniform_fill(runs.bits, end - first, &runs.excess[first])

cdef inline int64_t draw_binomial(Runs runs, int64_t n, double p) noexcept nogil:
    return random_binomial(runs.bits, p, n, &runs.kept)

@cython.locals(runs=Runs, cases=int64_t[::1], out=double[::1], first=int64_t, n=int64_t, excess=double)
cpdef object redraw(object p, object ends, const double[::1] spread, int64_t draws, object rng)
@cython.locals(first=int64_t, end=int64_t, length=int64_t)
cdef void _draw(Runs runs) noexcept nogil
@cython.locals(start=int64_t, n=int64_t)
cpdef (double, double) redraw_moments(
    const double[::1] p, const int64_t[::1] ends, const double[::1] spread
) noexcept
