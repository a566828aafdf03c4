cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

from fivefold.learners.foil.kernels cimport cases as sets
from fivefold.learners.foil.kernels.cases cimport FoilTable, Resampled, Sets
from fivefold.learners.foil.kernels cimport literals as worth
from fivefold.learners.foil.kernels.literals cimport (
    Checkpoints, Cut, Literals, Logs, Options, Side, State, Trial, lg, single)

cdef enum:
    ALL_POSITIVE
    ALL_NEGATIVE
    LEFT
    HERE_POSITIVE
    HERE_NEGATIVE
    SPARE
    N_SETS

cdef class ClauseStore:
    cdef int64_t n_clauses
    cdef int64_t[::1] starts
    cdef Literals literals
    cdef unsigned char[::1] kept, needed

cdef class Search(Trial):
    cdef FoilTable cases
    cdef Literals nodes
    cdef Checkpoints points
    cdef Cut cut
    cdef Sets sets, before, covers
    cdef unsigned char[::1] fixed, flags
    cdef int64_t[::1] order, kept, here, places, path
    cdef int64_t n_order, n_here
    cdef float bits, margin

@cython.locals(missing=int64_t, before_false=int64_t, before_true=int64_t)
cdef (int64_t, int64_t) _missing_before(Search search, int64_t test, int64_t attribute) noexcept nogil
cdef bint _too_few(Search search, int64_t excluded, int64_t missing) noexcept nogil
@cython.locals(base=float, useful=float, gained=float, most=float)
cdef bint _too_little(Search search, int64_t positive, int64_t negative) noexcept nogil
cdef void _judge(
    Search search, int64_t literal, int64_t t_pos, int64_t true, int64_t f_pos,
    int64_t false, float bits, float cut) noexcept nogil
cdef void _fill(Side side, int64_t positive, int64_t total) noexcept nogil
@cython.locals(can_true=bint, can_false=bint, m_false=int64_t, m_true=int64_t)
cdef bint _try_constant(
    Search search, int64_t a, int64_t k, int64_t t_pos, int64_t t_neg, int64_t f_pos,
    int64_t f_neg) noexcept nogil
@cython.locals(k=int64_t, hopeful=bint)
cdef void _try_constants(Search search, int64_t a) noexcept nogil
@cython.locals(total=uint64_t, i=int64_t, row=uint64_t, is_positive=uint64_t)
cdef int64_t _gather(
    const uint64_t[:, ::1] rows, const int32_t[:, ::1] sorted_rows, int64_t m, int64_t n_known, int64_t[::1] places,
    unsigned char[::1] flags) noexcept nogil
@cython.locals(can_true=bint, can_false=bint, bits=float)
cdef void _try_number(Search search, int64_t m) noexcept nogil
cpdef float relation_bits(int64_t n_relations, int64_t n_trials) noexcept nogil
@cython.locals(place=int64_t, spent=float)
cdef bint _affordable(Search search, float bits) noexcept nogil
@cython.locals(a=int64_t, m=int64_t, n_tests=int64_t, n_numeric=int64_t, n_relations=int64_t)
cdef void examine(Search search) noexcept nogil

@cython.locals(place=int64_t)
cdef int64_t _keep_members(
    Search search, int64_t[::1] order, int64_t n, int64_t a, int64_t b, int64_t[::1] kept) noexcept nogil
cdef void _keep_here(Search search, int64_t[::1] order, int64_t n) noexcept nogil
@cython.locals(n=int64_t, own=int64_t, place=int64_t)
cdef int64_t _trace(Search search, int64_t node) noexcept nogil
@cython.locals(total=float, part=float, place=int64_t)
cdef float _cost(Search search, int64_t node) noexcept nogil
cdef int64_t _add_node(Search search, int64_t parent, Literals chosen, int64_t i) noexcept nogil
@cython.locals(least=float, i=int64_t, after=float, value=float)
cdef void _add_alternatives(
    Search search, int64_t node, float base) noexcept nogil
