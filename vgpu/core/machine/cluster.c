/* SPDX-License-Identifier: MIT
 *
 * cluster.c: whose shared memory an address is of. See cluster.h.
 */
#include "cluster.h"

struct block *cluster_owner(const struct block *b, uint64_t *at) {
    uint64_t tag = *at >> CLUSTER_SHIFT;
    if (!tag) return (struct block *)b;
    if (tag > b->machine->cluster_blocks) return NULL;
    *at &= CLUSTER_OFFSETS;
    return cluster_first(b) + (tag - 1);
}
