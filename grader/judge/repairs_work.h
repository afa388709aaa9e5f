/* SPDX-License-Identifier: MIT
 *
 * repairs_work.h: what trying repairs costs, in microseconds of an idle
 * machine. They follow from what is counted, and no clock is asked, so that on
 * any machine the same is tried. What the numbers were measured on, and how far
 * machines and labs are from them, docs/parts.md says.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { REPAIRS_SECOND = 1000000 }; /* of what may be asked for (--repairs) */

/* A case that ran once. */
struct repairs_run {
    bool is_cuda;
    bool is_read;  /* the library's PTX was read for this run alone */
    bool is_slow;  /* to execute: under weak memory, or on several devices */
    bool is_stuck; /* in a deadlock */
    bool is_ended; /* a kernel, which had executed as much as it may */
    bool was_late; /* it was ended because its host code computed too long */
    bool was_slow; /* likewise its kernels, though they execute little */
    uint64_t elements, library_bytes, warp_instructions;
};
uint64_t repairs_run_us(const struct repairs_run *);
/* So long a function's host code may compute: a loop that never ends is ended
 * by that, if nothing counts its turns. Many times what any other code takes,
 * so that the same runs are ended on every machine. */
unsigned repairs_host_ms(bool is_cuda, uint64_t elements);

/* The build of a source with all changes in it: what it takes at least; and how
 * much more one took whose library has so many bytes, and before which the
 * compiler refused so many. */
uint64_t repairs_build_us(bool is_cuda);
uint64_t repairs_built_us(bool is_cuda, uint64_t bytes, unsigned refused);
