"""Sets of cases as words of 64 bits, for kernels to cimport; `bitsets.h` says how they are counted."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "bitsets.h" nogil:
    int64_t count_word "bitsets_count_word" (uint64_t word)
    int64_t lowest_member "bitsets_lowest" (uint64_t word)
    int64_t count_words "bitsets_count" (const uint64_t *a, Py_ssize_t n)
    int64_t count_common_words "bitsets_count_common" (const uint64_t *a, const uint64_t *b, Py_ssize_t n)
    int64_t count_common_words_by "bitsets_count_common_by" (const uint64_t *a, const uint64_t *b, Py_ssize_t n, int way)
    int best_way "bitsets_best" ()
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

cdef int64_t _count(const uint64_t[::1] a, const uint64_t[::1] b, int way) noexcept nogil
