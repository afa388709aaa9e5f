/* SPDX-License-Identifier: MIT
 *
 * device_memory.c: a device's memory as seen from outside: what is allocated,
 * copied, set, named and protected by runtime calls.
 */
#include "device.h"

#include <string.h>

#include "device_hooks.h"
#include "slack.h"

static void tell_clock(vgpu_device *d, enum clock_call call, uint64_t to,
                       uint64_t from, size_t bytes) {
    if (d->clock) clock_calls(d->clocks[d->memory.gpu], call, to, from, bytes);
}

static struct allocation *device_memory_remember(vgpu_device *d, size_t bytes,
                                                 struct allocation *made) {
    if (!made) device_tell_limit(d, NULL);
    if (!made && !d->no_room.bytes) d->no_room.bytes = bytes;
    d->memory.refused_bytes = d->no_room.bytes;
    return made;
}

vgpu_status vgpu_malloc(vgpu_device *d, size_t bytes, uint64_t *address) {
    if (d->sticky) return d->sticky;
    struct allocation *a =
        device_memory_remember(d, bytes, memory_allocate(&d->memory, bytes));
    if (!a)
        return device_fail(d, VGPU_OUT_OF_MEMORY,
                           "cannot allocate %zu bytes: %zu of the device's "
                           "%llu bytes are free",
                           bytes, vgpu_free_bytes(d),
                           (unsigned long long)d->memory.limit_bytes);
    *address = a->region.base;
    tell_clock(d, d->of_stream ? CLOCK_POOL_MALLOC : CLOCK_MALLOC, 0, 0, bytes);
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_MALLOC,
                                      .at = *address,
                                      .bytes = bytes});
    return VGPU_OK;
}

void vgpu_share(vgpu_device *d, int file) {
    d->memory.has_file = true;
    d->memory.file = file;
}

vgpu_status vgpu_malloc_mapped(vgpu_device *d, size_t bytes, bool is_host,
                               uint64_t *address) {
    if (d->sticky) return d->sticky;
    if (!d->memory.has_file)
        return device_fail(d, VGPU_UNSUPPORTED,
                           "this device shares no memory with the host");
    struct allocation *a = device_memory_remember(
        d, bytes, memory_allocate_mapped(&d->memory, bytes, is_host));
    if (!a)
        return device_fail(d, VGPU_OUT_OF_MEMORY,
                           "cannot allocate %zu bytes that the host sees too",
                           bytes);
    *address = a->region.base;
    asked_for_more(d);
    return VGPU_OK;
}

vgpu_status vgpu_free(vgpu_device *d, uint64_t address) {
    if (d->sticky) return d->sticky;
    struct allocation *a = memory_find(&d->memory, address);
    uint64_t bytes = a ? a->size : 0;
    if (d->feeds && a && a->region.base == address)
        feeds_freed(d->feeds, &d->memory, address);
    if (!address || memory_release(&d->memory, address)) {
        enum clock_call call = d->of_stream ? CLOCK_POOL_FREE : CLOCK_FREE;
        if (address) tell_clock(d, call, 0, 0, (size_t)bytes);
        asked_add(d,
                  &(struct vgpu_asked){.kind = VGPU_ASKED_FREE, .at = address});
        return VGPU_OK;
    }
    return device_fail(d, VGPU_INVALID_VALUE,
                       "0x%llx is not the start of a live allocation%s",
                       (unsigned long long)address,
                       a && !a->region.bytes ? ": it was freed before" : "");
}

static struct allocation *range(vgpu_device *d, uint64_t address, size_t bytes,
                                vgpu_status *s) {
    struct allocation *a = memory_range(&d->memory, address, bytes);
    *s = VGPU_OK;
    if (a) return a;
    struct allocation *near = memory_before(&d->memory, address);
    *s = device_fail(
        d, VGPU_INVALID_VALUE,
        "%zu bytes at 0x%llx are not inside one live allocation%s%s", bytes,
        (unsigned long long)address,
        near && near->name ? "; the nearest is " : "",
        near && near->name ? near->name : "");
    return NULL;
}

/* By the host, whose values are untainted. */
static void mark_written(struct allocation *a, uint64_t to, size_t bytes) {
    if (a->region.written)
        bits_set(a->region.written, to - a->region.base, bytes, true);
    if (a->region.data)
        bits_set(a->region.data, to - a->region.base, bytes, false);
}

vgpu_status vgpu_write(vgpu_device *d, uint64_t to, const void *from,
                       size_t bytes) {
    if (d->sticky) return d->sticky;
    vgpu_status s;
    if (!bytes) return VGPU_OK;
    struct allocation *a = range(d, to, bytes, &s);
    if (!a) return s;
    memcpy(a->region.bytes + (to - a->region.base), from, bytes);
    mark_written(a, to, bytes);
    d->counts[VGPU_COUNT_H2D_BYTES] += bytes;
    tell_clock(d, CLOCK_COPY_HOST, to, 0, bytes);
    if (d->steps) steps_copied(d->steps, &d->memory, to, 0, bytes);
    if (d->feeds) feeds_written(&d->memory, to, bytes);
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_WRITE,
                                      .at = to,
                                      .bytes = bytes,
                                      .data = from,
                                      .data_bytes = bytes});
    return VGPU_OK;
}

