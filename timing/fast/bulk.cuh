/* SPDX-License-Identifier: MIT
 *
 * bulk.cuh: barriers in shared memory, and copies that the hardware makes by
 * itself between it and global memory. Compute capability 9.0.
 */
#pragma once

inline __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

struct gate {
    unsigned long long bits;

    __device__ void prepare(int arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                         shared_address(&bits)),
                     "r"(arrivals)
                     : "memory");
    }
    __device__ void arrive(void) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                         shared_address(&bits))
                     : "memory");
    }
    __device__ void arrive_and_expect(unsigned bytes) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                shared_address(&bits)),
            "r"(bytes)
            : "memory");
    }
    /* Waits for the end of a phase: phases alternate between 0 and 1. */
    __device__ void wait(unsigned phase) {
        unsigned done;
        do
            asm volatile(
                "{ .reg .pred p;\n"
                "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                "selp.u32 %0, 1, 0, p; }"
                : "=r"(done)
                : "r"(shared_address(&bits)), "r"(phase)
                : "memory");
        while (!done);
    }
};

/* bytes: a multiple of 16, as are the addresses. */
inline __device__ void bulk_load(void *to, const void *from, unsigned bytes,
                                 gate *arrival) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes),
        "r"(shared_address(&arrival->bits))
        : "memory");
}

/* The same; of all that L2 holds, this may go first. */
inline __device__ void bulk_load_once(void *to, const void *from,
                                      unsigned bytes, gate *arrival) {
    asm volatile(
        "{ .reg .b64 policy;\n"
        "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".L2::cache_hint [%0], [%1], %2, [%3], policy; }" ::"r"(
            shared_address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes),
        "r"(shared_address(&arrival->bits))
        : "memory");
}

/* One that this thread waits for. */
inline __device__ void bulk_store(void *to, const void *from, unsigned bytes) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
        "cp.async.bulk.commit_group;" ::"l"(__cvta_generic_to_global(to)),
        "r"(shared_address(from)), "r"(bytes)
        : "memory");
}
/* In the place of one that would move nothing. */
inline __device__ void no_bulk_store(void) {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/* Until all but the last LATER of them have read all they will. */
template <int LATER> __device__ void await_reads_but(void) {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LATER) : "memory");
}
/* Until all of them have written all they will. */
inline __device__ void await_writes(void) {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* Ordinary accesses before it come before bulk copies after it. */
inline __device__ void fence_for_bulk(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
