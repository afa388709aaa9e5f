/* SPDX-License-Identifier: MIT
 *
 * kin.c: notes launches that kernels ask for. See kin.h.
 */
#include "kin.h"

#include <stdlib.h>
#include <string.h>

#include "device_hooks.h"
#include "watch.h"

enum {
    MOST_PENDING = 1 << 16, /* in a family */
    TEXT_BYTES = 2048,
    NAMED = 0x5eed0000 /* handles begin behind it */
};
#define OF_STREAM (1ull << 63)
#define OF_EVENT  (1ull << 62)

bool kins_add(struct kins *k, struct kin *one) {
    if (k->n == k->room) {
        uint32_t room = k->room ? 2 * k->room : 4;
        struct kin **list = realloc(k->list, room * sizeof *list);
        if (!list) return false;
        k->list = list;
        k->room = room;
    }
    k->list[k->n++] = one;
    return true;
}

static void kins_free(struct kins *k) {
    free(k->list);
    *k = (struct kins){0};
}

static struct charges *charges_here(const struct kin_family *f) {
    return &f->launch->device->memory.charges;
}

/* ---- to forget ---- */

static void drop_parameters(struct kin_family *f, struct kin *k) {
    if (k->parameters)
        memory_release(&f->launch->device->memory, k->parameters);
    k->parameters = 0;
}

static void kin_free(struct kin_family *f, struct kin *k) {
    const struct machine *m = &f->launch->machine;
    kin_forget(f, k);
    drop_parameters(f, k);
    watch_child_forgotten(m->watching, (struct machine *)m, &k->child);
    kins_free(&k->after);
    kins_free(&k->then);
    charges_free(charges_here(f), k);
}

static void free_all(struct kin_family *f, struct kins *list) {
    for (uint32_t i = 0; i < list->n; i++) kin_free(f, list->list[i]);
    kins_free(list);
}

void kin_forget(struct kin_family *f, struct kin *k) {
    free_all(f, &k->opened);
    free_all(f, &k->kids);
    free_all(f, &k->tails);
    kins_free(&k->ready);
    kins_free(&k->events);
    for (uint32_t i = 0; i < k->n_streams; i++) kins_free(&k->streams[i].waits);
    free(k->streams);
    free(k->names.entries);
    k->streams = NULL;
    k->names = (struct words_map){0};
    k->n_streams = k->streams_room = k->next_kid = k->next_tail = 0;
}

/* ---- streams and events of a grid ---- */

static struct kin *kin_of(const struct launch *l) {
    return l->kin;
}

/* The grid's stream or event of this name; 0: none. */
static uint32_t kin_number_of(const struct kin *k, uint64_t name) {
    return words_get(&k->names, name);
}

static struct kin_stream *stream_add(struct kin *k, uint64_t name) {
    if (k->n_streams == k->streams_room) {
        uint32_t room = k->streams_room ? 2 * k->streams_room : 4;
        struct kin_stream *list = realloc(k->streams, room * sizeof *list);
        if (!list) return NULL;
        k->streams = list;
        k->streams_room = room;
    }
    if (!words_set(&k->names, name, k->n_streams + 1)) return NULL;
    struct kin_stream *s = &k->streams[k->n_streams++];
    *s = (struct kin_stream){0};
    return s;
}

/* Every block has a stream without a name; every thread, where the program asks
 * for that. */
static uint64_t stream_name(const struct child_call *at, uint64_t stream) {
    const struct context *c = at->context;
    uint64_t block = (context_block(c)->linear + 1) << 12;
    if (stream == CHILD_STREAM_OF_BLOCK || stream == CHILD_STREAM_LEGACY)
        return block;
    if (stream == CHILD_STREAM_OF_THREAD)
        return block | (c->warp->index * WARP_LANES + at->lane + 1);
    return OF_STREAM | stream;
}

static bool is_special(uint64_t stream) {
    return stream == CHILD_STREAM_TAIL || stream == CHILD_STREAM_FORGET;
}

