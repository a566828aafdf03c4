"""Sets of cases as words of 64 bits, for kernels to cimport; `bitsets.h` says how they are counted."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "bitsets.h" nogil:
    int64_t count_word "bitsets_count_word" (uint64_t word)
    int64_t lowest_member "bitsets_lowest" (uint64_t word)
    int64_t count_words "bitsets_count" (const uint64_t *a, Py_ssize_t n)
    int64_t count_common_words "bitsets_count_common" (const uint64_t *a, const uint64_t *b, Py_ssize_t n)
    int64_t count_common_words_by "bitsets_count_common_by" (const uint64_t *a, const uint64_t *b, Py_ssize_t n, int way)
    int best_way "bitsets_best" ()
    void add_into "bitsets_add_into" (double *sums, const double *numbers, Py_ssize_t n)

cdef int64_t _count(const uint64_t[::1] a, const uint64_t[::1] b, int way) noexcept nogil