vgpu_status vgpu_read(vgpu_device *d, void *to, uint64_t from, size_t bytes) {
    if (d->sticky) return d->sticky;
    vgpu_status s;
    if (!bytes) return VGPU_OK;
    struct allocation *a = range(d, from, bytes, &s);
    if (!a) return s;
    memcpy(to, a->region.bytes + (from - a->region.base), bytes);
    d->counts[VGPU_COUNT_D2H_BYTES] += bytes;
    tell_clock(d, CLOCK_COPY_HOST, 0, from, bytes);
    if (d->feeds) feeds_read(d->feeds, &d->memory, from, bytes);
    asked_read(d, from, to, bytes);
    return VGPU_OK;
}

vgpu_status vgpu_copy(vgpu_device *d, uint64_t to, uint64_t from,
                      size_t bytes) {
    if (d->sticky) return d->sticky;
    vgpu_status s;
    if (!bytes) return VGPU_OK;
    struct allocation *b = range(d, from, bytes, &s);
    struct allocation *a = b ? range(d, to, bytes, &s) : NULL;
    if (!a) return s;
    uint64_t ta = to - a->region.base, fb = from - b->region.base;
    memmove(a->region.bytes + ta, b->region.bytes + fb, bytes);
    if (b->region.data && !a->region.data && !memory_track_data(&d->memory, a))
        return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    bits_copy(a->region.written, ta, b->region.written, fb, bytes, true);
    bits_copy(a->region.data, ta, b->region.data, fb, bytes, false);
    /* Pinned memory is the host's (vgpu --async). */
    bool peers = a->gpu != b->gpu && !a->is_host && !b->is_host;
    d->counts[peers                      ? VGPU_COUNT_PEER_BYTES
              : a->is_host == b->is_host ? VGPU_COUNT_D2D_BYTES
              : a->is_host               ? VGPU_COUNT_D2H_BYTES
                                         : VGPU_COUNT_H2D_BYTES] += bytes;
    tell_clock(d, peers ? CLOCK_COPY_PEER : CLOCK_COPY, to, from, bytes);
    if (d->steps) steps_copied(d->steps, &d->memory, to, from, bytes);
    if (d->feeds) feeds_copied(d->feeds, &d->memory, to, from, bytes);
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_COPY,
                                      .at = to,
                                      .from = from,
                                      .bytes = bytes});
    return VGPU_OK;
}

/* In pieces, since gigabytes take seconds: false when time is over. */
static bool fill_bytes(vgpu_device *d, struct allocation *a, uint64_t to,
                       int byte, size_t bytes) {
    enum { PIECE = 1 << 26 };
    for (size_t at = 0; at < bytes; at += PIECE) {
        size_t n = bytes - at < PIECE ? bytes - at : PIECE;
        if (at && vgpu_time_is_over(d)) return false;
        memset(a->region.bytes + (to - a->region.base) + at, byte, n);
        mark_written(a, to + at, n);
    }
    return true;
}

vgpu_status vgpu_fill(vgpu_device *d, uint64_t to, int byte, size_t bytes) {
    if (d->sticky) return d->sticky;
    vgpu_status s;
    if (!bytes) return VGPU_OK;
    struct allocation *a = range(d, to, bytes, &s);
    if (!a) return s;
    if (!fill_bytes(d, a, to, byte, bytes)) return VGPU_OK;
    d->counts[VGPU_COUNT_MEMSET_BYTES] += bytes;
    tell_clock(d, CLOCK_MEMSET, to, 0, bytes);
    if (d->steps) steps_copied(d->steps, &d->memory, to, 0, bytes);
    if (d->feeds) feeds_written(&d->memory, to, bytes);
    d->told_bytes++;
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_FILL,
                                      .at = to,
                                      .bytes = bytes,
                                      .value = (uint32_t)byte & 255});
    return VGPU_OK;
}

vgpu_status vgpu_mark_data(vgpu_device *d, uint64_t address, size_t bytes) {
    vgpu_status s;
    struct allocation *a = range(d, address, bytes, &s);
    if (!a) return s;
    /* From now on every allocation needs taint: kernels may store data there */
    d->memory.track_data = true;
    for (size_t k = 0; k < d->memory.n_allocations; k++) {
        struct allocation *x = d->memory.allocations[k];
        if (x->region.bytes && !memory_track_data(&d->memory, x))
            return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    }
    bits_set(a->region.data, address - a->region.base, bytes, true);
    return VGPU_OK;
}

size_t vgpu_data_bytes(const vgpu_device *d, uint64_t address, size_t bytes) {
    const struct allocation *a = memory_range(&d->memory, address, bytes);
    size_t n = 0;
    for (size_t i = 0; a && a->region.data && i < bytes; i++)
        n += bits_any(a->region.data, address - a->region.base + i, 1);
    return n;
}

