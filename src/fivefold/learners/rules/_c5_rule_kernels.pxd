"""The C types of `_c5_rule_kernels.py`."""

cimport cython
from libc.math cimport INFINITY as inf
from libc.math cimport log, rint
from libc.stdint cimport int32_t, int64_t, uint64_t

from fivefold.learners.rules cimport _c45_kernels as c45
from fivefold.learners.rules._c45_kernels cimport Paths, flag, size
from fivefold.learners.rules._clause_kernels cimport ClauseViews, clause_holds

cdef enum:
    NONE = -1

cdef double LN2, THEORY_WEIGHT

cdef class PricedPaths(Paths):
    cdef const double[:, ::1] costs
    cdef const double[::1] lengths
    cdef double total

cdef class Ballot:
    cdef const int32_t[::1] outcomes
    cdef const int64_t[::1] votes
    cdef const double[::1] right
    cdef const double[::1] lengths
    cdef const int64_t[::1] begin
    cdef const int32_t[::1] cases
    cdef const int64_t[::1] first
    cdef const int32_t[::1] rules
    cdef const int32_t[::1] classes
    cdef const double[::1] weights
    cdef const double[:, ::1] costs

cdef class Prices:
    cdef double error, right, which, total
    cdef const double[::1] log_factorial

cdef class Count:
    cdef int64_t[:, ::1] votes
    cdef int32_t[::1] top, second
    cdef double[::1] change

@cython.locals(view=flag[::1])
cpdef object generalise(met, population, paths, starts, targets, costs, lengths)
@cython.locals(
    first=size, length=size, target=size, left=size, worst=size, pays=bint, covered=double, wrong=double, lowest=double
)
cdef bint _drop(PricedPaths paths, size p) noexcept nogil
@cython.locals(first=size, length=size, worst=size, lowest=double, error=double, covered=double, wrong=double)
cdef (size, double) _least_useful(PricedPaths paths, size p) noexcept nogil
@cython.locals(covered=double, right=double, wrong=double)
cdef (double, double) _weigh(
    PricedPaths paths, size target, const uint64_t[:, ::1] sets, size d
) noexcept nogil
cdef float _laplace(double covered, double wrong) noexcept nogil
cdef double _saved(PricedPaths paths, size target, double covered, double wrong) noexcept nogil
cdef double _split_bits(double a, double b) noexcept nogil
cdef double _n_lg_n(double n) noexcept nogil

@cython.locals(n=size, n_rules=size)
cpdef object first_theory(Ballot ballot, size n_classes, double min_cases)
@cython.locals(best=size, left=double, false=double)
cdef void _cover_class(
    Ballot ballot, size c, double min_cases, flag[::1] used, flag[::1] covered, flag[::1] included
)
@cython.locals(best=size, able=bint)
cdef size _best_unused(Ballot ballot, const flag[::1] used, size c, double min_cases) noexcept nogil
@cython.locals(i=size)
cdef (double, double) _new_cases(Ballot ballot, const flag[::1] covered, size rule, size c) noexcept nogil
@cython.locals(last=size, rule=size, step=int64_t, i=size, chosen=size)
cpdef object climb(Ballot ballot, Prices prices, flag[::1] included, size n_classes)
cdef double _cost(Ballot ballot, size answer, size truth) noexcept nogil
@cython.locals(chosen=size)
cdef (double, double, size) _start(Ballot ballot, Count count, const flag[::1] included) noexcept nogil
@cython.locals(top=size, second=size, votes=int64_t)
cdef void _rank(Count count, size i) noexcept nogil
@cython.locals(
    truth=size, top=size, second=size, top_votes=int64_t, second_votes=int64_t, r=size, outcome=size, new=size,
    lead=int64_t,
)
cdef void _count_case(
    Ballot ballot, Count count, const flag[::1] included, size i, double weight, size except_rule
) noexcept nogil
cdef double _length(Prices prices, size chosen, double bits, double errors) noexcept nogil
@cython.locals(best=size, step=int64_t)
cdef size _best_change(
    Ballot ballot, Prices prices, Count count, const flag[::1] included, double errors, double bits, size chosen,
    size last,
) noexcept nogil
@cython.locals(
    n=size, c=size, closer=bint, narrowest=double[::1], sums=double[:, ::1], specific=double[:, ::1],
    fired=int64_t[::1],
)
cpdef object count_votes(
    clauses, values, const int32_t[::1] outcomes, const double[::1] votes, const double[::1] covers,
    size n_classes,
)
