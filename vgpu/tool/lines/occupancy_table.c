/* SPDX-License-Identifier: MIT
 *
 * occupancy_table.c: how many blocks of each kernel a multiprocessor holds, for
 * people: a row for each kernel and shape of its launches.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "text.h"

enum { MOST_ROWS = 12, NAME_WIDTH = 26 };

struct occupancy_row {
    const struct vgpu_launch_record *launch; /* the first of its kind */
    struct vgpu_occupancy of;
};

static uint64_t occupancy_threads_of(const struct vgpu_launch_record *l) {
    return (uint64_t)l->block[0] * l->block[1] * l->block[2];
}

static bool same_shape(const struct vgpu_launch_record *a,
                       const struct vgpu_launch_record *b) {
    return occupancy_threads_of(a) == occupancy_threads_of(b) &&
           a->dynamic_smem_bytes == b->dynamic_smem_bytes &&
           strcmp(a->kernel, b->kernel) == 0;
}

static bool occupancy_has(const struct occupancy_row *rows, size_t n,
                          const struct vgpu_launch_record *launch) {
    for (size_t k = 0; k < n; k++)
        if (same_shape(rows[k].launch, launch)) return true;
    return false;
}

static size_t occupancy_gather(struct occupancy_row rows[MOST_ROWS],
                               vgpu_device *device, const char *kernel,
                               bool *more) {
    const struct vgpu_launch_record *list;
    size_t n = vgpu_launch_records(device, &list), used = 0;
    *more = false;
    for (size_t i = 0; i < n && !*more; i++) {
        if (kernel && strcmp(kernel, list[i].kernel) != 0) continue;
        if (occupancy_has(rows, used, &list[i])) continue;
        *more = used == MOST_ROWS;
        if (*more) break;
        rows[used].launch = &list[i];
        used += vgpu_occupancy(device, &list[i], &rows[used].of);
    }
    return used;
}

static void occupancy_print_row(FILE *f, const struct occupancy_row *row) {
    const struct vgpu_occupancy *o = &row->of;
    char registers[16] = "?";
    if (o->registers)
        snprintf(registers, sizeof registers, "%" PRIu32, o->registers);
    fputs("  ", f);
    size_t width = lines_put(f, row->launch->kernel,
                             strlen(row->launch->kernel), NAME_WIDTH);
    uint32_t warps = o->blocks * o->warps;
    fprintf(f,
            "%*s%9" PRIu64 "%11s%9" PRIu64 "%8" PRIu32 "%5" PRIu32 "/%-3" PRIu32
            "%4u%%  %s\n",
            (int)(NAME_WIDTH - width), "", occupancy_threads_of(row->launch),
            registers, o->shared_bytes, o->blocks, warps, o->most_warps,
            100 * warps / o->most_warps, vgpu_limit_words(o->limit));
}

void occupancy_print(FILE *f, vgpu_device *device,
                     const struct lines_options *o) {
    struct occupancy_row rows[MOST_ROWS];
    bool more;
    size_t n = occupancy_gather(rows, device, o->kernel, &more);
    if (!n) return;
    fprintf(f,
            "\n  What a multiprocessor of %s holds at once. Registers are "
            "estimated from the PTX.\n\n%s  %-*s%9s%11s%9s%8s%9s%5s  %s%s\n",
            vgpu_device_profile(device)->name, o->colour ? "\033[1m" : "",
            NAME_WIDTH, "kernel", "threads", "registers", "shared", "blocks",
            "warps", "full", "limited by", o->colour ? "\033[0m" : "");
    for (size_t k = 0; k < n; k++) occupancy_print_row(f, &rows[k]);
    if (more) fputs("  More shapes of launches are left out.\n", f);
}
