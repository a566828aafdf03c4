cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport INFINITY as inf, exp, lgamma, log
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from fivefold.data.bitsets cimport add_members, add_rows, count_common_row, count_row, lowest_member, read_numbers, turn

cdef extern from "numpy/random/distributions.h" nogil:
    ctypedef struct bitgen_t:
        pass
    int64_t draw_hypergeometric "random_hypergeometric" (bitgen_t *bits, int64_t good, int64_t bad, int64_t sample)

cdef inline bitgen_t *bits_of(object rng) except NULL:
    return <bitgen_t *> PyCapsule_GetPointer(rng.bit_generator.capsule, "BitGenerator")

cdef uint64_t _ONE, _ALL
cdef uint64_t _WORD
cdef Py_ssize_t BLOCK_WORDS
cdef Py_ssize_t COLUMNS

cdef uint64_t _wide(uint64_t number) noexcept nogil
cdef double _TOLERANCE
cdef int _MOST_ROUNDS

@cython.locals(code=int32_t, value=double, codes=int32_t[::1])
cpdef object interval_codes(const double[::1] values, const double[::1] cuts)
@cython.locals(missing=Py_ssize_t, place=Py_ssize_t, row=Py_ssize_t, bit=int64_t)
cpdef void pack(
    const int32_t[::1] codes,
    const int32_t[::1] groups,
    int64_t[::1] next_bits,
    Py_ssize_t missing_item,
    const int32_t[::1] rows,
    uint64_t[:, ::1] bits,
)

@cython.locals(row=Py_ssize_t, other=Py_ssize_t)
cdef void _fill_common(
    const uint64_t[:, ::1] bits, const int32_t[:, ::1] sets, Py_ssize_t place, Py_ssize_t low, Py_ssize_t width, uint64_t[::1] common
) noexcept nogil
@cython.locals(common=uint64_t[::1], group=Py_ssize_t, low=Py_ssize_t, width=Py_ssize_t, place=Py_ssize_t)
cpdef void count_extensions(
    const uint64_t[:, ::1] bits,
    const int32_t[:, ::1] prefixes,
    const int64_t[::1] starts,
    const int32_t[::1] items,
    const int64_t[:, ::1] blocks,
    int64_t[:, ::1] counts,
)

@cython.locals(end=Py_ssize_t, middle=Py_ssize_t)
cdef Py_ssize_t _find_key(const int64_t[::1] keys, Py_ssize_t low, Py_ssize_t high, int64_t key) noexcept nogil
@cython.locals(least=int64_t, key=int64_t, part=Py_ssize_t)
cdef int64_t _least_part(
    const int32_t[:, ::1] sets,
    Py_ssize_t place,
    int64_t last,
    const int64_t[::1] keys,
    const int64_t[::1] sizes,
    int64_t n_items,
) noexcept nogil
@cython.locals(n_found=Py_ssize_t, end=int64_t, smallest=int64_t)
cdef Py_ssize_t _join(
    const int32_t[:, ::1] sets,
    const int64_t[::1] sizes,
    const int32_t[::1] attributes,
    const int64_t[::1] keys,
    int64_t n_items,
    Py_ssize_t place,
    int64_t[::1] starts,
    int32_t[::1] items,
    int64_t[::1] least,
)

cdef double _log_choose(int64_t n, int64_t k) noexcept nogil
@cython.locals(low=int64_t, high=int64_t, x=int64_t, up=int64_t)
cdef double _log_tail(int64_t seen, int64_t drawn, int64_t marked, int64_t total, int64_t step) noexcept nogil
@cython.locals(
    n_groups=Py_ssize_t, total=int64_t, drawn=int64_t, seen=int64_t, marked=int64_t, step=int64_t, p_values=double[::1]
)
cpdef object exact_p_values(const int64_t[:, ::1] counts, const int64_t[::1] sizes)

cdef class PartTables:
    cdef Py_ssize_t n_cells
    cdef int64_t[::1] places
    cdef int64_t[::1] margins
    cdef unsigned char[::1] shown
    cdef double[::1] inside
    cdef double[::1] table
    cdef double[::1] fitted
    cdef double[::1] wanted
    cdef double[::1] present

