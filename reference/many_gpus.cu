/* SPDX-License-Identifier: MIT
 *
 * many_gpus.cu: lab 9. One array in parts on several GPUs, scanned in two
 * passes; in four ways the devices tell each other what lies before them.
 * many_gpus.h says what the functions promise, the handout
 * (labs/09-many-gpus/README.md) why it works.
 *
 * How to read this: what one device does to its part is given (reduce_part,
 * scan_chunk). Then come the scratch of all devices, and the four ways: host,
 * peer, chain, lookback. A part is cut into a chunk for each of BLOCKS blocks.
 */
#include "many_gpus.h"
#include "scanlab.h"

enum {
    MOST = MANY_GPUS_MOST,
    BLOCKS = MANY_GPUS_BLOCKS,
    THREADS = MANY_GPUS_THREADS,
    WARP = 32,
    WARPS = THREADS / WARP
};
#define ALL_LANES 0xffffffffu

/* ---- one device, given ---- */

/* Inclusive scan across the block: what lies up to this thread, and in *total
 * the sum of all. Every thread calls it. */
inline __device__ int32_t scan_block(int32_t x, int32_t sums[WARPS],
                                     int32_t *total) {
    unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (unsigned distance = 1; distance < WARP; distance *= 2) {
        int32_t left = __shfl_up_sync(ALL_LANES, x, distance);
        if (lane >= distance) x = scan_add(left, x);
    }
    __syncthreads(); /* sums of the call before have been read */
    if (lane == WARP - 1) sums[warp] = x;
    __syncthreads();
    int32_t before = 0, all = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        if (w == warp) before = all;
        all = scan_add(all, sums[w]);
    }
    *total = all;
    return scan_add(before, x);
}

/* Where the chunk of a block begins, and the one before it ends: at a multiple
 * of THREADS, so that chunks do not share sectors. */
inline __device__ size_t chunk_begin(size_t n, unsigned block) {
    size_t tiles = (n + THREADS - 1) / THREADS;
    size_t begin = (tiles + BLOCKS - 1) / BLOCKS * THREADS * block;
    return begin < n ? begin : n;
}

