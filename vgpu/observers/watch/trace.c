/* SPDX-License-Identifier: MIT
 *
 * trace.c: see trace.h.
 *
 * How to read this: an instruction is printed in two steps, because what it
 * writes is known afterwards only. trace_insn prints the one before to its end,
 * then the place, the text and the values read; trace_done adds those written.
 */
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"

enum { MOST_SHOWN = 32, PLACE = 24, TEXT = 48 }; /* registers; columns */

/* ---- selection ---- */

static const struct vgpu_trace_options *options_of(const struct machine *m) {
    return &m->options->trace;
}

bool trace_wants_kernel(const struct tracer *t,
                        const struct vgpu_trace_options *o, const char *mangled,
                        uint64_t launch) {
    char name[256];
    if (!o->line || t->is_cut || (o->launch && o->launch != launch))
        return false;
    return !o->kernel || strcmp(o->kernel, mangled) == 0 ||
           strcmp(o->kernel, demangle(mangled, name, sizeof name)) == 0;
}

bool trace_wants_warp(const struct machine *m, const struct warp *w) {
    const struct vgpu_trace_options *o = options_of(m);
    const struct block *b = w->block;
    if (tracer_of(m)->is_cut || (o->has_warp && o->warp != w->index))
        return false;
    return o->block_parts == 0 ||
           (o->block_parts == 1
                ? o->block[0] == b->linear
                : memcmp(o->block, b->index, sizeof b->index) == 0);
}

static bool wants_place(const struct vgpu_trace_options *o,
                        const struct vgpu_source *at) {
    if (o->line_first && at->line < o->line_first) return false;
    if (o->line_last && at->line > o->line_last) return false;
    return !o->file || (at->file && strcmp(text_base(at->file), o->file) == 0);
}

/* ---- values ---- */

static uint64_t lane_value(const struct tracer *t, uint32_t r, uint32_t lane) {
    const uint8_t *at = t->registers + t->function->register_at[r];
    unsigned bytes = ptx_type_bytes(t->function->ptx->registers[r].type);
    return bytes >= 8 ? ((const uint64_t *)at)[lane]
                      : ((const uint32_t *)at)[lane];
}

/* How a register's value is meant: as its type says; a register of plain bits
 * as the instruction does, but for addresses and for conversions, whose two
 * sides differ. */
static enum ptx_type meaning(const struct tracer *t, uint32_t r,
                             bool is_address) {
    const struct ptx_insn *p = t->insn->source;
    enum ptx_type type = t->function->ptx->registers[r].type;
    size_t n = strlen(p->form);
    if (is_address || p->op == PTX_OP_cvt || n < 4) return type;
    if (type == PTX_B32 && strcmp(p->form + n - 4, ".f32") == 0) return PTX_F32;
    if (type == PTX_B64 && strcmp(p->form + n - 4, ".f64") == 0) return PTX_F64;
    return type;
}

static void add_value(struct tracer *t, enum ptx_type type, uint64_t value) {
    unsigned bytes = ptx_type_bytes(type);
    double wide;
    float narrow;
    memcpy(&wide, &value, sizeof wide);
    memcpy(&narrow, &value, sizeof narrow);
    if (type == PTX_F64)
        text_add(&t->text, "%.17g", wide);
    else if (type == PTX_F32)
        text_add(&t->text, "%.9g", (double)narrow);
    else if (bytes == 8 && value >= VGPU_ADDRESS_BASE && value >> 63 == 0)
        text_add(&t->text, "0x%llx", (unsigned long long)value);
    else if (bytes == 8)
        text_add(&t->text, "%lld", (long long)value);
    else if (bytes == 4)
        text_add(&t->text, "%d", (int32_t)(uint32_t)value);
    else
        text_add(&t->text, "%llu", (unsigned long long)value);
}

/* One value where all lanes have the same; first, second .. last where whole
 * numbers are evenly spaced; else all. */
static void add_lanes(struct tracer *t, uint32_t r, enum ptx_type type) {
    uint64_t values[WARP_LANES] = {0};
    uint32_t n = 0;
    for (uint32_t m = t->lanes; m; m &= m - 1)
        values[n++] = lane_value(t, r, (uint32_t)__builtin_ctz(m));
    bool same = true, even = n > 3 && type != PTX_F32 && type != PTX_F64;
    for (uint32_t k = 1; k < n; k++) {
        same &= values[k] == values[0];
        even &= values[k] - values[k - 1] == values[1] - values[0];
    }
    for (uint32_t k = 0; k < (same ? 1 : even ? 2 : n); k++) {
        if (k) text_add(&t->text, " ");
        add_value(t, type, values[k]);
    }
    if (same || !even) return;
    text_add(&t->text, " .. ");
    add_value(t, type, values[n - 1]);
}

struct list {
    struct {
        int32_t at;
        bool is_address;
    } registers[MOST_SHOWN];
    uint32_t n;
};

static void add_register(struct tracer *t, uint32_t r, bool is_address) {
    const struct ptx_register *ptx = &t->function->ptx->registers[r];
    uint32_t lanes;
    if (ptx->type == PTX_PRED) {
        memcpy(&lanes, t->registers + t->function->register_at[r],
               sizeof lanes);
        text_add(&t->text, "  %s = lanes 0x%08x", ptx->name,
                 lanes & t->of_group);
    } else if (t->lanes && ptx->type != PTX_B128) {
        text_add(&t->text, "  %s = ", ptx->name);
        add_lanes(t, r, meaning(t, r, is_address));
    }
}

static void list_add(struct list *l, int32_t r, bool is_address) {
    bool is_new = r >= 0 && l->n < MOST_SHOWN;
    for (uint32_t k = 0; k < l->n; k++) is_new &= l->registers[k].at != r;
    if (!is_new) return;
    l->registers[l->n].at = r;
    l->registers[l->n++].is_address = is_address;
}

