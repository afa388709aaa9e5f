/* SPDX-License-Identifier: MIT
 *
 * rows.c: see rows.h. Every spelling that set and setp could
 * have is asked for.
 */
#include "rows.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "alu_compound.h"
#include "ptx.h"

enum { MOST = 8192 };
struct made_row {
    struct alu_row row; /* run: NULL */
    struct alu_compound compound;
    char form[40];
};
static struct made {
    const struct alu_table *table;
    struct made_row list[MOST];
    unsigned n;
} both[2];

static void ask(struct made *s, const char *head, enum ptx_type to,
                enum ptx_type from) {
    struct made_row *r = &s->list[s->n];
    struct ptx_form form;
    snprintf(r->form, sizeof r->form, "%s%s%s", head, ptx_type_name(to),
             ptx_type_name(from));
    if (s->n + 1 == MOST || !ptx_read_form(r->form, &form) ||
        !alu_find_compound(s->table, &form, &r->compound))
        return;
    r->row = (struct alu_row){r->form, NULL, r->compound.signature};
    s->n++;
}

static void ask_all(struct made *s) {
    static const char *const compares[] = {
        "eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
        "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    static const char *const ends[] = {
        "", ".and", ".or", ".xor", ".ftz", ".and.ftz", ".or.ftz", ".xor.ftz"};
    for (size_t c = 0; c < sizeof compares / sizeof *compares; c++)
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
            for (unsigned from = 1; from < PTX_N_TYPES; from++) {
                char head[24];
                snprintf(head, sizeof head, "setp.%s%s", compares[c], ends[e]);
                if (strpbrk(ends[e], "aox")) ask(s, head, PTX_NONE, from);
                snprintf(head, sizeof head, "set.%s%s", compares[c], ends[e]);
                for (unsigned to = 1; to < PTX_N_TYPES; to++)
                    ask(s, head, to, from);
            }
}

static const struct made *made_of(const struct alu_table *t) {
    struct made *s = &both[0];
    if (s->table && s->table != t) s = &both[1];
    if (!s->table) {
        s->table = t;
        ask_all(s);
    }
    return s;
}

const struct alu_row *row_at(const struct alu_table *t, unsigned k) {
    unsigned n;
    const struct alu_row *rows = alu_rows(t, &n);
    const struct made *s = made_of(t);
    return k < n ? &rows[k] : k - n < s->n ? &s->list[k - n].row : NULL;
}

const struct alu_row *row_find(const struct alu_table *t, const char *form) {
    const struct made *s = made_of(t);
    const struct alu_row *row = alu_find(t, form);
    for (unsigned k = 0; !row && k < s->n; k++)
        if (!strcmp(s->list[k].form, form)) row = &s->list[k].row;
    return row;
}

void row_run(const struct alu_row *row, uint8_t *registers,
             const struct alu_operands *o, const struct lane_set *on) {
    if (row->run) {
        row->run(registers, o, on);
        return;
    }
    const struct made_row *s =
        (const struct made_row *)((const char *)row -
                                  offsetof(struct made_row, row));
    uint32_t kept[2];
    unsigned n = s->compound.yes[0] ? 2 : 0;
    for (unsigned k = 0; k < n; k++)
        memcpy(&kept[k], registers + o->at[ALU_SET_SCRATCH + k], 4);
    alu_run_compound(&s->compound, registers, o, on);
    for (unsigned k = 0; k < n; k++)
        memcpy(registers + o->at[ALU_SET_SCRATCH + k], &kept[k], 4);
}
