/* Conjunctions and permuted labels on a graphics card; cuda.py launches these and says what they are for. */

typedef unsigned long long Word;

#define ALL_LANES 0xFFFFFFFFu
#define LANE_WORDS 8
#define NOTHING 0x7FFFFFFF
#define EACH_BEFORE(end, i) for (int i = threadIdx.x; i < (end); i += blockDim.x)

__device__ Word common_word(const Word *bits, long long n_words, const int *set, long long length, long long w)
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
    return __reduce_add_sync(ALL_LANES, n);
#else
    for (int lane = 16; lane; lane >>= 1)
        n += __shfl_xor_sync(ALL_LANES, n, lane);
    return n;
#endif
}

/* Count each prefix with each of its further sets. A block of threads takes a block of words (group, first, end), a
 * warp a prefix, whose words stay in registers while the further sets pass by. */
extern "C" __global__ void count(
    const Word *bits, const Word *others, long long n_words, const int *prefixes, long long n_prefixes, long long length,
    const long long *starts, const int *last, const long long *blocks, long long n_groups, Word *counts)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, n_warps = blockDim.x >> 5;
    long long group = blocks[3 * blockIdx.x], low = blocks[3 * blockIdx.x + 1], end = blocks[3 * blockIdx.x + 2];
    for (int prefix = blockIdx.y * n_warps + warp; prefix < n_prefixes; prefix += gridDim.y * n_warps) {
        if (starts[prefix] == starts[prefix + 1])
            continue;
        Word common[LANE_WORDS];
#pragma unroll
        for (int i = 0; i < LANE_WORDS; i++) {
            long long w = low + lane + 32 * i;
            common[i] = w < end ? common_word(bits, n_words, prefixes + prefix * length, length, w) : 0;
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
    const Word *bits, long long n_words, const int *sets, long long n_sets, long long length, long long first, long long width,
    uint4 *bytes)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (long long place = blockIdx.y; place < n_sets && i < 4 * width; place += gridDim.y) {
        Word word = common_word(bits, n_words, sets + place * length, length, first + (i >> 2)) >> (16 * (i & 3));
        bytes[4 * place * width + i] =
            make_uint4(four_bytes(word), four_bytes(word >> 4), four_bytes(word >> 8), four_bytes(word >> 12));
    }
}

/* Philox 4x32 with ten rounds, as fill_random of _kernels.py. */
__device__ void fill_random(unsigned i, unsigned draw, unsigned block, unsigned first_key, unsigned second_key, unsigned *words)
{
    unsigned a = i, b = draw, c = block, d = 0;
    for (int round = 0; round < 10; round++) {
        Word low = a * (Word)0xD2511F53u, high = c * (Word)0xCD9E8D57u;
        a = (unsigned)(high >> 32) ^ b ^ first_key, c = (unsigned)(low >> 32) ^ d ^ second_key;
        b = (unsigned)high, d = (unsigned)low;
        first_key += 0x9E3779B9u, second_key += 0xBB67AE85u;
    }
    words[0] = a, words[1] = b, words[2] = c, words[3] = d;
}

/* Keep the largest of the steps that go to a place: two places share a word. */
__device__ void keep_last(unsigned *last, int place, unsigned step)
{
    unsigned *word = last + (place >> 1), shift = 16 * (place & 1), seen = *(volatile unsigned *)word, old = ~seen;
    while (seen != old && ((seen >> shift) & 0xFFFFu) < step) {
        old = seen;
        seen = atomicCAS(word, old, (old & ~(0xFFFFu << shift)) | (step << shift));
    }
}

/* Deal as deal_labels of _kernels.py, all steps at once; a block of threads makes a row of labels. Step t takes the case at a
 * place p >= t and moves there the one at t. So what lies at a place in the end came from the last step that went there, what
 * that step moved came from the last one that had gone to its own place, and so on; what lies behind the steps in the end was
 * not taken. The largest group comes last and needs no steps. Words that are refused, one of some 100,000, shift all that
 * follow: they are listed, and the steps are made again. */
extern "C" __global__ void deal(
    unsigned first_key, unsigned second_key, long long block, const long long *splits, long long n_labels, long long n,
    const int *cases, long long n_bits, unsigned *outside, unsigned *labels)
{
    extern __shared__ unsigned taken[];
    __shared__ int refused[64], n_refused, found;
    unsigned *last = outside ? outside + blockIdx.x * (n / 2 + 1) : taken + n / 32 + 1;
    const unsigned short *moved = (const unsigned short *)last;
    int draw = blockIdx.x / n_labels, label = blockIdx.x % n_labels, largest = 0, first_step = 0;
    const long long *split = splits + draw * (n_labels + 1);
    for (int group = 1; group <= n_labels; group++)
        largest = split[group] > split[largest] ? group : largest;
    for (int group = 0; group <= n_labels; group++)
        first_step += group != largest && (group < label || label == largest) ? split[group] : 0;
    int end_step = first_step + split[label], spare = 64 - (n - split[largest]) % 4;
    EACH_BEFORE(n / 32 + 1, i)
        taken[i] = (first_step > 0) == (end_step > 0) ? 0 : ~0u;
    n_refused = 0;
    for (int part = 0; part < 2; part++) {
        int steps = part ? end_step : first_step;
        if (steps == 0 || steps == n)
            continue;
        for (bool again = true; again;) {
            EACH_BEFORE(n / 2 + 1, i)
                last[i] = 0;
            if (threadIdx.x == 0)
                found = NOTHING;
            __syncthreads();
            EACH_BEFORE((steps + n_refused + 3) / 4, i) {
                unsigned words[4];
                fill_random(i, draw, block, first_key, second_key, words);
                for (int k = 0; k < 4; k++) {
                    int place = 4 * i + k, before = 0;
                    while (before < n_refused && refused[before] < place)
                        before++;
                    unsigned step = place - before, left = n - step;
                    if ((before < n_refused && refused[before] == place) || step >= steps)
                        continue;
                    Word product = (Word)words[k] * left;
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
        EACH_BEFORE(n - steps, i) {
            int from = steps + i;
            for (int step = moved[from]; step; step = moved[from])
                from = step - 1;
            atomicXor(taken + (from >> 5), 1u << (from & 31));
        }
        __syncthreads();
    }
    __syncthreads();
    EACH_BEFORE(n_bits, i) {
        int at = cases[i];
        unsigned word = __ballot_sync(ALL_LANES, at >= 0 && taken[at >> 5] >> (at & 31) & 1);
        if (i % 32 == 0)
            labels[(blockIdx.x * n_bits + i) / 32] = word;
    }
}
