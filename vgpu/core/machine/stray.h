/* SPDX-License-Identifier: MIT
 *
 * stray.h: of an access outside of every array: which array was meant, and what
 * its index was made of.
 */
#pragma once

#include "fault.h"

/* The array whose pointer the address was made from. `index` is that of an
 * element as wide as the access; NULL: not known, or there are several. */
struct stray {
    const struct allocation *array;
    int64_t index;
    uint32_t loaded;  /* the line that read a part of the index from memory */
    bool is_loaded;   /* some instruction did */
    uint32_t product; /* the line of a product that 32 bits do not hold, */
    int64_t a, b;     /* and of what it was made; 0: there is none */
};
struct stray stray_look(struct context *, uint32_t lane, uint64_t address);
/* What is said behind the place, and stored in the finding. False: nothing. */
bool stray_say(const struct context *, uint32_t lane, const struct stray *,
               vgpu_stray *, struct vgpu_message *why);
