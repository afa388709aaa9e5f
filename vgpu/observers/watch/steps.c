/* SPDX-License-Identifier: MIT
 *
 * steps.c: see steps.h: the recording: arrays, places, steps, writes.
 */
#include "steps.h"

#include <stdio.h>

#include "steps_inside.h"
#include "text.h"

struct steps *steps_new(const struct vgpu_profile *p) {
    struct steps *s = calloc(1, sizeof *s);
    if (s && sets_open(&s->sets)) {
        s->banks = (uint32_t)p->banks;
        return s;
    }
    steps_free(s);
    return NULL;
}

static void forget_frames(struct steps *s) {
    for (uint32_t k = 0; k < s->n_frames; k++) free(s->frames[k].sets);
    s->n_frames = s->last_frame = 0;
    s->frame_bytes = 0;
    words_clear(&s->own);
}

void steps_reset(struct steps *s) {
    forget_frames(s);
    for (uint32_t k = 0; k < s->n_places; k++) free(s->places[k].file);
    s->n_arrays = s->n_writes = s->n_steps = s->n_places = s->n_launches = 0;
    s->n_accesses = s->last_array = s->n_reads = 0;
    s->n_copies = s->n_named = 0;
    s->n_fed = 0;
    s->host_open = s->is_cut = s->reads_cut = s->accesses_cut = false;
    if (s->word_bytes) s->is_cut = s->accesses_cut = true;
    s->writer = (struct vgpu_word_writer){0};
    sets_clear(&s->sets);
    words_clear(&s->cells);
}

void steps_free(struct steps *s) {
    if (!s) return;
    if (s->sets.buckets && s->sets.joined) steps_reset(s);
    sets_close(&s->sets);
    free(s->cells.entries);
    free(s->own.entries);
    free(s->arrays);
    free(s->writes);
    free(s->steps);
    free(s->places);
    free(s->launches);
    free(s->copies);
    free(s->accesses);
    free(s->slots);
    free(s->reads);
    free(s->word_reads);
    free(s->frames);
    free(s);
}

struct vgpu_steps steps_seen(const struct steps *s) {
    return (struct vgpu_steps){.arrays = s->arrays,
                               .writes = s->writes,
                               .reads = s->reads,
                               .feeds = s->sets.feeds,
                               .steps = s->steps,
                               .places = s->places,
                               .launches = s->launches,
                               .copies = s->copies,
                               .accesses = s->accesses,
                               .n_arrays = s->n_arrays,
                               .n_writes = s->n_writes,
                               .n_reads = s->n_reads,
                               .n_feeds = s->sets.n_feeds,
                               .n_steps = s->n_steps,
                               .n_places = s->n_places,
                               .n_launches = s->n_launches,
                               .n_copies = s->n_copies,
                               .n_accesses = s->n_accesses,
                               .banks = s->banks,
                               .is_cut = s->is_cut || s->sets.is_full,
                               .reads_cut = s->reads_cut,
                               .accesses_cut = s->accesses_cut};
}

bool steps_room(struct steps *s, void *list, uint32_t *room, uint32_t n,
                size_t size) {
    void **at = list;
    if (n < *room) return true;
    uint32_t more = *room ? 2 * *room : 64;
    void *t = n < VGPU_STEPS_WRITES ? realloc(*at, more * size) : NULL;
    if (!t) {
        s->is_cut = true;
        return false;
    }
    *at = t;
    *room = more;
    return true;
}

/* ---- arrays ---- */

static bool is_it(const struct vgpu_array *a, const struct vgpu_array *b) {
    if (a->kind != b->kind || a->base != b->base) return false;
    return a->kind == VGPU_ARRAY_GLOBAL ||
           (a->launch == b->launch && a->block == b->block &&
            (a->kind == VGPU_ARRAY_SHARED ||
             (a->warp == b->warp && a->place == b->place)));
}

