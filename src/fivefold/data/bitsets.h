/* Sets of cases as words of 64 bits: counting members with the best instructions that the processor has.
 *
 * Three ways to count give the same number: `portable` (any compiler), `avx2` (a table of nibbles in a register)
 * and `avx512` (VPOPCNTDQ). The processor is asked at run time, so that one build serves all.
 */
#ifndef FIVEFOLD_BITSETS_H
#define FIVEFOLD_BITSETS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BITSETS_PORTABLE = 0, BITSETS_AVX2 = 1, BITSETS_AVX512 = 2 };

/* Four words side by side. */
#if defined(__GNUC__)
#define BITSETS_INLINE static inline __attribute__((always_inline))
typedef uint64_t bitsets_lanes __attribute__((vector_size(32), aligned(8)));
BITSETS_INLINE bitsets_lanes bitsets_and(bitsets_lanes a, bitsets_lanes b) { return a & b; }
BITSETS_INLINE bitsets_lanes bitsets_or(bitsets_lanes a, bitsets_lanes b) { return a | b; }
BITSETS_INLINE bitsets_lanes bitsets_xor(bitsets_lanes a, bitsets_lanes b) { return a ^ b; }
#else
#define BITSETS_INLINE static inline
typedef struct { uint64_t word[4]; } bitsets_lanes;
#define BITSETS_EACH(name, sign)                                                                                       \
    BITSETS_INLINE bitsets_lanes bitsets_##name(bitsets_lanes a, bitsets_lanes b)                                      \
    {                                                                                                                  \
        for (int k = 0; k < 4; k++)                                                                                    \
            a.word[k] = a.word[k] sign b.word[k];                                                                      \
        return a;                                                                                                      \
    }
BITSETS_EACH(and, &)
BITSETS_EACH(or, |)
BITSETS_EACH(xor, ^)
#endif

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

/* Columns in one table of labels, and members that are added at a time. */
enum { BITSETS_COLUMNS = 512, BITSETS_PARTS = 2, BITSETS_AT_ONCE = 16, BITSETS_PLANES = 28 };

/* Write words of 64 rows as 64 rows of columns: bit b of rows[k] becomes bit k of row b of the table. */
static inline void bitsets_turn(uint64_t *rows, uint64_t *table, ptrdiff_t column)
{
    uint64_t mask = UINT64_C(0x00000000FFFFFFFF);
    for (int step = 32; step; step >>= 1, mask ^= mask << step)
        for (int k = 0; k < 64; k = ((k | step) + 1) & ~step) {
            uint64_t swapped = (rows[k] >> step ^ rows[k | step]) & mask;
            rows[k] ^= swapped << step;
            rows[k | step] ^= swapped;
        }
    for (int k = 0; k < 64; k++)
        table[BITSETS_COLUMNS / 64 * k + column] = rows[k];
}

/* Add three bits in each column; the carry comes back. */
BITSETS_INLINE bitsets_lanes bitsets_add3(bitsets_lanes *sum, bitsets_lanes a, bitsets_lanes b)
{
    bitsets_lanes either = bitsets_xor(a, b), carry = bitsets_or(bitsets_and(a, b), bitsets_and(either, *sum));
    *sum = bitsets_xor(either, *sum);
    return carry;
}

/* Add rows of a table to sums: one bit of each column's number in each of them. Two rows, four, eight and sixteen. */
BITSETS_INLINE bitsets_lanes bitsets_add2(const bitsets_lanes *table, const int32_t *rows, bitsets_lanes *sums)
{
    return bitsets_add3(sums, table[BITSETS_PARTS * rows[0]], table[BITSETS_PARTS * rows[1]]);
}
BITSETS_INLINE bitsets_lanes bitsets_add4(const bitsets_lanes *table, const int32_t *rows, bitsets_lanes *sums)
{
    bitsets_lanes first = bitsets_add2(table, rows, sums);
    return bitsets_add3(sums + 1, first, bitsets_add2(table, rows + 2, sums));
}
BITSETS_INLINE bitsets_lanes bitsets_add8(const bitsets_lanes *table, const int32_t *rows, bitsets_lanes *sums)
{
    bitsets_lanes first = bitsets_add4(table, rows, sums);
    return bitsets_add3(sums + 2, first, bitsets_add4(table, rows + 4, sums));
}
BITSETS_INLINE bitsets_lanes bitsets_add16(const bitsets_lanes *table, const int32_t *rows, bitsets_lanes *sums)
{
    bitsets_lanes first = bitsets_add8(table, rows, sums);
    return bitsets_add3(sums + 3, first, bitsets_add8(table, rows + 8, sums));
}

