/* SPDX-License-Identifier: MIT
 *
 * spin.c: recognises a group that waits for another thread.
 *
 * A poll is a load that bypasses the ordinary rules (volatile, relaxed, acquire)
 * or an atomic that changed nothing. When the same instruction sees the same
 * values at the same addresses again, and the group stored nothing in between,
 * it spins. A few instructions are remembered, because a loop may poll more than
 * one word.
 */
#include "machine.h"

void poll_seen(struct context *c, uint64_t address, uint64_t what)
{
    struct group *g = c->group;
    g->waiting_at = c->insn;
    g->waiting_for = address;
    for (uint32_t k = 0; k < POLL_SLOTS; k++) {
        if (g->polls[k].at != c->insn) continue;
        if (g->polls[k].seen == what) {
            g->same_polls++;
        } else {
            g->polls[k].seen = what;
            g->same_polls = 0;
            c->machine->progress++;
        }
        return;
    }
    g->polls[g->next_poll] = (struct poll){c->insn, what};
    g->next_poll = (g->next_poll + 1) % POLL_SLOTS;
    g->same_polls = 0;
    c->machine->progress++;
}
