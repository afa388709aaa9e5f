/* SPDX-License-Identifier: MIT
 *
 * support.c: see support.h.
 */
#define _GNU_SOURCE /* open_memstream, asprintf */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ptx_module *parse(const char *text) {
    struct ptx_error error;
    char *whole;
    int n = asprintf(&whole, HEADER "%s", text);
    assert_true(n > 0);
    struct ptx_module *m = ptx_parse(whole, (size_t)n, &error);
    free(whole);
    if (!m)
        fail_msg("%u:%u: %s\n%s", error.line, error.column, error.message,
                 error.text);
    check_module(m);
    return m;
}

struct ptx_module *parse_body(const char *body) {
    char *text;
    assert_true(asprintf(&text, ".func f () {\n%s\n}", body) > 0);
    struct ptx_module *m = parse(text);
    free(text);
    return m;
}

char *read_file(const char *path, size_t *bytes) {
    FILE *in = fopen(path, "rb");
    if (!in) fail_msg("cannot open %s", path);
    fseek(in, 0, SEEK_END);
    *bytes = (size_t)ftell(in);
    rewind(in);
    char *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, in), *bytes);
    data[*bytes] = 0;
    fclose(in);
    return data;
}

char *print_module(const struct ptx_module *module, size_t *bytes) {
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    assert_non_null(out);
    ptx_print(module, out);
    fclose(out);
    return text;
}

static void check_operand(const struct ptx_function *f,
                          const struct ptx_operand *o) {
    assert_in_range(o->kind, PTX_REGISTER, PTX_SINK);
    assert_true(o->reg >= -1 && o->reg < (int64_t)f->n_registers);
    assert_true(o->second >= -1 && o->second < (int64_t)f->n_registers);
    if (o->kind == PTX_REGISTER) assert_true(o->reg >= 0);
    if (o->kind == PTX_SYMBOL || o->kind == PTX_SPECIAL)
        assert_non_null(o->symbol);
    if (o->kind == PTX_LABEL) assert_true(o->target <= f->n_insns);
    for (uint32_t i = 0; i < o->n_items; i++) check_operand(f, &o->items[i]);
}

static void check_function(const struct ptx_module *m,
                           const struct ptx_function *f) {
    assert_ptr_equal(ptx_find_function(m, f->name), f);
    if (!f->has_body) assert_int_equal(f->n_insns, 0);
    for (uint32_t i = 0; i < f->n_insns; i++) {
        const struct ptx_insn *insn = &f->insns[i];
        size_t length = strlen(ptx_op_name(insn->op));
        assert_memory_equal(insn->form, ptx_op_name(insn->op), length);
        assert_true(insn->guard < (int64_t)f->n_registers);
        assert_true(insn->loc >= -1 && insn->loc < (int64_t)m->n_locs);
        assert_true(insn->n_operands <= PTX_MAX_OPERANDS);
        for (uint32_t o = 0; o < insn->n_operands; o++)
            check_operand(f, &insn->operands[o]);
    }
}

void check_module(const struct ptx_module *m) {
    for (uint32_t i = 0; i < m->n_functions; i++)
        check_function(m, &m->functions[i]);
    for (uint32_t i = 0; i < m->n_locs; i++) {
        int32_t at = m->locs[i].inlined_at;
        assert_true(at >= -1 && at < (int64_t)i); /* so chains end */
    }
    for (uint32_t i = 0; i < m->n_variables; i++) {
        const struct ptx_variable *v = &m->variables[i];
        assert_ptr_equal(ptx_find_variable(m, v->name), v);
        for (size_t r = 0; r < v->n_relocations; r++)
            assert_true(v->relocations[r].offset + v->relocations[r].bytes <=
                        v->bytes);
    }
}

uint32_t next_random(struct random *r, uint32_t limit) {
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return (uint32_t)((r->state * 0x2545f4914f6cdd1dull) >> 33) % limit;
}

const struct ptx_insn *insn(const struct ptx_module *m, uint32_t i) {
    assert_true(i < m->functions[0].n_insns);
    return &m->functions[0].insns[i];
}

const char *register_name(const struct ptx_module *m, int32_t reg) {
    assert_true(reg >= 0);
    return m->functions[0].registers[reg].name;
}
