/* SPDX-License-Identifier: MIT
 *
 * repairs_work.c: see repairs_work.h.
 */
#include "repairs_work.h"

enum {
    START_US = 1200, /* a process, its walls, the library */
    ELEMENTS = 16,   /* of an input for a microsecond: filled, scanned on the
                        host, compared */
    /* Bytes of a library, whose PTX is packed, for a microsecond: to decode its
     * kernels; to read it before. What the compiler writes into it of folders'
     * names must not count: it is taken in steps. */
    DECODED_BYTES = 60,
    READ_BYTES = 20,
    BYTES_STEP = 8192,
    WARPS = 33, /* instructions of warps for a microsecond */
    WARPS_SLOW = 6,
    WARPS_ENDED = 20, /* of a loop that goes on */
    SLOW_US = 1500000,
    C_BUILD_US = 250000,
    CUDA_BUILD_US = 600000,
    BYTE_US = 6, /* more, for each of the library */
    CUDA_MORE_US = 1400000,
    HOST_MS = 200,
    CUDA_HOST_MS = 500,
    HOST_ELEMENTS = 2000, /* of a C lab's input for a millisecond more */
    REFUSED_US = 300000   /* of a compiler that goes no further */
};

unsigned repairs_host_ms(bool is_cuda, uint64_t elements) {
    return is_cuda ? CUDA_HOST_MS
                   : HOST_MS + (unsigned)(elements / HOST_ELEMENTS);
}

static uint64_t in_steps(uint64_t bytes) {
    return (bytes + BYTES_STEP - 1) / BYTES_STEP * BYTES_STEP;
}

uint64_t repairs_run_us(const struct repairs_run *r) {
    uint64_t us = START_US + r->elements / ELEMENTS;
    uint64_t bytes = in_steps(r->library_bytes);
    if (r->was_late) us += 1000ull * repairs_host_ms(r->is_cuda, r->elements);
    if (!r->is_cuda) return us;
    us += bytes / DECODED_BYTES + (r->is_read ? bytes / READ_BYTES : 0);
    if (r->was_slow) return us + SLOW_US;
    unsigned each = r->is_stuck   ? 1
                    : r->is_ended ? WARPS_ENDED
                    : r->is_slow  ? WARPS_SLOW
                                  : WARPS;
    return us + r->warp_instructions / each;
}

uint64_t repairs_build_us(bool is_cuda) {
    return is_cuda ? CUDA_BUILD_US : C_BUILD_US;
}

/* What nvcc takes grows with the PTX that comes out of it. Lab 7's templates
 * take longer than that, but something is left to be tried. */
uint64_t repairs_built_us(bool is_cuda, uint64_t bytes, unsigned refused) {
    uint64_t us = (uint64_t)refused * REFUSED_US;
    uint64_t more = in_steps(bytes) * BYTE_US;
    if (!is_cuda) return us;
    return us + (more < CUDA_MORE_US ? more : CUDA_MORE_US);
}
