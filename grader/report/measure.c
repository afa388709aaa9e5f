/* SPDX-License-Identifier: MIT
 *
 * measure.c: see measure.h. What did not pass leads nothing.
 */
#include "measure.h"

#include <string.h>

#include "translate.h"

bool measure_best(const struct check_result *r, struct measure *m) {
    const struct measured *seen = &r->measured;
    if (r->status != STATUS_PASS) return false;
    /* Against a serial loop, by the wall clock of a machine that is shared:
     * the same code has other numbers each time. */
    bool ranks = seen->ratio && strcmp(seen->ratio->baseline, "serial") != 0;
    if (seen->ratio && !ranks) return false;
    if (ranks) {
        *m = (struct measure){_("throughput, times the baseline's"),
                              seen->ratio->median, true};
        return true;
    }
    for (size_t i = 0; i < seen->n_bounds; i++) {
        if (seen->bounds[i].bound->counter != (int)VGPU_COUNT_MODEL_NS)
            continue;
        *m = (struct measure){_("model time (ns)"),
                              (double)seen->bounds[i].count, false};
        return true;
    }
    return false;
}
