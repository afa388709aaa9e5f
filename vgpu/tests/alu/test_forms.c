/* SPDX-License-Identifier: MIT
 *
 * test_forms.c: the table as a table: every ALU opcode has forms, no form
 * stands twice, other spellings are found, and each handler leaves inactive
 * lanes alone and may write over its own sources.
 */
#include <stdio.h>
#include <string.h>

#include "ptx.h"
#include "trial.h"
#include "unit.h"

TEST(every_opcode_has_a_form) {
    const struct alu_row *row;
    for (enum ptx_op op = 0; op < PTX_N_OPS; op++) {
        enum ptx_family family = ptx_op_family(op);
        if (family != PTX_FAMILY_ALU && family != PTX_FAMILY_ARITHMETIC &&
            family != PTX_FAMILY_MADE)
            continue;
        if (op == PTX_OP_meet) continue; /* an edit's barrier: decode/edit.c */
        size_t bytes = strlen(ptx_op_name(op));
        bool found = false;
        for (unsigned k = 0; !found && (row = row_at(alu_tables_select(0), k));
             k++)
            found = !strncmp(row->form, ptx_op_name(op), bytes) &&
                    row->form[bytes] == '.';
        if (!found) print_error("no form of %s\n", ptx_op_name(op));
        assert_true(found);
    }
}

TEST(every_form_is_found_once) {
    for (int isa = 0; isa < 2; isa++) {
        const struct alu_table *t = alu_tables_select(isa);
        if (!t) continue;
        unsigned n;
        const struct alu_row *rows = alu_rows(t, &n);
        for (unsigned k = 0; k < n; k++) {
            const struct alu_row *found = alu_find(t, rows[k].form);
            if (found != &rows[k])
                print_error("%s stands twice, or %s means the same\n",
                            rows[k].form, found ? found->form : "nothing");
            assert_ptr_equal(found, &rows[k]);
        }
    }
}

TEST(both_tables_have_the_same_rows) {
    const struct alu_table *wide = alu_tables_select(1);
    if (!wide) {
        puts("SKIP: no forms for AVX2 in this build, or no AVX2");
        skip();
    }
    unsigned n, m;
    const struct alu_row *a = alu_rows(alu_tables_select(0), &n);
    const struct alu_row *b = alu_rows(wide, &m);
    assert_int_equal(n, m);
    for (unsigned k = 0; k < n; k++) {
        assert_string_equal(a[k].form, b[k].form);
        assert_string_equal(a[k].signature, b[k].signature);
    }
}

TEST(other_spellings_are_found) {
    static const char *const same[][2] = {
        {"add.rn.f32", "add.f32"},
        {"mul.rn.ftz.f32", "mul.ftz.f32"},
        {"sub.rn.f64", "sub.f64"},
        {"mad.rn.f32", "fma.rn.f32"},
        {"mad.rz.ftz.sat.f32", "fma.rz.ftz.sat.f32"},
        {"setp.ftz.lt.f32", "setp.lt.ftz.f32"},
        {"prmt.f4e.b32", "prmt.b32.f4e"},
        {"fma.rn.relu.ftz.f16", "fma.rn.ftz.relu.f16"},
        {"lop3.b32.or", "lop3.or.b32"}};
    static const char *const none[] = {
        "add",
        "add.",
        "add..f32",
        "",
        ".",
        "add.q32",
        "cvt.f32.s32",
        "cvt.rn.s32.f32",
        "mul.f32.f32",
        "add.rz.rz.f32",
        "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t",
        "add.rn."
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    const struct alu_table *t = alu_tables_select(-1);
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        const struct alu_row *row = alu_find(t, same[k][0]);
        if (!row) print_error("%s not found\n", same[k][0]);
        assert_non_null(row);
        assert_string_equal(row->form, same[k][1]);
    }
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        assert_null(alu_find(t, none[k]));
    /* types do not commute */
    assert_ptr_not_equal(alu_find(t, "cvt.u64.s32"),
                         alu_find(t, "cvt.s32.u64"));
}

/* ---- masks and aliases ---- */
enum { SLOT = 256, SLOTS = 8 };

struct machine {
    _Alignas(64) uint8_t registers[SLOT * SLOTS];
    struct alu_operands o;
};

static unsigned bytes_of(char class) {
    return class == 'd' ? 256 : class == 'w' ? 128 : 4;
}