static uint32_t array_of(struct steps *s, const struct vgpu_array *a) {
    if (s->last_array < s->n_arrays && is_it(&s->arrays[s->last_array], a))
        return s->last_array;
    for (uint32_t k = s->n_arrays; k-- > 0;)
        if (is_it(&s->arrays[k], a)) return s->last_array = k;
    s->is_cut |= s->n_arrays == MOST_ARRAYS;
    if (s->is_cut || !steps_room(s, &s->arrays, &s->arrays_room, s->n_arrays,
                                 sizeof *s->arrays))
        return 0;
    s->arrays[s->n_arrays] = *a;
    return s->last_array = s->n_arrays++;
}

uint32_t steps_global_array(struct steps *s, const struct memory *m,
                            uint64_t address) {
    const struct allocation *of = memory_find(m, address);
    struct vgpu_array a = {.kind = VGPU_ARRAY_GLOBAL,
                           .base = of ? of->region.base : 0,
                           .bytes = of ? of->size : 0};
    if (of && of->name) snprintf(a.name, sizeof a.name, "%s", of->name);
    return array_of(s, &a);
}

/* The variable of shared memory that holds a byte. */
static struct vgpu_array shared_variable(const struct machine *m, uint64_t at) {
    struct vgpu_array a = {.kind = VGPU_ARRAY_SHARED};
    if (m->shared_dynamic && at >= m->shared_static) {
        a.base = m->shared_static;
        a.bytes = m->shared_dynamic;
        return a;
    }
    if (m->kernel->ptx->n_variables > MOST_NAMED) {
        a.bytes = m->shared_bytes;
        return a;
    }
    struct shared_variable v;
    program_shared_around(m->kernel, at, m->shared_static, &v);
    a.base = v.first;
    a.bytes = v.next - v.first;
    memcpy(a.name, v.name, sizeof a.name);
    return a;
}

static uint32_t shared_array(struct steps *s, const struct block *b,
                             uint64_t at) {
    const struct vgpu_array *last =
        s->last_array < s->n_arrays ? &s->arrays[s->last_array] : NULL;
    if (last && last->kind == VGPU_ARRAY_SHARED && last->block == b->linear &&
        last->launch == s->n_launches && at - last->base < last->bytes)
        return s->last_array;
    struct vgpu_array a = shared_variable(b->machine, at);
    a.block = b->linear;
    a.launch = s->n_launches;
    return array_of(s, &a);
}

uint32_t steps_lanes_array(struct context *c, uint32_t place) {
    struct steps *s = steps_of(c->machine);
    struct vgpu_array a = {.kind = VGPU_ARRAY_LANES,
                           .bytes = 4 * WARP_LANES,
                           .block = context_block(c)->linear,
                           .launch = s->n_launches,
                           .warp = c->warp->index,
                           .place = place};
    return array_of(s, &a);
}

struct steps_cell steps_cell(struct context *c, const struct access *x,
                             uint32_t lane, uint32_t plus) {
    enum { SPACE_BIT = 56 };
    struct steps *s = steps_of(c->machine);
    const struct block *b = context_block(c);
    uint64_t at = x->address[lane] + plus;
    if (x->space == PTX_LOCAL || x->space == PTX_PARAM)
        return (struct steps_cell){
            .is_own = true,
            .key = (uint64_t)(uintptr_t)access_bytes(x, lane) + plus};
    struct steps_cell cell = {.key = at};
    if (x->space == PTX_SHARED) {
        cell.key = (uint64_t)1 << SPACE_BIT | s->n_launches % 256ull << 48 |
                   b->linear % (1 << 28) << 20 | at;
        cell.array = shared_array(s, b, at);
    } else {
        cell.array = steps_global_array(s, c->machine->memory, at);
    }
    if (cell.array < s->n_arrays)
        cell.at = (uint32_t)(at - s->arrays[cell.array].base);
    return cell;
}

/* ---- places ---- */

uint32_t steps_place(struct context *c) {
    return steps_place_of(c, c->insn);
}

