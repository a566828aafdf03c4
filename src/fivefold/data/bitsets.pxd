"""Sets of cases as words of 64 bits, for kernels to cimport; `bitsets.h` says how they are counted."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "bitsets.h" nogil:
    int64_t count_word "bitsets_count_word" (uint64_t word)
    int64_t lowest_member "bitsets_lowest" (uint64_t word)
    int64_t count_words "bitsets_count" (const uint64_t *a, Py_ssize_t n)
    int64_t count_common_words "bitsets_count_common" (const uint64_t *a, const uint64_t *b, Py_ssize_t n)
    int64_t count_common_words_by "bitsets_count_common_by" (const uint64_t *a, const uint64_t *b, Py_ssize_t n, int way)
    int best_way "bitsets_best" ()
    void add_members_at "bitsets_add_members" (
        const uint64_t *members, Py_ssize_t n, const uint64_t *table, int32_t *rows, uint64_t *planes, int n_planes, int way
    )
    void numbers_at "bitsets_numbers" (const uint64_t *planes, int n_planes, int32_t *numbers, int way)
    void turn_at "bitsets_turn" (uint64_t *rows, uint64_t *table, Py_ssize_t column)
    void add_rows_at "bitsets_add_rows" (const double *table, const int64_t *rows, Py_ssize_t n_rows, Py_ssize_t n, double *sums)

# the same for arrays: n words of a row from a word on, and some rows of a table
cdef inline int64_t count_row(const uint64_t[:, ::1] bits, Py_ssize_t row, Py_ssize_t low, Py_ssize_t n) noexcept nogil:
    return count_words(&bits[row, low], n) if n > 0 else 0

cdef inline int64_t count_common_row(
    const uint64_t[::1] common, const uint64_t[:, ::1] bits, Py_ssize_t row, Py_ssize_t low, Py_ssize_t n
) noexcept nogil:
    return count_common_words(&common[0], &bits[row, low], n) if n > 0 else 0

cdef inline void add_rows(
    const double[:, ::1] table, const int64_t[::1] rows, Py_ssize_t n_rows, double[::1] sums
) noexcept nogil:
    if n_rows > 0 and sums.shape[0] > 0:
        add_rows_at(&table[0, 0], &rows[0], n_rows, sums.shape[0], &sums[0])

# add up, for the members of a set of n words, the bits of all 512 columns of a table with eight words a row, to numbers
# that are kept bit by bit; `rows` has room for all members and 16 more
cdef inline void add_members(
    const uint64_t[::1] members, Py_ssize_t n, const uint64_t[:, ::1] table, int32_t[::1] rows, uint64_t[:, ::1] planes
) noexcept nogil:
    add_members_at(&members[0], n, &table[0, 0], &rows[0], &planes[0, 0], <int> planes.shape[0], best_way())

# write the numbers of these planes
cdef inline void read_numbers(const uint64_t[:, ::1] planes, int32_t[::1] numbers) noexcept nogil:
    numbers_at(&planes[0, 0], <int> planes.shape[0], &numbers[0], best_way())

# turn 64 words, one of each of 64 sets, into 64 rows of a table, a bit of one word of theirs for each set
cdef inline void turn(uint64_t[::1] words, uint64_t[:, ::1] table, Py_ssize_t row, Py_ssize_t column) noexcept nogil:
    turn_at(&words[0], &table[row, 0], column)

cdef void _add_columns(
    const uint64_t[::1] members,
    const uint64_t[:, ::1] table,
    int32_t[::1] rows,
    uint64_t[:, ::1] planes,
    int32_t[::1] numbers,
    int way,
) noexcept nogil
cdef int64_t _count(const uint64_t[::1] a, const uint64_t[::1] b, int way) noexcept nogil
