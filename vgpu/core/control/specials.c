/* SPDX-License-Identifier: MIT
 *
 * specials.c: special registers get their values. What they are, and when that
 * is known, stands in specials.def; a function has a register for each one that
 * it reads.
 */
#include "frames.h"

static void specials_fill(const struct frame *f, enum ptx_sreg s, char class,
                          uint32_t value) {
    uint32_t at = f->function->specials[s];
    if (at != NO_REGISTER) frame_fill(f, at, class, value);
}

#define NOT_NOW(id, class, value)
#define CLOCK                           NOT_NOW
#define ABSENT                          NOT_NOW
#define X(id, text, when, class, value) when(id, class, value)

#define LANE(id, class, value)                                                 \
    at = f->function->specials[PTX_SREG_##id];                                 \
    for (uint32_t l = 0; at != NO_REGISTER && l < WARP_LANES; l++) {           \
        const uint32_t t = w->index * WARP_LANES + l;                          \
        (void)t;                                                               \
        ((uint32_t *)(void *)(f->registers + at))[l] = (value);                \
    }
#define LAUNCH(id, class, value) specials_fill(f, PTX_SREG_##id, class, value);
#define BLOCK                    NOT_NOW
void specials_of_launch(const struct machine *m, const struct frame *f,
                        const struct warp *w) {
    uint32_t at;
#include "specials.def"
}
#undef LANE
#undef LAUNCH
#undef BLOCK

#define LANE                    NOT_NOW
#define LAUNCH                  NOT_NOW
#define BLOCK(id, class, value) specials_fill(f, PTX_SREG_##id, class, value);
void specials_of_block(const struct frame *f, const struct block *b) {
#include "specials.def"
}
