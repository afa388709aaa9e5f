/* SPDX-License-Identifier: MIT
 *
 * lines_json.h: what a device counted, and where model time went, for programs:
 * members of the schema vgpu/report/v1 (vgpu/docs/vgpu.md).
 */
#pragma once

#include <jansson.h>

#include "vgpu.h"

json_t *seen_text(const char *); /* NULL, or no UTF-8: null */
json_t *seen_number(uint64_t);
json_t *seen_triple(const uint32_t v[3]);
json_t *seen_place(const struct vgpu_source *);
json_t *seen_counts(const uint64_t counts[VGPU_N_COUNTERS]);

/* What a finding says, as fields (vgpu_findings.def). */
json_t *lines_json_message(const struct vgpu_message *);

/* Of this kernel; NULL: of all. why: with times by cause. */
json_t *lines_json_launches(vgpu_device *, const char *kernel, bool why);
json_t *lines_json_lines(vgpu_device *, const char *kernel, bool why);
/* Where model time went, and the longest launch's critical path. */
json_t *lines_json_clock(vgpu_device *, const char *clock);
