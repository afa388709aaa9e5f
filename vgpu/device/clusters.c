/* SPDX-License-Identifier: MIT
 *
 * clusters.c: which clusters of blocks a launch has. What is refused, and how,
 * is what an H200 refuses (driver 580.159.04, 2026-11-28).
 */
#include <string.h>

#include "cluster.h"
#include "device.h"

static uint64_t blocks_of(const uint32_t n[3]) {
    return (uint64_t)n[0] * n[1] * n[2];
}

static uint32_t most_blocks(const struct vgpu_kernel *k) {
    uint32_t most = k->large_clusters ? CLUSTER_MOST : CLUSTER_PORTABLE;
    uint32_t own = k->function->ptx->max_cluster;
    return own && own < most ? own : most;
}

static bool is_asked(const uint32_t n[3]) {
    return n[0] || n[1] || n[2];
}

vgpu_status clusters_of(const struct vgpu_kernel *k, const uint32_t asked[3],
                        const uint32_t *grid, uint32_t cluster[3],
                        struct vgpu_message *why) {
    const struct ptx_function *f = k->function->ptx;
    const uint32_t *fixed = f->cluster;
    for (int d = 0; d < 3; d++)
        cluster[d] = is_asked(asked) ? asked[d] : fixed[0] ? fixed[d] : 1;
    if (f->explicit_cluster && !fixed[0] && !is_asked(asked)) {
        VGPU_SAY_PLAIN(why, CLUSTER_NONE);
        return VGPU_INVALID_CLUSTER;
    }
    uint64_t blocks = blocks_of(cluster);
    if (!blocks || blocks > most_blocks(k) || cluster[0] > CLUSTER_MOST ||
        cluster[1] > CLUSTER_MOST || cluster[2] > CLUSTER_MOST) {
        VGPU_SAY(why, CLUSTER_SIZE, .cluster = cluster, .most = most_blocks(k));
        return VGPU_INVALID_CLUSTER;
    }
    if (fixed[0] && memcmp(fixed, cluster, 3 * sizeof *fixed) != 0) {
        VGPU_SAY(why, CLUSTER_OTHER, .cluster = cluster, .fixed = fixed);
        return VGPU_INVALID_CLUSTER;
    }
    for (int d = 0; d < 3; d++) {
        if (grid[d] % cluster[d] == 0) continue;
        VGPU_SAY(why, CLUSTER_GRID, .grid = grid, .cluster = cluster);
        return VGPU_INVALID_CLUSTER;
    }
    return VGPU_OK;
}

void cluster_set_up(struct launch *l, const uint32_t asked[3]) {
    struct machine *m = &l->machine;
    struct vgpu_message why;
    clusters_of(l->kernel, asked, m->grid, m->cluster, &why);
    m->cluster_blocks = (uint32_t)blocks_of(m->cluster);
    m->asked_cluster = is_asked(asked) || l->kernel->function->ptx->cluster[0];
    if (!cluster_in(m)) return;
    /* Whole clusters are resident. A GPU has room for one of 8 blocks, if it
     * has any for such blocks; these profiles have fewer multiprocessors. */
    m->n_slots -= m->n_slots % m->cluster_blocks;
    if (!m->n_slots) m->n_slots = m->cluster_blocks;
}

void vgpu_set_cluster(vgpu_device *d, const uint32_t cluster[3]) {
    memcpy(d->next_cluster, cluster, sizeof d->next_cluster);
}

void vgpu_kernel_allow_large_clusters(vgpu_kernel *k, bool allowed) {
    k->large_clusters = allowed;
}

vgpu_status vgpu_max_clusters(const vgpu_kernel *k, const uint32_t asked[3],
                              uint32_t threads, size_t dynamic, int *clusters,
                              int *most) {
    const uint32_t *fixed = k->function->ptx->cluster, *grid;
    uint32_t cluster[3];
    struct vgpu_message why;
    *clusters = *most = 0;
    int blocks = vgpu_max_blocks_per_sm(k, threads, dynamic) *
                 k->module->device->profile->sms;
    grid = is_asked(asked) ? asked : fixed;
    if (is_asked(grid)) {
        static const uint32_t one[3] = {1, 1, 1};
        const uint32_t *any = blocks_of(grid) ? grid : one;
        vgpu_status s = clusters_of(k, asked, any, cluster, &why);
        if (s != VGPU_OK) return s;
    }
    if (!blocks || dynamic > k->dynamic_limit) return VGPU_OK;
    if (is_asked(grid)) {
        *clusters = blocks / (int)blocks_of(cluster);
        if (!*clusters) *clusters = 1; /* as cluster_set_up has it */
    }
    *most = (int)most_blocks(k);
    return VGPU_OK;
}
