/* SPDX-License-Identifier: MIT
 *
 * profile_json.c: see profile_json.h. The members are those of `vgpu --format
 * json --profile` (vgpu/docs/vgpu.md).
 */
#include "profile_json.h"

#include <lines_json.h>
#include <string.h>

/* The folder is the judge's own. */
static void shorten_file(json_t *where) {
    const char *file = json_string_value(json_object_get(where, "file"));
    const char *last = file ? strrchr(file, '/') : NULL;
    if (last) json_object_set_new(where, "file", json_string(last + 1));
}

static void shorten_files(json_t *seen) {
    json_t *longest =
        json_object_get(json_object_get(seen, "clock"), "longest_launch");
    json_t *one;
    size_t k;
    json_array_foreach(json_object_get(seen, "lines"), k, one)
        shorten_file(json_object_get(one, "where"));
    json_array_foreach(json_object_get(longest, "pieces"), k, one)
        shorten_file(one);
}

json_t *profile_json(vgpu_device *device,
                     const uint64_t counts[VGPU_N_COUNTERS], const char *kernel,
                     const char *clock) {
    bool why = clock != NULL;
    json_t *seen = json_pack("{s:s, s:o, s:o, s:o}", "device",
                             vgpu_device_profile(device)->name, "counts",
                             seen_counts(counts), "launches",
                             lines_json_launches(device, kernel, why), "lines",
                             lines_json_lines(device, kernel, why));
    if (seen && why)
        json_object_set_new(seen, "clock", lines_json_clock(device, clock));
    shorten_files(seen);
    return seen;
}

bool profile_json_print(json_t *seen, const struct single_options *o,
                        const char *result) {
    const char *schedule = o->schedule ? o->schedule : "in-order";
    json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:s}", "schema",
                             "scanlab/profile/v1", "lab", o->lab->id,
                             "function", o->lab->functions[o->function].id, "n",
                             seen_number(o->n), "schedule", schedule, "seed",
                             seen_number(o->seed), "result", result);
    if (root && seen) json_object_update(root, seen);
    bool written = root && json_dumpf(root, stdout, JSON_INDENT(2)) == 0 &&
                   putchar('\n') != EOF;
    json_decref(root);
    return written;
}

void profile_json_free(json_t *seen) {
    json_decref(seen);
}
