/* SPDX-License-Identifier: MIT
 *
 * edit.c: see edit.h.
 */
#include "edit.h"

#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "decode.h"
#include "edit_insn.h"

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Is the place at the line, or (calls) what is called there? */
static bool is_of_line(const struct ptx_module *m, int32_t loc,
                       const char *file, uint32_t line, bool calls) {
    enum { DEPTH = 64 };
    if (!file) return false;
    struct vgpu_source s = program_source(m, loc);
    if (s.line == line && s.file && strcmp(base_name(s.file), file) == 0)
        return true;
    for (int k = 0; calls && k < DEPTH && loc >= 0 && (uint32_t)loc < m->n_locs;
         k++, loc = m->locs[loc].inlined_at)
        if (m->locs[loc].line == line && m->locs[loc].file &&
            strcmp(base_name(m->locs[loc].file), file) == 0)
            return true;
    return false;
}

/* Which of the module's places are. NULL: no memory. */
static bool *places_at(const struct ptx_module *m, const char *file,
                       uint32_t line, bool calls) {
    bool *is_there = calloc(m->n_locs + (size_t)1, sizeof *is_there);
    for (uint32_t k = 0; is_there && k < m->n_locs; k++)
        is_there[k] = is_of_line(m, (int32_t)k, file, line, calls);
    return is_there;
}

static bool is_at(const bool *is_there, const struct ptx_insn *i) {
    return i->loc >= 0 && is_there[i->loc];
}

/* ---- between the accesses ---- */

static bool parts_runs(const struct ptx_insn *i) {
    return i->op == PTX_OP_bar || i->op == PTX_OP_barrier;
}

/* Does the access at k begin a run, or end it (step -1, 1)? */
static bool is_edge(const struct ptx_function *f, const bool *is_there,
                    uint32_t k, int step) {
    for (int64_t j = (int64_t)k + step; j >= 0 && j < f->n_insns; j += step) {
        const struct ptx_insn *i = &f->insns[j];
        if (parts_runs(i)) return true;
        if (edit_is_access(i)) return !is_at(is_there, i);
    }
    return true;
}

/* Of all instructions: does one of the line begin a run at k, or end it (step
 * -1, 1)? */
static bool is_end(const struct ptx_function *f, const bool *is_there,
                   uint32_t k, int step) {
    int64_t j = (int64_t)k + step;
    return j < 0 || j >= f->n_insns || !is_at(is_there, &f->insns[j]);
}

static const struct ptx_loc *loc_of(const struct ptx_module *m, int32_t loc) {
    return loc >= 0 && (uint32_t)loc < m->n_locs ? &m->locs[loc] : NULL;
}

/* Are the two places in one function's source, called at one place? */
static bool are_together(const struct ptx_module *m, const struct ptx_loc *a,
                         const struct ptx_loc *b) {
    const struct ptx_loc *x = loc_of(m, a->inlined_at);
    const struct ptx_loc *y = loc_of(m, b->inlined_at);
    return program_same_file(a->file, b->file) &&
           (x && y ? x->line == y->line && program_same_file(x->file, y->file)
                   : !x && !y);
}

/* The compiler has put the instruction behind those of a later line: what is
 * before it is not before its line. */
static bool is_late(const struct ptx_module *m, const struct ptx_function *f,
                    uint32_t k) {
    const struct ptx_loc *here = loc_of(m, f->insns[k].loc);
    for (uint32_t j = k; here && j-- > 0;) {
        const struct ptx_loc *before = loc_of(m, f->insns[j].loc);
        if (!before || !before->line || !are_together(m, before, here) ||
            before->line == here->line)
            continue;
        return before->line > here->line;
    }
    return false;
}

static const struct {
    const char *form;
    bool behind;
    bool has_operand;
    bool is_of_all; /* instructions, not of accesses alone */
    uint32_t operand;
} inserted[VGPU_N_EDITS] = {
    [VGPU_EDIT_BARRIER_BEFORE] = {"bar.sync", false, true, true, 0},
    [VGPU_EDIT_MEET_BEFORE] = {"meet", false, false, false, 0},
    [VGPU_EDIT_MEET_AFTER] = {"meet", true, false, true, 0},
    [VGPU_EDIT_WARP_BEFORE] = {"bar.warp.sync", false, true, false, UINT32_MAX},
    [VGPU_EDIT_FENCE_BEFORE] = {"membar.gl", false, false, false, 0},
    [VGPU_EDIT_FENCE_AFTER] = {"membar.gl", true, false, false, 0},
};

/* Does an edit of this kind insert an instruction before or behind the k-th? */
static bool is_place(const struct ptx_module *m, const struct ptx_function *f,
                     const bool *is_there, uint32_t k, vgpu_edit_kind kind) {
    int step = inserted[kind].behind ? 1 : -1;
    if (inserted[kind].is_of_all) return is_end(f, is_there, k, step);
    return is_edge(f, is_there, k, step) &&
           (kind != VGPU_EDIT_MEET_BEFORE || !is_late(m, f, k));
}

