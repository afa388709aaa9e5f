/* SPDX-License-Identifier: MIT
 *
 * memory_mapped.c: allocations that host code sees too (managed memory, pinned
 * host memory). Their bytes lie in a file, at the offset that is the address
 * less VGPU_ADDRESS_BASE, on pages of their own; whoever has the file can map
 * them at that very address, so that one pointer serves on both sides. Of what
 * the host writes there nothing is known, so all of it counts as written.
 */
#include "memory.h"

#include "pages.h"
#include "vgpu.h"

struct allocation *memory_allocate_mapped(struct memory *m, uint64_t bytes,
                                          bool is_host) {
    if (!m->has_file || !bytes || bytes > m->limit_bytes) return NULL;
    if (!is_host && m->held_of[m->gpu] > m->limit_bytes - bytes) return NULL;
    /* A page before and a page behind that nothing has. */
    uint64_t base = pages_whole(m->next_address) + pages_whole(1);
    uint64_t end = base + pages_whole(bytes) + pages_whole(1);
    if (end >= m->next_in_heap) return NULL;
    uint64_t place = base - VGPU_ADDRESS_BASE;
    uint8_t *at = file_map(m->file, place, (size_t)bytes);
    if (!at) return NULL;
    struct allocation *a = memory_add(m, base, bytes);
    if (!a) {
        file_unmap(at, m->file, place, (size_t)bytes);
        return NULL;
    }
    m->next_address = end;
    a->region.bytes = at;
    a->is_mapped = true;
    a->is_host = is_host;
    if (!is_host) memory_hold(m, bytes);
    return a;
}

void memory_unmap(struct memory *m, struct allocation *a) {
    /* Gives the pages back; the addresses are never used again. */
    file_unmap(a->region.bytes, m->file, a->region.base - VGPU_ADDRESS_BASE,
               (size_t)a->size);
}
