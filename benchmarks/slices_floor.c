/* The least that packing and counting cost; made and called by slices_floor.py. */
#include <stdint.h>
#include <stdlib.h>

#include "bitsets.h"

/* Set a bit for each case in the set of its value, column after column. */
void pack(const int8_t *codes, const int64_t *firsts, int64_t low, int64_t high, int64_t rows, int64_t words, uint64_t *bits)
{
    for (int64_t column = low; column < high; column++)
        for (int64_t row = 0; row < rows; row++) {
            int8_t code = codes[column * rows + row];
            if (code >= 0)
                bits[(firsts[column] + code) * words + (row >> 6)] |= UINT64_C(1) << (row & 63);
        }
}

/* Count all pairs, and all triples over pairs of at least `least` cases; those from word `split` on apart. */
int64_t count(const uint64_t *bits, const int64_t *column_of, int64_t items, int64_t words, int64_t split, int64_t least,
              int64_t first, int64_t step)
{
    uint64_t *common = malloc(words * sizeof *common);
    int64_t counted = 0;
    for (int64_t i = first; i < items; i += step)
        for (int64_t j = i + 1; j < items; j++) {
            const uint64_t *a = bits + i * words, *b = bits + j * words;
            if (column_of[i] == column_of[j] || bitsets_count_common(a, b, words) < least)
                continue;
            for (int64_t w = 0; w < words; w++)
                common[w] = a[w] & b[w];
            counted++;
            for (int64_t k = j + 1; k < items; k++) {
                if (column_of[k] == column_of[j])
                    continue;
                const uint64_t *c = bits + k * words;
                int64_t wrong = bitsets_count_common(common, c, split);
                int64_t right = bitsets_count_common(common + split, c + split, words - split);
                counted += wrong + right >= least;
            }
        }
    free(common);
    return counted;
}
