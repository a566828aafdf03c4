"""The C types of `_c45_kernels.py`."""

cimport cython
from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint64_t

from fivefold.data.bitsets cimport count_word, lowest_member
from fivefold.learners.trees._c45_double cimport extra_errors as wide_extra
from fivefold.learners.trees._c45_single cimport extra_errors as narrow_extra

ctypedef Py_ssize_t size
ctypedef unsigned char flag

cdef enum:
    ONE = 1

cdef double LN2, CODE_WEIGHT

cdef class Paths:
    cdef const uint64_t[:, ::1] met
    cdef const uint64_t[:, ::1] members
    cdef const double[::1] sizes
    cdef const double[::1] weights
    cdef const int32_t[::1] paths
    cdef const int64_t[::1] starts
    cdef const int32_t[::1] targets
    cdef flag[::1] keep
    cdef uint64_t[:, ::1] after
    cdef uint64_t[:, ::1] before

cdef class Limit:
    cdef const float[::1] narrow
    cdef const double[::1] wide
    cdef bint single

cdef class Contest:
    cdef const uint64_t[:, ::1] covers
    cdef const double[::1] lengths
    cdef const uint64_t[:, ::1] target
    cdef uint64_t[:, ::1] covered
    cdef const double[::1] weights
    cdef const double[::1] log_factorial
    cdef double size, total, lg_total
    cdef bint single

cdef class Cover:
    cdef const int64_t[::1] begin
    cdef const int32_t[::1] cases
    cdef const int64_t[::1] first
    cdef const int32_t[::1] rules
    cdef int32_t[::1] times
    cdef double[::1] fires, right

cdef double real(double x, bint single) noexcept nogil
cdef double weigh_word(uint64_t word, size place, const double[::1] weights) noexcept nogil
@cython.locals(counted=int64_t, hit=int64_t, word=uint64_t)
cdef (double, double) weigh_both(
    const uint64_t[:, ::1] some, size a, const uint64_t[:, ::1] others, size b,
    const uint64_t[:, ::1] targets, size t, const double[::1] weights,
) noexcept nogil
cdef bint has(const uint64_t[:, ::1] bits, size row, size i) noexcept nogil

@cython.locals(word=uint64_t)
cdef void fill_after(Paths paths, size first, size length) noexcept nogil
cdef void start_before(Paths paths) noexcept nogil
cdef void pass_condition(Paths paths, size k) noexcept nogil
@cython.locals(errors=double[::1], defaults=double[::1])
cpdef object generalise(met, population, paths, starts, targets, limit)
@cython.locals(first=size, length=size, left=size, worst=size)
cdef double _drop(Paths paths, size p, Limit limit, double default) noexcept nogil
@cython.locals(first=size, length=size, worst=size, any_useless=bint)
cdef size _least_useful(
    Paths paths, size p, Limit limit, double default, double pessimistic, double actual
) noexcept nogil
@cython.locals(single=bint, extra=double)
cdef (double, double) _error_rates(double covered, double right, Limit limit, double default) noexcept nogil

@cython.locals(first=size)
cdef size _sort_as_release8(
    int32_t[::1] order, flag[::1] free, const int32_t[::1] attribute, const flag[::1] numeric, const double[::1] cut
) noexcept nogil
cdef bint _before(
    size a, size b, const int32_t[::1] attribute, const flag[::1] numeric, const double[::1] cut
) noexcept nogil

@cython.locals(single=bint)
cdef double exception_bits(Contest contest, double fires, double right) noexcept nogil
cdef double _biased(double n, double e, double expected, bint single) noexcept nogil
cdef double _lg(double x) noexcept nogil
@cython.locals(chosen=size)
cdef (double, size) _rule_bits(Contest contest, const flag[::1] included) noexcept nogil
cdef double _code_length(double bits, double exceptions, bint single) noexcept nogil
@cython.locals(n_rules=size, number=uint64_t, shortest=double, best=flag[::1], included=flag[::1])
cpdef object best_of_all(Contest contest)
@cython.locals(rule=size, step=double)
cdef double _climb(Contest contest, Cover cover, flag[::1] included, flag[::1] best, double shortest)
@cython.locals(words=uint64_t[:, ::1], cases=int32_t[::1], k=size, word=uint64_t)
cpdef object listed(covers)
@cython.locals(rules=int32_t[::1], filled=int64_t[::1])
cpdef object inverted(const int64_t[::1] begin, const int32_t[::1] cases, size n)
@cython.locals(first=size, stop=size, weight=double, in_class=double)
cdef (double, double) _start(Contest contest, Cover cover, const flag[::1] included) noexcept nogil
cdef void _count(
    Cover cover, const flag[::1] included, size i, bint once, double weight, double in_class
) noexcept nogil
@cython.locals(single=bint, best=size, step=double, order=double)
cdef size _best_change(
    Contest contest, Cover cover, const flag[::1] included, double bits, size chosen, double fires, double right,
    double exceptions,
) noexcept nogil
@cython.locals(step=int32_t, before=int32_t, now=int32_t, weight=double, in_class=double)
cdef void _change(Contest contest, Cover cover, flag[::1] included, size rule) noexcept nogil
@cython.locals(word=uint64_t, i=size)
cdef void _first_two(const uint64_t[:, ::1] covers, const flag[::1] alive, int32_t[:, ::1] covering)
@cython.locals(rule=int32_t, other=int32_t)
cdef void _weigh_advantages(
    const int32_t[:, ::1] covering, const int32_t[::1] outcomes, int32_t default, const int32_t[::1] classes,
    const double[::1] weights, double[::1] advantage,
)
