/* SPDX-License-Identifier: MIT
 *
 * form_ptx.c: see form_ptx.h. The signature gives an operand's class; whether
 * a 'w' is a register of 16 or 32 bits follows from the form's types.
 */
#include <stdbool.h>
#include <string.h>

#include "form_ptx.h"

static bool is_op(const char *form, const char *op) {
    size_t n = strlen(op);
    return !strncmp(form, op, n) && form[n] == '.';
}

static bool is_narrow_type(const char *type) {
    static const char *const narrow[] = {"u8",  "s8",  "b8",  "u16",
                                         "s16", "b16", "f16", "bf16"};
    for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++)
        if (!strcmp(type, narrow[k])) return true;
    return false;
}

/* The nth modifier from the end, 0 the last. */
static void modifier(const char *form, int from_end, char out[32]) {
    const char *end = form + strlen(form), *at = end;
    out[0] = 0;
    for (int k = 0; k <= from_end; k++) {
        end = at;
        do {
            if (at == form) return;
            at--;
        } while (*at != '.');
    }
    size_t n = (size_t)(end - at - 1);
    if (n > 31) n = 31;
    memcpy(out, at + 1, n);
    out[n] = 0;
}

static bool ends_with(const char *form, const char *tail) {
    size_t n = strlen(form), m = strlen(tail);
    return n >= m && !strcmp(form + n - m, tail);
}

/* Operand `place` in the signature, destinations first. */
static bool is_16_bit(const char *form, int place) {
    char last[32], before[32];
    modifier(form, 0, last);
    modifier(form, 1, before);
    if (is_op(form, "pack")) return is_narrow_type(place ? last : before);
    if (is_op(form, "unpack")) /* the whole comes last: see the signature */
        return is_narrow_type(place == (strstr(form, "b32.b8") ? 4 : 2) &&
                                      !strstr(form, "b64.b16")
                                  ? before
                                  : last);
    if (strstr(form, "cvt.pack")) return false;
    if (is_op(form, "cvt") || is_op(form, "set"))
        return is_narrow_type(place == 0 ? before : last);
    if (is_op(form, "slct")) return place < 3 && is_narrow_type(before);
    if (!is_narrow_type(last)) return false;
    if (is_op(form, "shl") || is_op(form, "shr")) return place < 2;
    if (strstr(form, ".wide.")) return place == 1 || place == 2;
    return true;
}

static char kind_of(const char *form, char letter, int place) {
    if (letter != 'w') return letter;
    /* pieces of eight bits want registers of eight */
    if (is_op(form, "pack") && ends_with(form, ".b8") && place > 0) return 'b';
    if (is_op(form, "unpack") && ends_with(form, ".b8") &&
        place < (strstr(form, ".b16.") ? 2 : 4))
        return 'b';
    return is_16_bit(form, place) ? 'h' : 'w';
}

static const char *bits_of(char kind) {
    return kind == 'b' ? "8" : kind == 'h' ? "16" : "32";
}

static void load(FILE *f, char kind, int at, int source) {
    fprintf(f, " ld.global.u64 %%t, [%%in+%d];\n",
            source * 8 * FORM_PTX_THREADS);
    switch (kind) {
    case 'p':
    case 'c': fprintf(f, " setp.ne.u64 %%p%d, %%t, 0;\n", at); break;
    case 'd': fprintf(f, " mov.b64 %%d%d, %%t;\n", at); break;
    default: fprintf(f, " cvt.u%s.u64 %%%c%d, %%t;\n", bits_of(kind), kind, at);
    }
}

static void store(FILE *f, char kind, int at, int destination) {
    switch (kind) {
    case 'p':
    case 'C': fprintf(f, " selp.u64 %%t, 1, 0, %%p%d;\n", at); break;
    case 'd': fprintf(f, " mov.b64 %%t, %%d%d;\n", at); break;
    default: fprintf(f, " cvt.u64.u%s %%t, %%%c%d;\n", bits_of(kind), kind, at);
    }
    fprintf(f, " st.global.u64 [%%out+%d], %%t;\n",
            destination * 8 * FORM_PTX_THREADS);
}

struct operands {
    char kind[12]; /* 'i' for the literal */
    int n, n_destinations;
};

