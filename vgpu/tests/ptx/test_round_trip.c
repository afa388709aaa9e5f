/* SPDX-License-Identifier: MIT
 *
 * test_round_trip.c: parse, print, parse again: the two modules are equal.
 *
 * Arguments: PTX files, made by nvcc from sources/ and by hand in texts/.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

static int same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void same_variables(const struct ptx_variable *a, uint32_t n,
                           const struct ptx_variable *b, uint32_t m) {
    assert_int_equal(n, m);
    for (uint32_t i = 0; i < n; i++, a++, b++) {
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->space, b->space);
        assert_int_equal(a->type, b->type);
        assert_int_equal(a->align, b->align);
        assert_int_equal(a->bytes, b->bytes);
        assert_int_equal(a->is_extern, b->is_extern);
        assert_int_equal(a->is_visible, b->is_visible);
        assert_int_equal(a->is_weak, b->is_weak);
        assert_int_equal(a->is_managed, b->is_managed);
        assert_int_equal(a->is_common, b->is_common);
        assert_int_equal(!a->data, !b->data);
        if (a->data) assert_memory_equal(a->data, b->data, a->bytes);
        assert_int_equal(a->n_relocations, b->n_relocations);
        for (size_t r = 0; r < a->n_relocations; r++) {
            const struct ptx_relocation *x = &a->relocations[r];
            const struct ptx_relocation *y = &b->relocations[r];
            assert_string_equal(x->symbol, y->symbol);
            assert_int_equal(x->offset, y->offset);
            assert_int_equal(x->addend, y->addend);
            assert_int_equal(x->generic, y->generic);
            assert_int_equal(x->bytes, y->bytes);
            assert_int_equal(x->masked, y->masked);
            assert_int_equal(x->shift, y->shift);
        }
    }
}

static void same_operand(const struct ptx_operand *a,
                         const struct ptx_operand *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->negated, b->negated);
    assert_int_equal(a->reg, b->reg);
    assert_int_equal(a->second, b->second);
    assert_int_equal(a->integer, b->integer);
    assert_int_equal(a->target, b->target);
    assert_int_equal(a->n_items, b->n_items);
    assert_true(same_text(a->symbol, b->symbol));
    for (uint32_t i = 0; i < a->n_items; i++)
        same_operand(&a->items[i], &b->items[i]);
}

/* The chain of places, since indices may differ. */
static void same_loc(const struct ptx_module *a, int32_t i,
                     const struct ptx_module *b, int32_t j) {
    while (i >= 0 && j >= 0) {
        const struct ptx_loc *x = &a->locs[i], *y = &b->locs[j];
        assert_true(same_text(x->file, y->file));
        assert_true(same_text(x->function, y->function));
        assert_int_equal(x->line, y->line);
        assert_int_equal(x->column, y->column);
        i = x->inlined_at;
        j = y->inlined_at;
    }
    assert_int_equal(i, j);
}

static void same_insn(const struct ptx_module *a, const struct ptx_insn *x,
                      const struct ptx_module *b, const struct ptx_insn *y) {
    assert_int_equal(x->op, y->op);
    assert_string_equal(x->form, y->form);
    assert_int_equal(x->guard, y->guard);
    assert_int_equal(x->guard_negated, y->guard_negated);
    assert_int_equal(x->n_operands, y->n_operands);
    for (uint32_t i = 0; i < x->n_operands; i++)
        same_operand(&x->operands[i], &y->operands[i]);
    same_loc(a, x->loc, b, y->loc);
}

static void same_function(const struct ptx_module *a,
                          const struct ptx_function *f,
                          const struct ptx_module *b,
                          const struct ptx_function *g) {
    assert_string_equal(f->name, g->name);
    assert_int_equal(f->is_entry, g->is_entry);
    assert_int_equal(f->is_extern, g->is_extern);
    assert_int_equal(f->is_visible, g->is_visible);
    assert_int_equal(f->is_weak, g->is_weak);
    assert_int_equal(f->is_noreturn, g->is_noreturn);
    assert_int_equal(f->has_body, g->has_body);
    assert_memory_equal(f->max_threads, g->max_threads, sizeof f->max_threads);
    assert_int_equal(f->min_blocks, g->min_blocks);
    assert_int_equal(f->max_registers, g->max_registers);
    same_variables(f->params, f->n_params, g->params, g->n_params);
    same_variables(f->returns, f->n_returns, g->returns, g->n_returns);
    same_variables(f->variables, f->n_variables, g->variables, g->n_variables);
    assert_int_equal(f->n_registers, g->n_registers);
    for (uint32_t i = 0; i < f->n_registers; i++) {
        assert_string_equal(f->registers[i].name, g->registers[i].name);
        assert_int_equal(f->registers[i].type, g->registers[i].type);
    }
    assert_int_equal(f->n_insns, g->n_insns);
    for (uint32_t i = 0; i < f->n_insns; i++)
        same_insn(a, &f->insns[i], b, &g->insns[i]);
}

static void same_module(const struct ptx_module *a,
                        const struct ptx_module *b) {
    assert_int_equal(a->version_major, b->version_major);
    assert_int_equal(a->version_minor, b->version_minor);
    assert_int_equal(a->target_sm, b->target_sm);
    same_variables(a->variables, a->n_variables, b->variables, b->n_variables);
    assert_int_equal(a->n_functions, b->n_functions);
    for (uint32_t i = 0; i < a->n_functions; i++)
        same_function(a, &a->functions[i], b, &b->functions[i]);
}

static struct ptx_module *parse_whole(const char *path, const char *text,
                                      size_t bytes) {
    struct ptx_error e;
    struct ptx_module *m = ptx_parse(text, bytes, &e);
    if (!m)
        fail_msg("%s:%u:%u: %s\n%s", path, e.line, e.column, e.message, e.text);
    check_module(m);
    return m;
}

static void round_trip(void **state) {
    const char *path = *state;
    size_t bytes, printed_bytes;
    char *text = read_file(path, &bytes);
    struct ptx_module *a = parse_whole(path, text, bytes);
    assert_true(a->n_functions > 0);
    char *printed = print_module(a, &printed_bytes);
    struct ptx_module *b = parse_whole("printed", printed, printed_bytes);
    same_module(a, b);
    ptx_free(a);
    ptx_free(b);
    free(printed);
    free(text);
}

int main(int argc, char **argv) {
    int failures = 0;
    if (argc < 2) return 2;
    for (int i = 1; i < argc; i++) {
        const struct CMUnitTest tests[] = {
            {argv[i], round_trip, NULL, NULL, argv[i]}};
        failures += cmocka_run_group_tests(tests, NULL, NULL) != 0;
    }
    return failures != 0;
}
