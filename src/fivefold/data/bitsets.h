/* Sets of cases as words of 64 bits: counting members with the best instructions that the processor has.
 *
 * Three ways to count give the same number: `portable` (any compiler), `avx2` (a table of nibbles in a register)
 * and `avx512` (VPOPCNTDQ). The processor is asked at run time, so that one build serves all.
 */
#ifndef FIVEFOLD_BITSETS_H
#define FIVEFOLD_BITSETS_H

#include <stddef.h>
#include <stdint.h>

enum { BITSETS_PORTABLE = 0, BITSETS_AVX2 = 1, BITSETS_AVX512 = 2 };

/* Count the ones of a word. */
static inline int64_t bitsets_count_word(uint64_t word)
{
#if defined(__POPCNT__) || (defined(__GNUC__) && defined(__aarch64__))
    return __builtin_popcountll(word);
#else
    word -= (word >> 1) & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int64_t)((word * UINT64_C(0x0101010101010101)) >> 56);
#endif
}

/* Give the place of the lowest one of a word that is not zero. */
static inline int64_t bitsets_lowest(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    return bitsets_count_word((word & (~word + 1)) - 1);
#endif
}

static inline int64_t bitsets_count_common_portable(const uint64_t *a, const uint64_t *b, ptrdiff_t n)
{
    int64_t total = 0;
    for (ptrdiff_t w = 0; w < n; w++)
        total += bitsets_count_word(a[w] & b[w]);
    return total;
}

#if defined(__GNUC__) && defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

/* Count the ones of each byte of the common members of four words. */
__attribute__((target("avx2"))) static inline __m256i bitsets_ones_avx2(const uint64_t *a, const uint64_t *b)
{
    const __m256i ones_of_nibble = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                                    0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i both = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)a), _mm256_loadu_si256((const __m256i *)b));
    __m256i low = _mm256_shuffle_epi8(ones_of_nibble, _mm256_and_si256(both, nibble));
    __m256i high = _mm256_shuffle_epi8(ones_of_nibble, _mm256_and_si256(_mm256_srli_epi16(both, 4), nibble));
    return _mm256_add_epi8(low, high);
}

__attribute__((target("avx2,popcnt"))) static int64_t
bitsets_count_common_avx2(const uint64_t *a, const uint64_t *b, ptrdiff_t n)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i sums = zero;
    ptrdiff_t w = 0;
    for (; w + 16 <= n; w += 16) {
        __m256i first = _mm256_add_epi8(bitsets_ones_avx2(a + w, b + w), bitsets_ones_avx2(a + w + 4, b + w + 4));
        __m256i second = _mm256_add_epi8(bitsets_ones_avx2(a + w + 8, b + w + 8), bitsets_ones_avx2(a + w + 12, b + w + 12));
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_add_epi8(first, second), zero));
    }
    for (; w + 4 <= n; w += 4)
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(bitsets_ones_avx2(a + w, b + w), zero));
    __m128i halves = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    int64_t total = _mm_extract_epi64(halves, 0) + _mm_extract_epi64(halves, 1);
    for (; w < n; w++)
        total += __builtin_popcountll(a[w] & b[w]);
    return total;
}

__attribute__((target("avx512f,avx512vpopcntdq"))) static int64_t
bitsets_count_common_avx512(const uint64_t *a, const uint64_t *b, ptrdiff_t n)
{
    __m512i sums = _mm512_setzero_si512();
    for (ptrdiff_t w = 0; w < n; w += 8) {
        __mmask8 inside = n - w >= 8 ? 0xFF : (__mmask8)((1u << (n - w)) - 1u);
        __m512i both = _mm512_and_si512(_mm512_maskz_loadu_epi64(inside, a + w), _mm512_maskz_loadu_epi64(inside, b + w));
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(both));
    }
    return _mm512_reduce_add_epi64(sums);
}