static bool insert(struct ptx_module *m, struct ptx_function *f,
                   const bool *is_there, const struct vgpu_edit *e) {
    bool behind = inserted[e->kind].behind, some = false;
    uint32_t number = 0;
    struct ptx_insn new = {.guard = -1};
    struct ptx_around *around = calloc(f->n_insns + (size_t)1, sizeof *around);
    if (!around) return false;
    if (inserted[e->kind].has_operand) {
        new.n_operands = 1;
        new.operands[0] =
            (struct ptx_operand){.kind = PTX_INTEGER,
                                 .reg = -1,
                                 .second = -1,
                                 .integer = inserted[e->kind].operand};
    }
    bool ok = ptx_set_form(m, &new, inserted[e->kind].form);
    for (uint32_t k = 0; ok && k < f->n_insns; k++) {
        if (!is_at(is_there, &f->insns[k]) ||
            !edit_fits(e->kind, f, &f->insns[k]) ||
            !is_place(m, f, is_there, k, e->kind))
            continue;
        number++;
        if (e->only && e->only != number) continue;
        *(behind ? &around[k].behind : &around[k].before) = &new;
        some = true;
    }
    if (ok && some) ok = ptx_insert(m, f, around);
    free(around);
    return ok;
}

/* ---- in place ---- */

static bool change(struct ptx_module *m, struct ptx_function *f,
                   const bool *is_there, const struct vgpu_edit *e) {
    uint32_t number = 0;
    for (uint32_t k = 0; k < f->n_insns; k++) {
        struct ptx_insn *i = &f->insns[k];
        if (!is_at(is_there, i) || !edit_fits(e->kind, f, i)) continue;
        number++;
        if (e->only && e->only != number) continue;
        if (!edit_change(m, f, i, e)) return false;
    }
    return true;
}

bool program_edits_module(const struct vgpu_edit *edits, size_t n) {
    for (size_t e = 0; e < n; e++)
        if (edits[e].kind != VGPU_EDIT_CHOICE) return true;
    return false;
}

uint32_t program_choice(const struct vgpu_edit *edits, size_t n) {
    for (size_t e = 0; e < n; e++)
        if (edits[e].kind == VGPU_EDIT_CHOICE)
            return VGPU_EDIT_CHOICES + (uint32_t)edits[e].by;
    return 0;
}

bool program_edit(struct ptx_module *m, const struct vgpu_edit *edits,
                  size_t n) {
    bool ok = true;
    for (size_t e = 0; ok && e < n; e++) {
        if (edits[e].kind == VGPU_EDIT_CHOICE) continue;
        bool *is_there = places_at(m, edits[e].file, edits[e].line,
                                   inserted[edits[e].kind].is_of_all);
        ok = is_there != NULL;
        for (uint32_t k = 0; ok && k < m->n_functions; k++) {
            struct ptx_function *f = &m->functions[k];
            if (!f->n_insns || ptx_has_lists(f)) continue;
            ok = (inserted[edits[e].kind].form ? insert : change)(
                m, f, is_there, &edits[e]);
        }
        free(is_there);
    }
    return ok;
}

/* ---- where there is something to try ---- */

struct telling {
    const struct ptx_module *m;
    const struct ptx_function *f;
    void (*each)(void *user, const struct vgpu_edit_site *);
    void *user;
};

/* Of the instruction at k at this line: the line is its own, or one where the
 * function is called in which it stands. */
static void edit_tell(const struct telling *t, uint32_t k, const char *file,
                      uint32_t line, bool is_own) {
    const struct ptx_insn *i = &t->f->insns[k];
    struct vgpu_edit_site site = {.file = base_name(file), .line = line};
    bool begins =
        !k || !is_of_line(t->m, t->f->insns[k - 1].loc, site.file, line, true);
    if (!is_own && !begins) return;
    for (int kind = 0; kind < VGPU_N_EDITS; kind++)
        site.n[kind] = (inserted[kind].is_of_all ? begins : is_own) &&
                       edit_fits((vgpu_edit_kind)kind, t->f, i);
    t->each(t->user, &site);
}

void program_edit_sites(const struct ptx_module *m,
                        const struct ptx_function *f,
                        void (*each)(void *user, const struct vgpu_edit_site *),
                        void *user) {
    enum { DEPTH = 8 };
    const struct telling t = {m, f, each, user};
    if (ptx_has_lists(f)) return;
    for (uint32_t k = 0; k < f->n_insns; k++) {
        struct vgpu_source s = program_source(m, f->insns[k].loc);
        if (!s.line || !s.file || vgpu_is_toolkit_file(s.file)) continue;
        edit_tell(&t, k, s.file, s.line, true);
        const struct ptx_loc *at = loc_of(m, f->insns[k].loc);
        for (int depth = 0; at && depth < DEPTH; depth++) {
            at = loc_of(m, at->inlined_at);
            if (at && at->line && at->line != s.line &&
                !vgpu_is_toolkit_file(at->file))
                edit_tell(&t, k, at->file, at->line, false);
        }
    }
}

bool decode_made(struct decoder *d, struct insn *out) {
    if (d->at->op != PTX_OP_meet) return decode_none(d, out);
    struct barrier_op *b = decode_extra(d, out, sizeof *b);
    if (!b) return false;
    out->kind = KIND_BARRIER;
    b->is_meeting = true;
    b->id = b->count = b->destination = NO_REGISTER;
    return true;
}
