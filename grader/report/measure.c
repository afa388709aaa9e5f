/* SPDX-License-Identifier: MIT
 *
 * measure.c: see measure.h. What did not pass leads nothing.
 */
#include "measure.h"

#include "translate.h"

bool measure_best(const struct check_result *r, struct measure *m) {
    const struct measured *seen = &r->measured;
    if (r->status != STATUS_PASS) return false;
    if (seen->ratio) {
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