static void fill(struct machine *m, const char *form, uint64_t *seed,
                 const char *classes) {
    for (size_t k = 0; k < sizeof m->registers; k++)
        m->registers[k] = (uint8_t)vectors_random(seed);
    for (unsigned k = 0; classes[k]; k++)
        for (unsigned l = 0; l < VGPU_LANES; l++) {
            uint64_t v = vectors_value(seed, form, classes[k]);
            if (classes[k] == 'd')
                memcpy(m->registers + SLOT * k + 8 * l, &v, 8);
            if (classes[k] == 'w')
                memcpy(m->registers + SLOT * k + 4 * l, &v, 4);
        }
}

static void set_lanes(struct lane_set *on, uint32_t mask) {
    on->mask = mask;
    for (unsigned l = 0; l < VGPU_LANES; l++) {
        on->w[l] = mask >> l & 1 ? ~0u : 0;
        on->d[l] = mask >> l & 1 ? ~0ull : 0;
    }
}

/* What slot holds after: full's lanes where active, else before's. */
static void blend(uint8_t *out, const uint8_t *before, const uint8_t *full,
                  char class, uint32_t mask) {
    if (class != 'w' && class != 'd') {
        uint32_t a, b;
        memcpy(&a, full, 4);
        memcpy(&b, before, 4);
        a = (a & mask) | (b & ~mask);
        memcpy(out, &a, 4);
        return;
    }
    unsigned lane = bytes_of(class) / VGPU_LANES;
    for (unsigned l = 0; l < VGPU_LANES; l++)
        memcpy(out + lane * l, (mask >> l & 1 ? full : before) + lane * l,
               lane);
}

struct plan {
    char classes[SLOTS + 1]; /* of slots in order */
    unsigned n_out, n;
};

static struct plan plan_of(const struct alu_row *row) {
    struct plan p = {.n = 0};
    for (const char *c = row->signature; *c; c++)
        if (*c == '=')
            p.n_out = p.n;
        else if (*c != 'i')
            p.classes[p.n++] = *c == 'c' || *c == 'C' ? 'p' : *c;
    return p;
}

/* All lanes, into slots apart; then some lanes, with destination `out` lying on
 * source `in` (in = 0: apart). The second must be a blend of the first. */
static bool agrees(const struct alu_row *row, const struct plan *p,
                   uint64_t *seed, uint32_t mask, unsigned out, unsigned in) {
    struct machine before, full, part;
    before.o.immediate = TRIAL_IMMEDIATE;
    for (uint32_t k = 0; k < ALU_MAX_OPERANDS; k++) before.o.at[k] = k * SLOT;
    fill(&before, row->form, seed, p->classes);
    struct lane_set on;
    full = part = before;
    set_lanes(&on, ~0u);
    row_run(row, full.registers, &full.o, &on);
    if (in) part.o.at[out] = part.o.at[in];
    set_lanes(&on, mask);
    row_run(row, part.registers, &part.o, &on);
    struct machine want = before;
    for (unsigned k = 0; k < p->n_out; k++) {
        size_t at = part.o.at[k];
        blend(want.registers + at, before.registers + at,
              full.registers + (size_t)k * SLOT, p->classes[k], mask);
    }
    return !memcmp(want.registers, part.registers, sizeof want.registers);
}

static bool row_keeps_promises(const struct alu_row *row) {
    struct plan p = plan_of(row);
    uint64_t seed = trial_seed(row->form);
    static const uint32_t masks[] = {
        ~0u, 0, 1, 0x80000000, 0x0000ffff, 0x55555555, 0xfffffffe, 0x12345678};
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
        if (!agrees(row, &p, &seed, masks[k], 0, 0)) return false;
        for (unsigned out = 0; out < p.n_out; out++)
            for (unsigned in = p.n_out; in < p.n; in++)
                if (p.classes[out] == p.classes[in] &&
                    !agrees(row, &p, &seed, masks[k], out, in))
                    return false;
    }
    return true;
}

TEST(handlers_keep_to_their_lanes) {
    unsigned wrong = 0;
    for (int isa = 0; isa < 2; isa++) {
        const struct alu_table *t = alu_tables_select(isa);
        if (!t) continue;
        const struct alu_row *row;
        for (unsigned k = 0; (row = row_at(t, k)) != NULL; k++) {
            if (row_keeps_promises(row)) continue;
            print_error("%s (%s): wrong under a mask, or when a destination "
                        "is a source\n",
                        row->form, isa ? "avx2" : "baseline");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

UNIT_MAIN(NULL, NULL)
