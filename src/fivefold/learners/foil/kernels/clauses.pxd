cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

from fivefold.data.bitsets cimport count_common_words, lowest_member
from fivefold.learners.foil.kernels.literals cimport (
    BITS, CUT, GAIN, LITERAL, POSITIVE, SIGN, TOTAL, WEAK, Checkpoints, Counts, Cut, Logs, Options, Shortlist, State,
    allowance, arrange, best_cut, best_gain, charge, gain, information, judge, least_kept, least_saved, lg, log_of,
    most_negatives, ratio, remember, single, take_checkpoint, useful_gain)

cdef uint64_t ONE
cdef uint64_t ALL

cdef enum:
    ALL_POSITIVE
    ALL_NEGATIVE
    LEFT
    HERE_POSITIVE
    HERE_NEGATIVE
    SPARE
    N_SETS

cdef enum:
    PARENT
    OWN_LITERAL
    OWN_SIGN
    OWN_WEAK

cdef enum:
    OWN_BITS
    OWN_CUT

cdef class Sets:
    cdef uint64_t[:, ::1] rows

cdef class FoilTable:
    cdef Sets tests, known
    cdef int64_t[::1] starts
    cdef const unsigned char[::1] whole
    cdef const float[:, ::1] numbers
    cdef const int32_t[:, ::1] sorted_rows
    cdef const int64_t[::1] n_known
    cdef Logs logs
    cdef readonly int64_t n_cases, n_words, n_attributes, n_tests
    cdef readonly bint in_order

cdef class ClauseStore:
    cdef int64_t n_clauses
    cdef int64_t[::1] starts, literals
    cdef float[::1] cuts
    cdef unsigned char[::1] kept, signs, needed

cdef class Search:
    cdef Shortlist best, noted
    cdef Checkpoints points
    cdef State state
    cdef Counts counts
    cdef Cut cut
    cdef Sets sets, before, covers
    cdef unsigned char[::1] fixed, flags
    cdef int64_t[::1] order, kept, here, places, path
    cdef int64_t n_order, n_here, n_nodes
    cdef int64_t[:, ::1] nodes
    cdef float[:, ::1] node_reals
    cdef float bits, new_bits, useful, margin, least_kept
    cdef int64_t least_saved

@cython.locals(total=int64_t)
cdef int64_t count_common(Sets a, int64_t i, Sets b, int64_t j) noexcept nogil
cdef int64_t count(Sets sets, int64_t i) noexcept nogil
cdef bint has(Sets sets, int64_t i, int64_t case) noexcept nogil
cdef int64_t first_of(Sets sets, int64_t i) noexcept nogil
@cython.locals(outside=uint64_t)
cdef bint all_in(Sets a, int64_t i, Sets b, int64_t j) noexcept nogil
cdef void remove(Sets a, int64_t i, Sets b, int64_t j) noexcept nogil
cdef void copy(Sets a, int64_t i, Sets b, int64_t j) noexcept nogil

@cython.locals(missing=int64_t, before_false=int64_t, before_true=int64_t)
cdef (int64_t, int64_t) _missing_before(FoilTable cases, Search search, int64_t test, int64_t attribute) noexcept nogil
cdef bint _too_few(Search search, int64_t excluded, int64_t missing) noexcept nogil
@cython.locals(base=float, useful=float, gained=float, most=float)
cdef bint _too_little(FoilTable cases, Search search, int64_t positive, int64_t negative, int64_t added) noexcept nogil
cdef void _renew_limits(Options options, FoilTable cases, Search search) noexcept nogil
cdef void _count_plain(
    Counts counts, int64_t true_positive, int64_t true_negative, int64_t false_positive,
    int64_t false_negative) noexcept nogil
@cython.locals(can_true=bint, can_false=bint, m_false=int64_t, m_true=int64_t, world=int64_t)
cdef bint _try_constant(
    Options options, FoilTable cases, Search search, int64_t a, int64_t k, int64_t t_pos, int64_t t_neg, int64_t f_pos,
    int64_t f_neg) noexcept nogil
@cython.locals(k=int64_t, hopeful=bint)
cdef void _try_constants(Options options, FoilTable cases, Search search, int64_t a) noexcept nogil
@cython.locals(total=uint64_t, i=int64_t, row=uint64_t, is_positive=uint64_t)
cdef int64_t _gather(
    const uint64_t[:, ::1] sets, const int32_t[:, ::1] sorted_rows, int64_t m, int64_t n_known, int64_t[::1] places,
    unsigned char[::1] flags) noexcept nogil
