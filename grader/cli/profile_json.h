/* SPDX-License-Identifier: MIT
 *
 * profile_json.h: `scanlab profile --format json`.
 */
#pragma once

#include "single.h"

struct json_t;
/* What the device counted, while it is there: launches and lines of this kernel
 * (NULL: all); with a clock, all that is known of model time. */
struct json_t *profile_json(vgpu_device *,
                            const uint64_t counts[VGPU_N_COUNTERS],
                            const char *kernel, const char *clock);
/* Prints the call as JSON, with what profile_json returned (NULL: the call
 * alone). False: it could not be written. */
bool profile_json_print(struct json_t *, const struct single_options *,
                        const char *result);
void profile_json_free(struct json_t *);
