cimport cython
from libc.math cimport exp, log
from libc.stdint cimport int64_t

cdef double LN2
cdef double LOG2_E
cdef double LOG2_ROOT_2PI
cdef int64_t TABLED
cdef double SLACK

cpdef enum:
    GAIN
    BITS
    CUT

cpdef enum:
    LITERAL
    SIGN
    POSITIVE
    TOTAL
    WEAK

cdef class Options:
    cdef public int64_t added, weak, alternatives, checkpoints
    cdef public bint negation, pruning
    cdef public float min_accuracy, fraction, sample

cdef class State:
    cdef public int64_t positive, total, original_positive, original_total
    cdef public float base, most
    cdef public int64_t world, start_positive, all_positive
    cdef public float clause_bits
    cdef public int64_t n_literals, weak
    cdef public bint has_saved
    cdef public int64_t saved_cover
    cdef public float saved_accuracy

cdef class Counts:
    cdef public int64_t true_kept, true_positive, true_total, true_now, true_original_positive, true_original_total
    cdef public int64_t false_positive, false_total, false_original_positive, false_original_total

cdef class Logs:
    cdef double[::1] numbers, factorials

cdef class Shortlist:
    cdef readonly float[:, ::1] reals
    cdef readonly int64_t[:, ::1] whole
    cdef readonly int64_t used

cdef class Checkpoints:
    cdef readonly float[::1] values
    cdef readonly int64_t[::1] clauses
    cdef readonly int64_t used

cdef class Cut:
    cdef readonly float at, gained
    cdef readonly int64_t true_positive, true_total, known_positive, known_total, n_values

cdef inline float single(double x) noexcept nogil:
    return <float>x

cpdef double lg(double x) noexcept nogil
cdef double _stirling(int64_t n, double log) noexcept nogil
@cython.locals(total=float)
cdef void _tabulate(double[::1] logs, double[::1] factorials) noexcept nogil
cpdef double log_of(Logs logs, int64_t n) noexcept nogil
cdef double _factorial(Logs logs, int64_t n) noexcept nogil
cpdef double allowance(Logs logs, int64_t world, int64_t covered) noexcept nogil
@cython.locals(least=int64_t)
cpdef int64_t least_cover(Logs logs, int64_t world, int64_t cover, float bits) noexcept nogil
cpdef float information(Logs logs, int64_t positive, int64_t total, int64_t added) noexcept nogil
cpdef int64_t full_total(int64_t positive, int64_t total, float sample) noexcept nogil
cpdef float gain(float base, float after, int64_t kept, int64_t new_variables) noexcept nogil
cpdef float most_negatives(float base, float useful, int64_t kept, int64_t positive, int64_t added, float sample) noexcept nogil
cpdef float charge(float bits, int64_t place) noexcept nogil
cpdef float ratio(int64_t part, int64_t whole) noexcept nogil

cpdef float best_gain(Shortlist best) noexcept nogil
@cython.locals(least=double)
cdef float useful_gain(Shortlist best, float fraction) noexcept nogil
cdef int64_t least_saved(State state, Shortlist noted, Logs logs, float new_bits) noexcept nogil
cdef float least_kept(float useful, float base) noexcept nogil
@cython.locals(place=int64_t, above=float)
cdef int64_t _place_of(Shortlist best, int64_t sign, float gained) noexcept nogil
@cython.locals(place=int64_t, j=int64_t)
cdef void propose(
    Shortlist best, int64_t literal, int64_t sign, float gained, float bits, float cut, int64_t positive,
    int64_t total, int64_t weak) noexcept nogil

@cython.locals(place=int64_t, j=int64_t)
cpdef bint remember(Checkpoints points, int64_t clause, float value) noexcept nogil
@cython.locals(clause=int64_t, j=int64_t)
cpdef int64_t take_checkpoint(Checkpoints points) noexcept nogil

cdef bint _is_weak(State state, int64_t positive, int64_t total, int64_t excluded) noexcept nogil
@cython.locals(complete=bint, weak=bint, total=int64_t)
cdef (float, bint) weigh_true(State state, Options options, Logs logs, Counts counts, int64_t new_variables) noexcept nogil
@cython.locals(complete=bint, weak=bint, total=int64_t)
cdef (float, bint) weigh_false(State state, Options options, Logs logs, Counts counts) noexcept nogil
@cython.locals(accuracy=float, other=float, best=float, cover=int64_t, covered=int64_t, sign=int64_t)
cdef void note(
    State state, Options options, Shortlist noted, Counts counts, bint can_true, bint can_false, int64_t literal,
    float bits, float cut) noexcept nogil
@cython.locals(idle=bint)
cdef void list_side(
    State state, Shortlist best, int64_t literal, int64_t sign, float gained, bint weak, float bits, float cut,
    int64_t positive, int64_t total) noexcept nogil
cdef void list_sides(
    State state, Shortlist best, Counts counts, int64_t literal, float true_gain, bint weak_true, float false_gain,
    bint weak_false, float bits, float cut) noexcept nogil
@cython.locals(true_gain=float, false_gain=float, weak_true=bint, weak_false=bint)
cdef void judge(
    State state, Options options, Logs logs, Shortlist best, Shortlist noted, Counts counts, bint can_true,
    bint can_false, int64_t literal, float bits, float cut) noexcept nogil

@cython.locals(above=int64_t, all_above=int64_t, best=float, other=float)
cdef float _better_side(
    State state, Options options, Logs logs, int64_t below, int64_t all_below, int64_t known,
    int64_t all_known) noexcept nogil
@cython.locals(
    i=int64_t, below=int64_t, all_below=int64_t, here=int64_t, all_here=int64_t, n_values=int64_t, signs=int64_t,
    signs_before=int64_t, value=float, before=float, worth=float)
cpdef void best_cut(
    State state, Options options, Logs logs, const float[::1] values, const int64_t[::1] places,
    const unsigned char[::1] positive, int64_t total, Cut cut) noexcept nogil

cdef void _swap(int64_t[::1] order, int64_t a, int64_t b) noexcept nogil
@cython.locals(start=int64_t, i=int64_t)
cpdef void arrange(int64_t[::1] order, int64_t first, int64_t last, const float[::1] values) noexcept nogil
@cython.locals(i=int64_t, middle=int64_t, end=int64_t, pivot=float)
cdef void _sort(int64_t[::1] order, int64_t low, int64_t high, const float[::1] values) noexcept nogil