@cython.locals(tables=PartTables)
cpdef object fit_margins(const double[::1] table, const int64_t[::1] margins)
@cython.locals(worst=double, total=double)
cdef void _fit(PartTables tables, Py_ssize_t n_margins) noexcept nogil
@cython.locals(worst=double)
cdef double _fit_margin(PartTables tables, Py_ssize_t margin) noexcept nogil
@cython.locals(bit=Py_ssize_t)
cdef void _fill_table(PartTables tables) noexcept nogil
@cython.locals(n_kept=Py_ssize_t, single=bint, covered=bint)
cdef Py_ssize_t _find_margins(PartTables tables) noexcept nogil
@cython.locals(key=int64_t, length=Py_ssize_t)
cdef Py_ssize_t _find_part(
    const int32_t[:, ::1] sets,
    Py_ssize_t place,
    Py_ssize_t part,
    const int64_t[::1] keys,
    const int64_t[::1] level_starts,
    int64_t n_items,
) noexcept nogil
@cython.locals(full=Py_ssize_t, n_margins=Py_ssize_t, tables=PartTables, gap=double[::1], statistic=double[::1])
cpdef object surprises(
    const int32_t[:, ::1] sets,
    const int64_t[::1] sizes,
    const int64_t[::1] keys,
    const int64_t[::1] level_starts,
    const int64_t[:, ::1] counts,
    const unsigned char[::1] shown,
    int64_t n_items,
)

cdef class GroupSizes:
    cdef int64_t[::1] sizes
    cdef const double[::1] x_log_x
    cdef double difference
    cdef int64_t[::1] counts

cdef double _times_log(GroupSizes groups, int64_t number) noexcept nogil
@cython.locals(inside=int64_t, total=int64_t, seen=int64_t, size=int64_t)
cdef double _likelihood_ratio(GroupSizes groups) noexcept nogil
cdef bint _is_large(GroupSizes groups) noexcept nogil
@cython.locals(groups=GroupSizes, values=double[::1])
cpdef object statistics(
    const int64_t[:, ::1] counts,
    const int64_t[::1] sizes,
    const double[::1] allowance,
    const double[::1] x_log_x,
    double difference,
)

cdef class CellTables:
    cdef double[:, ::1] counts
    cdef double[:, ::1] totals
    cdef double[::1] observed
    cdef double[::1] expected
    cdef double[::1] whole
    cdef double[::1] variance

@cython.locals(tables=CellTables, excess=double[:, ::1], statistic=double[::1])
cpdef object compare_within(
    const int64_t[:, :, ::1] counts, const int64_t[:, ::1] totals, const int64_t[::1] cell_of, Py_ssize_t n_cells
)
cdef void _add_cells(const int64_t[:, ::1] counts, const int64_t[::1] cell_of, double[:, ::1] table) noexcept nogil
@cython.locals(inside=double, size=double, share=double)
cdef void _add_telling(CellTables tables) noexcept nogil
@cython.locals(inside=double, size=double, value=double, pooled=double, within=double, corners=double)
cdef double _compare(CellTables tables) noexcept nogil
@cython.locals(
    common=uint64_t[::1],
    words=uint64_t[::1],
    table=uint64_t[:, ::1],
    rows=int32_t[::1],
    low=Py_ssize_t,
    width=Py_ssize_t,
)
cpdef void count_labels(
    const uint64_t[:, ::1] bits,
    const int32_t[:, ::1] sets,
    const int32_t[::1] lacking,
    const uint64_t[:, ::1] labels,
    Py_ssize_t first_word,
    uint64_t[:, :, :, ::1] planes,
    int32_t[::1] sizes,
)
@cython.locals(row=Py_ssize_t)
cdef void _fill_lacking(
    const uint64_t[:, ::1] bits,
    const int32_t[:, ::1] sets,
    Py_ssize_t place,
    Py_ssize_t lacking,
    Py_ssize_t low,
    Py_ssize_t width,
    uint64_t[::1] common,
) noexcept nogil
@cython.locals(row=Py_ssize_t)
cdef void _turn_labels(
    const uint64_t[:, ::1] labels,
    Py_ssize_t first,
    Py_ssize_t low,
    Py_ssize_t width,
    uint64_t[::1] words,
    uint64_t[:, ::1] table,
) noexcept nogil
@cython.locals(
    numbers=int32_t[::1], length=Py_ssize_t, first=Py_ssize_t, whole=Py_ssize_t, seen=int32_t, column=Py_ssize_t
)
cpdef void read_counts(
    const uint64_t[:, :, :, ::1] planes, const int32_t[:, ::1] sets, const int32_t[::1] wholes, int32_t[:, ::1] counts
)
@cython.locals(common=uint64_t[::1], low=Py_ssize_t, width=Py_ssize_t)
cpdef void count_cells(
    const uint64_t[:, ::1] bits,
    const int32_t[:, ::1] sets,
    const uint64_t[:, ::1] cells,
    const int64_t[::1] first_words,
    int64_t[:, :, ::1] counts,
)
@cython.locals(n_labels=Py_ssize_t, rest=int64_t)
cdef void _fill_counts(
    GroupSizes groups, const int32_t[:, :, ::1] permuted, const int64_t[::1] inside, Py_ssize_t place, Py_ssize_t draw
) noexcept nogil
cdef class KnownValues:
    cdef double[::1] values
    cdef uint8_t[::1] larges
    cdef int64_t[::1] places

