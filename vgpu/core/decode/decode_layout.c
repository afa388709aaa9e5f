/* SPDX-License-Identifier: MIT
 *
 * decode_layout.c: where a function's parameters and variables lie, and what
 * the name of one means as an operand.
 */
#include "decode.h"

#include <stdlib.h>

static uint32_t align_up(uint32_t x, uint32_t a) {
    return a ? (x + a - 1) / a * a : x;
}

static struct parameter *layout(const struct ptx_variable *v, uint32_t n,
                                enum ptx_space space, uint32_t *end) {
    struct parameter *p = calloc(n + 1, sizeof *p);
    if (!p) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].space != space) continue;
        uint32_t size = (uint32_t)v[i].bytes;
        uint32_t align = v[i].align ? v[i].align : ptx_type_bytes(v[i].type);
        *end = align_up(*end, align);
        p[i] = (struct parameter){v[i].name, *end, size, align};
        *end += size;
    }
    return p;
}

enum { MAX_PARAM_BYTES = 32768 };

bool decode_layout_params(struct decoder *d) {
    struct function *f = d->function;
    uint32_t end = 0;
    for (uint32_t i = 0; i < d->ptx->n_params; i++)
        if (d->ptx->params[i].bytes > MAX_PARAM_BYTES)
            return decode_fail(d, "a parameter is larger than any GPU allows");
    f->params =
        layout(d->ptx->params, f->n_params = d->ptx->n_params, PTX_PARAM, &end);
    if (d->ptx->is_entry) {
        f->param_bytes = end;
        end = 0; /* the call area is another place */
    }
    f->returns = layout(d->ptx->returns, f->n_returns = d->ptx->n_returns,
                        PTX_PARAM, &end);
    f->locals = layout(d->ptx->variables, f->n_locals = d->ptx->n_variables,
                       PTX_PARAM, &end);
    if (!f->params || !f->returns || !f->locals) return decode_no_memory(d);
    if (end > MAX_PARAM_BYTES)
        return decode_fail(d, "call parameters are too large");
    f->call_bytes = align_up(end, 16);
    return true;
}

const struct parameter *decode_parameter(const struct function *f,
                                         const char *name, bool *is_kernel) {
    *is_kernel = false;
    for (uint32_t i = 0; i < f->n_locals; i++)
        if (f->locals[i].name == name) return &f->locals[i];
    for (uint32_t i = 0; i < f->n_returns; i++)
        if (f->returns[i].name == name) return &f->returns[i];
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].name == name) {
            *is_kernel = f->ptx->is_entry;
            return &f->params[i];
        }
    return NULL;
}

/* Ends of a function's own local and shared variables so far. */
struct ends {
    uint64_t local, shared;
};

/* The end that the variable's bytes go to, aligned for it; NULL: neither. */
static uint64_t *decode_layout_place_of(const struct ptx_variable *v,
                                        struct ends *ends) {
    uint64_t align = v->align ? v->align : 1;
    uint64_t *end = v->space == PTX_LOCAL    ? &ends->local
                    : v->space == PTX_SHARED ? &ends->shared
                                             : NULL;
    if (end) *end = (*end + align - 1) / align * align;
    return end;
}

bool decode_layout_variables(struct decoder *d) {
    struct function *f = d->function;
    struct ends ends = {.shared = f->shared_at};
    for (uint32_t i = 0; i < d->ptx->n_variables; i++) {
        const struct ptx_variable *v = &d->ptx->variables[i];
        uint64_t *end = decode_layout_place_of(v, &ends);
        if (!end) continue;
        if (v->bytes > (1u << 24))
            return decode_fail(d, "variable '%s' is too large", v->name);
        *end += v->bytes;
        if (*end > (1u << 26)) return decode_fail(d, "variables are too large");
    }
    f->local_bytes = (uint32_t)((ends.local + 15) & ~15ull);
    f->shared_bytes = (uint32_t)(ends.shared - f->shared_at);
    return true;
}

/* A function's own .local or .shared variable, NULL: it has none so called. */
static const struct ptx_variable *
own_variable(struct decoder *d, const char *name, uint64_t *offset) {
    struct ends ends = {.shared = d->function->shared_at};
    for (uint32_t i = 0; i < d->ptx->n_variables; i++) {
        const struct ptx_variable *v = &d->ptx->variables[i];
        uint64_t *end = decode_layout_place_of(v, &ends);
        if (!end) continue;
        *offset = *end;
        if (v->name == name) return v;
        *end += v->bytes;
    }
    return NULL;
}

uint32_t decode_symbol(struct decoder *d, const struct ptx_operand *o,
                       char class) {
    uint64_t plus = (uint64_t)o->integer, offset;
    const struct ptx_variable *v = own_variable(d, o->symbol, &offset);
    if (v) {
        if (v->space == PTX_LOCAL)
            return decode_fill(d, (struct fill){.value = offset + plus,
                                                .class = class,
                                                .kind = FILL_LOCAL});
        return decode_constant(d, class, offset + plus);
    }
    v = ptx_find_variable(d->program->ptx, o->symbol);
    if (v && v->space == PTX_SHARED && (v->is_extern || !v->bytes))
        return decode_fill(d, (struct fill){.value = plus,
                                            .class = class,
                                            .kind = FILL_DYNAMIC_SHARED});
    const struct symbol *s = program_symbol(d->program, o->symbol);
    if (s) return decode_constant(d, class, s->address + plus);
    bool is_kernel;
    const struct parameter *p =
        decode_parameter(d->function, o->symbol, &is_kernel);
    if (p && is_kernel)
        return decode_constant(d, class, PARAM_WINDOW + p->offset + plus);
    for (uint32_t i = 0; i < d->program->n_functions; i++)
        if (d->program->functions[i].ptx->name == o->symbol)
            return decode_constant(d, class,
                                   FUNCTION_WINDOW +
                                       (uint64_t)(i + 1) * FUNCTION_STRIDE);
    decode_fail(d, "'%s' is not defined in this module", o->symbol);
    return NO_REGISTER;
}
