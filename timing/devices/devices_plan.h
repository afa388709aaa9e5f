/* SPDX-License-Identifier: MIT
 *
 * devices_plan.h: a scan across the devices of one host: which elements a
 * device has, and how long it takes at least. Needs no device.
 */
#ifndef TIMING_DEVICES_PLAN_H
#define TIMING_DEVICES_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DEVICES_MOST = 16 };

struct devices_layout {
    int devices;
    size_t n;     /* of all devices together */
    size_t chunk; /* elements that are dealt out together, in turn; 0: device d
                     has the d-th part */
};

/* How many elements a device has. */
size_t devices_part(const struct devices_layout *l, int device);
/* Where the k-th of them is in the whole array. */
size_t devices_index(const struct devices_layout *l, int device, size_t k);
/* Chunks that some device has, at most. */
size_t devices_chunks(const struct devices_layout *l);

/* What the bound is made of; measured, or a guess (devices_h200). */
struct devices_machine {
    double read;      /* bytes a microsecond, of a kernel that only reads */
    double held;      /* bytes that all multiprocessors hold at once */
    double kept;      /* bytes that L2 still has of what was read last */
    double link_us;   /* a word's way to another device's memory */
    double look_us;   /* a word's way through L2, told and found */
    double second_us; /* what a second launch adds to the first */
};
extern const struct devices_machine devices_h200;

/* At least so long takes a scan of `bytes` on each device, begun by all at the
 * same time, where a copy of as much takes copy_us. Contiguous parts: what is
 * held is read once; what is longer is summed first, and all but what L2 kept
 * is read again. Dealt out: once. */
double devices_bound_us(const struct devices_machine *m, bool dealt,
                        int devices, double bytes, double copy_us);

#ifdef __cplusplus
}
#endif

#endif
