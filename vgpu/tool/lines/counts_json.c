/* SPDX-License-Identifier: MIT
 *
 * counts_json.c: see lines_json.h.
 */
#include "lines_json.h"

#include <string.h>

json_t *seen_text(const char *s) {
    /* Names come from binaries; what is not UTF-8 is left out. */
    json_t *value = s ? json_string(s) : NULL;
    return value ? value : json_null();
}

json_t *seen_number(uint64_t n) {
    return json_integer((json_int_t)n);
}

json_t *seen_triple(const uint32_t v[3]) {
    return json_pack("[i,i,i]", (int)v[0], (int)v[1], (int)v[2]);
}

json_t *seen_place(const struct vgpu_source *where) {
    json_t *object =
        json_pack("{s:o, s:i, s:o}", "file", seen_text(where->file), "line",
                  (int)where->line, "function", seen_text(where->function));
    if (where->is_merged) json_object_set_new(object, "merged", json_true());
    return object;
}

/* What few programs have, and the others do not mention: links, atomics by
 * their kind, the read-only cache, constant memory. */
static bool is_rare(vgpu_counter c) {
    return c >= VGPU_COUNT_LINK_BYTES || c == VGPU_COUNT_LINK_CHAIN ||
           c == VGPU_COUNT_SIDE_MESSAGES;
}

json_t *seen_counts(const uint64_t counts[VGPU_N_COUNTERS]) {
    json_t *object = json_object();
    for (int c = 0; c < VGPU_N_COUNTERS; c++)
        if (counts[c] || !is_rare((vgpu_counter)c))
            json_object_set_new(object, vgpu_counter_name((vgpu_counter)c),
                                seen_number(counts[c]));
    return object;
}

/* Picoseconds by cause. */
static json_t *causes(const uint64_t *times) {
    json_t *object = json_object();
    for (int c = 0; c < VGPU_N_CAUSES; c++)
        if (times[c])
            json_object_set_new(object, vgpu_cause_name((vgpu_cause)c),
                                seen_number(times[c]));
    return object;
}

static json_t *with_times(json_t *object, bool why,
                          const struct vgpu_times *times) {
    if (!object || !why) return object;
    json_object_set_new(object, "path_ps", causes(times->path));
    json_object_set_new(object, "warps_ps", causes(times->warps));
    return object;
}

/* The longest launch's critical path. */
static json_t *pieces(const struct vgpu_why *why) {
    json_t *array = json_array();
    for (size_t i = 0; i < why->n_path; i++) {
        const struct vgpu_path_piece *p = &why->path[i];
        json_array_append_new(
            array,
            json_pack("{s:o, s:o, s:i, s:s, s:o, s:o}", "block",
                      seen_number(p->block), "file", seen_text(p->where.file),
                      "line", (int)p->where.line, "cause",
                      vgpu_cause_name(p->cause), "from_ps",
                      seen_number(p->from), "to_ps", seen_number(p->to)));
    }
    return array;
}

json_t *lines_json_clock(vgpu_device *device, const char *clock) {
    const struct vgpu_why *why = vgpu_why(device);
    json_t *path =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "launch",
                  seen_number(why->launch), "kernel", seen_text(why->kernel),
                  "model_ps", seen_number(why->longest_ps), "left_out",
                  seen_number(why->left_out), "pieces", pieces(why));
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "profile", clock,
        "launches_ps", seen_number(why->launch_ps), "between_ps",
        seen_number(why->between_ps), "device_ps", seen_number(why->device_ps),
        "paths_cut", seen_number(why->cut), "path_ps", causes(why->times.path),
        "warps_ps", causes(why->times.warps), "longest_launch", path);
}

static bool counts_json_is_wanted(const char *only, const char *kernel) {
    return !only || (kernel && !strcmp(kernel, only));
}

/* How many blocks of it a multiprocessor holds; null where the kernel is no
 * longer loaded. */
static json_t *occupancy(vgpu_device *device,
                         const struct vgpu_launch_record *launch) {
    struct vgpu_occupancy o;
    if (!vgpu_occupancy(device, launch, &o)) return json_null();
    json_t *fits = json_object();
    for (int l = 0; l < VGPU_N_LIMITS; l++)
        if (o.fits[l] != UINT32_MAX)
            json_object_set_new(fits, vgpu_limit_name((vgpu_limit)l),
                                seen_number(o.fits[l]));
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o}", "registers",
                     o.registers ? seen_number(o.registers) : json_null(),
                     "shared_bytes", seen_number(o.shared_bytes), "blocks",
                     seen_number(o.blocks), "warps",
                     seen_number((uint64_t)o.blocks * o.warps), "limited_by",
                     vgpu_limit_name(o.limit), "most_warps",
                     seen_number(o.most_warps), "fits", fits);
}

json_t *lines_json_launches(vgpu_device *device, const char *kernel, bool why) {
    const struct vgpu_launch_record *list;
    json_t *array = json_array();
    size_t n = vgpu_launch_records(device, &list);
    for (size_t i = 0; i < n; i++) {
        if (!counts_json_is_wanted(kernel, list[i].kernel)) continue;
        json_t *launch = json_pack(
            "{s:o, s:o, s:o, s:o, s:o}", "kernel", seen_text(list[i].kernel),
            "grid", seen_triple(list[i].grid), "block",
            seen_triple(list[i].block), "dynamic_smem_bytes",
            seen_number(list[i].dynamic_smem_bytes), "counts",
            seen_counts(list[i].counts));
        if (launch && list[i].launched_by)
            json_object_set_new(launch, "launched_by",
                                seen_text(list[i].launched_by));
        if (launch && why)
            json_object_set_new(launch, "model_ps",
                                seen_number(list[i].model_ps));
        if (launch)
            json_object_set_new(launch, "occupancy",
                                occupancy(device, &list[i]));
        json_array_append_new(array, with_times(launch, why, &list[i].times));
    }
    return array;
}

json_t *lines_json_lines(vgpu_device *device, const char *kernel, bool why) {
    const struct vgpu_line_record *list;
    json_t *array = json_array();
    size_t n = vgpu_line_records(device, &list);
    for (size_t i = 0; i < n; i++) {
        if (!counts_json_is_wanted(kernel, list[i].kernel)) continue;
        json_t *line = json_pack(
            "{s:o, s:o, s:o}", "kernel", seen_text(list[i].kernel), "where",
            seen_place(&list[i].where), "counts", seen_counts(list[i].counts));
        json_array_append_new(array, with_times(line, why, &list[i].times));
    }
    return array;
}