uint32_t steps_place_of(struct context *c, const struct insn *insn) {
    struct steps *s = steps_of(c->machine);
    const struct ptx_insn *i = insn->source;
    struct vgpu_source at = {0};
    if (i) at = program_source(c->group->frame->function->program->ptx, i->loc);
    const char *file = at.file ? text_base(at.file) : NULL;
    for (uint32_t k = s->n_places; k-- > 0;)
        if (s->places[k].line == at.line && s->places[k].called == at.called &&
            memcmp(s->places[k].outer, at.outer, sizeof at.outer) == 0 &&
            !s->places[k].file == !file &&
            (!file || strncmp(s->places[k].file, file, MOST_OF_NAME) == 0))
            return k;
    s->is_cut |= s->n_places == MOST_PLACES;
    if (s->is_cut || !steps_room(s, &s->places, &s->places_room, s->n_places,
                                 sizeof *s->places))
        return 0;
    struct vgpu_place *place = &s->places[s->n_places];
    *place =
        (struct vgpu_place){.file = file ? strndup(file, MOST_OF_NAME) : NULL,
                            .line = at.line,
                            .called = at.called};
    memcpy(place->outer, at.outer, sizeof at.outer);
    return s->n_places++;
}

/* ---- steps ---- */

static uint32_t add_step(struct steps *s, struct vgpu_step step) {
    if (!steps_room(s, &s->steps, &s->steps_room, s->n_steps, sizeof *s->steps))
        return s->n_steps ? s->n_steps - 1 : 0;
    s->steps[s->n_steps] = step;
    return s->n_steps++;
}

static uint32_t host_step(struct steps *s) {
    if (!s->host_open)
        add_step(s, (struct vgpu_step){.begin = VGPU_STEP_HOST,
                                       .launch = s->n_launches});
    s->host_open = true;
    return s->n_steps ? s->n_steps - 1 : 0;
}

static uint32_t step_of(struct steps *s, const struct block *b) {
    struct steps_slot *slot = &s->slots[b->slot];
    if (!slot->open)
        slot->step =
            add_step(s, (struct vgpu_step){.begin = slot->begin,
                                           .launch = s->n_launches,
                                           .block = b->linear,
                                           .phase = slot->phase,
                                           .n_ordered = slot->n_ordered});
    slot->open = true;
    return slot->step;
}

static void cut(struct block *b, enum vgpu_step_begin begin) {
    struct steps *s = steps_of(b->machine);
    if (s->word_bytes) return;
    struct steps_slot *slot = &s->slots[b->slot];
    slot->open = false;
    slot->begin = begin;
    slot->phase++;
    slot->n_ordered += begin == VGPU_STEP_BARRIER;
}

void steps_met(struct block *b) {
    cut(b, VGPU_STEP_BARRIER);
}

void steps_some_met(struct block *b, uint32_t barrier) {
    (void)barrier;
    cut(b, VGPU_STEP_BARRIER);
}

void steps_fenced(struct context *c) {
    cut(context_block(c), VGPU_STEP_MESSAGE);
}

void steps_launch_begins(struct machine *m) {
    struct steps *s = steps_of(m);
    if (s->word_bytes) {
        word_launch_begins(m);
        return;
    }
    s->host_open = false;
    forget_frames(s);
    free(s->slots);
    s->slots = calloc(m->n_slots, sizeof *s->slots);
    if (!s->slots || !steps_room(s, &s->launches, &s->launches_room,
                                 s->n_launches, sizeof *s->launches)) {
        m->slots[OBSERVER_STEPS] = NULL;
        m->watching &= ~(unsigned)WATCH_STEPS;
        s->is_cut = true;
        return;
    }
    s->n_slots = m->n_slots;
    struct vgpu_steps_launch *l = &s->launches[s->n_launches++];
    *l = (struct vgpu_steps_launch){0};
    demangle(m->kernel->ptx->name, l->kernel, sizeof l->kernel);
    memcpy(l->grid, m->grid, sizeof l->grid);
    memcpy(l->block, m->block, sizeof l->block);
}

