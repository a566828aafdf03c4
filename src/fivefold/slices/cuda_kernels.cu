/* Conjunctions and permuted labels on a graphics card; cuda.py launches these and says what they are for. */

typedef unsigned long long Word;

#define LANE_WORDS 8
#define NOTHING 0x7FFFFFFF

__device__ Word common_word(const Word *bits, long long n_words, const int *set, int length, long long w)
{
    Word common = ~0ull;
    for (int term = 0; term < length; term++)
        if (set[term] >= 0)
            common &= bits[set[term] * n_words + w];
    return common;
}

__device__ int add_lanes(int n)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xFFFFFFFFu, n);
#else
    for (int lane = 16; lane; lane >>= 1)
        n += __shfl_xor_sync(0xFFFFFFFFu, n, lane);
    return n;
#endif
}

/* Count each prefix with each of its further sets. A block of threads takes a block of words (group, first, end), a
 * warp a prefix, whose words stay in registers while the further sets pass by. */
extern "C" __global__ void count_extensions(
    const Word *bits, const Word *others, long long n_words, const int *prefixes, int length, int n_prefixes,
    const long long *starts, const int *last, const long long *blocks, int n_groups, Word *counts)
{
    const long long *block = blocks + 3 * blockIdx.x;
    int lane = threadIdx.x & 31, n_warps = gridDim.y * (blockDim.x >> 5);
    long long group = block[0], low = block[1], end = block[2];
    for (int prefix = blockIdx.y * (blockDim.x >> 5) + (threadIdx.x >> 5); prefix < n_prefixes; prefix += n_warps) {
        if (starts[prefix] == starts[prefix + 1])
            continue;
        Word common[LANE_WORDS];
#pragma unroll
        for (int i = 0; i < LANE_WORDS; i++) {
            long long w = low + lane + 32 * i;
            common[i] = w < end ? common_word(bits, n_words, prefixes + (long long)prefix * length, length, w) : 0;
        }
        for (long long place = starts[prefix]; place < starts[prefix + 1]; place++) {
            const Word *other = others + last[place] * n_words;
            int n = 0;
#pragma unroll
            for (int i = 0; i < LANE_WORDS; i++)
                n += __popcll(common[i] & other[min(low + lane + 32 * i, end - 1)]);
            n = add_lanes(n);
            if (lane == 0 && n)
                atomicAdd(counts + place * n_groups + group, (Word)n);
        }
    }
}

__device__ unsigned four_bytes(Word bits) { return (((unsigned)bits & 15u) * 0x204081u) & 0x01010101u; }

/* Write conjunctions as bytes, 0 or 1 for each case of some words; a thread writes sixteen. */
extern "C" __global__ void spread(
    const Word *bits, long long n_words, const int *sets, int length, int n_sets, long long first, int width, uint4 *bytes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 4 * width)
        return;
    for (int place = blockIdx.y; place < n_sets; place += gridDim.y) {
        Word word = common_word(bits, n_words, sets + (long long)place * length, length, first + (i >> 2)) >> (16 * (i & 3));
        bytes[4ll * place * width + i] =
            make_uint4(four_bytes(word), four_bytes(word >> 4), four_bytes(word >> 8), four_bytes(word >> 12));
    }
}

/* Philox 4x32 with ten rounds, as fill_random of _kernels.py. */
__device__ uint4 random_words(unsigned i, unsigned draw, unsigned block, unsigned first_key, unsigned second_key)
{
    unsigned a = i, b = draw, c = block, d = 0;
    for (int round = 0; round < 10; round++) {
        unsigned low = __umulhi(a, 0xD2511F53u), high = __umulhi(c, 0xCD9E8D57u);
        unsigned a_times = a * 0xD2511F53u, c_times = c * 0xCD9E8D57u;
        a = high ^ b ^ first_key, c = low ^ d ^ second_key;
        b = c_times, d = a_times;
        first_key += 0x9E3779B9u, second_key += 0xBB67AE85u;
    }
    return make_uint4(a, b, c, d);
}