static struct operands read_signature(const struct alu_row *row) {
    struct operands s = {.n = 0};
    int place = 0;
    for (const char *c = row->signature; *c; c++) {
        if (*c == '=') {
            s.n_destinations = s.n;
            continue;
        }
        bool counts = *c != 'c' && *c != 'C' && *c != 'i';
        s.kind[s.n++] = kind_of(row->form, *c, place);
        place += counts;
    }
    return s;
}

static void write_list(FILE *f, const struct operands *s, int from, int to,
                       const char *between, uint32_t immediate) {
    const char *comma = "";
    for (int k = from; k < to; k++) {
        if (s->kind[k] == 'c' || s->kind[k] == 'C') continue;
        if (s->kind[k] == 'i')
            fprintf(f, "%s%u", comma, (unsigned)immediate);
        else
            fprintf(f, "%s%%%c%d", comma, s->kind[k], k);
        comma = between;
    }
}

/* setp of one 16-bit float has no second destination in PTX. */
static bool has_one_half(const char *form) {
    return is_op(form, "setp") &&
           (ends_with(form, ".f16") || ends_with(form, ".bf16"));
}

static void instruction(FILE *f, const struct alu_row *row,
                        const struct operands *s, uint32_t immediate) {
    bool packs = is_op(row->form, "pack"), unpacks = is_op(row->form, "unpack");
    if (packs || unpacks)
        fprintf(f, " mov.%.3s ", strchr(row->form, '.') + 1);
    else
        fprintf(f, " %s ", row->form);
    fprintf(f, unpacks ? "{" : "");
    int n_written = has_one_half(row->form) ? 1 : s->n_destinations;
    write_list(f, s, 0, n_written, unpacks ? ", " : "|", immediate);
    fprintf(f, unpacks ? "}, " : packs ? ", {" : ", ");
    write_list(f, s, s->n_destinations, s->n, ", ", immediate);
    if (!strcmp(row->form, "lop3.b32")) fprintf(f, ", %u", immediate);
    fprintf(f, "%s; // %s\n", packs ? "}" : "", row->form);
}

/* PTX cannot name the carry flag: it is set by an addition or subtraction that
 * carries or borrows when the predicate holds, and read likewise. */
static void carry_in(FILE *f, const char *form, int at) {
    fprintf(f, " selp.u32 %%c, 1, 0, %%p%d;\n", at);
    if (is_op(form, "subc"))
        fprintf(f, " sub.cc.u32 %%c, 0, %%c;\n");
    else
        fprintf(f, " add.cc.u32 %%c, %%c, 0xffffffff;\n");
}

static void carry_out(FILE *f, const char *form, int at) {
    bool subtracts = is_op(form, "sub") || is_op(form, "subc");
    fprintf(f, " %s.u32 %%c, 0, 0;\n", subtracts ? "subc" : "addc");
    fprintf(f, " setp.ne.u32 %%p%d, %%c, 0;\n", at);
}

void form_ptx(FILE *f, const struct alu_row *row, unsigned index,
              uint32_t immediate) {
    struct operands s = read_signature(row);
    fprintf(f, ".visible .entry f%u(.param .u64 in, .param .u64 out) {\n",
            index);
    fprintf(f, " .reg .b64 %%in, %%out, %%t, %%d<12>;\n"
               " .reg .b32 %%c, %%w<12>; .reg .b16 %%h<12>; .reg .b8 %%b<12>;\n"
               " .reg .pred %%p<12>;\n");
    fprintf(f, " ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
               " mov.u32 %%c, %%tid.x; mul.wide.u32 %%t, %%c, 8;\n"
               " add.u64 %%in, %%in, %%t; add.u64 %%out, %%out, %%t;\n");
    int source = 0;
    for (int k = s.n_destinations; k < s.n; k++)
        if (s.kind[k] != 'i') load(f, s.kind[k], k, source++);
    for (int k = s.n_destinations; k < s.n; k++)
        if (s.kind[k] == 'c') carry_in(f, row->form, k);
    instruction(f, row, &s, immediate);
    for (int k = 0; k < s.n_destinations; k++)
        if (s.kind[k] == 'C') carry_out(f, row->form, k);
    if (has_one_half(row->form)) s.n_destinations = 1;
    for (int k = 0; k < s.n_destinations; k++) store(f, s.kind[k], k, k);
    fprintf(f, " ret;\n}\n");
}

bool form_ptx_is_narrow(const struct alu_row *row) {
    return row->signature[0] == 'w' && is_16_bit(row->form, 0);
}