void steps_launched_from(struct steps *s, const uint64_t callers[]) {
    if (!s->n_launches) return;
    struct vgpu_steps_launch *l = &s->launches[s->n_launches - 1];
    memcpy(l->callers, callers, sizeof l->callers);
}

void steps_block_starts(struct block *b) {
    if (steps_of(b->machine)->word_bytes) {
        word_block_starts(b);
        return;
    }
    steps_of(b->machine)->slots[b->slot] =
        (struct steps_slot){.begin = VGPU_STEP_LAUNCH};
}

/* ---- writes ---- */

static uint32_t add_write(struct steps *s, struct vgpu_write w, uint32_t set) {
    if (s->is_cut || s->sets.is_full ||
        !steps_room(s, &s->writes, &s->writes_room, s->n_writes,
                    sizeof *s->writes))
        return UINT32_MAX;
    if (set) {
        w.feed = s->sets.sets[set - 1].first;
        w.n_feeds = s->sets.sets[set - 1].n;
        s->n_fed += w.n_feeds;
        s->is_cut |= s->n_fed > MOST_FED;
    }
    if (w.writer != VGPU_WRITER_BEFORE && w.step < s->n_steps)
        s->steps[w.step].last = s->n_writes;
    s->writes[s->n_writes] = w;
    return s->n_writes++;
}

uint32_t steps_write(struct context *c, struct vgpu_write w, uint32_t set) {
    struct steps *s = steps_of(c->machine);
    w.step = step_of(s, context_block(c));
    w.place = steps_place(c);
    return add_write(s, w, set);
}

uint32_t steps_before(struct steps *s, struct vgpu_write w) {
    w.writer = VGPU_WRITER_BEFORE;
    w.step = s->n_steps ? s->n_steps - 1 : 0;
    return add_write(s, w, 0);
}

void steps_copies_begin(struct steps *s) {
    s->n_named = s->n_copies;
}

/* All copies of one call of the runtime, which may be rows. */
void steps_copied_from(struct steps *s, const uint64_t callers[]) {
    for (; s->n_named < s->n_copies; s->n_named++)
        memcpy(s->copies[s->n_named].callers, callers,
               sizeof s->copies->callers);
}

static uint32_t add_copy(struct steps *s) {
    if (!steps_room(s, &s->copies, &s->copies_room, s->n_copies,
                    sizeof *s->copies))
        return 0;
    s->copies[s->n_copies++] = (struct vgpu_steps_copy){{0}};
    return s->n_copies;
}

void steps_copied(struct steps *s, const struct memory *m, uint64_t to,
                  uint64_t from, uint64_t bytes) {
    uint32_t copy = s->is_cut ? 0 : add_copy(s);
    for (uint64_t k = 0; k + 4 <= bytes && !s->is_cut; k += 4) {
        const struct allocation *a = memory_find(m, to + k);
        const struct allocation *b = from ? memory_find(m, from + k) : NULL;
        if (!a) return;
        struct vgpu_write w = {.bytes = 4,
                               .writer =
                                   b ? VGPU_WRITER_COPY : VGPU_WRITER_FILL,
                               .made = copy};
        memcpy(&w.value, a->region.bytes + (to + k - a->region.base), 4);
        uint32_t set = 0, old = b ? words_get(&s->cells, from + k) : 0;
        if (b && !old) {
            struct vgpu_write first = w;
            first.made = 0;
            first.array = steps_global_array(s, m, from + k);
            first.at = (uint32_t)(from + k - b->region.base);
            old = steps_before(s, first) + 1;
            words_set(&s->cells, from + k, old);
        }
        if (old) set = set_of_one(&s->sets, old - 1);
        w.array = steps_global_array(s, m, to + k);
        w.at = (uint32_t)(to + k - a->region.base);
        w.step = host_step(s);
        w.over = words_get(&s->cells, to + k);
        uint32_t new = add_write(s, w, set);
        if (new == UINT32_MAX || !words_set(&s->cells, to + k, new + 1)) return;
    }
}