/* Keep the largest of the steps that go to a place: two places share a word. */
__device__ void keep_last(unsigned *last, int place, unsigned step)
{
    unsigned *word = last + (place >> 1), shift = 16 * (place & 1), old = *(volatile unsigned *)word;
    while (((old >> shift) & 0xFFFFu) < step) {
        unsigned seen = atomicCAS(word, old, (old & ~(0xFFFFu << shift)) | (step << shift));
        if (seen == old)
            break;
        old = seen;
    }
}

/* Deal as deal_labels of _kernels.py, all steps at once. Step t takes the case at a place p >= t and moves there the one
 * at t. So what lies at a place in the end came from the last step that went there, what that step moved came from the
 * last one that had gone to its own place, and so on; what lies behind the steps in the end was not taken. Words that
 * are refused, one of some 100,000, shift all that follow: they are listed, and the steps are made again. */
extern "C" __global__ void deal(
    unsigned first_key, unsigned second_key, const int *ranges, int n_rows, int n_labels, int first_block, int n_blocks,
    long long n_cases, int block_cases, const long long *spans, int n_spans, long long first_bit, long long width,
    unsigned *outside, signed char *labels)
{
    extern __shared__ unsigned room[];
    __shared__ int refused[64], n_refused, found;
    unsigned *taken = room, *last = outside ? outside + (long long)blockIdx.x * (block_cases / 2 + 1) : room + block_cases / 32 + 1;
    const unsigned short *moved = (const unsigned short *)last;
    for (long long problem = blockIdx.x; problem < (long long)n_rows * n_blocks; problem += gridDim.x) {
        long long row = problem / n_blocks, block = first_block + problem % n_blocks;
        const int *range = ranges + 3 * problem;
        int n = (int)min((long long)block_cases, n_cases - block * block_cases), spare = range[2];
        for (int i = threadIdx.x; i <= block_cases / 32; i += blockDim.x)
            taken[i] = 0;
        if (threadIdx.x == 0)
            n_refused = 0;
        for (int part = 0; part < 2; part++) {
            int steps = range[part];
            if (steps == 0)
                continue;
            for (int i = threadIdx.x; i <= block_cases / 32; i += blockDim.x)
                taken[i] = ~taken[i];
            if (steps == n)
                continue;
            bool again = true;
            while (again) {
                for (int i = threadIdx.x; i <= block_cases / 2; i += blockDim.x)
                    last[i] = 0;
                if (threadIdx.x == 0)
                    found = NOTHING;
                __syncthreads();
                for (int i = threadIdx.x; 4 * i < steps + n_refused; i += blockDim.x) {
                    uint4 four = random_words(i, (unsigned)(row / n_labels), (unsigned)block, first_key, second_key);
                    for (int k = 0; k < 4; k++) {
                        unsigned word = k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w;
                        int place = 4 * i + k, before = 0;
                        while (before < n_refused && refused[before] < place)
                            before++;
                        unsigned step = place - before, left = n - step;
                        if ((before < n_refused && refused[before] == place) || step >= steps)
                            continue;
                        Word product = (Word)word * left;
                        unsigned low = (unsigned)product, to = step + (unsigned)(product >> 32);
                        if (low < left && low < (0u - left) % left && before < spare)
                            atomicMin(&found, place);
                        else if (to != step)
                            keep_last(last, to, step + 1);
                    }
                }
                __syncthreads();
                again = found != NOTHING;
                __syncthreads();
                if (threadIdx.x == 0 && again)
                    refused[n_refused++] = found;
            }
            __syncthreads();
            for (int place = steps + threadIdx.x; place < n; place += blockDim.x) {
                int from = place;
                for (int step = moved[from]; step; step = moved[from])
                    from = step - 1;
                atomicXor(taken + (from >> 5), 1u << (from & 31));
            }
            __syncthreads();
        }
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            long long at = block * block_cases + i, bit = -1;
            for (int k = 0; k < n_spans; k++)
                if (spans[3 * k] <= at && at < spans[3 * k + 1])
                    bit = spans[3 * k + 2] + at - spans[3 * k] - first_bit;
            if (0 <= bit && bit < width)
                labels[row * width + bit] = (taken[i >> 5] >> (i & 31)) & 1;
        }
        __syncthreads();
    }
}

