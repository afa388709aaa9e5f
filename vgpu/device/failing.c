/* SPDX-License-Identifier: MIT
 *
 * failing.c: calls of the program that are made to fail, to see what it does
 * then; and calls that failed by themselves.
 */
#include <string.h>

#include "device.h"
#include "device_hooks.h"

void vgpu_fail_call(vgpu_device *d, uint64_t number) {
    d->until_failure = number;
    d->failed = (struct vgpu_failed){0};
    d->lists_calls = number == 0;
    d->n_calls = d->n_call_sites = 0;
}

bool vgpu_lists_calls(const vgpu_device *d) {
    return d->lists_calls;
}

bool vgpu_fails_call(vgpu_device *d, const char *call, bool has_other_way) {
    d->n_calls += d->lists_calls;
    if (!d->until_failure || --d->until_failure) return false;
    d->failed.call = call;
    d->failed.has_other_way = has_other_way;
    return true;
}

static void add_to_list(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    struct vgpu_call_site *s = d->call_sites;
    struct vgpu_call_site *const end = s + d->n_call_sites;
    while (s < end && memcmp(s->callers, callers, sizeof s->callers) != 0) s++;
    if (s == d->call_sites + VGPU_MAX_CALL_SITES) return;
    s->last = d->n_calls;
    if (s < end) return;
    s->first = d->n_calls;
    memcpy(s->callers, callers, sizeof s->callers);
    d->n_call_sites++;
}

void vgpu_failed_from(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    if (d->lists_calls)
        add_to_list(d, callers);
    else
        memcpy(d->failed.callers, callers, sizeof d->failed.callers);
}

size_t vgpu_call_sites(const vgpu_device *d, const struct vgpu_call_site **list,
                       uint64_t *calls) {
    *list = d->call_sites;
    *calls = d->n_calls;
    return d->n_call_sites;
}

const struct vgpu_failed *vgpu_failed(const vgpu_device *d) {
    return &d->failed;
}

void vgpu_call_failed(vgpu_device *d, const char *call, int error,
                      const char *text, const uint64_t callers[VGPU_CALLERS]) {
    if (d->n_call_errors == VGPU_MAX_CALL_ERRORS) return;
    struct vgpu_call_error *e = &d->call_errors[d->n_call_errors++];
    *e = (struct vgpu_call_error){.call = call, .error = error, .text = text};
    memcpy(e->callers, callers, sizeof e->callers);
}

size_t vgpu_call_errors(const vgpu_device *d,
                        const struct vgpu_call_error **list) {
    *list = d->call_errors;
    return d->n_call_errors;
}
