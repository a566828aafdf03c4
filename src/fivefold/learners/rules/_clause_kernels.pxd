cimport cython
from libc.math cimport log
from libc.stdint cimport int32_t, int64_t

ctypedef Py_ssize_t size
ctypedef unsigned char flag

# Python sees these too
cpdef enum:
    EQUALS
    AT_MOST
    ABOVE

cpdef enum:
    ATTRIBUTE
    OPERATOR
    LOW
    HIGH
    CORRECT
    COVERED

cdef double _NEGLIGIBLE

cdef class ClauseViews:
    cdef const int64_t[::1] starts, attribute
    cdef const double[::1] low, high
    cdef const double[::cython.view.strided, ::cython.view.contiguous] values

cdef void _note(
    int64_t[:, ::1] terms, size k, size attribute, int operator, int64_t low, int64_t high, int64_t correct,
    int64_t covered,
) noexcept nogil
@cython.locals(everyone=size, code=size, after=size)
cdef size _list_equals(
    size attribute, const int32_t[:, ::1] codes, const int32_t[:, ::1] order, size n, const flag[::1] wanted,
    size n_values, int64_t[:, ::1] terms, size k,
) noexcept nogil
@cython.locals(correct=int64_t, all_correct=int64_t)
cdef size _list_cuts(
    size attribute, const int32_t[:, ::1] codes, const int32_t[:, ::1] order, size o, size n,
    const flag[::1] wanted, int64_t[:, ::1] terms, size k,
) noexcept nogil
@cython.locals(room=size, numeric=size)
cdef size _room(const int64_t[::1] n_values, const int64_t[::1] sizes) noexcept nogil
@cython.locals(view=int64_t[:, ::1], n=size, k=size, numeric=size)
cpdef object list_terms(
    const int32_t[:, ::1] codes, const int64_t[::1] n_values, const int32_t[:, ::1] order,
    const int64_t[::1] sizes, const flag[::1] wanted,
)
@cython.locals(met=bint)
cdef bint meets(const int32_t[:, ::1] codes, const int64_t[:, ::1] terms, size row) noexcept nogil
@cython.locals(cases=int32_t[:, ::1], counts=int64_t[::1])
cpdef object select(
    const int32_t[:, ::1] order, const int64_t[::1] sizes, const flag[::1] chosen, size n_chosen
)
@cython.locals(view=flag[::1])
cpdef object mark_met(const int32_t[:, ::1] codes, const int32_t[::1] rows, const int64_t[:, ::1] terms)
cdef bint clause_holds(ClauseViews clauses, size rule, size row) noexcept nogil
@cython.locals(a=size, least=double, most=double)
cdef void _mark_held(
    ClauseViews clauses, const double[::cython.view.strided, ::cython.view.contiguous] values, size rule,
    flag[:, ::1] truth, size row,
) noexcept nogil
@cython.locals(view=flag[:, ::1])
cpdef object holds(clauses, const double[::cython.view.strided, ::cython.view.contiguous] values)
@cython.locals(n=size, n_clauses=size, met=flag[:, ::1], first=int64_t[::1])
cpdef object first_to_hold(clauses, const double[::cython.view.strided, ::cython.view.contiguous] values)
cdef double _log_choose(const double[::1] log_factorials, int64_t n, int64_t k) noexcept nogil
@cython.locals(start=int64_t, i=int64_t)
cdef double log_binomial_tail(
    int64_t correct, int64_t covered, int64_t wanted, int64_t total, const double[::1] log_factorials
) noexcept nogil
@cython.locals(unwanted=int64_t, most=int64_t, start=int64_t, i=int64_t)
cdef double log_hypergeometric_tail(
    int64_t correct, int64_t covered, int64_t wanted, int64_t total, const double[::1] log_factorials
) noexcept nogil
@cython.locals(view=double[::1])
cpdef object log_tails(
    const int64_t[::1] correct, const int64_t[::1] covered, int64_t wanted, int64_t total, bint replace,
    const double[::1] log_factorials,
)
