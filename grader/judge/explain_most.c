/* SPDX-License-Identifier: MIT
 *
 * explain_most.c: where most of a count came from that is over its bound: the
 * source line, the kernel and the launch, as the call itself counted them. See
 * explain.h.
 */
#include <string.h>

#include "explain.h"
#include "text.h"
#include "translate.h"

/* The launches of one kernel. */
struct of_kernel {
    const char *name;             /* NULL: there is none */
    uint64_t times, launch, most; /* launch: the one that counts most, from 1 */
    uint64_t sum;
};

static uint64_t percent(uint64_t part, uint64_t whole) {
    if (part >= whole) return whole ? 100 : 0;
    uint64_t rounded = (uint64_t)(100 * (double)part / (double)whole + 0.5);
    return rounded < 100 ? rounded : 99;
}

static struct of_kernel look_at(const struct harness *h, const char *kernel,
                                vgpu_counter c) {
    const struct vgpu_launch_record *list;
    size_t n = vgpu_launch_records(h->vgpu, &list);
    struct of_kernel k = {.name = kernel};
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].kernel, kernel) != 0) continue;
        k.times++;
        k.sum += list[i].counts[c];
        if (k.launch && list[i].counts[c] <= k.most) continue;
        k.launch = i + 1;
        k.most = list[i].counts[c];
    }
    return k;
}

/* The one whose launches count most together. NULL: where the list of launches
 * ends, and of what is no sum over launches. */
static struct of_kernel most_of(const struct harness *h, vgpu_counter c,
                                uint64_t whole) {
    const struct vgpu_launch_record *list;
    size_t n = vgpu_launch_records(h->vgpu, &list);
    struct of_kernel most = {0}, none = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += list[i].counts[c];
        if (most.name && strcmp(list[i].kernel, most.name) == 0) continue;
        struct of_kernel k = look_at(h, list[i].kernel, c);
        if (!most.name || k.sum > most.sum) most = k;
    }
    return sum == whole ? most : none;
}

/* Does one launch stand out from the others of its kernel? */
static bool is_uneven(const struct of_kernel *k) {
    return 2 * k->most * k->times > 3 * k->sum;
}

/* A line, of all kernels that run it. */
struct of_line {
    const struct vgpu_line_record *record; /* of one of them; NULL: none */
    uint64_t kernels, sum;
};

/* The line that counts most, which is the first of `hottest`. None: it is not
 * counted by line, or that line is none of the submission's. */
static struct of_line explain_most_line_of(const struct harness *h,
                                           vgpu_counter c,
                                           const struct source_view *hottest) {
    const struct vgpu_line_record *list;
    const struct source_line *most =
        hottest && hottest->n ? hottest->lines : NULL;
    size_t n = vgpu_line_records(h->vgpu, &list);
    struct of_line line = {0}, none = {0};
    for (size_t i = 0; most && most->file && i < n; i++) {
        const struct vgpu_source *at = &list[i].where;
        if (!list[i].counts[c] || at->line != most->line || !at->file ||
            strcmp(text_base(at->file), most->file) != 0)
            continue;
        line.record = &list[i];
        line.kernels++;
        line.sum += list[i].counts[c];
    }
    return line.record && vgpu_is_toolkit_file(line.record->where.file) ? none
                                                                        : line;
}

/* line: none, the kernel as a whole. */
static struct fact fact_of(vgpu_counter c, uint64_t share,
                           const struct of_line *line,
                           const struct of_kernel *k, uint64_t launches) {
    const char *name = vgpu_counter_name(c);
    const struct vgpu_line_record *r = line->record;
    const char *file = r ? text_base(r->where.file) : "";
    uint32_t at = r ? r->where.line : 0;
    if (line->kernels > 1)
        return FACT(MOST_SHARED,
                    {V(name), V(share), V(file), V(at), V(line->kernels),
                     V(k->launch), V(launches), V(k->name)});
    if (k->times == 1)
        return FACT(MOST_ONCE, {V(name), V(share), V(file), V(at), V(k->name),
                                V(k->launch), V(launches)});
    if (k->times && is_uneven(k))
        return FACT(MOST_UNEVEN, {V(name), V(share), V(file), V(at), V(k->name),
                                  V(k->times), V(k->launch), V(launches)});
    return FACT(MOST_EVEN,
                {V(name), V(share), V(file), V(at), V(k->name), V(k->times)});
}

