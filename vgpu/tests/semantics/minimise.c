/* SPDX-License-Identifier: MIT
 *
 * minimise.c: see minimise.h. Nodes with all they contain are left out in runs
 * of 16, 4 and 1, until a whole round finds nothing.
 */
#include "minimise.h"

#include <stdlib.h>
#include <string.h>

/* Leaves out nodes from..to-1 and their children; how many are new. */
static unsigned leave_out(const struct program *p, uint8_t *skipped,
                          unsigned from, unsigned to) {
    unsigned n = 0;
    for (unsigned k = from; k < to; k++) {
        if (skipped[k]) continue;
        unsigned end = program_node_end(p, k);
        for (unsigned j = k; j < end; j++) {
            n += !skipped[j];
            skipped[j] = 1;
        }
    }
    return n;
}

void minimise(const struct program *p, still_fn *still, void *user,
              unsigned most, uint8_t *skipped) {
    unsigned n = program_nodes(p), asked = 0;
    uint8_t *tried = malloc(n);
    if (!tried) return;
    bool found = true;
    for (unsigned run = 16; run && asked < most; run = found ? run : run / 4) {
        found = false;
        for (unsigned at = 1; at < n && asked < most; at += run) {
            unsigned to = at + run < n ? at + run : n;
            memcpy(tried, skipped, n);
            if (!leave_out(p, tried, at, to)) continue;
            asked++;
            if (!still(user, tried)) continue;
            memcpy(skipped, tried, n);
            found = true;
        }
        if (run == 1 && !found) break;
    }
    free(tried);
}
