cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t

from fivefold.learners.foil.kernels cimport literals as worth
from fivefold.learners.foil.kernels.literals cimport Logs, Options, Side, State, Trial

cpdef enum:
    MISSING = 1
    OUTSIDE = 2
    UNBOUND = -2147483648
    MISSING_NUMBER = 0x7FC00000

cpdef enum:
    EQUAL = -1
    EQUALS_CONSTANT = -2
    ABOVE = -3
    ABOVE_NUMBER = -4

cpdef enum:
    NEGATED
    PLAIN
    DETERMINATE

cpdef enum:
    NOTHING
    LESS
    SAME
    MORE
    MIXED

cdef enum:
    SEEN_FALSE = 1
    SEEN_TRUE = 2

cdef enum:
    MAGNITUDE = 0x7FFFFFFF
    INFINITE = 0x7F800000

# __init__ of these two takes the attributes in this order
cdef class Tables:
    cdef readonly const int32_t[:, ::1] tuples
    cdef readonly const int64_t[::1] first, arity
    cdef const int64_t[:, :, ::1] heads
    cdef const int64_t[:, ::1] postings
    cdef const unsigned char[:, ::1] continuous

cdef class Lookup:
    cdef Tables tables
    cdef const int32_t[:, ::1] rows
    cdef int64_t[:, ::1] args, matches
    cdef const unsigned char[::1] numeric
    cdef int64_t n_variables
    cdef bint any_missing

cdef class Fresh:
    cdef int64_t[::1] new, old, constant
    cdef unsigned char[::1] differs
    cdef int64_t n_pairs, n_constant

cdef class Book(Trial):
    cdef Lookup look
    cdef const int64_t[::1] origin
    cdef int64_t n_positive
    cdef unsigned char[::1] seen
    cdef bint is_determinate
    cdef int64_t max_tuples, known_positive, missing, missing_positive

cdef class Calls:
    cdef int8_t[:, ::1] orders
    cdef const int8_t[::1] ways
    cdef const int64_t[::1] types
    cdef int8_t[::1] ways_now
    cdef unsigned char[::1] left, used

cdef class Prover:
    cdef Lookup look
    cdef int32_t[::1] row
    cdef const int64_t[::1] relations, signs, others
    cdef const unsigned char[::1] active
    cdef const int32_t[:, ::1] ranks
    cdef int64_t target
    cdef bint recording
    cdef readonly int8_t[:, ::1] orders
    cdef int64_t[::1] bound_at, ways, tried

cdef inline bint is_bound(Lookup look, int64_t b, int64_t variable) noexcept nogil:
    return variable <= look.n_variables and look.rows[b, variable - 1] != UNBOUND

@cython.locals(i=int64_t, j=int64_t, value=int32_t, variable=int64_t)
cdef bint _fits(Lookup look, int64_t literal, int64_t b, int64_t place, int64_t arity) noexcept nogil
@cython.locals(
    i=int64_t, k=int64_t, n=int64_t, best=int64_t, start=int64_t, end=int64_t, low=int64_t, high=int64_t,
    place=int64_t, constant=int32_t, variable=int64_t)
cdef (int64_t, bint) join(Lookup look, int64_t relation, int64_t literal, int64_t b, bint only_one) noexcept nogil
cdef int32_t _ordinal(int32_t bits) noexcept nogil
cdef bint is_above(int32_t first, int32_t second) noexcept nogil
@cython.locals(own=int32_t)
cdef bint compare(Lookup look, int64_t relation, int64_t b, int64_t first, int64_t other) noexcept nogil
@cython.locals(i=int64_t, arity=int64_t, variable=int64_t, value=int32_t)
cdef bint has_missing(Lookup look, int64_t relation, int64_t literal, int64_t b) noexcept nogil

@cython.locals(
    i=int64_t, j=int64_t, v=int64_t, n=int64_t, n_constant=int64_t, first=int64_t, second=int64_t)
cdef void suspect(
    Fresh fresh, const int64_t[::1] args, int64_t n_variables, const unsigned char[:, ::1] fitting) noexcept nogil
@cython.locals(i=int64_t)
cdef bint _occurs(const int64_t[::1] args, int64_t place) noexcept nogil
@cython.locals(j=int64_t, known=int64_t, place=int64_t, other=int32_t)
cdef bint _differ(Lookup look, int64_t n_matches, int64_t b, int64_t new, int64_t old) noexcept nogil
@cython.locals(i=int64_t, kept=int64_t, new=int64_t, old=int64_t, differs=bint)
cdef void clear_suspects(Fresh fresh, Lookup look, int64_t n_matches, int64_t b, bint positive) noexcept nogil
@cython.locals(i=int64_t, j=int64_t, kept=int64_t, column=int64_t, value=int32_t)
cdef void clear_constants(Fresh fresh, Lookup look, int64_t n_matches, int64_t first) noexcept nogil