@cython.locals(bits=float, literal=int64_t)
cdef void _advance(Search search, int64_t node) noexcept nogil
cdef void _start_over(Search search) noexcept nogil
cdef void _count_cases(Search search, State state) noexcept nogil
cdef void _begin(Search search, State state) noexcept nogil
@cython.locals(accuracy=float, own=float)
cdef bint _saved_is_better(Search search, int64_t saved, int64_t node) noexcept nogil
@cython.locals(base=float, recoveries=int64_t, node=int64_t, saved=int64_t, place=int64_t)
cdef int64_t grow(Search search) except -1 nogil

@cython.locals(i=int64_t, n=int64_t, at=int64_t)
cdef int64_t _write(Search search, ClauseStore store, int64_t node) except -1 nogil
@cython.locals(k=int64_t)
cdef void _cover(
    Search search, ClauseStore store, int64_t n, Sets some, int64_t i, Sets covered, int64_t j) noexcept nogil
cdef bint _asks_for_constant(FoilTable cases, Literals literals, int64_t k) noexcept nogil
@cython.locals(a=int64_t, k=int64_t, n=int64_t, first=int64_t)
cdef int64_t _write_implied(Search search, Literals literals, int64_t at) noexcept nogil
@cython.locals(a=int64_t, k=int64_t, at=int64_t, place=int64_t)
cdef int64_t _write_equalities_first(Search search, ClauseStore store, int64_t n) noexcept nogil
@cython.locals(k=int64_t, at=int64_t, full=int64_t, size=int64_t, left=int64_t)
cdef int64_t trim(Search search, ClauseStore store, int64_t n) except -1 nogil
@cython.locals(i=int64_t, k=int64_t)
cdef void _mark_needed(
    Search search, ClauseStore store, int64_t full, int64_t size, int64_t errors) noexcept nogil
@cython.locals(own=uint64_t, j=int64_t)
cdef bint _covers_alone(Search search, ClauseStore store, int64_t n, int64_t clause) noexcept nogil
@cython.locals(j=int64_t, last=int64_t)
cdef void _mark_kept(Search search, ClauseStore store, int64_t n) noexcept nogil
@cython.locals(j=int64_t, k=int64_t, clause=int64_t, place=int64_t, start=int64_t, end=int64_t)
cdef void _drop_others(ClauseStore store, int64_t first, int64_t n) noexcept nogil
cdef int _make_room(Search search, ClauseStore store, int64_t n) except -1 nogil
@cython.locals(first=int64_t, n=int64_t, size=int64_t)
cdef int define(Search search, ClauseStore store) except -1 nogil

@cython.locals(c=int64_t, search=Search, store=ClauseStore, once=int64_t[:, ::1], view=int64_t[::1])
cpdef object define_classes(
    FoilTable cases, Options options, const int32_t[::1] classes, const int64_t[::1] wanted)
@cython.locals(r=int64_t, k=int64_t)
cdef int _define_all(
    Search search, ClauseStore store, Resampled table, const int32_t[::1] classes,
    const int64_t[:, ::1] copies, int64_t[::1] firsts) except -1
@cython.locals(
    g=int64_t, c=int64_t, k=int64_t, i=Py_ssize_t, view=cython.uchar[:, ::1], held=cython.uchar[::1])
cpdef object cover(
    const int64_t[::1] firsts, const int64_t[::1] starts, const unsigned char[::1] signs, const float[::1] cuts,
    const int64_t[::1] rows, const int64_t[::1] constants, const int32_t[:, ::1] codes, const float[:, ::1] numbers)
@cython.locals(i=Py_ssize_t)
cdef void _compare(
    unsigned char[::1] held, const float[:, ::1] numbers, int64_t row, bint sign, float cut) noexcept nogil
@cython.locals(i=Py_ssize_t)
cdef void _match(
    unsigned char[::1] held, const int32_t[:, ::1] codes, int64_t row, bint sign, int32_t code) noexcept nogil
