/* SPDX-License-Identifier: MIT
 *
 * stray.h: for an access outside of every array: which array was meant, and how
 * the wrong index came about.
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
/* Makes the part of the message that follows the place, and the kind that the
 * finding stores. False: nothing is known. */
bool stray_say(const struct context *, uint32_t lane, const struct stray *,
               vgpu_stray *, struct vgpu_message *why);
