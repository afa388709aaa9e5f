/* SPDX-License-Identifier: MIT
 *
 * applications.cu, the fast version: the functions of lab 8 made for speed.
 * applications.h says what they promise,
 * research/performance-applications.md how fast they are and why.
 * reference/applications.cu is the one to read first.
 *
 * How to read it: five of the functions are one algorithm. A tile of the input
 * is copied into shared memory; warps count what the tile has (count_chunk);
 * the count is published at once in a chain of words (publish); one warp adds
 * up what the tiles before have published (look_back); then every element that
 * has a place goes to it, in shared memory first, so that what leaves the tile
 * leaves it side by side (place_chunk). Two kernels do these steps:
 *   simple_tiles     one step after the other, small tiles; any GPU, any n
 *   pipelined_tiles  each step by warps of its own, tiles copied in advance by
 *                    the copy engine; from compute capability 9.0 and
 *                    PIPELINE_FROM elements on
 * Sorting has kernels of its own, at the end. Selection in three launches is
 * the handout's and not made for speed, nor are the steps on the way
 * (applications_steps.cuh).
 *
 * Two calls at the same time are in order: all use the default stream, and the
 * words they share are tagged. (--default-stream per-thread would break that.)
 */
#include "applications.h"

#include "applications_pipeline.cuh"
#include "applications_sort.cuh"
#include "applications_steps.cuh"
#include "applications_tiles.cuh"
#include "scanlab.h"

/* ---- calls ---- */

/* Was the pipeline compiled for what runs here? If not, the kernel is empty
 * and has no barriers in shared memory. And does that have as much of it? From
 * 9.0 on most have 227 KB for a block, but 12.0 has 99. */
template <kind K> cudaError_t has_pipeline(bool *yes) {
    cudaFuncAttributes attributes;
    int device = 0, most = 0;
    TRY(cudaFuncGetAttributes(&attributes, pipelined_tiles<K>));
    TRY(cudaGetDevice(&device));
    TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               device));
    *yes = attributes.sharedSizeBytes > 0 &&
           attributes.sharedSizeBytes + pipeline<K>::BYTES <= (size_t)most;
    return cudaSuccess;
}

/* No two of 2^32 calls have the same. 0 is in words that nobody has written. */
static uint32_t new_tag() {
    static uint32_t calls;
    uint32_t tag = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return tag != 0 ? tag : new_tag();
}

/* How a call is run. */
struct plan {
    bool pipelined;
    unsigned sms;
    scratch_memory scratch; /* more words for the chain than there are */
};

template <kind K> cudaError_t make_plan(task *t, plan *p) {
    TRY(count_sms(&p->sms));
    if (t->n >= PIPELINE_FROM<K>) TRY(has_pipeline<K>(&p->pipelined));
    unsigned tile = p->pipelined ? pipeline<K>::S::TILE : small_shape<K>::TILE;
    t->tiles = (t->n + tile - 1) / tile;
    t->tag = new_tag();
    size_t words = (size_t)t->tiles * WORDS_PER_TILE<K>;
    if (words <= STATIC_WORDS) return cudaSuccess;
    TRY(p->scratch.take(words * sizeof *t->chain));
    t->chain = (uint64_t *)p->scratch.at;
    /* Whoever had this memory before may have left our tag there. */
    return cudaMemsetAsync(t->chain, 0, words * sizeof *t->chain);
}

template <kind K> cudaError_t launch(const task &t, const plan &p) {
    using P = pipeline<K>;
    if (p.pipelined) {
        TRY(cudaFuncSetAttribute(pipelined_tiles<K>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 P::BYTES));
        pipelined_tiles<K><<<min(t.tiles, p.sms), P::THREADS, P::BYTES>>>(t);
    } else {
        constexpr unsigned BLOCKS_PER_SM = 6; /* what shared memory admits */
        simple_tiles<K><<<min(t.tiles, BLOCKS_PER_SM * p.sms),
                          32 * small_shape<K>::WARPS>>>(t);
    }
    return cudaGetLastError();
}

/* Where a call leaves its count. Calls that overlap have different words. */
constexpr size_t RESULTS = 1024;
__device__ uint32_t device_results[RESULTS];

struct result {
    uint32_t *device;
    volatile uint32_t *host; /* the same word, or NULL: to be copied */
};

/* Words of the host that the device can write to; NULL where it cannot. They
 * are the one thing that is kept until the program ends. */
static uint32_t *mapped_words() {
    int device = 0, can_map = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&can_map, cudaDevAttrCanMapHostMemory, device) !=
            cudaSuccess ||
        !can_map)
        return NULL;
    static uint32_t *words = NULL;
    static const bool allocated =
        cudaHostAlloc((void **)&words, RESULTS * sizeof *words,
                      cudaHostAllocMapped | cudaHostAllocPortable) ==
        cudaSuccess;
    if (!allocated) (void)cudaGetLastError(); /* there is another way */
    return allocated ? words : NULL;
}

/* Without a copy, a call is 5 us faster, of 20 for a small n on an H200. */
static cudaError_t result_word(uint32_t tag, result *r) {
    uint32_t *words = mapped_words();
    if (words != NULL) {
        r->host = words + tag % RESULTS;
        return cudaHostGetDevicePointer((void **)&r->device,
                                        words + tag % RESULTS, 0);
    }
    TRY(cudaGetSymbolAddress((void **)&r->device, device_results));
    r->device += tag % RESULTS;
    return cudaSuccess;
}

static cudaError_t wait_for_count(const result &r, size_t *n_out) {
    uint32_t count = 0;
    if (r.host != NULL) {
        TRY(cudaStreamSynchronize(0));
        count = *r.host;
    } else {
        TRY(cudaMemcpy(&count, r.device, sizeof count, cudaMemcpyDeviceToHost));
    }
    *n_out = count;
    return cudaSuccess;
}

