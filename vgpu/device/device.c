/* SPDX-License-Identifier: MIT
 *
 * device.c: opening, configuring and closing a device.
 */
#include "device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_hooks.h"

vgpu_status device_fail(vgpu_device *d, vgpu_status s, const char *format,
                        ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(d->message, sizeof d->message, format, args);
    va_end(args);
    return s;
}

vgpu_status device_fail_as(vgpu_device *d, vgpu_status s,
                           const struct vgpu_message *message) {
    char *text = vgpu_message_text(message, NULL);
    device_fail(d, s, "%s", text ? text : "out of memory");
    free(text);
    return s;
}

/* FNV-1a. */
static uint64_t hash_of(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static const char *find_kept(const vgpu_device *d, const char *text,
                             uint64_t hash) {
    for (struct kept *k = d->kept[hash % KEPT_LISTS]; k; k = k->next)
        if (k->hash == hash && !strcmp(k->text, text)) return k->text;
    return NULL;
}

const char *device_kept(const vgpu_device *d, const char *text) {
    return text ? find_kept(d, text, hash_of(text)) : NULL;
}

const char *device_keep(vgpu_device *d, const char *text) {
    if (!text) return NULL;
    uint64_t hash = hash_of(text);
    struct kept **list = &d->kept[hash % KEPT_LISTS];
    const char *there = find_kept(d, text, hash);
    if (there) return there;
    size_t n = strlen(text) + 1;
    struct kept *k =
        charges_bytes(&d->memory.charges, sizeof *k + n, "names in its images");
    if (!k) return "(a name that is too long)";
    memcpy(k->text, text, n);
    k->hash = hash;
    k->next = *list;
    *list = k;
    return k->text;
}

static const struct vgpu_profile *find_profile(const char *name) {
    const struct vgpu_profile *list;
    size_t n = vgpu_profiles(&list);
    for (size_t k = 0; k < n; k++)
        if (!strcmp(list[k].name, name ? name : "teach")) return &list[k];
    return NULL;
}

static void apply_checks(vgpu_device *d) {
    const struct vgpu_options *o = &d->options;
    struct charges *c = &d->memory.charges;
    c->limit = o->held_limit_bytes;
    c->share = o->held_share_bytes ? o->held_share_bytes : c->limit;
    c->more = o->more_memory;
    c->user = o->user;
    if (!d->options.instruction_budget)
        d->options.instruction_budget = VGPU_DEFAULT_BUDGET;
    d->memory.track_written = d->options.checks & VGPU_CHECK_INITCHECK;
    if (d->options.checks & VGPU_CHECK_ORDERCHECK && !d->uses)
        d->uses = uses_new(&d->memory.charges);
    if (d->options.feeds && d->n_gpus == 1 && !d->feeds)
        d->feeds = feeds_new(&d->memory.charges);
}

static void drop_clocks(vgpu_device *d) {
    for (unsigned g = 0; g < d->n_gpus; g++) {
        clock_free(d->clocks[g]);
        d->clocks[g] = NULL;
    }
    d->clock = NULL;
}

static bool make_clocks(vgpu_device *d) {
    bool all = d->options.all_messages;
    for (unsigned g = 0; g < d->n_gpus && !d->clock; g++)
        if (!(d->clocks[g] =
                  clock_new(d->options.clock, all, &d->memory.charges)))
            return false;
    if (!d->clock && d->n_gpus > 1 && !clock_link(d->clocks, d->n_gpus))
        return false;
    d->clock = d->clocks[0];
    for (unsigned g = 0; g < d->n_gpus; g++)
        if (d->options.timeline && !clock_keeps_timeline(d->clocks[g]))
            return false;
    return true;
}

/* Model time decides whose turn it is. */
static vgpu_status apply_clock(vgpu_device *d) {
    const char *name = d->options.clock;
    const char *have = d->clock ? clock_name(d->clock) : NULL;
    bool all = d->options.all_messages;
    if (have && (!name || strcmp(have, name) ||
                 clock_takes_all_messages(d->clock) != all))
        drop_clocks(d);
    if (!name) return VGPU_OK;
    struct clock_profile p;
    if (!clock_profile_find(name, &p)) return VGPU_INVALID_VALUE;
    if (d->n_gpus > 1 && !p.counts_steps && !p.link_rate)
        return VGPU_INVALID_VALUE; /* it has no links */
    d->options.schedule = VGPU_IN_ORDER;
    d->options.memory_model = VGPU_MEMORY_SC;
    if (make_clocks(d)) return VGPU_OK;
    drop_clocks(d);
    return VGPU_OUT_OF_MEMORY;
}

vgpu_device *vgpu_open(const struct vgpu_options *o, vgpu_status *status) {
    vgpu_status ignored;
    if (!status) status = &ignored;
    const struct vgpu_profile *p = find_profile(o ? o->profile : NULL);
    *status = VGPU_INVALID_VALUE;
    if (!p) return NULL;
    vgpu_device *d = calloc(1, sizeof *d);
    *status = VGPU_OUT_OF_MEMORY;
    if (!d) return NULL;
    if (o) d->options = *o;
    d->profile = p;
    d->most_pending = 2048;
    d->n_gpus = o && o->n_gpus ? o->n_gpus : (unsigned)p->n_gpus;
    if (d->n_gpus > VGPU_MOST_GPUS) d->n_gpus = VGPU_MOST_GPUS;
    d->record_time = 1;
    d->alu = alu_tables_select(-1);
    uint64_t limit = (uint64_t)p->memory_mib << 20;
    if (o && o->memory_limit_bytes && o->memory_limit_bytes < limit)
        limit = o->memory_limit_bytes;
    memory_init(&d->memory, limit);
    d->memory.slack_bytes = d->options.slack_bytes;
    d->memory.clears = d->options.clears_memory;
    memory_set_contents(&d->memory,
                        d->options.clears_memory ? VGPU_CONTENTS_ZEROS
                                                 : d->options.contents,
                        d->options.contents_seed);
    apply_checks(d);
    *status = apply_clock(d);
    if (d->options.steps && !(d->steps = steps_new(p)))
        *status = VGPU_OUT_OF_MEMORY;
    if (d->options.asked_bytes && !(d->asked = asked_new()))
        *status = VGPU_OUT_OF_MEMORY;
    if (d->options.states && !(d->states = states_new()))
        *status = VGPU_OUT_OF_MEMORY;
    if (*status == VGPU_OK) return d;
    vgpu_close(d);
    return NULL;
}

void vgpu_configure(vgpu_device *d, const struct vgpu_options *o) {
    d->options = *o;
    apply_checks(d);
    apply_clock(d);
}

void vgpu_close(vgpu_device *d) {
    if (!d) return;
    vgpu_flights_stop(d);
    while (d->modules) vgpu_module_unload(d, d->modules);
    drop_clocks(d);
    steps_free(d->steps);
    asked_free(d->asked);
    vgpu_states_free(d->states);
    uses_free(d->uses);
    feeds_free(d->feeds);
    struct charges *c = &d->memory.charges;
    for (size_t l = 0; l < KEPT_LISTS; l++)
        while (d->kept[l]) {
            struct kept *next = d->kept[l]->next;
            charges_free(c, d->kept[l]);
            d->kept[l] = next;
        }
    free(d->path);
    charges_free(c, d->records);
    charges_free(c, d->lines);
    memory_free_all(&d->memory);
    free(d->launched);
    free(d->findings);
    free(d->remarks);
    free(d->output);
    free(d);
}

const char *vgpu_last_message(const vgpu_device *d) {
    return d->message;
}

const struct vgpu_profile *vgpu_device_profile(const vgpu_device *d) {
    return d->profile;
}

size_t vgpu_free_bytes(const vgpu_device *d) {
    uint64_t bytes = d->memory.limit_bytes - d->memory.held_of[d->memory.gpu];
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

const struct vgpu_refusal *vgpu_no_room(const vgpu_device *d) {
    return &d->no_room;
}

void vgpu_refused_from(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    struct vgpu_refusal *r = &d->no_room;
    if (!r->callers[0]) memcpy(r->callers, callers, sizeof r->callers);
}

void vgpu_forget_fault(vgpu_device *d) {
    d->sticky = VGPU_OK;
}

bool vgpu_time_is_over(vgpu_device *d) {
    return d->options.should_stop && d->options.should_stop(d->options.user);
}