/* NULL: there is none. */
static struct kin_stream *stream_at(struct kin *k, const struct child_call *at,
                                    uint64_t stream) {
    uint64_t name = stream_name(at, stream);
    uint32_t number = kin_number_of(k, name);
    if (number) return &k->streams[number - 1];
    return name & OF_STREAM ? NULL : stream_add(k, name);
}

static struct kin_family *kin_family_of(const struct launch *l) {
    return l->family;
}

static unsigned kin_stream_new(void *user, uint64_t *stream) {
    struct launch *l = user;
    *stream = NAMED + ++kin_family_of(l)->n_handles;
    return stream_add(kin_of(l), OF_STREAM | *stream) ? CHILD_SUCCESS
                                                      : CHILD_NO_MEMORY;
}

/* What was launched goes on; an H200 lets even later launches into it. */
static unsigned kin_stream_drop(void *user, uint64_t stream) {
    return kin_number_of(kin_of(user), OF_STREAM | stream)
               ? CHILD_SUCCESS
               : CHILD_INVALID_VALUE;
}

static unsigned kin_event_new(void *user, uint64_t *event) {
    struct launch *l = user;
    struct kin *k = kin_of(l);
    *event = NAMED + ++kin_family_of(l)->n_handles;
    return kins_add(&k->events, NULL) &&
                   words_set(&k->names, OF_EVENT | *event, k->events.n)
               ? CHILD_SUCCESS
               : CHILD_NO_MEMORY;
}

static unsigned kin_event_drop(void *user, uint64_t event) {
    return kin_number_of(kin_of(user), OF_EVENT | event) ? CHILD_SUCCESS
                                                         : CHILD_INVALID_VALUE;
}

static unsigned kin_record(void *user, const struct child_call *at,
                           uint64_t event, uint64_t stream) {
    struct kin *k = kin_of(user);
    uint32_t number = kin_number_of(k, OF_EVENT | event);
    const struct kin_stream *s =
        number && !is_special(stream) ? stream_at(k, at, stream) : NULL;
    if (!s) return CHILD_INVALID_VALUE;
    k->events.list[number - 1] = s->last;
    return CHILD_SUCCESS;
}

static unsigned kin_wait(void *user, const struct child_call *at,
                         uint64_t stream, uint64_t event) {
    struct kin *k = kin_of(user);
    uint32_t number = kin_number_of(k, OF_EVENT | event);
    struct kin_stream *s =
        number && !is_special(stream) ? stream_at(k, at, stream) : NULL;
    if (!s) return CHILD_INVALID_VALUE;
    struct kin *before = k->events.list[number - 1];
    return !before || kins_add(&s->waits, before) ? CHILD_SUCCESS
                                                  : CHILD_NO_MEMORY;
}

/* ---- launches ---- */

static vgpu_kernel *kernel_at(const struct launch *l, uint64_t address) {
    struct vgpu_module *m = l->kernel->module;
    uint64_t k = (address - FUNCTION_WINDOW) / FUNCTION_STRIDE;
    vgpu_kernel *kernel;
    if (address < FUNCTION_WINDOW || !k || k > m->program.n_functions)
        return NULL;
    const struct ptx_function *f = m->program.functions[k - 1].ptx;
    if (!f->is_entry || vgpu_module_kernel(m, f->name, &kernel) != VGPU_OK ||
        kernel_decode(kernel) != VGPU_OK)
        return NULL;
    return kernel;
}

static unsigned kin_refuse(const struct child_call *at, const vgpu_kernel *k,
                           unsigned error, const struct vgpu_message *why) {
    VGPU_SAY(at->why, LAUNCH_OF_KERNEL,
             .kernel = k ? k->name : "a function that is no kernel",
             .why = why);
    return error;
}

/* As fault.c says it. */
static void note_place(const struct child_call *at, struct kin *k) {
    const struct context *c = at->context;
    const struct machine *m = c->machine;
    uint32_t t = c->warp->index * WARP_LANES + at->lane;
    k->insn = c->insn;
    k->where = program_source(m->program->ptx, c->insn->source->loc);
    memcpy(k->block, context_block(c)->index, sizeof k->block);
    k->thread[0] = t % m->block[0];
    k->thread[1] = t / m->block[0] % m->block[1];
    k->thread[2] = t / m->block[0] / m->block[1];
}

