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

/* Columns in one table of labels, members that are added at a time, bits of a number, words of a set at the most. */
enum { BITSETS_COLUMNS = 512, BITSETS_PARTS = 2, BITSETS_AT_ONCE = 16, BITSETS_PLANES = 32, BITSETS_BLOCK_WORDS = 512 };

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

/* List the members of a set of n words, and after them fifteen times the empty row 64 n; give their number. Words without
 * members are sorted out first, and two members are written whether there are so many or not: a wrong guess of the
 * processor would cost more. */
BITSETS_INLINE ptrdiff_t bitsets_list(const uint64_t *set, ptrdiff_t n, int32_t *rows)
{
    ptrdiff_t n_rows = 0, n_full = 0;
    int32_t full[BITSETS_BLOCK_WORDS];
    for (ptrdiff_t w = 0; w < n; w++) {
        full[n_full] = (int32_t)w;
        n_full += set[w] != 0;
    }
    for (ptrdiff_t i = 0; i < n_full; i++) {
        uint64_t word = set[full[i]];
        ptrdiff_t end = n_rows + bitsets_count_word(word);
        do {
            for (int k = 0; k < 2; k++) {
                rows[n_rows + k] = 64 * full[i] + (int32_t)bitsets_lowest(word | UINT64_C(1) << 63);
                word &= word - 1;
            }
            n_rows += 2;
        } while (n_rows < end);
        n_rows = end;
    }
    for (int k = 0; k < BITSETS_AT_ONCE - 1; k++)
        rows[n_rows + k] = (int32_t)(64 * n);
    return n_rows;
}

/* Add up rows of a table of bits in each of 256 columns, and add that to numbers: plane k has bit k of each of them. An
 * addition takes five instructions for all columns. The row after the last is empty. */
BITSETS_INLINE void bitsets_add_listed(
    const int32_t *rows, ptrdiff_t n_rows, const bitsets_lanes *table, bitsets_lanes *planes, int n_planes)
{
    bitsets_lanes sums[BITSETS_PLANES], carry = {0};
    int n_sums = 4;
    memset(sums, 0, (size_t)n_planes * sizeof sums[0]);
    for (ptrdiff_t i = 0; i < n_rows; i += BITSETS_AT_ONCE) {
        carry = bitsets_add16(table, rows + i, sums);
        n_sums += (i / BITSETS_AT_ONCE + 1) >> (n_sums - 4) != 0;
        for (int k = 4; k < n_sums; k++) {
            bitsets_lanes more = bitsets_and(sums[k], carry);
            sums[k] = bitsets_xor(sums[k], carry);
            carry = more;
        }
    }
    carry = bitsets_xor(carry, carry);
    for (int k = 0; k < n_planes; k++) {
        bitsets_lanes sum = planes[BITSETS_PARTS * k];
        carry = bitsets_add3(&sum, sums[k], carry);
        planes[BITSETS_PARTS * k] = sum;
    }
}

BITSETS_INLINE void bitsets_add_members_of(
    const uint64_t *set, ptrdiff_t n, const bitsets_lanes *table, int32_t *restrict rows, bitsets_lanes *planes, int n_planes)
{
    ptrdiff_t n_rows = bitsets_list(set, n, rows);
    for (int part = 0; part < BITSETS_PARTS && n_rows; part++)
        bitsets_add_listed(rows, n_rows, table + part, planes + part, n_planes);
}

/* Write the numbers of 512 columns: that of column 8 m + j of each 256 becomes number 32 j + m of them, so that squares of
 * eight bits and eight planes are turned for 32 columns at a time. */
BITSETS_INLINE void bitsets_numbers_of(const uint64_t *planes, int n_planes, int32_t *restrict numbers)
{
    uint64_t square[8][4];
    uint8_t bytes[256];
    memset(numbers, 0, BITSETS_COLUMNS * sizeof *numbers);
    for (int part = 0; part < BITSETS_PARTS; part++, numbers += 256)
        for (int first = 0; first < n_planes; first += 8) {
            uint64_t mask = UINT64_C(0x0F0F0F0F0F0F0F0F);
            memset(square, 0, sizeof square);
            for (int k = 0; k < 8 && first + k < n_planes; k++)
                memcpy(square[k], planes + 8 * (first + k) + 4 * part, sizeof square[k]);
            for (int step = 4; step; step >>= 1, mask ^= mask << step)
                for (int k = 0; k < 8; k = ((k | step) + 1) & ~step)
                    for (int w = 0; w < 4; w++) {
                        uint64_t swapped = (square[k][w] >> step ^ square[k | step][w]) & mask;
                        square[k][w] ^= swapped << step;
                        square[k | step][w] ^= swapped;
                    }
            memcpy(bytes, square, sizeof bytes);
            for (int c = 0; c < 256; c++)
                numbers[c] |= (int32_t)bytes[c] << first;
        }
}

static void bitsets_add_members_portable(
    const uint64_t *set, ptrdiff_t n, const bitsets_lanes *table, int32_t *rows, bitsets_lanes *planes, int n_planes)
{
    bitsets_add_members_of(set, n, table, rows, planes, n_planes);
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
bitsets_add_members_avx2(
    const uint64_t *set, ptrdiff_t n, const bitsets_lanes *table, int32_t *rows, bitsets_lanes *planes, int n_planes)
{
    bitsets_add_members_of(set, n, table, rows, planes, n_planes);
}

__attribute__((target("avx2"))) static void
bitsets_numbers_avx2(const uint64_t *planes, int n_planes, int32_t *restrict numbers)
{
    bitsets_numbers_of(planes, n_planes, numbers);
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

/* Add up the rows of the members of a set of n words, in 512 columns, to numbers of so many planes. */
static inline void bitsets_add_members(
    const uint64_t *set, ptrdiff_t n, const uint64_t *table, int32_t *rows, uint64_t *planes, int n_planes, int way)
{
#if defined(__GNUC__) && defined(__x86_64__)
    if (way >= BITSETS_AVX2) {
        bitsets_add_members_avx2(set, n, (const bitsets_lanes *)table, rows, (bitsets_lanes *)planes, n_planes);
        return;
    }
#endif
    (void)way;
    bitsets_add_members_portable(set, n, (const bitsets_lanes *)table, rows, (bitsets_lanes *)planes, n_planes);
}

static inline void bitsets_numbers(const uint64_t *planes, int n_planes, int32_t *numbers, int way)
{
#if defined(__GNUC__) && defined(__x86_64__)
    if (way >= BITSETS_AVX2) {
        bitsets_numbers_avx2(planes, n_planes, numbers);
        return;
    }
#endif
    (void)way;
    bitsets_numbers_of(planes, n_planes, numbers);
}

static inline int64_t bitsets_count(const uint64_t *a, ptrdiff_t n) { return bitsets_count_common(a, a, n); }

#endif