@cython.locals(can_true=bint, can_false=bint, whole=float)
cdef void _try_number(Options options, FoilTable cases, Search search, int64_t m) noexcept nogil
cpdef float relation_bits(int64_t n_relations, int64_t n_trials) noexcept nogil
@cython.locals(place=int64_t, spent=float)
cdef bint _affordable(FoilTable cases, Search search, float bits) noexcept nogil
@cython.locals(a=int64_t, m=int64_t, n_tests=int64_t, n_numeric=int64_t, n_relations=int64_t)
cdef void examine(Options options, FoilTable cases, Search search) noexcept nogil

@cython.locals(low=int64_t, high=int64_t, middle=int64_t)
cdef int64_t attribute_of(FoilTable cases, int64_t literal) noexcept nogil
@cython.locals(left=uint64_t, value=float, a=int64_t, w=Py_ssize_t)
cdef void restrict(FoilTable cases, int64_t literal, bint sign, float cut, Sets sets, int64_t i) noexcept nogil
@cython.locals(place=int64_t)
cdef int64_t _keep_members(
    Search search, int64_t[::1] order, int64_t n, int64_t a, int64_t b, int64_t[::1] kept) noexcept nogil
cdef void _keep_here(Search search, int64_t[::1] order, int64_t n) noexcept nogil
@cython.locals(n=int64_t, own=int64_t, place=int64_t)
cdef int64_t _trace(Search search, int64_t node) noexcept nogil
@cython.locals(total=float, part=float, place=int64_t)
cdef float _cost(Search search, int64_t node) noexcept nogil
cdef int64_t _add_node(Search search, int64_t parent, Shortlist chosen, int64_t i, int64_t weak) noexcept nogil
@cython.locals(least=float, i=int64_t, after=float, value=float)
cdef void _add_alternatives(
    Options options, FoilTable cases, Search search, int64_t node, float base) noexcept nogil
@cython.locals(sign=bint)
cdef void _advance(FoilTable cases, Search search, int64_t node) noexcept nogil
cdef void _start_over(Search search) noexcept nogil
cdef void _count_cases(Options options, FoilTable cases, State state, Sets sets) noexcept nogil
cdef void _begin(Options options, FoilTable cases, Search search, State state) noexcept nogil
@cython.locals(accuracy=float, own=float)
cdef bint _saved_is_better(Search search, int64_t saved, int64_t node) noexcept nogil
cdef void _save(State state, Shortlist noted) noexcept nogil
@cython.locals(base=float, recoveries=int64_t, node=int64_t, saved=int64_t, place=int64_t)
cdef int64_t grow(Options options, FoilTable cases, Search search) except -1 nogil

@cython.locals(i=int64_t, n=int64_t, at=int64_t, own=int64_t)
cdef int64_t _write(FoilTable cases, Search search, ClauseStore store, int64_t node) except -1 nogil
cdef void _move(ClauseStore store, int64_t source, int64_t target) noexcept nogil
@cython.locals(k=int64_t)
cdef void _cover(
    FoilTable cases, ClauseStore store, int64_t n, Sets sets, int64_t i, Sets covered, int64_t j) noexcept nogil
cdef bint _asks_for_constant(FoilTable cases, ClauseStore store, int64_t k) noexcept nogil
@cython.locals(a=int64_t, k=int64_t, n=int64_t, first=int64_t)
cdef int64_t _write_implied(FoilTable cases, Search search, ClauseStore store, int64_t at) noexcept nogil
@cython.locals(a=int64_t, k=int64_t, at=int64_t, place=int64_t)
cdef int64_t _write_equalities_first(FoilTable cases, Search search, ClauseStore store, int64_t n) noexcept nogil
@cython.locals(k=int64_t, at=int64_t, full=int64_t, size=int64_t, left=int64_t)
cdef int64_t trim(FoilTable cases, Search search, ClauseStore store, int64_t n) except -1 nogil
@cython.locals(i=int64_t, k=int64_t)
cdef void _mark_needed(
    FoilTable cases, Search search, ClauseStore store, int64_t full, int64_t size, int64_t errors) noexcept nogil