static struct kin *kin_new(struct launch *l, vgpu_kernel *kernel,
                           const struct child_shape *shape) {
    struct kin_family *f = kin_family_of(l);
    struct kin *k = charges_zeroed(charges_here(f), sizeof *k,
                                   "launches that kernels ask for");
    uint32_t bytes = kernel->function->param_bytes;
    struct allocation *a =
        k ? memory_allocate_in_heap(&l->device->memory, bytes ? bytes : 1)
          : NULL;
    if (!a || !kins_add(&kin_of(l)->opened, k)) {
        if (a) memory_release(&l->device->memory, a->region.base);
        charges_free(charges_here(f), k);
        return NULL;
    }
    k->kernel = kernel;
    k->shape = *shape;
    k->parent = kin_of(l);
    k->child.parent = &k->parent->child;
    k->parameters = a->region.base;
    return k;
}

static unsigned kin_parameters(void *user, const struct child_call *at,
                               const struct child_shape *shape,
                               uint64_t *address) {
    struct launch *l = user;
    struct vgpu_message why;
    vgpu_kernel *kernel = kernel_at(l, shape->kernel);
    VGPU_SAY_PLAIN(&why, NO_KERNEL_THERE);
    if (!kernel || !kernel->function->decoded ||
        launch_look(l->device, kernel, shape->grid, shape->block,
                    shape->dynamic, &why) != VGPU_OK)
        return kin_refuse(at, kernel, CHILD_INVALID_CONFIGURATION, &why);
    struct kin *k = kin_new(l, kernel, shape);
    VGPU_SAY_PLAIN(&why, NO_MEMORY_FOR_LAUNCH);
    if (!k) return kin_refuse(at, kernel, CHILD_NO_MEMORY, &why);
    note_place(at, k);
    *address = k->parameters;
    return CHILD_SUCCESS;
}

static struct kin *take_opened(struct kin *of, uint64_t parameters) {
    struct kins *o = &of->opened;
    for (uint32_t i = o->n; i-- > 0;) {
        struct kin *k = o->list[i];
        if (k->parameters != parameters) continue;
        memmove(o->list + i, o->list + i + 1, (--o->n - i) * sizeof *o->list);
        return k;
    }
    return NULL;
}

static bool comes_behind(struct kin *k, struct kin *before) {
    if (!kins_add(&k->after, before) || !kins_add(&before->then, k))
        return false;
    k->n_left++;
    return true;
}

static void starts_to_wait(struct kin_family *f, struct kin *k) {
    f->n_waiting += !k->waits;
    k->waits = true;
}

/* How many would wait more: one whose stream is free begins at once, and takes
 * no place until others wait for it. */
static uint64_t would_wait(const struct kin_stream *s, uint64_t stream) {
    if (stream == CHILD_STREAM_TAIL) return 1;
    if (!s || (!s->last && !s->waits.n)) return 0;
    return s->last && !s->last->waits ? 2 : 1;
}

static bool enters_stream(struct kin_family *f, struct kin *k,
                          struct kin_stream *s) {
    if (s->last) starts_to_wait(f, s->last);
    if (s->last && !comes_behind(k, s->last)) return false;
    for (uint32_t i = 0; i < s->waits.n; i++)
        if (!comes_behind(k, s->waits.list[i])) return false;
    if (k->n_left) starts_to_wait(f, k);
    s->waits.n = 0;
    s->last = k;
    s->n++;
    return true;
}

static unsigned kin_enter(struct kin_family *f, struct kin *k, uint64_t stream,
                          struct kin_stream *s) {
    struct kin *of = k->parent;
    k->child.is_tail = stream == CHILD_STREAM_TAIL;
    if (k->child.is_tail) starts_to_wait(f, k);
    if ((s && !enters_stream(f, k, s)) ||
        !kins_add(k->child.is_tail ? &of->tails : &of->kids, k))
        return CHILD_NO_MEMORY;
    k->child.after = (struct child **)(void *)k->after.list;
    k->child.n_after = k->after.n;
    f->n_all++;
    return CHILD_SUCCESS;
}

