/* SPDX-License-Identifier: MIT
 *
 * lab_measures.c: the key `clock` of a check, and its bounds.
 */
#include <string.h>
#include <vgpu.h>

#include "lab_keys.h"

static bool is_of_clock(int counter) {
    const char *text = vgpu_counter_text((vgpu_counter)counter);
    return strncmp(text, "clock:", strlen("clock:")) == 0;
}

/* With a clock bounds may name its counters, and there is something to bound.
 */
bool lab_clock_fits(struct lab_reader *r, const struct lab_check *check,
                    const struct ini_section *ini) {
    int line = lab_key_line(ini, "clock");
    bool bounded =
        check->kind == CHECK_CORRECT || check->kind == CHECK_EFFICIENT;
    if (line > 0 && (!bounded || !check->n_bounds))
        return lab_fail(r, line,
                        "'clock' is for checks of kind correct and efficient "
                        "that have a 'bound'");
    for (size_t i = 0; i < check->n_bounds && line == 0; i++)
        if (is_of_clock(check->bounds[i].counter))
            return lab_fail(
                r, lab_key_line(ini, "bound"),
                "bound: %s is counted under a clock: set 'clock'",
                vgpu_counter_name((vgpu_counter)check->bounds[i].counter));
    return true;
}