@cython.locals(i=int64_t)
cdef bint same_everywhere(Fresh fresh) noexcept nogil

@cython.locals(most_true=float, base=float, useful=float, sample=float)
cdef (float, float) _limit_negatives(Book book, int64_t new_variables) noexcept nogil
@cython.locals(cover=int64_t, left=int64_t)
cdef void _exclude(Book book, Side side, int64_t excluded) noexcept nogil
@cython.locals(origin=int64_t, positive=bint)
cdef void _count(
    Book book, Side side, Side other, unsigned char mark, int64_t b, int64_t n_matches,
    float most) noexcept nogil
cdef void _clear(Side side, bint possible) noexcept nogil
cdef bint _is_missing(Book book, int64_t relation, int64_t b) noexcept nogil
@cython.locals(
    b=int64_t, first=int64_t, new_variables=int64_t, n_matches=int64_t, outside=bint, most_true=float, most_false=float)
cdef bint scan(Book book, int64_t relation, int64_t other, Fresh fresh, bint negatable) noexcept nogil
@cython.locals(b=int64_t)
cdef bint _fails_on_more(Book book, int64_t relation, int64_t start, int64_t failed, double most) noexcept nogil
@cython.locals(positive=int64_t, failed=int64_t, enough=bint)
cdef bint prunes(Book book, int64_t relation, int64_t new_variables, bint negatable) noexcept nogil

@cython.locals(n=int64_t)
cdef int64_t _extensions(Lookup look, int64_t relation, int64_t other, int64_t sign, int64_t b) noexcept nogil
@cython.locals(b=int64_t, i=int64_t, k=int64_t, n=int64_t, place=int64_t, n_positive=int64_t)
cdef int64_t _write_extensions(
    Lookup look, int64_t relation, int64_t other, int64_t sign, const int64_t[::1] old_origin, int64_t old_positive,
    int32_t[:, ::1] values, int64_t[::1] origin)
@cython.locals(b=int64_t, total=int64_t)
cpdef object extend(
    Lookup look, int64_t relation, int64_t other, int64_t sign, object bindings, int64_t n_variables)
@cython.locals(b=int64_t, relation=int64_t, here=int64_t, first_value=int32_t, second_value=int32_t)
cpdef int64_t relate(
    const int32_t[:, ::1] values, int64_t first, int64_t second, const int32_t[::1] ranks, bint comparable)
@cython.locals(j=int64_t, unequal=int64_t, cell=int64_t)
cdef (int64_t, int64_t) _column(Calls calls, int64_t column, int64_t way) noexcept nogil
@cython.locals(k=int64_t, best=int64_t, most=int64_t, best_way=int64_t, way=int64_t, unequal=int64_t)
cdef (int64_t, int64_t) _best_column(Calls calls) noexcept nogil
@cython.locals(j=int64_t, k=int64_t, some=bint, best=int64_t, way=int64_t)
cpdef bint recursion_ends(Calls calls) noexcept nogil

@cython.locals(here=int64_t, own=int32_t, other=int32_t, own_rank=int32_t, other_rank=int32_t)
cdef int64_t _order_of(Prover prover, int64_t i, int64_t variable) noexcept nogil
@cython.locals(i=int64_t, here=int64_t, before=int64_t, in_order=bint)
cdef bint _record(Prover prover, int64_t level) noexcept nogil
@cython.locals(relation=int64_t, n=int64_t, negated=bint, holds=bint)
cdef int64_t _enter(Prover prover, int64_t level) noexcept nogil
@cython.locals(v=int64_t)
cdef void _unbind(Prover prover, int64_t level) noexcept nogil
@cython.locals(i=int64_t, v=int64_t)
cdef void _bind(Prover prover, int64_t level, int64_t place) noexcept nogil
@cython.locals(v=int64_t)
cdef void _start(Prover prover, const int32_t[:, ::1] heads, int64_t b) noexcept nogil
@cython.locals(level=int64_t, n_literals=int64_t, entering=bint)
cdef bint proves(Prover prover, const int32_t[:, ::1] heads, int64_t b) noexcept nogil
@cython.locals(b=int64_t, holds=object, view=cython.uchar[::1])
cpdef object covered(Prover prover, const int32_t[:, ::1] heads)
@cython.locals(b=int64_t, wrong=int64_t, recursive=bint)
cpdef bint no_worse(
    Prover prover, const int32_t[:, ::1] positive, const int32_t[:, ::1] negative, int64_t errors)