/* n_out NULL: no count is wanted, and none waited for. */
template <kind K> cudaError_t run(task t, size_t *n_out) {
    if (n_out != NULL) *n_out = 0;
    if (t.n == 0) return cudaSuccess;
    plan p = {};
    result r = {};
    cudaError_t status = make_plan<K>(&t, &p);
    if (status == cudaSuccess && n_out != NULL) status = result_word(t.tag, &r);
    t.result = r.device;
    if (status == cudaSuccess) status = launch<K>(t, p);
    if (status == cudaSuccess && n_out != NULL)
        status = wait_for_count(r, n_out);
    cudaError_t freed = p.scratch.give_back();
    return status != cudaSuccess ? status : freed;
}

cudaError_t apps_exclusive_sum(const int32_t *d_in, int32_t *d_out, size_t n) {
    task t = {};
    t.in = d_in, t.out = d_out, t.n = (uint32_t)n;
    return run<SUM>(t, NULL);
}

cudaError_t apps_select_less(const int32_t *d_in, int32_t *d_out, size_t n,
                             int32_t pivot, size_t *n_out) {
    task t = {};
    t.in = d_in, t.out = d_out, t.n = (uint32_t)n;
    t.pivot = pivot, t.in_place = d_in == d_out;
    return run<SELECT>(t, n_out);
}

cudaError_t apps_partition_less(const int32_t *d_in, int32_t *d_out, size_t n,
                                int32_t pivot, size_t *n_out) {
    task t = {};
    t.in = d_in, t.out = d_out, t.n = (uint32_t)n, t.pivot = pivot;
    return run<PARTITION>(t, n_out);
}

cudaError_t apps_run_length_encode(const int32_t *d_in, int32_t *d_unique,
                                   int32_t *d_counts, size_t n, size_t *n_out) {
    task t = {};
    t.in = d_in, t.out = d_unique, t.sums = d_counts, t.n = (uint32_t)n;
    return run<RUNS>(t, n_out);
}

cudaError_t apps_reduce_by_key(const int32_t *d_keys, const int32_t *d_values,
                               int32_t *d_keys_out, int32_t *d_sums, size_t n,
                               size_t *n_out) {
    task t = {};
    t.in = d_keys, t.values = d_values, t.out = d_keys_out, t.sums = d_sums;
    t.n = (uint32_t)n;
    return run<BY_KEY>(t, n_out);
}

/* ---- selection in three launches ---- */

constexpr int STAGED_THREADS = 256;

inline unsigned staged_blocks(size_t n) {
    return (unsigned)((n + STAGED_THREADS - 1) / STAGED_THREADS);
}

__global__ void flag_less(const int32_t *in, int32_t *flags, size_t n,
                          int32_t pivot) {
    size_t i = (size_t)blockIdx.x * STAGED_THREADS + threadIdx.x;
    if (i < n) flags[i] = in[i] < pivot;
}

__global__ void scatter(const int32_t *in, const int32_t *flags,
                        const int32_t *positions, int32_t *out, size_t n) {
    size_t i = (size_t)blockIdx.x * STAGED_THREADS + threadIdx.x;
    if (i < n && flags[i]) out[positions[i]] = in[i];
}

cudaError_t apps_flag_less(const int32_t *d_in, int32_t *d_flags, size_t n,
                           int32_t pivot) {
    if (n == 0) return cudaSuccess;
    flag_less<<<staged_blocks(n), STAGED_THREADS>>>(d_in, d_flags, n, pivot);
    return cudaGetLastError();
}

static cudaError_t select_staged(const int32_t *d_in, int32_t *d_out, size_t n,
                                 int32_t pivot, int32_t *flags, size_t *n_out) {
    int32_t *positions = flags + n, flag = 0, position = 0;
    TRY(apps_flag_less(d_in, flags, n, pivot));
    TRY(apps_exclusive_sum(flags, positions, n));
    scatter<<<staged_blocks(n), STAGED_THREADS>>>(d_in, flags, positions, d_out,
                                                  n);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(&flag, flags + n - 1, sizeof flag, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(&position, positions + n - 1, sizeof position,
                   cudaMemcpyDeviceToHost));
    *n_out = (size_t)position + (size_t)flag;
    return cudaSuccess;
}

cudaError_t apps_select_staged(const int32_t *d_in, int32_t *d_out, size_t n,
                               int32_t pivot, size_t *n_out) {
    *n_out = 0;
    if (n == 0) return cudaSuccess;
    int32_t *flags = NULL;
    TRY(cudaMalloc(&flags, 2 * n * sizeof *flags));
    cudaError_t status = select_staged(d_in, d_out, n, pivot, flags, n_out);
    cudaError_t freed = cudaFree(flags);
    return status != cudaSuccess ? status : freed;
}

/* ---- sorting ---- */

cudaError_t apps_sort_digit(const uint32_t *d_in, uint32_t *d_out, size_t n,
                            int bit) {
    sort_task t = {d_in, NULL, d_out, NULL, n, (unsigned)bit, 1};
    return sort_digits(t);
}

cudaError_t apps_sort_u32(const uint32_t *d_in, uint32_t *d_out, size_t n) {
    sort_task t = {d_in, NULL, d_out, NULL, n, 0, PASSES};
    return sort_digits(t);
}

cudaError_t apps_sort_pairs_u32(const uint32_t *d_keys,
                                const uint32_t *d_values, uint32_t *d_keys_out,
                                uint32_t *d_values_out, size_t n) {
    sort_task t = {d_keys, d_values, d_keys_out, d_values_out, n, 0, PASSES};
    return sort_digits(t);
}