@cython.locals(own=uint64_t, j=int64_t)
cdef bint _covers_alone(Search search, ClauseStore store, int64_t n, int64_t clause) noexcept nogil
@cython.locals(j=int64_t, last=int64_t)
cdef void _mark_kept(Search search, ClauseStore store, int64_t n) noexcept nogil
@cython.locals(j=int64_t, k=int64_t, clause=int64_t, place=int64_t, start=int64_t, end=int64_t)
cdef void _drop_others(ClauseStore store, int64_t first, int64_t n) noexcept nogil
@cython.locals(least=float)
cdef bint _good_enough(int64_t positive, int64_t negative, float min_accuracy) noexcept nogil
cdef int _make_room(Search search, ClauseStore store, int64_t n) except -1 nogil
@cython.locals(first=int64_t, n=int64_t, size=int64_t)
cdef int define(Options options, FoilTable cases, Search search, ClauseStore store) except -1 nogil

@cython.locals(a=Py_ssize_t, i=Py_ssize_t, code=int32_t, n=int64_t)
cdef int64_t _number_constants(
    const int32_t[:, ::1] codes, int32_t[:, ::1] places, int64_t[::1] starts, int64_t[::1] constants)
@cython.locals(a=Py_ssize_t, i=Py_ssize_t)
cdef void _pack_codes(
    const int32_t[:, ::1] codes, const int32_t[:, ::1] places, uint64_t[:, ::1] tests, uint64_t[:, ::1] known,
    unsigned char[::1] whole)
cdef int _define_classes(
    Options options, FoilTable cases, Search search, ClauseStore store, const int32_t[::1] classes,
    const int64_t[::1] wanted, int64_t[::1] firsts) except -1
cdef void _clear(Sets sets, int64_t i) noexcept nogil
@cython.locals(side=int64_t, i=Py_ssize_t)
cdef void _part(FoilTable cases, Search search, const int32_t[::1] classes, int64_t wanted) noexcept nogil
@cython.locals(size=int64_t, row=int64_t, mask=uint64_t, turned=uint64_t)
cdef void _transpose(uint64_t[::1] block) noexcept nogil
cdef void _pack_rows(const unsigned char[:, ::1] flags, uint64_t[:, ::1] packed) noexcept nogil
@cython.locals(case=int64_t, used=int64_t, filled=int64_t, j=int64_t, a=int64_t, part=int64_t, full=uint64_t, word=uint64_t)
cdef void _pack_copies(
    const uint64_t[:, ::1] rows, int64_t n_attributes, const int64_t[:, ::1] copies, int64_t r, uint64_t[::1] block,
    Sets tests) noexcept nogil
@cython.locals(k=int64_t, kept=int64_t)
cdef void _keep_occurring(FoilTable cases, int64_t[::1] constants) noexcept nogil
@cython.locals(place=int64_t, side=int64_t, i=int64_t)
cdef void _part_copies(
    Search search, const unsigned char[::1] y, const int64_t[:, ::1] copies, int64_t r) noexcept nogil
@cython.locals(r=int64_t, k=int64_t)
cdef int _define_all(
    Options options, FoilTable cases, Search search, ClauseStore store, const unsigned char[:, ::1] X,
    const unsigned char[::1] y, const int64_t[:, ::1] copies, uint64_t[:, ::1] rows, uint64_t[::1] block,
    int64_t[::1] constants, int64_t[::1] firsts) except -1
@cython.locals(r=Py_ssize_t, i=Py_ssize_t, c=int64_t, k=int64_t, held=bint)
cdef void _cover_all(
    const unsigned char[:, ::1] X, const int64_t[::1] firsts, const int64_t[::1] starts, const int64_t[::1] literals,
    const unsigned char[::1] signs, unsigned char[:, ::1] covered)
@cython.locals(c=int64_t, k=int64_t)
cdef void _fire(
    const int64_t[::1] starts, const unsigned char[::1] signs, const float[::1] cuts, const int64_t[::1] rows,
    const int64_t[::1] constants, const int32_t[:, ::1] codes, const float[:, ::1] numbers, unsigned char[:, ::1] fired)
@cython.locals(i=Py_ssize_t)
cdef void _compare(
    unsigned char[:, ::1] fired, int64_t c, const float[:, ::1] numbers, int64_t row, bint sign, float cut) noexcept nogil
@cython.locals(i=Py_ssize_t)
cdef void _match(
    unsigned char[:, ::1] fired, int64_t c, const int32_t[:, ::1] codes, int64_t row, bint sign, int32_t code) noexcept nogil
