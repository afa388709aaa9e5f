/* SPDX-License-Identifier: MIT
 *
 * print_body.c: functions and instructions as PTX again.
 *
 * How to read this: labels are named after the instruction they stand before;
 * a .loc is printed with the chain of call sites that it was inlined at, the
 * outermost first, because the parser finds a call site by its place.
 */
#include "print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INLINED = 64, PER_LINE = 8 };

static void print_dims(FILE *out, const char *directive,
                       const uint32_t dims[3]) {
    if (dims[0])
        fprintf(out, "\n%s %" PRIu32 ", %" PRIu32 ", %" PRIu32, directive,
                dims[0], dims[1], dims[2]);
}

void ptx_print_head(struct ptx_printer *printer, const struct ptx_function *f) {
    FILE *out = printer->out;
    if (f->is_extern) fputs(".extern ", out);
    if (f->is_visible) fputs(".visible ", out);
    if (f->is_weak) fputs(".weak ", out);
    fputs(f->is_entry ? ".entry " : ".func ", out);
    if (f->n_returns) ptx_print_params(printer, f->returns, f->n_returns);
    fprintf(out, "%s%s ", f->n_returns ? " " : "", f->name);
    ptx_print_params(printer, f->params, f->n_params);
    if (f->is_noreturn) fputs(" .noreturn", out);
    print_dims(out, ".maxntid", f->max_threads);
    print_dims(out, ".reqntid", f->required_threads);
    if (f->explicit_cluster) fputs("\n.explicitcluster", out);
    if (f->blocks_are_clusters) fputs("\n.blocksareclusters", out);
    print_dims(out, ".reqnctapercluster", f->cluster);
    if (f->max_cluster)
        fprintf(out, "\n.maxclusterrank %" PRIu32, f->max_cluster);
    if (f->min_blocks) fprintf(out, "\n.minnctapersm %" PRIu32, f->min_blocks);
    if (f->max_registers) fprintf(out, "\n.maxnreg %" PRIu32, f->max_registers);
}

static void print_offset(FILE *out, int64_t offset) {
    if (offset) fprintf(out, "+%" PRId64, offset);
}

static void print_operand(FILE *, const struct ptx_function *,
                          const struct ptx_operand *, bool is_call);

static void print_items(FILE *out, const struct ptx_function *f,
                        const struct ptx_operand *list, const char *brackets) {
    if (brackets[0]) fputc(brackets[0], out);
    for (uint32_t i = 0; i < list->n_items; i++) {
        if (i || !brackets[0]) fputs(", ", out);
        print_operand(out, f, &list->items[i], false);
    }
    if (brackets[0]) fputc(brackets[1], out);
}

static void print_address(FILE *out, const struct ptx_function *f,
                          const struct ptx_operand *o) {
    fputc('[', out);
    if (o->reg >= 0)
        fputs(f->registers[o->reg].name, out);
    else if (o->symbol)
        fputs(o->symbol, out);
    if (o->reg < 0 && !o->symbol)
        fprintf(out, "%" PRId64, o->integer);
    else
        print_offset(out, o->integer);
    print_items(out, f, o, "");
    fputc(']', out);
}

static void print_operand(FILE *out, const struct ptx_function *f,
                          const struct ptx_operand *o, bool is_call) {
    switch (o->kind) {
    case PTX_REGISTER:
        if (o->negated)
            fputc(f->registers[o->reg].type == PTX_PRED ? '!' : '-', out);
        fputs(f->registers[o->reg].name, out);
        if (o->parts.size) fprintf(out, ".%c", o->parts.size);
        for (unsigned k = 0; k < o->parts.n; k++)
            fprintf(out, "%u", o->parts.at[k]);
        break;
    case PTX_INTEGER: fprintf(out, "%" PRId64, o->integer); break;
    case PTX_FLOAT32: fprintf(out, "0f%08" PRIX64, o->integer); break;
    case PTX_FLOAT64: fprintf(out, "0d%016" PRIX64, o->integer); break;
    case PTX_SYMBOL:
        fputs(o->symbol, out);
        print_offset(out, o->integer);
        break;
    case PTX_LABEL: fprintf(out, "$print_at%" PRIu32, o->target); break;
    case PTX_SPECIAL: fputs(o->symbol, out); break;
    case PTX_ADDRESS: print_address(out, f, o); break;
    case PTX_VECTOR: print_items(out, f, o, is_call ? "()" : "{}"); break;
    case PTX_SINK: fputc('_', out); break;
    }
    if (o->second >= 0) fprintf(out, "|%s", f->registers[o->second].name);
}

void ptx_print_insn(const struct ptx_function *f, const struct ptx_insn *insn,
                    FILE *out) {
    if (insn->guard >= 0)
        fprintf(out, "@%s%s ", insn->guard_negated ? "!" : "",
                f->registers[insn->guard].name);
    fputs(insn->form, out);
    for (uint32_t i = 0; i < insn->n_operands; i++) {
        fputs(i ? ", " : " ", out);
        print_operand(out, f, &insn->operands[i], insn->op == PTX_OP_call);
    }
    fputc(';', out);
}

static size_t find_file(const struct ptx_printer *printer, const char *file) {
    size_t i = 0;
    while (file && i < printer->n_files && strcmp(printer->files[i], file) != 0)
        i++;
    return file ? i + 1 : printer->n_files + 1;
}