static void list_operand(struct list *l, const struct ptx_operand *o) {
    bool is_address = o->kind == PTX_ADDRESS;
    if (o->kind == PTX_REGISTER || is_address) list_add(l, o->reg, is_address);
    if (o->kind == PTX_REGISTER) list_add(l, o->second, false);
    for (uint32_t k = 0; k < o->n_items; k++) list_operand(l, &o->items[k]);
}

/* The first operand is what an instruction writes, where it writes registers;
 * but for those that have no result. */
static bool writes_first(const struct insn *i) {
    const struct barrier_op *barrier = i->extra;
    enum ptx_operand_kind first = i->source->operands[0].kind;
    if (!i->source->n_operands) return false;
    if (first != PTX_REGISTER && first != PTX_VECTOR) return false;
    switch ((enum insn_kind)i->kind) {
    case KIND_STORE:
    case KIND_NOTHING:
    case KIND_BRANCH_INDEX: return false;
    case KIND_BARRIER: return barrier->is_red;
    case KIND_STACK: return i->mode != STACK_RESTORE;
    case KIND_MATRIX: return program_writes_first(i->source);
    default: return true;
    }
}

/* "    reads   %r1 = 5  %r2 = 0 1 .. 31" */
static void add_list(struct tracer *t, const char *what, const struct list *l) {
    size_t before = t->text.size;
    text_add(&t->text, "    %-6s", what);
    size_t head = t->text.size;
    for (uint32_t k = 0; k < l->n; k++)
        add_register(t, (uint32_t)l->registers[k].at,
                     l->registers[k].is_address);
    if (t->text.size > head)
        text_add(&t->text, "\n");
    else
        text_cut(&t->text, before);
}

static void add_reads(struct tracer *t) {
    const struct ptx_insn *p = t->insn->source;
    struct list l = {.n = 0};
    list_add(&l, p->guard, false);
    for (uint32_t k = writes_first(t->insn); k < p->n_operands; k++)
        list_operand(&l, &p->operands[k]);
    add_list(t, "reads", &l);
}

/* ---- lines ---- */

static void tell(struct machine *m) {
    struct tracer *t = tracer_of(m);
    const struct vgpu_trace_options *o = options_of(m);
    if (t->text.size) o->line(o->user, t->text.bytes, t->text.size);
    text_free(&t->text);
}

static void add_head(struct context *c) {
    struct machine *m = c->machine;
    struct tracer *t = tracer_of(m);
    const struct block *b = context_block(c);
    char name[256];
    if (t->shown && t->launch == m->grid_id && t->block == b->linear &&
        t->warp == c->warp->index)
        return;
    t->launch = m->grid_id;
    t->block = b->linear;
    t->warp = c->warp->index;
    text_add(&t->text, "launch %llu, %s, block (%u,%u,%u), warp %u\n",
             (unsigned long long)m->grid_id,
             demangle(m->kernel->ptx->name, name, sizeof name), b->index[0],
             b->index[1], b->index[2], c->warp->index);
}

/* "  scan.cu:41  add.s32 %r3, %r1, %r2;     lanes 0xffffffff" */
static void add_insn(struct tracer *t, const struct vgpu_source *at,
                     uint32_t active) {
    char *text = NULL, *clean, place[256] = "";
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out) {
        ptx_print_insn(t->function->ptx, t->insn->source, out);
        fclose(out);
    }
    if (at->file)
        snprintf(place, sizeof place, "%.200s:%u", text_base(at->file),
                 at->line);
    clean = clean_name(place); /* the program chose it */
    text_add(&t->text, "  %-*s%-*s  lanes 0x%08x\n", PLACE, clean ? clean : "",
             TEXT, text ? text : "", active);
    free(clean);
    free(text);
}

static uint32_t active_lanes(const struct context *c, const struct insn *i) {
    uint32_t on = c->group->mask, p;
    if (i->guard == NO_REGISTER) return on;
    memcpy(&p, c->registers + i->guard, sizeof p);
    return on & (p ^ i->guard_flip);
}

void trace_done(struct machine *m) {
    struct tracer *t = tracer_of(m);
    struct list l = {.n = 0};
    if (!t->insn) return;
    if (writes_first(t->insn)) list_operand(&l, &t->insn->source->operands[0]);
    add_list(t, "writes", &l);
    t->insn = NULL;
    tell(m);
}

/* What the limit leaves out is not even looked at. */
static void cut(struct machine *m, uint64_t limit) {
    struct tracer *t = tracer_of(m);
    t->is_cut = true;
    text_add(&t->text,
             "the trace is cut: its limit of %llu instructions is reached\n",
             (unsigned long long)limit);
    tell(m);
}

void trace_insn(struct context *c, const struct insn *i) {
    struct machine *m = c->machine;
    struct tracer *t = tracer_of(m);
    const struct vgpu_trace_options *o = options_of(m);
    const struct function *f = c->group->frame->function;
    uint64_t limit = o->limit ? o->limit : VGPU_TRACE_LIMIT;
    trace_done(m);
    if (t->is_cut || !i->source) return;
    struct vgpu_source at = program_source(f->program->ptx, i->source->loc);
    uint32_t active = active_lanes(c, i);
    if (!wants_place(o, &at) || (o->lanes && !(o->lanes & c->group->mask)))
        return;
    if (t->shown == limit) {
        cut(m, limit);
        return;
    }
    t->insn = i;
    t->function = f;
    t->registers = c->registers;
    t->lanes = o->lanes ? active & o->lanes : active;
    t->of_group = c->group->mask;
    add_head(c);
    add_insn(t, &at, active);
    add_reads(t);
    t->shown++;
}
