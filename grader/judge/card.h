/* SPDX-License-Identifier: MIT
 *
 * card.h: inputs and outputs of a call on the virtual GPU. The judge allocates,
 * fills and reads them; the runner is told two addresses. They are exactly as
 * long as n, so that one element more is out of bounds.
 */
#ifndef SCANLAB_CARD_H
#define SCANLAB_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vgpu.h>

#include "signature.h"

struct card {
    vgpu_device *device;
    int signature;
    size_t n;
    bool in_place;             /* the first input is the first output */
    uint64_t base[N_BUFFERS];  /* allocations, 0: none */
    uint64_t first[N_BUFFERS]; /* element 0; 0: there is no such buffer */
};

vgpu_status card_open(struct card *, vgpu_device *, int signature, size_t n,
                      size_t misalign, bool in_place);
void card_close(struct card *);
/* in, out: words, as in course/signature.h. Input is marked as data, output
 * poisoned and marked as not written. Resets counters and findings. */
vgpu_status card_fill(struct card *, const int32_t *in, int32_t poison);
vgpu_status card_output(const struct card *, int32_t *out);

#endif