static void print_loc(struct ptx_printer *printer, int32_t index) {
    const struct ptx_loc *chain[MAX_INLINED];
    int n = 0;
    for (; index >= 0 && n < MAX_INLINED; n++) {
        chain[n] = &printer->module->locs[index];
        index = chain[n]->inlined_at;
    }
    for (int i = n; i-- > 0;) {
        const struct ptx_loc *loc = chain[i];
        fprintf(printer->out, "\t.loc %zu %" PRIu32 " %" PRIu32,
                find_file(printer, loc->file), loc->line, loc->column);
        if (loc->function)
            fprintf(printer->out, ", function_name $print_name%zu",
                    ptx_print_function_index(printer, loc->function));
        if (i + 1 < n)
            fprintf(printer->out, ", inlined_at %zu %" PRIu32 " %" PRIu32,
                    find_file(printer, chain[i + 1]->file), chain[i + 1]->line,
                    chain[i + 1]->column);
        fputc('\n', printer->out);
    }
}

static void print_target_list(FILE *out, const struct ptx_target_list *list) {
    fprintf(out, "%s: %s ", list->name,
            list->targets ? ".branchtargets" : ".calltargets");
    for (uint32_t i = 0; i < list->n; i++) {
        if (i) fputs(", ", out);
        if (list->targets)
            fprintf(out, "$print_at%" PRIu32, list->targets[i]);
        else
            fputs(list->symbols[i], out);
    }
    fputs(";\n", out);
}

/* Is the name the last operand of an instruction of the body? */
static bool refers_to(const struct ptx_function *f, const char *name) {
    for (uint32_t i = 0; i < f->n_insns; i++) {
        const struct ptx_insn *insn = &f->insns[i];
        if ((insn->op != PTX_OP_call && insn->op != PTX_OP_brx) ||
            !insn->n_operands)
            continue;
        const struct ptx_operand *last = &insn->operands[insn->n_operands - 1];
        if (last->kind == PTX_SYMBOL && strcmp(last->symbol, name) == 0)
            return true;
    }
    return false;
}

static void print_tables(struct ptx_printer *printer,
                         const struct ptx_function *f) {
    const struct ptx_module *m = printer->module;
    for (uint32_t i = 0; i < m->n_prototypes; i++) {
        const struct ptx_prototype *p = &m->prototypes[i];
        if (!refers_to(f, p->name)) continue;
        fprintf(printer->out, "%s: .callprototype ", p->name);
        ptx_print_params(printer, p->returns, p->n_returns);
        fputs(" _ ", printer->out);
        ptx_print_params(printer, p->params, p->n_params);
        fputs(";\n", printer->out);
    }
    for (uint32_t i = 0; i < m->n_target_lists; i++)
        if (refers_to(f, m->target_lists[i].name))
            print_target_list(printer->out, &m->target_lists[i]);
}

static void mark_list(const struct ptx_module *m, const char *name,
                      bool *is_target) {
    for (uint32_t i = 0; i < m->n_target_lists; i++) {
        const struct ptx_target_list *list = &m->target_lists[i];
        if (!list->targets || strcmp(list->name, name) != 0) continue;
        for (uint32_t t = 0; t < list->n; t++)
            is_target[list->targets[t]] = true;
    }
}

static void mark_targets(const struct ptx_module *m,
                         const struct ptx_function *f, bool *is_target) {
    for (uint32_t i = 0; i < f->n_insns; i++)
        for (uint32_t o = 0; o < f->insns[i].n_operands; o++) {
            const struct ptx_operand *operand = &f->insns[i].operands[o];
            if (operand->kind == PTX_LABEL) is_target[operand->target] = true;
            if (operand->kind == PTX_SYMBOL && f->insns[i].op == PTX_OP_brx)
                mark_list(m, operand->symbol, is_target);
        }
}

/* Registers of a .reg parameter list are the first and declared by it. */
static uint32_t count_reg_params(const struct ptx_function *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_returns; i++)
        n += f->returns[i].space == PTX_REG;
    for (uint32_t i = 0; i < f->n_params; i++)
        n += f->params[i].space == PTX_REG;
    return n;
}

static void print_registers(FILE *out, const struct ptx_function *f) {
    unsigned in_line = 0;
    for (uint32_t i = count_reg_params(f); i < f->n_registers; i++) {
        const struct ptx_register *r = &f->registers[i];
        bool goes_on = in_line && in_line < PER_LINE && r[-1].type == r->type;
        if (in_line && !goes_on) fputs(";\n", out);
        if (goes_on)
            fprintf(out, ", %s", r->name);
        else
            fprintf(out, "\t.reg %s %s", ptx_type_name(r->type), r->name);
        in_line = goes_on ? in_line + 1 : 1;
    }
    if (in_line) fputs(";\n", out);
}

void ptx_print_body(struct ptx_printer *printer, const struct ptx_function *f) {
    FILE *out = printer->out;
    bool *is_target = calloc(f->n_insns + (size_t)1, sizeof *is_target);
    if (is_target) mark_targets(printer->module, f, is_target);
    fputs("\n{\n", out);
    print_registers(out, f);
    for (uint32_t i = 0; i < f->n_variables; i++)
        ptx_print_variable(printer, &f->variables[i]);
    print_tables(printer, f);
    int32_t loc = -1;
    for (uint32_t i = 0; i <= f->n_insns; i++) {
        if (is_target && is_target[i])
            fprintf(out, "$print_at%" PRIu32 ":\n", i);
        if (i == f->n_insns) break;
        if (f->insns[i].loc != loc) print_loc(printer, f->insns[i].loc);
        loc = f->insns[i].loc;
        fputc('\t', out);
        ptx_print_insn(f, &f->insns[i], out);
        fputc('\n', out);
    }
    fputs("}\n", out);
    free(is_target);
}
