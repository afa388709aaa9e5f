/* SPDX-License-Identifier: MIT
 *
 * changed_call.c: see changed_call.h.
 */
#include "changed_call.h"

#include "run_case.h"

void changed_call(const struct case_spec *s, size_t changed,
                  void (*look)(void *user, vgpu_device *,
                               const struct case_seen *),
                  void *user) {
    struct case_result result;
    struct case_spec again = *s;
    again.is_rerun = true;
    again.clock = NULL;
    again.wrong_in = NULL;
    again.changed_element = changed;
    again.look = look;
    again.user = user;
    case_run_once(&again, &result);
    case_result_free(&result);
}