/* Of a line that several kernels run, all launches; else those of its kernel.
 * Where the list of launches ends, none. */
static struct of_kernel launches_of(const struct harness *h, vgpu_counter c,
                                    const struct of_line *line) {
    const struct vgpu_launch_record *list;
    struct of_kernel k = {0};
    if (vgpu_left_out(h->vgpu)->launches) {
        k.name = line->kernels > 1 ? "" : line->record->kernel;
        return k;
    }
    if (line->kernels == 1) return look_at(h, line->record->kernel, c);
    size_t n = vgpu_launch_records(h->vgpu, &list);
    for (size_t i = 0; i < n; i++) {
        if (k.launch && list[i].counts[c] <= k.most) continue;
        k = (struct of_kernel){
            .name = list[i].kernel, .launch = i + 1, .most = list[i].counts[c]};
    }
    return k;
}

/* The sectors would be few enough if each were filled, and the line that counts
 * most fills none. */
static void add_apart(const struct bound_count *b,
                      const struct harness_call *call,
                      const struct vgpu_line_record *line, struct outcome *o) {
    enum { SECTOR = 32, FAR = 3 };
    bool reads = b->bound->counter == VGPU_COUNT_GLOBAL_READ_SECTORS;
    if (!line ||
        (!reads && b->bound->counter != VGPU_COUNT_GLOBAL_WRITE_SECTORS))
        return;
    vgpu_counter bytes = reads ? VGPU_COUNT_GLOBAL_READ_BYTES
                               : VGPU_COUNT_GLOBAL_WRITE_BYTES,
                 requests = reads ? VGPU_COUNT_GLOBAL_READ_REQUESTS
                                  : VGPU_COUNT_GLOBAL_WRITE_REQUESTS;
    uint64_t accesses = line->counts[requests];
    if (!accesses || !formula_holds(b->bound->compare,
                                    call->counts[bytes] / SECTOR, b->limit))
        return;
    uint64_t sectors = line->counts[b->bound->counter] / accesses,
             least = (line->counts[bytes] / accesses + SECTOR - 1) / SECTOR;
    if (sectors >= FAR * least)
        outcome_add(o, FACT(LANES_APART, {V(text_base(line->where.file)),
                                          V(line->where.line),
                                          V(reads ? N_("load") : N_("store")),
                                          V(sectors), V(least)}));
}

static bool lacks_blocks(const struct measured *m) {
    for (size_t i = 0; i < m->n_bounds; i++)
        if (!m->bounds[i].holds &&
            m->bounds[i].bound->counter == (int)VGPU_COUNT_BLOCKS &&
            !bound_is_passed(&m->bounds[i]))
            return true;
    return false;
}

void explain_most(const struct harness *h, const struct harness_call *call,
                  const struct measured *m, struct outcome *o) {
    uint64_t launches = call->counts[VGPU_COUNT_LAUNCHES];
    const struct bound_count *b = NULL;
    for (size_t i = 0; i < m->n_bounds && !b; i++)
        if (bound_is_passed(&m->bounds[i])) b = &m->bounds[i];
    o->grid_matters = lacks_blocks(m);
    if (!b) return;
    vgpu_counter c = (vgpu_counter)b->bound->counter;
    explain_costly(h, c, o);
    struct source_view *hottest = source_make(h->vgpu, NULL, c, SOURCE_HOT);
    const struct of_line line = explain_most_line_of(h, c, hottest);
    source_free(o->hottest);
    o->hottest = line.record ? hottest : NULL;
    if (!o->hottest) source_free(hottest);
    struct of_kernel k = most_of(h, c, b->count);
    add_apart(b, call, line.record, o);
    if (c == VGPU_COUNT_LAUNCHES && k.times > 1)
        outcome_add(o,
                    FACT(MOST_LAUNCHES, {V(launches), V(k.times), V(k.name)}));
    else if (percent(line.sum, b->count)) {
        k = launches_of(h, c, &line);
        outcome_add(
            o, fact_of(c, percent(line.sum, b->count), &line, &k, launches));
    } else if (c != VGPU_COUNT_LAUNCHES && launches > 1 && k.sum)
        outcome_add(o,
                    fact_of(c, percent(k.sum, b->count), &line, &k, launches));
}