@cython.locals(low=int32_t, high=int32_t, draw=Py_ssize_t, slack=double, value=double)
cdef bint _may_pass(
    GroupSizes groups,
    const int32_t[:, :, ::1] permuted,
    const int64_t[::1] inside,
    Py_ssize_t place,
    double bar,
    double plain_bar,
) noexcept nogil
@cython.locals(
    groups=GroupSizes,
    known=KnownValues,
    n_draws=Py_ssize_t,
    n_labels=Py_ssize_t,
    seen=int32_t,
    large=bint,
    price=double,
    least=double,
    plain_least=double,
    largest=double,
    value=double,
    most=double[::1],
    plain_most=double[::1],
    reached=int64_t[::1],
)
cpdef object exceedances(
    const int32_t[:, :, ::1] permuted,
    const int64_t[::1] inside,
    const double[::1] observed,
    const double[::1] allowance,
    const int64_t[::1] sizes,
    const double[::1] x_log_x,
    double difference,
)

@cython.locals(
    first_key=uint64_t,
    second_key=uint64_t,
    a=uint64_t,
    b=uint64_t,
    c=uint64_t,
    d=uint64_t,
    low=uint64_t,
    high=uint64_t,
    first=uint64_t,
    second=uint64_t,
)
cpdef void fill_random(object key, uint64_t draw, uint64_t block, uint32_t[::1] words)
@cython.locals(
    order=int32_t[::1], words=uint32_t[::1], part=uint32_t[::1], draw=Py_ssize_t, largest=int64_t
)
cpdef void deal_block(
    object key,
    uint64_t block,
    const int64_t[:, ::1] splits,
    const int32_t[::1] places,
    uint64_t[:, :, ::1] labels,
)
@cython.locals(
    n_left=int64_t,
    n_groups=Py_ssize_t,
    largest=Py_ssize_t,
    n_cases=int64_t,
    taken=int64_t,
    used=int64_t,
    n=uint64_t,
    product=uint64_t,
    least=uint64_t,
    other=int64_t,
    bit=int64_t,
    word=uint64_t,
)
cpdef void deal_labels(
    const uint32_t[::1] words,
    const int64_t[::1] split,
    const int32_t[::1] places,
    int32_t[::1] order,
    uint64_t[:, ::1] bits,
)

@cython.locals(left=int64_t[::1])
cpdef void split_labels(object rng, const int64_t[::1] sizes, int64_t block_cases, int64_t[:, :, ::1] splits)
@cython.locals(rest=int64_t, last=Py_ssize_t, turned=bint, n=int64_t, drawn=int64_t)
cdef void _split_block(
    bitgen_t *bits, int64_t[::1] left, int64_t n_cases, int64_t[:, :, ::1] splits, Py_ssize_t draw, Py_ssize_t block
) noexcept nogil
@cython.locals(number=int64_t)
cpdef void fill_times_log(double[::1] table, int64_t first)

@cython.locals(n_found=Py_ssize_t, word=uint64_t)
cdef Py_ssize_t _list_members(const uint64_t[::1] common, int64_t[::1] members) noexcept nogil
@cython.locals(common=uint64_t[::1], members=int64_t[::1], added=double[:, ::1])
cpdef object sums(const uint64_t[:, ::1] bits, const int32_t[:, ::1] sets, const double[:, ::1] numbers)

@cython.locals(
    place=Py_ssize_t,
    i=Py_ssize_t,
    n=Py_ssize_t,
    common=uint64_t[::1],
    members=int64_t[::1],
    added=double[:, :, ::1],
)
cpdef object add_clusters(
    const uint64_t[:, ::1] bits,
    const int32_t[:, ::1] sets,
    const int64_t[::1] clusters,
    const double[::1] numbers,
    int64_t n_clusters,
)
