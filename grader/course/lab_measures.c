/* SPDX-License-Identifier: MIT
 *
 * lab_measures.c: keys of a check that say how much is done at the same time:
 * meet, and clock with its bounds.
 */
#include <string.h>
#include <vgpu.h>

#include "lab_keys.h"

/* Who are to meet are threads of the host. */
static bool meeting_fits(struct lab_reader *r, const struct lab_check *check,
                         const struct lab_function *function,
                         const struct ini_section *ini) {
    if (!check->meet ||
        (r->lab->language == LAB_C &&
         signature_takes(function->signature, PARAMETER_threads)))
        return true;
    return lab_fail(r, lab_key_line(ini, "meet"),
                    "'meet' is for functions of C that take threads");
}

static bool is_of_clock(int counter) {
    const char *text = vgpu_counter_text((vgpu_counter)counter);
    return strncmp(text, "clock:", strlen("clock:")) == 0;
}

/* With a clock bounds may name its counters, and there is something to bound.
 */
static bool clock_fits(struct lab_reader *r, const struct lab_check *check,
                       const struct ini_section *ini) {
    int line = lab_key_line(ini, "clock");
    bool bounded =
        check->kind == CHECK_CORRECT || check->kind == CHECK_EFFICIENT;
    if (line > 0 && (!bounded || !check->n_bounds))
        return lab_fail(r, line,
                        "'clock' is for checks of kind correct and efficient "
                        "that have a 'bound'");
    if (check->clock_size && (line == 0 || check->kind != CHECK_CORRECT ||
                              !lab_check_has_size(check, check->clock_size)))
        return lab_fail(r, lab_key_line(ini, "clock_size"),
                        "'clock_size' is one of the 'sizes' of a correct "
                        "check that has a 'clock'");
    for (size_t i = 0; i < check->n_bounds && line == 0; i++)
        if (is_of_clock(check->bounds[i].counter))
            return lab_fail(
                r, lab_key_line(ini, "bound"),
                "bound: %s is counted under a clock: set 'clock'",
                vgpu_counter_name((vgpu_counter)check->bounds[i].counter));
    return true;
}

bool lab_measures_fit(struct lab_reader *r, const struct lab_check *check,
                      const struct lab_function *function,
                      const struct ini_section *ini) {
    return clock_fits(r, check, ini) && meeting_fits(r, check, function, ini);
}