bool vgpu_slack_is_stored(const vgpu_device *d) {
    return slack_is_stored(&d->memory);
}

vgpu_status vgpu_mark_uninitialised(vgpu_device *d, uint64_t address,
                                    size_t bytes) {
    vgpu_status s;
    struct allocation *a = range(d, address, bytes, &s);
    if (!a) return s;
    if (!a->region.written) {
        if (!memory_track_written(&d->memory, a))
            return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
        bits_set(a->region.written, 0, a->size, true);
    }
    bits_set(a->region.written, address - a->region.base, bytes, false);
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_UNWRITTEN,
                                      .at = address,
                                      .bytes = bytes});
    return VGPU_OK;
}

static struct allocation *device_memory_start(vgpu_device *d, uint64_t address,
                                              vgpu_status *s) {
    struct allocation *a = range(d, address, 0, s);
    if (a && a->region.base == address) return a;
    *s = device_fail(d, VGPU_INVALID_VALUE,
                     "0x%llx is not the start of a live allocation",
                     (unsigned long long)address);
    return NULL;
}

vgpu_status vgpu_own(vgpu_device *d, uint64_t address) {
    vgpu_status s;
    struct allocation *a = device_memory_start(d, address, &s);
    if (!a) return s;
    a->owned = true;
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_OWN, .at = address});
    return VGPU_OK;
}

vgpu_status vgpu_protect(vgpu_device *d, uint64_t address, bool read_only) {
    vgpu_status s;
    struct allocation *a = device_memory_start(d, address, &s);
    if (!a) return s;
    a->read_only = read_only;
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_PROTECT,
                                      .at = address,
                                      .value = read_only});
    return VGPU_OK;
}

vgpu_status vgpu_name(vgpu_device *d, uint64_t address, const char *name) {
    vgpu_status s;
    struct allocation *a = device_memory_start(d, address, &s);
    if (!a) return s;
    if (!memory_name(&d->memory, a, name))
        return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_NAME,
                                      .at = address,
                                      .from = address,
                                      .name = name});
    return VGPU_OK;
}

vgpu_status vgpu_name_elements(vgpu_device *d, uint64_t address,
                               const char *name, uint64_t first,
                               uint32_t bytes) {
    vgpu_status s = vgpu_name(d, address, name);
    if (s != VGPU_OK) return s;
    struct allocation *a = device_memory_start(d, address, &s);
    a->first = first - address;
    a->element = bytes;
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_NAME,
                                      .at = address,
                                      .from = first,
                                      .value = bytes,
                                      .name = name});
    return VGPU_OK;
}

bool vgpu_allocation_at(const vgpu_device *d, uint64_t address,
                        struct vgpu_allocation *out) {
    struct allocation *a = memory_range(&d->memory, address, 0);
    /* The kernels' heap is none of the program's business, as in CUDA. */
    if (!a || a->device_heap) return false;
    *out = (struct vgpu_allocation){a->region.base, a->size,
                                    a->name,        a->owned || a->module,
                                    a->gpu,         a->read_only && !a->module};
    return true;
}

bool vgpu_names_allocations(const vgpu_device *d) {
    return d->options.names_allocations;
}

void vgpu_allocated_from(vgpu_device *d, uint64_t address,
                         const uint64_t callers[VGPU_CALLERS]) {
    struct allocation *a = memory_find(&d->memory, address);
    if (a) memcpy(a->callers, callers, sizeof a->callers);
}

void vgpu_freed_from(vgpu_device *d, uint64_t address,
                     const uint64_t callers[VGPU_CALLERS]) {
    struct allocation *a = memory_find(&d->memory, address);
    if (a && !a->region.bytes) memcpy(a->freers, callers, sizeof a->freers);
}

bool vgpu_freed_by(const vgpu_device *d, uint64_t address,
                   uint64_t callers[VGPU_CALLERS]) {
    const struct allocation *a = memory_find(&d->memory, address);
    if (!a || a->region.bytes || a->region.base != address || !a->freers[0])
        return false;
    memcpy(callers, a->freers, sizeof a->freers);
    return true;
}

bool vgpu_next_life(const vgpu_device *d, size_t *at, struct vgpu_life *out) {
    const struct memory *m = &d->memory;
    for (; *at < m->n_allocations; (*at)++) {
        const struct allocation *a = m->allocations[*at];
        if (a->owned || a->module || a->device_heap || a->is_host) continue;
        *out =
            (struct vgpu_life){.bytes = a->size, .is_freed = !a->region.bytes};
        memcpy(out->callers, a->callers, sizeof a->callers);
        memcpy(out->freers, a->freers, sizeof a->freers);
        ++*at;
        return true;
    }
    return false;
}

bool vgpu_allocated_by(const vgpu_device *d, uint64_t address,
                       uint64_t callers[VGPU_CALLERS]) {
    const struct allocation *a = memory_find(&d->memory, address);
    if (!a || a->region.base != address || !a->callers[0]) return false;
    memcpy(callers, a->callers, sizeof a->callers);
    return true;
}
