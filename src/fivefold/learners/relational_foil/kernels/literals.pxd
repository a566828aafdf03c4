cimport cython
from libc.stdint cimport int8_t, int64_t

from fivefold.learners.foil.kernels cimport literals as worth
from fivefold.learners.relational_foil.kernels cimport bindings
from fivefold.learners.relational_foil.kernels.bindings cimport Book, Calls, Fresh

cdef int64_t ONE

# __init__ takes these in this order
cdef class Shape:
    cdef readonly int64_t arity
    cdef const unsigned char[:, ::1] fitting, never_equal
    cdef const int64_t[::1] keys
    cdef bint symmetric
    cdef const unsigned char[::1] barred
    cdef const int64_t[::1] depths
    cdef readonly int64_t last, max_variables, max_depth
    cdef bint recursive
    cdef const int8_t[:, ::1] partial
    cdef Calls calls

cdef class Walk:
    cdef readonly int64_t[::1] args
    cdef int64_t[::1] tried, highest, free, depth, key, born
    cdef unsigned char[::1] in_order
    cdef int64_t level
    cdef public bint pruned

cdef class Grown:
    cdef const int64_t[::1] relations, signs, highest
    cdef const int64_t[:, ::1] args

cdef class Ledger:
    cdef readonly int64_t[:, ::1] literals
    cdef readonly int64_t[::1] determinate
    cdef readonly float[::1] bits
    cdef readonly int64_t used, n_determinate

cdef class LiteralSearch:
    cdef Book book
    cdef Grown grown
    cdef readonly Ledger ledger
    cdef int64_t arity
    cdef readonly int64_t place
    cdef readonly float determinate
    cdef Fresh nothing_new

@cython.locals(i=int64_t)
cdef bint _acceptable(const int64_t[::1] keys, int64_t key) noexcept nogil
@cython.locals(i=int64_t)
cdef bint _fits(Shape shape, Walk walk, int64_t level, int64_t v) noexcept nogil
@cython.locals(below=int64_t)
cdef void _go_below(Walk walk, int64_t level, int64_t v, int64_t free, int64_t depth, int64_t key) noexcept nogil
@cython.locals(
    v=int64_t, highest=int64_t, top=int64_t, bound=bint, new=bint, depth=int64_t, free=int64_t, key=int64_t)
cdef bint _choose(Shape shape, Walk walk, int64_t level) noexcept nogil
@cython.locals(i=int64_t, some=bint, order=int64_t)
cdef bint _may_call(Shape shape, Walk walk) noexcept nogil
@cython.locals(i=int64_t, highest=int64_t, left=int64_t, key=int64_t)
cdef bint _fill(Shape shape, Walk walk, int64_t level) noexcept nogil
@cython.locals(level=int64_t)
cpdef bint advance(Shape shape, Walk walk) noexcept nogil
@cython.locals(walk=Walk, n=int64_t)
cpdef int64_t count_lists(Shape shape)

cdef void _renew_limits(LiteralSearch search, float bits) noexcept nogil
@cython.locals(i=int64_t, k=int64_t, lowest=int64_t, before=int64_t, last=int64_t)
cdef bint _binds_something_new(LiteralSearch search, int64_t relation, const int64_t[::1] args) noexcept nogil
@cython.locals(i=int64_t, place=int64_t)
cdef int64_t _record(Ledger ledger, int64_t relation, const int64_t[::1] args, int64_t other) noexcept nogil
@cython.locals(good=bint, place=int64_t, little=bint)
cpdef void judge_literal(
    LiteralSearch search, int64_t relation, const int64_t[::1] args, int64_t other, float bits, float cut,
    int64_t new_variables, bint determinate) noexcept nogil
@cython.locals(i=int64_t, determinate=bint, new=int64_t)
cdef bint _try(
    LiteralSearch search, int64_t relation, const int64_t[::1] args, int64_t other, float bits, Fresh fresh,
    bint negatable) noexcept nogil
@cython.locals(i=int64_t, k=int64_t)
cdef bint _mentioned(Grown grown, int64_t after, int64_t variable) noexcept nogil
@cython.locals(i=int64_t, known=int64_t, own=int64_t, other=int64_t)
cdef bint _repeats(
    Grown grown, int64_t k, const int64_t[::1] args, int64_t last, int64_t known) noexcept nogil
@cython.locals(k=int64_t, known=int64_t)
cdef bint _is_repeated(
    LiteralSearch search, int64_t relation, const int64_t[::1] args, int64_t last) noexcept nogil
cpdef void try_comparison(
    LiteralSearch search, int64_t relation, const int64_t[::1] args, int64_t other, float bits, bint negatable)
@cython.locals(before=int64_t)
cdef bint _try_lists(
    LiteralSearch search, int64_t relation, Shape shape, Walk walk, Fresh fresh, float bits, bint negatable) noexcept nogil
@cython.locals(walk=Walk, fresh=Fresh, full=bint)
cpdef void try_relation(LiteralSearch search, int64_t relation, Shape shape, float bits, bint negatable)