static unsigned kin_launch(void *user, const struct child_call *at,
                           uint64_t parameters, uint64_t stream) {
    struct launch *l = user;
    struct kin_family *f = kin_family_of(l);
    struct kin *k = take_opened(kin_of(l), parameters);
    struct vgpu_message why;
    VGPU_SAY_PLAIN(&why, NO_KERNEL_THERE);
    if (!k) return kin_refuse(at, NULL, CHILD_INVALID_VALUE, &why);
    struct kin_stream *s =
        is_special(stream) ? NULL : stream_at(kin_of(l), at, stream);
    unsigned error = CHILD_SUCCESS;
    uint64_t most = l->device->most_pending;
    VGPU_SAY_PLAIN(&why, NO_STREAM_THERE);
    if (!s && !is_special(stream)) error = CHILD_INVALID_VALUE;
    if (!error && (f->n_waiting + would_wait(s, stream) > most ||
                   f->n_all >= MOST_PENDING)) {
        error = CHILD_TOO_MANY_PENDING;
        VGPU_SAY(&why, MANY_PENDING, .most = most);
    }
    if (!error) error = kin_enter(f, k, stream, s);
    if (!error) {
        watch_launches(at->context->machine->watching, at->context, at->lane,
                       &k->child);
        return error;
    }
    kin_refuse(at, k->kernel, error, &why);
    if (error != CHILD_NO_MEMORY) {
        kin_free(f, k);
        return error;
    }
    /* Others may point to it: the launch ends, and it with it. */
    at->context->machine->status = VGPU_OUT_OF_MEMORY;
    kins_add(&kin_of(l)->opened, k);
    return error;
}

/* ---- what is asked for ---- */

void vgpu_set_pending(vgpu_device *d, uint64_t most) {
    d->most_pending = most < MOST_PENDING ? most : MOST_PENDING;
}

static uint64_t kin_limit(void *user, uint32_t limit, unsigned *error) {
    const struct launch *l = user;
    switch (limit) {
    case 0: return 1024;     /* of the stack */
    case 1: return 1u << 20; /* of printf */
    case 2: return 8 << 20;  /* of malloc */
    case 4: return l->device->most_pending;
    case 5: return 128; /* of a fetch */
    default: *error = CHILD_UNSUPPORTED_LIMIT; return UINT64_MAX;
    }
}

/* All texts that were asked for, one behind the other. */
static uint64_t kin_text(void *user, const char *text) {
    vgpu_device *d = ((const struct launch *)user)->device;
    struct allocation *a =
        d->texts ? memory_find(&d->memory, d->texts)
                 : memory_allocate_in_heap(&d->memory, TEXT_BYTES);
    if (!a) return 0;
    if (!d->texts) {
        a->module = true;
        memory_name(&d->memory, a, "texts of errors");
        memset(a->region.bytes, 0, TEXT_BYTES);
        if (a->region.written) bits_set(a->region.written, 0, TEXT_BYTES, true);
    }
    d->texts = a->region.base;
    char *at = (char *)a->region.bytes, *end = at + TEXT_BYTES;
    while (*at && strcmp(at, text)) at += strlen(at) + 1;
    if (at + strlen(text) + 2 > end) return 0;
    memcpy(at, text, strlen(text));
    return d->texts + (uint64_t)(at - (char *)a->region.bytes);
}

const struct child_calls kin_calls = {.parameters = kin_parameters,
                                      .launch = kin_launch,
                                      .stream_new = kin_stream_new,
                                      .stream_drop = kin_stream_drop,
                                      .event_new = kin_event_new,
                                      .event_drop = kin_event_drop,
                                      .record = kin_record,
                                      .wait = kin_wait,
                                      .limit = kin_limit,
                                      .text = kin_text};
