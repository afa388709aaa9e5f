/* SPDX-License-Identifier: MIT
 *
 * memory_mapped.c: allocations that host code sees too (managed memory, pinned
 * host memory). Their bytes lie in a file, at the offset that is the address
 * less VGPU_ADDRESS_BASE, on pages of their own; whoever has the file can map
 * them at that very address, so that one pointer serves on both sides. Of what
 * the host writes there nothing is known, so all of it counts as written.
 */
#define _GNU_SOURCE /* fallocate */
#include "memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu.h"

static uint64_t whole_pages(uint64_t bytes) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static off_t memory_mapped_place(const struct allocation *a) {
    return (off_t)(a->region.base - VGPU_ADDRESS_BASE);
}

struct allocation *memory_allocate_mapped(struct memory *m, uint64_t bytes,
                                          bool is_host) {
    if (!m->has_file || !bytes || bytes > m->limit_bytes) return NULL;
    if (!is_host && m->held_bytes > m->limit_bytes - bytes) return NULL;
    /* A page before and a page behind that nothing has. */
    uint64_t base = whole_pages(m->next_address) + whole_pages(1);
    uint64_t end = base + whole_pages(bytes) + whole_pages(1);
    if (end >= m->next_in_heap) return NULL;
    void *at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                    m->file, (off_t)(base - VGPU_ADDRESS_BASE));
    if (at == MAP_FAILED) return NULL;
    struct allocation *a = memory_add(m, base, bytes);
    if (!a) {
        munmap(at, (size_t)bytes);
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
    munmap(a->region.bytes, (size_t)a->size);
    /* Gives the pages back; the addresses are never used again. */
    (void)!fallocate(m->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     memory_mapped_place(a), (off_t)whole_pages(a->size));
}
