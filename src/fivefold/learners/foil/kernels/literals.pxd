cimport cython
from libc.math cimport exp, log
from libc.stdint cimport int64_t

cdef double LN2
cdef double LOG2_E
cdef double LOG2_ROOT_2PI
cdef int64_t TABLED
cdef double SLACK

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

cdef class Side:
    cdef public bint possible, weak
    cdef public int64_t kept, met, positive, total, original_positive, original_total
    cdef public float gained

cdef class Logs:
    cdef double[::1] numbers, factorials

# in the order of Listed
cdef struct Row:
    float gain, bits, cut
    int64_t literal, sign, positive, total, weak, parent

cdef class Literals:
    cdef object table
    cdef Row[::1] rows
    cdef readonly int64_t used

cdef class Limits:
    cdef float useful, kept, bits
    cdef int64_t saved
    cdef bint free

cdef class Trial:
    cdef readonly State state
    cdef readonly Options options
    cdef readonly Logs logs
    cdef Limits limits
    cdef readonly Literals best, noted
    cdef readonly Side true, false

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

cpdef float best_gain(Literals best) noexcept nogil
@cython.locals(useful=double, cover=int64_t)
cdef void renew_limits(Trial trial, float least) noexcept nogil
cdef bint is_allowed(Trial trial, int64_t covered) noexcept nogil
@cython.locals(place=int64_t, above=float)
cdef int64_t _place_of(Literals best, int64_t sign, float gained) noexcept nogil
@cython.locals(place=int64_t, j=int64_t)
cdef void propose(
    Literals best, Side side, int64_t literal, int64_t sign, float gained, float bits, float cut,
    int64_t weak) noexcept nogil

@cython.locals(place=int64_t, j=int64_t)
cpdef bint remember(Checkpoints points, int64_t clause, float value) noexcept nogil
@cython.locals(clause=int64_t, j=int64_t)
cpdef int64_t take_checkpoint(Checkpoints points) noexcept nogil

@cython.locals(before=double, total=int64_t, after=float)
cdef void _weigh(Trial trial, Side side, int64_t excluded, int64_t new_variables) noexcept nogil
cdef bint weigh_sides(Trial trial, int64_t new_variables) noexcept nogil
cdef float _accuracy(Side side) noexcept nogil
@cython.locals(accuracy=float, best=float, cover=int64_t)
cdef void _note_side(Trial trial, Side side, int64_t literal, int64_t sign, float bits, float cut) noexcept nogil
cdef void note(Trial trial, int64_t literal, float bits, float cut) noexcept nogil
@cython.locals(idle=bint, weak=int64_t)
cdef void _list_side(Trial trial, Side side, int64_t literal, int64_t sign, float bits, float cut) noexcept nogil
cdef void list_sides(Trial trial, int64_t literal, float bits, float cut) noexcept nogil

@cython.locals(above=int64_t, all_above=int64_t, best=float, other=float)
cdef float _better_side(
    Trial trial, int64_t below, int64_t all_below, int64_t known, int64_t all_known) noexcept nogil
@cython.locals(
    i=int64_t, below=int64_t, all_below=int64_t, here=int64_t, all_here=int64_t, n_values=int64_t, signs=int64_t,
    signs_before=int64_t, value=float, before=float, worth=float)
cpdef void best_cut(
    Trial trial, const float[::1] values, const int64_t[::1] places, const unsigned char[::1] positive, int64_t total,
    Cut cut) noexcept nogil

cdef void _swap(int64_t[::1] order, int64_t a, int64_t b) noexcept nogil
@cython.locals(start=int64_t, i=int64_t)
cpdef void arrange(int64_t[::1] order, int64_t first, int64_t last, const float[::1] values) noexcept nogil
@cython.locals(i=int64_t, middle=int64_t, end=int64_t, pivot=float)
cdef void _sort(int64_t[::1] order, int64_t low, int64_t high, const float[::1] values) noexcept nogil