/* Add numbers of 256 columns to counts; words[k] has bit k of each. Eight bits of eight columns are turned at a time. */
BITSETS_INLINE void bitsets_add_numbers(uint64_t (*words)[4], int n_bits, uint32_t *restrict counts)
{
    for (int first = 0; first < n_bits; first += 8)
        for (int eight = 0; eight < 32; eight++) {
            uint64_t square = 0, swapped;
            for (int k = first; k < n_bits && k < first + 8; k++)
                square |= (words[k][eight >> 3] >> 8 * (eight & 7) & 255) << 8 * (k - first);
            swapped = (square ^ square >> 7) & UINT64_C(0x00AA00AA00AA00AA);
            square ^= swapped ^ swapped << 7;
            swapped = (square ^ square >> 14) & UINT64_C(0x0000CCCC0000CCCC);
            square ^= swapped ^ swapped << 14;
            swapped = (square ^ square >> 28) & UINT64_C(0x00000000F0F0F0F0);
            square ^= swapped ^ swapped << 28;
            for (int c = 0; c < 8; c++)
                counts[8 * eight + c] += (uint32_t)(square >> 8 * c & 255) << first;
        }
}

/* List the members of a set of n words, and after them fifteen times the empty row 64 n; give their number. Four are
 * written whether there are so many or not: a wrong guess of the processor would cost more. */
BITSETS_INLINE ptrdiff_t bitsets_list(const uint64_t *set, ptrdiff_t n, int32_t *rows)
{
    ptrdiff_t n_rows = 0;
    for (ptrdiff_t w = 0; w < n; w++) {
        uint64_t word = set[w];
        ptrdiff_t end = n_rows + bitsets_count_word(word);
        do {
            for (int k = 0; k < 4; k++) {
                rows[n_rows + k] = (int32_t)(64 * w + bitsets_lowest(word | UINT64_C(1) << 63));
                word &= word - 1;
            }
            n_rows += 4;
        } while (n_rows < end);
        n_rows = end;
    }
    for (int k = 0; k < BITSETS_AT_ONCE - 1; k++)
        rows[n_rows + k] = (int32_t)(64 * n);
    return n_rows;
}

/* Add up, over the members of a set of n words, the rows of a table of bits; the row after the last is empty.
 * Sums are kept bit by bit, each with one bit of all columns, so that an addition takes five instructions for all. */
BITSETS_INLINE void
bitsets_add_listed(const int32_t *rows, ptrdiff_t n_rows, const bitsets_lanes *table, uint32_t *restrict counts)
{
    bitsets_lanes sums[4] = {{0}}, planes[BITSETS_PLANES] = {{0}};
    uint64_t words[BITSETS_PLANES + 4][4];
    int n_planes = 0;
    for (ptrdiff_t i = 0; i < n_rows; i += BITSETS_AT_ONCE) {
        bitsets_lanes carry = bitsets_add16(table, rows + i, sums);
        n_planes += (i / BITSETS_AT_ONCE + 1) >> n_planes != 0;
        for (int k = 0; k < n_planes; k++) {
            bitsets_lanes more = bitsets_and(planes[k], carry);
            planes[k] = bitsets_xor(planes[k], carry);
            carry = more;
        }
    }
    memcpy(words, sums, sizeof sums);
    memcpy(words + 4, planes, (size_t)n_planes * sizeof planes[0]);
    bitsets_add_numbers(words, n_rows < 16 ? 4 : n_planes + 4, counts);
}

BITSETS_INLINE void bitsets_add_members_of(
    const uint64_t *set, ptrdiff_t n, const bitsets_lanes *table, int32_t *restrict rows, uint32_t *restrict counts)
{
    ptrdiff_t n_rows = bitsets_list(set, n, rows);
    for (int part = 0; part < BITSETS_PARTS; part++)
        bitsets_add_listed(rows, n_rows, table + part, counts + 256 * part);
}

static void
bitsets_add_members_portable(const uint64_t *set, ptrdiff_t n, const bitsets_lanes *table, int32_t *rows, uint32_t *counts)
{
    bitsets_add_members_of(set, n, table, rows, counts);
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

__attribute__((target("avx2,popcnt,bmi"))) static void
bitsets_add_members_avx2(const uint64_t *set, ptrdiff_t n, const bitsets_lanes *table, int32_t *rows, uint32_t *counts)
{
    bitsets_add_members_of(set, n, table, rows, counts);
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

static inline void
bitsets_add_members(const uint64_t *set, ptrdiff_t n, const uint64_t *table, int32_t *rows, uint32_t *counts, int way)
{
#if defined(__GNUC__) && defined(__x86_64__)
    if (way >= BITSETS_AVX2) {
        bitsets_add_members_avx2(set, n, (const bitsets_lanes *)table, rows, counts);
        return;
    }
#endif
    (void)way;
    bitsets_add_members_portable(set, n, (const bitsets_lanes *)table, rows, counts);
}

static inline int64_t bitsets_count(const uint64_t *a, ptrdiff_t n) { return bitsets_count_common(a, a, n); }

#endif
