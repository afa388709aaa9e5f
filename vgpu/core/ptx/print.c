/* SPDX-License-Identifier: MIT
 *
 * print.c: a module as PTX again: directives, variables, source files.
 *
 * How to read this: every function is declared before anything refers to it,
 * then come the variables, then the bodies (print_body.c), then the names of
 * inlined functions. Parsed again, the text gives an equal module; comments,
 * scopes and the grouping of registers are not kept.
 */
#include "print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const spaces[] = {
    [PTX_GENERIC] = "",     [PTX_GLOBAL] = ".global", [PTX_SHARED] = ".shared",
    [PTX_LOCAL] = ".local", [PTX_CONST] = ".const",   [PTX_PARAM] = ".param",
    [PTX_REG] = ".reg"};

static uint64_t read_element(const uint8_t *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = bytes < 8 ? bytes : 8; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static void print_relocation(FILE *out, const struct ptx_relocation *r) {
    if (r->masked) fprintf(out, "0x%" PRIx64 "(", (uint64_t)0xff << r->shift);
    fprintf(out, r->generic ? "generic(%s)" : "%s", r->symbol);
    if (r->addend) fprintf(out, "+%" PRId64, r->addend);
    if (r->masked) fputc(')', out);
}

static void print_element(FILE *out, enum ptx_type type, uint64_t bits) {
    if (type == PTX_F32)
        fprintf(out, "0f%08" PRIX64, bits);
    else if (type == PTX_F64)
        fprintf(out, "0d%016" PRIX64, bits);
    else
        fprintf(out, "%" PRIu64, bits);
}

static void print_values(FILE *out, const struct ptx_variable *v) {
    unsigned bytes = ptx_type_bytes(v->type);
    uint64_t n = v->bytes / bytes, used = n;
    const struct ptx_relocation *r = v->relocations;
    size_t left = v->n_relocations;
    uint64_t reserved = left ? r[left - 1].offset / bytes + 1 : 0;
    while (used > reserved && used > 1 &&
           !read_element(v->data + (used - 1) * bytes, bytes))
        used--; /* zeros at the end go without saying */
    fputs(n > 1 ? " = {" : " = ", out);
    for (uint64_t i = 0; i < used; i++) {
        if (i) fputs(", ", out);
        if (left && r->offset == i * bytes) {
            print_relocation(out, r++);
            left--;
        } else
            print_element(out, v->type,
                          read_element(v->data + i * bytes, bytes));
    }
    if (n > 1) fputc('}', out);
}

/* Dimensions are flat; ".v4 .f32 x" is an array of 4 with its alignment. */
static void print_declaration(FILE *out, const struct ptx_variable *v) {
    fputs(spaces[v->space], out);
    if (v->is_managed) fputs(" .attribute(.managed)", out);
    if (v->space != PTX_REG) fprintf(out, " .align %" PRIu32, v->align);
    fprintf(out, " %s %s", ptx_type_name(v->type), v->name);
    unsigned bytes = ptx_type_bytes(v->type);
    if (v->is_extern && !v->bytes)
        fputs("[]", out);
    else if (bytes && v->bytes != bytes)
        fprintf(out, "[%" PRIu64 "]", v->bytes / bytes);
}

void ptx_print_variable(struct ptx_printer *printer,
                        const struct ptx_variable *v) {
    FILE *out = printer->out;
    if (v->is_extern) fputs(".extern ", out);
    if (v->is_visible) fputs(".visible ", out);
    if (v->is_weak) fputs(".weak ", out);
    if (v->is_common) fputs(".common ", out);
    print_declaration(out, v);
    if (v->data) print_values(out, v);
    fputs(";\n", out);
}

void ptx_print_params(struct ptx_printer *printer,
                      const struct ptx_variable *params, uint32_t n) {
    fputc('(', printer->out);
    for (uint32_t i = 0; i < n; i++) {
        if (i) fputs(", ", printer->out);
        print_declaration(printer->out, &params[i]);
    }
    fputc(')', printer->out);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts and drops repeats. */
static size_t distinct(const char **texts, size_t n) {
    if (n) qsort(texts, n, sizeof *texts, compare_texts);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || strcmp(texts[kept - 1], texts[i]) != 0)
            texts[kept++] = texts[i];
    return kept;
}

size_t ptx_print_function_index(const struct ptx_printer *printer,
                                const char *text) {
    const char **found =
        bsearch(&text, printer->functions, printer->n_functions,
                sizeof *printer->functions, compare_texts);
    return found ? (size_t)(found - printer->functions) : 0;
}

static bool collect_texts(struct ptx_printer *printer) {
    const struct ptx_module *m = printer->module;
    printer->files = calloc(m->n_locs + 1, sizeof *printer->files);
    printer->functions = calloc(m->n_locs + 1, sizeof *printer->functions);
    if (!printer->files || !printer->functions) return false;
    for (uint32_t i = 0; i < m->n_locs; i++) {
        const struct ptx_loc *loc = &m->locs[i];
        if (loc->file) printer->files[printer->n_files++] = loc->file;
        if (loc->function)
            printer->functions[printer->n_functions++] = loc->function;
    }
    printer->n_files = distinct(printer->files, printer->n_files);
    printer->n_functions = distinct(printer->functions, printer->n_functions);
    return true;
}

static void print_debug_strings(struct ptx_printer *printer) {
    if (!printer->n_functions) return;
    fputs(".section .debug_str\n{\n", printer->out);
    for (size_t i = 0; i < printer->n_functions; i++) {
        fprintf(printer->out, "$print_name%zu:\n.b8 ", i);
        for (const char *c = printer->functions[i]; *c; c++)
            fprintf(printer->out, "%d,", (unsigned char)*c);
        fputs("0\n", printer->out);
    }
    fputs("}\n", printer->out);
}

static void print_module(struct ptx_printer *printer) {
    const struct ptx_module *m = printer->module;
    fprintf(printer->out, ".version %d.%d\n.target sm_%d\n", m->version_major,
            m->version_minor, m->target_sm);
    if (m->address_size)
        fprintf(printer->out, ".address_size %d\n", m->address_size);
    for (size_t i = 0; i < printer->n_files; i++)
        fprintf(printer->out, ".file %zu \"%s\"\n", i + 1, printer->files[i]);
    for (uint32_t i = 0; i < m->n_functions; i++) {
        ptx_print_head(printer, &m->functions[i]);
        fputs(";\n", printer->out);
    }
    for (uint32_t i = 0; i < m->n_variables; i++)
        ptx_print_variable(printer, &m->variables[i]);
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (m->functions[i].has_body) {
            ptx_print_head(printer, &m->functions[i]);
            ptx_print_body(printer, &m->functions[i]);
        }
    print_debug_strings(printer);
}

static void print_some(const struct ptx_module *module,
                       const struct ptx_function *f, FILE *out) {
    struct ptx_printer printer = {.out = out, .module = module};
    if (!collect_texts(&printer)) {
        fputs("// no memory to print this module\n", out);
    } else if (f) {
        ptx_print_head(&printer, f);
        ptx_print_body(&printer, f);
    } else {
        print_module(&printer);
    }
    free(printer.files);
    free(printer.functions);
}

void ptx_print(const struct ptx_module *module, FILE *out) {
    print_some(module, NULL, out);
}

void ptx_print_function(const struct ptx_module *module,
                        const struct ptx_function *f, FILE *out) {
    print_some(module, f, out);
}