/* The sums of sixteen columns stay in registers while all rows pass by. */
__attribute__((target("avx2"))) static void
bitsets_add_rows_avx2(const double *restrict table, const int64_t *rows, ptrdiff_t n_rows, ptrdiff_t n, double *restrict sums)
{
    ptrdiff_t j = 0;
    for (; j + 16 <= n; j += 16) {
        __m256d four[4];
        for (int k = 0; k < 4; k++)
            four[k] = _mm256_loadu_pd(sums + j + 4 * k);
        for (ptrdiff_t i = 0; i < n_rows; i++)
            for (int k = 0; k < 4; k++)
                four[k] = _mm256_add_pd(four[k], _mm256_loadu_pd(table + rows[i] * n + j + 4 * k));
        for (int k = 0; k < 4; k++)
            _mm256_storeu_pd(sums + j + 4 * k, four[k]);
    }
    for (ptrdiff_t i = 0; i < n_rows && j < n; i++)
        for (ptrdiff_t k = j; k < n; k++)
            sums[k] += table[rows[i] * n + k];
}

/* Ask the processor, and whether the system keeps its wide registers. Not every compiler comes with a library that
 * answers __builtin_cpu_supports. */
static int bitsets_ask_processor(void)
{
    unsigned a, b, c, d, low, high;
    if (__get_cpuid_max(0, NULL) < 7)
        return BITSETS_PORTABLE;
    __cpuid(1, a, b, c, d);
    if (!(c & bit_OSXSAVE) || !(c & bit_POPCNT))
        return BITSETS_PORTABLE;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    __cpuid_count(7, 0, a, b, c, d);
    if ((low & 0xE6) == 0xE6 && (b & bit_AVX512F) && (c & bit_AVX512VPOPCNTDQ))
        return BITSETS_AVX512;
    return (low & 0x06) == 0x06 && (b & bit_AVX2) ? BITSETS_AVX2 : BITSETS_PORTABLE;
}

static inline int bitsets_best(void)
{
    static int best = -1;
    int way = __atomic_load_n(&best, __ATOMIC_RELAXED);
    if (way < 0) {
        way = bitsets_ask_processor();
        __atomic_store_n(&best, way, __ATOMIC_RELAXED);
    }
    return way;
}

/* Count the common members of two sets of n words in the given way, which the processor must have. */
static inline int64_t bitsets_count_common_by(const uint64_t *a, const uint64_t *b, ptrdiff_t n, int way)
{
    if (way == BITSETS_AVX512)
        return bitsets_count_common_avx512(a, b, n);
    return way == BITSETS_AVX2 ? bitsets_count_common_avx2(a, b, n) : bitsets_count_common_portable(a, b, n);
}

#else

static inline int bitsets_best(void) { return BITSETS_PORTABLE; }

static inline int64_t bitsets_count_common_by(const uint64_t *a, const uint64_t *b, ptrdiff_t n, int way)
{
    (void)way;
    return bitsets_count_common_portable(a, b, n);
}

#endif

/* Count the common members of two sets of n words; a few words are not worth the question for a better way. */
static inline int64_t bitsets_count_common(const uint64_t *a, const uint64_t *b, ptrdiff_t n)
{
    return n < 12 ? bitsets_count_common_portable(a, b, n) : bitsets_count_common_by(a, b, n, bitsets_best());
}

/* Add some rows of a table of n columns to sums, in their order: rounding does not depend on the width of the registers. */
static inline void
bitsets_add_rows(const double *restrict table, const int64_t *rows, ptrdiff_t n_rows, ptrdiff_t n, double *restrict sums)
{
#if defined(__GNUC__) && defined(__x86_64__)
    if (bitsets_best() >= BITSETS_AVX2) {
        bitsets_add_rows_avx2(table, rows, n_rows, n, sums);
        return;
    }
#endif
    for (ptrdiff_t i = 0; i < n_rows; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            sums[j] += table[rows[i] * n + j];
}

static inline int64_t bitsets_count(const uint64_t *a, ptrdiff_t n) { return bitsets_count_common(a, a, n); }

#endif