/* sums[b] = the sum of chunk b. */
__global__ void reduce_part(const int32_t *in, size_t n, int32_t *sums) {
    __shared__ int32_t shared[WARPS];
    size_t end = chunk_begin(n, blockIdx.x + 1);
    int32_t sum = 0, total;
    for (size_t i = chunk_begin(n, blockIdx.x) + threadIdx.x; i < end;
         i += THREADS)
        sum = scan_add(sum, in[i]);
    scan_block(sum, shared, &total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/* Scans the chunk of this block; before: the sum of all that lies before it, as
 * thread 0 knows it. */
inline __device__ void scan_chunk(const int32_t *in, int32_t *out, size_t n,
                                  int32_t before) {
    __shared__ int32_t shared[WARPS], known;
    size_t end = chunk_begin(n, blockIdx.x + 1);
    if (threadIdx.x == 0) known = before;
    __syncthreads();
    before = known;
    for (size_t tile = chunk_begin(n, blockIdx.x); tile < end;
         tile += THREADS) {
        size_t i = tile + threadIdx.x;
        int32_t total, x = scan_block(i < end ? in[i] : 0, shared, &total);
        if (i < end) out[i] = scan_add(before, x);
        before = scan_add(before, total);
    }
}

/* For thread 0; the others get 0. */
inline __device__ int32_t sum_of(const int32_t *words, unsigned count) {
    int32_t sum = 0;
    if (threadIdx.x == 0)
        for (unsigned k = 0; k < count; k++) sum = scan_add(sum, words[k]);
    return sum;
}

/* sums: of the chunks of this part; before: of all parts before it. */
__global__ void scan_part(const int32_t *in, int32_t *out, size_t n,
                          const int32_t *sums, int32_t before) {
    scan_chunk(in, out, n, scan_add(before, sum_of(sums, blockIdx.x)));
}

/* sums: of the chunks of all parts, in order; this part is number `part`. */
__global__ void scan_part_behind(const int32_t *in, int32_t *out, size_t n,
                                 const int32_t *sums, int part) {
    scan_chunk(in, out, n, sum_of(sums, (unsigned)part * BLOCKS + blockIdx.x));
}

/* ---- the scratch of all devices ---- */

typedef unsigned long long status_word;

struct scratch {
    int devices, current;     /* the device that was current before */
    int32_t *sums[MOST];      /* on device d: MOST * BLOCKS words */
    status_word *words[MOST]; /* on device d: MOST words */
    cudaEvent_t sent[MOST];   /* of device d; NULL: none */
};

/* Waits for every device, frees what it holds and makes the device current that
 * was; the first error of all this, or `status` if that is one. */
cudaError_t close_scratch(struct scratch *s, cudaError_t status) {
#ifdef SOLUTION
    for (int d = 0; d < s->devices; d++) {
        cudaError_t each[] = {cudaSetDevice(d), cudaDeviceSynchronize(),
                              cudaFree(s->sums[d]), cudaFree(s->words[d]),
                              s->sent[d] ? cudaEventDestroy(s->sent[d])
                                         : cudaSuccess};
        for (cudaError_t e : each)
            if (status == cudaSuccess) status = e;
    }
    cudaError_t back = cudaSetDevice(s->current);
    return status != cudaSuccess ? status : back;
#else
    /* Step 2. For each device: make it current, wait until it is done, free its
     *         memory, destroy its event if there is one. At the end the device
     *         is current that was. Go on after an error; the first one is
     *         returned. About 12 lines. */
    return status;
#endif
}

/* Makes the scratch, with all status words 0, and returns when they are. */
cudaError_t open_scratch(struct scratch *s, int devices) {
    *s = (struct scratch){};
    cudaError_t status = cudaGetDevice(&s->current);
#ifdef SOLUTION
    for (int d = 0; d < devices && status == cudaSuccess; d++) {
        s->devices = d + 1;
        status = cudaSetDevice(d);
        if (status == cudaSuccess)
            status = cudaMalloc(&s->sums[d], MOST * BLOCKS * sizeof(int32_t));
        if (status == cudaSuccess)
            status = cudaMalloc(&s->words[d], MOST * sizeof(status_word));
        if (status == cudaSuccess)
            status = cudaMemset(s->words[d], 0, MOST * sizeof(status_word));
        if (status == cudaSuccess) status = cudaDeviceSynchronize();
    }
    return status;
#else
    /* Step 1. For each device: make it current, allocate sums and words on it,
     *         clear the words, and wait until that is done: another device may
     *         write a word before this one has cleared it. s->devices is the
     *         number of devices that close_scratch has to look at. About 10
     *         lines. */
    (void)devices;
    return status;
#endif
}

/* Kernels and copies of each device may from now on use the memory of each
 * other one. */
cudaError_t enable_peers(int devices) {
#ifdef SOLUTION
    for (int d = 0; d < devices; d++) {
        cudaError_t status = cudaSetDevice(d);
        if (status != cudaSuccess) return status;
        for (int peer = 0; peer < devices; peer++) {
            if (peer == d) continue;
            status = cudaDeviceEnablePeerAccess(peer, 0);
            if (status == cudaErrorPeerAccessAlreadyEnabled)
                cudaGetLastError(); /* nor is it to be found later */
            else if (status != cudaSuccess)
                return status;
        }
    }
    return cudaSuccess;
#else
    /* Step 6. cudaDeviceEnablePeerAccess(peer, 0) is for the device that is
     *         current. In a second call it is enabled already, which is an
     *         error that you must take for none, and that cudaGetLastError()
     *         would find later. About 12 lines. */
    (void)devices;
    return SCANLAB_TODO;
#endif
}

/* Starts reduce_part on every device: the sums of device d go to
 * s->sums[d] + at(d), where `in_order` says whether that is d * BLOCKS or 0. */
cudaError_t reduce_parts(const struct scratch *s, const int32_t *const d_in[],
                         const size_t n[], bool in_order) {
#ifdef SOLUTION
    for (int d = 0; d < s->devices; d++) {
        cudaError_t status = cudaSetDevice(d);
        if (status != cudaSuccess) return status;
        reduce_part<<<BLOCKS, THREADS>>>(
            d_in[d], n[d], s->sums[d] + (in_order ? d * BLOCKS : 0));
        status = cudaGetLastError();
        if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
#else
    /* Step 3. A launch goes to the device that is current. About 8 lines. */
    (void)s, (void)d_in, (void)n, (void)in_order;
    return SCANLAB_TODO;
#endif
}

/* ---- through the host ---- */

/* before[d]: the sum of all parts before d. */
cudaError_t sums_before(const struct scratch *s, int32_t before[MOST]) {
#ifdef SOLUTION
    int32_t sum = 0, sums[BLOCKS];
    for (int d = 0; d < s->devices; d++) {
        cudaError_t status = cudaSetDevice(d);
        if (status == cudaSuccess)
            status = cudaMemcpy(sums, s->sums[d], sizeof sums,
                                cudaMemcpyDeviceToHost);
        if (status != cudaSuccess) return status;
        before[d] = sum;
        for (int b = 0; b < BLOCKS; b++) sum = scan_add(sum, sums[b]);
    }
    return cudaSuccess;
#else
    /* Step 4. Copy the BLOCKS sums of each device to the host and add them up.
     *         About 9 lines. */
    (void)s, (void)before;
    return SCANLAB_TODO;
#endif
}

cudaError_t many_gpus_host(const int32_t *const d_in[], int32_t *const d_out[],
                           const size_t n[], int devices) {
#ifdef SOLUTION
    struct scratch s;
    int32_t before[MOST];
    cudaError_t status = open_scratch(&s, devices);
    if (status == cudaSuccess) status = reduce_parts(&s, d_in, n, false);
    if (status == cudaSuccess) status = sums_before(&s, before);
    for (int d = 0; d < devices && status == cudaSuccess; d++) {
        status = cudaSetDevice(d);
        if (status != cudaSuccess) break;
        scan_part<<<BLOCKS, THREADS>>>(d_in[d], d_out[d], n[d], s.sums[d],
                                       before[d]);
        status = cudaGetLastError();
    }
    return close_scratch(&s, status);
#else
    /* Step 5. Steps 1, 3 and 4, then scan_part on each device; step 2 in any
     *         case. About 12 lines. */
    return SCANLAB_TODO;
#endif
}

/* ---- by peer copies ---- */

/* Behind the reduction of its part each device d copies its BLOCKS sums to each
 * device behind it, to s->sums[e] + d * BLOCKS, and records s->sent[d]. */
cudaError_t send_sums(struct scratch *s) {
#ifdef SOLUTION
    for (int d = 0; d < s->devices; d++) {
        cudaError_t status = cudaSetDevice(d);
        for (int e = d + 1; e < s->devices && status == cudaSuccess; e++)
            status = cudaMemcpyPeerAsync(s->sums[e] + d * BLOCKS, e,
                                         s->sums[d] + d * BLOCKS, d,
                                         BLOCKS * sizeof(int32_t), 0);
        if (status == cudaSuccess)
            status =
                cudaEventCreateWithFlags(&s->sent[d], cudaEventDisableTiming);
        if (status == cudaSuccess) status = cudaEventRecord(s->sent[d], 0);
        if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
#else
    /* Step 7. cudaMemcpyPeerAsync(to, its device, from, its device, bytes,
     *         stream), in the default stream of device d, where the reduction
     *         is. cudaEventCreateWithFlags(..., cudaEventDisableTiming) makes
     *         an event of the device that is current. About 11 lines. */
    (void)s;
    return SCANLAB_TODO;
#endif
}

cudaError_t many_gpus_peer(const int32_t *const d_in[], int32_t *const d_out[],
                           const size_t n[], int devices) {
#ifdef SOLUTION
    struct scratch s;
    cudaError_t status = open_scratch(&s, devices);
    if (status == cudaSuccess) status = enable_peers(devices);
    if (status == cudaSuccess) status = reduce_parts(&s, d_in, n, true);
    if (status == cudaSuccess) status = send_sums(&s);
    for (int d = 0; d < devices && status == cudaSuccess; d++) {
        status = cudaSetDevice(d);
        for (int b = 0; b < d && status == cudaSuccess; b++)
            status = cudaStreamWaitEvent(0, s.sent[b], 0);
        if (status != cudaSuccess) break;
        scan_part_behind<<<BLOCKS, THREADS>>>(d_in[d], d_out[d], n[d],
                                              s.sums[d], d);
        status = cudaGetLastError();
    }
    return close_scratch(&s, status);
#else
    /* Step 8. As step 5, with steps 6 and 7. Before scan_part_behind on device
     *         d its stream has to wait for the events of all devices before it
     *         (cudaStreamWaitEvent). About 14 lines. */
    return SCANLAB_TODO;
#endif
}

/* ---- a chain ---- */

/* In a status word the upper half is a flag, the lower half the value. 0: there
 * is nothing yet. */
#define AGGREGATE ((status_word)1 << 32) /* the sum of one part */
#define PREFIX    ((status_word)2 << 32) /* of all up to and with it */

/* The word may be in the memory of another device. */
inline __device__ void send(status_word *word, status_word flag,
                            int32_t value) {
#ifdef SOLUTION
    *(volatile status_word *)word = flag | (uint32_t)value;
#else
    /* Step 9. Flag and value in one store, which other devices see. 1 line. */
    (void)word, (void)flag, (void)value;
#endif
}

/* Waits until there is something in the word, which another device writes. */
inline __device__ status_word receive(const status_word *word) {
#ifdef SOLUTION
    status_word seen;
    do seen = *(const volatile status_word *)word;
    while (seen == 0);
    return seen;
#else
    /* Step 10. Load the word until it is not 0. 3 lines. */
    (void)word;
    return 0;
#endif
}

/* from: in this device's memory, written by the device before; NULL: there is
 * none. to: in the memory of the device behind; likewise. */
__global__ void scan_chained(const int32_t *in, int32_t *out, size_t n,
                             const int32_t *sums, const status_word *from,
                             status_word *to) {
#ifdef SOLUTION
    int32_t before = 0;
    if (threadIdx.x == 0) {
        if (from) before = (int32_t)(uint32_t)receive(from);
        if (to && blockIdx.x == 0)
            send(to, PREFIX, scan_add(before, sum_of(sums, BLOCKS)));
    }
    scan_chunk(in, out, n, scan_add(before, sum_of(sums, blockIdx.x)));
#else
    /* Step 11. Thread 0 of each block receives what lies before the part. One
     *          block sends on what lies up to its end. Then scan_chunk, as in
     *          scan_part: what it wants to know thread 0 must know. Send before
     *          you scan: another device is waiting. About 7 lines. */
#endif
}

cudaError_t many_gpus_chain(const int32_t *const d_in[], int32_t *const d_out[],
                            const size_t n[], int devices) {
#ifdef SOLUTION
    struct scratch s;
    cudaError_t status = open_scratch(&s, devices);
    if (status == cudaSuccess) status = enable_peers(devices);
    if (status == cudaSuccess) status = reduce_parts(&s, d_in, n, false);
    for (int d = 0; d < devices && status == cudaSuccess; d++) {
        status = cudaSetDevice(d);
        if (status != cudaSuccess) break;
        scan_chained<<<BLOCKS, THREADS>>>(
            d_in[d], d_out[d], n[d], s.sums[d], d > 0 ? s.words[d] : NULL,
            d + 1 < devices ? s.words[d + 1] : NULL);
        status = cudaGetLastError();
    }
    return close_scratch(&s, status);
#else
    /* Step 12. As step 5; the host copies nothing. Launch in the order of the
     *          devices, and none behind one that failed: what would its kernel
     *          wait for? About 13 lines. */
    return SCANLAB_TODO;
#endif
}

/* ---- look-back ---- */

/* The words of all devices: word k of device d is what device k has told it. */
struct all_words {
    status_word *of[MOST];
};

/* Tells every device behind this one. */
inline __device__ void tell(struct all_words words, int devices, int me,
                            status_word flag, int32_t value) {
#ifdef SOLUTION
    for (int d = me + 1; d < devices; d++) send(&words.of[d][me], flag, value);
#else
    /* Step 13. Word `me` of each device behind. 2 lines. */
    (void)words, (void)devices, (void)me, (void)flag, (void)value;
#endif
}

/* The sum of all parts before this device's: from the nearest device back, to
 * the first that has told a prefix. Device 0 has, of nothing before it. */
inline __device__ int32_t look_back(const status_word *mine, int me) {
#ifdef SOLUTION
    int32_t sum = 0;
    for (int d = me - 1; d >= 0; d--) {
        status_word seen = receive(&mine[d]);
        sum = scan_add((int32_t)(uint32_t)seen, sum);
        if (seen >= PREFIX) break;
    }
    return sum;
#else
    /* Step 14. An aggregate: add it and go on. A prefix: add it and stop. About
     *          6 lines. */
    (void)mine, (void)me;
    return 0;
#endif
}

__global__ void scan_looking_back(const int32_t *in, int32_t *out, size_t n,
                                  const int32_t *sums, struct all_words words,
                                  int devices, int me) {
#ifdef SOLUTION
    int32_t before = 0;
    if (threadIdx.x == 0) {
        int32_t own = sum_of(sums, BLOCKS);
        bool speaks = blockIdx.x == 0;
        if (speaks && me > 0) tell(words, devices, me, AGGREGATE, own);
        before = look_back(words.of[me], me);
        if (speaks) tell(words, devices, me, PREFIX, scan_add(before, own));
    }
    scan_chunk(in, out, n, scan_add(before, sum_of(sums, blockIdx.x)));
#else
    /* Step 15. As step 11. One block tells the sum of the part before it looks
     *          back, and what lies up to the part's end behind that. About 9
     *          lines. */
#endif
}

cudaError_t many_gpus_lookback(const int32_t *const d_in[],
                               int32_t *const d_out[], const size_t n[],
                               int devices) {
#ifdef SOLUTION
    struct scratch s;
    struct all_words words = {};
    cudaError_t status = open_scratch(&s, devices);
    for (int d = 0; d < devices; d++) words.of[d] = s.words[d];
    if (status == cudaSuccess) status = enable_peers(devices);
    if (status == cudaSuccess) status = reduce_parts(&s, d_in, n, false);
    for (int d = 0; d < devices && status == cudaSuccess; d++) {
        status = cudaSetDevice(d);
        if (status != cudaSuccess) break;
        scan_looking_back<<<BLOCKS, THREADS>>>(d_in[d], d_out[d], n[d],
                                               s.sums[d], words, devices, d);
        status = cudaGetLastError();
    }
    return close_scratch(&s, status);
#else
    /* Step 16. As step 12, with the words of all devices. About 15 lines. */
    return SCANLAB_TODO;
#endif
}