/* The likelihood ratio of each conjunction in each draw, as _likelihood_ratio, and its allowance; negative where it is not
 * large enough. */
extern "C" __global__ void ratios(
    const int *counts, int n_columns, const long long *inside, const double *allowance, const long long *sizes, int n_groups,
    const double *x_log_x, double difference, int n_sets, int n_draws, double *values)
{
    int draw = blockIdx.x * blockDim.x + threadIdx.x;
    if (draw >= n_draws)
        return;
    for (int place = blockIdx.y; place < n_sets; place += gridDim.y) {
        const int *row = counts + (long long)place * n_columns + draw * (n_groups - 1);
        long long rest = inside[place], total = 0;
        double value = 0.0, least = 2.0, most = -1.0;
        for (int group = 0; group < n_groups; group++) {
            long long size = sizes[group], seen = group < n_groups - 1 ? row[group] : rest;
            double support = (double)seen / (double)size;
            rest -= seen, total += size;
            value += x_log_x[seen] + x_log_x[size - seen] - x_log_x[size];
            least = support < least ? support : least, most = support > most ? support : most;
        }
        value += x_log_x[total] - x_log_x[inside[place]] - x_log_x[total - inside[place]];
        value = (2.0 * value > 0.0 ? 2.0 * value : 0.0) + allowance[place];
        values[(long long)place * n_draws + draw] = most - least >= difference ? value : -value;
    }
}

/* Count the draws whose largest value so far reaches each statistic; a lane takes a draw, and loads eight at a time. */
extern "C" __global__ void reach(
    const double *__restrict__ values, const double *__restrict__ observed, int n_sets, int n_draws, Word *reached, double *maxima)
{
    int draw = blockIdx.x * 32 + threadIdx.x;
    double most = 0.0, plain = 0.0, next[8];
    for (int first = 0; first < n_sets; first += 8) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            next[i] = draw < n_draws && first + i < n_sets ? values[(long long)(first + i) * n_draws + draw] : 0.0;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            plain = fmax(plain, fabs(next[i]));
            most = fmax(most, next[i]);
            int place = min(first + i, n_sets - 1);
            unsigned who = __ballot_sync(0xFFFFFFFFu, draw < n_draws && most >= observed[place]);
            if (threadIdx.x == 0 && who && first + i < n_sets)
                atomicAdd(reached + place, (Word)__popc(who));
        }
    }
    if (draw < n_draws)
        maxima[draw] = plain;
}

/* Add up the numbers of the cases of each conjunction, in the order of the cases; a warp takes a conjunction, a lane a
 * column of numbers. Eight loads are under way at a time; the additions wait for each other. */
extern "C" __global__ void add_members(
    const Word *bits, long long n_words, const int *sets, int length, int n_sets, const double *__restrict__ numbers, int n_columns,
    double *sums)
{
    int place = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), column = min(threadIdx.x & 31, n_columns - 1);
    if (place >= n_sets)
        return;
    double sum = 0.0;
    for (long long w = 0; w < n_words; w++) {
        Word word = common_word(bits, n_words, sets + (long long)place * length, length, w);
        while (word) {
            int member[8];
            double number[8];
#pragma unroll
            for (int k = 0; k < 8; k++, word &= word - 1)
                member[k] = __ffsll(word) - 1;
#pragma unroll
            for (int k = 0; k < 8; k++)
                number[k] = numbers[(64 * w + max(member[k], 0)) * n_columns + column];
#pragma unroll
            for (int k = 0; k < 8; k++)
                if (member[k] >= 0)
                    sum += number[k];
        }
    }
    sums[(long long)place * n_columns + column] = sum;
}
