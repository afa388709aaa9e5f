/* SPDX-License-Identifier: MIT
 *
 * kernel.c: a litmus test as a kernel in PTX. Each thread of the test is lane 0
 * of a warp; blocks beyond those of the test run it again, with memory of their
 * own (runs). Registers are %v0 and up; the kernel's own have other names.
 */
#include <inttypes.h>
#include <string.h>

#include "litmus.h"

static void kernel_value(struct text *to, const struct litmus_value *v) {
    if (v->is_register)
        text_add(to, "%%v%u", v->reg);
    else
        text_add(to, "%" PRId32, v->number);
}

static void address(struct text *to, const struct litmus_insn *i) {
    text_add(to, "[%%memory+%u]", LITMUS_APART * i->word);
}

static void atomic(struct text *to, const struct litmus_insn *i) {
    bool bits = !strcmp(i->op, "exch") || !strcmp(i->op, "cas") ||
                !strcmp(i->op, "and") || !strcmp(i->op, "or") ||
                !strcmp(i->op, "xor");
    bool sub = !strcmp(i->op, "sub");
    if (sub) {
        text_add(to, "    neg.s32 %%t, ");
        kernel_value(to, &i->values[0]);
        text_add(to, ";\n");
    }
    text_add(to, "    atom.%s.global.%s.%s ", i->order, sub ? "add" : i->op,
             bits ? "b32" : "s32");
    if (i->to == LITMUS_REGISTERS)
        text_add(to, "%%none, ");
    else
        text_add(to, "%%v%u, ", i->to);
    address(to, i);
    for (uint32_t k = 0; k < i->n_values; k++) {
        text_add(to, ", ");
        if (sub)
            text_add(to, "%%t");
        else
            kernel_value(to, &i->values[k]);
    }
    text_add(to, ";\n");
}

static void compute(struct text *to, const struct litmus_insn *i) {
    static const char *const types[][2] = {
        {"mov", "mov.b32"},    {"add", "add.s32"}, {"sub", "sub.s32"},
        {"mul", "mul.lo.s32"}, {"and", "and.b32"}, {"or", "or.b32"},
        {"xor", "xor.b32"}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (!strcmp(types[k][0], i->op))
            text_add(to, "    %s %%v%u", types[k][1], i->to);
    for (uint32_t k = 0; k < i->n_values; k++) {
        text_add(to, ", ");
        kernel_value(to, &i->values[k]);
    }
    text_add(to, ";\n");
}

static void branch(struct text *to, uint32_t thread,
                   const struct litmus_insn *i) {
    if (!*i->op) {
        text_add(to, "    bra T%u_%u;\n", thread, i->label);
        return;
    }
    text_add(to, "    mov.b32 %%t, ");
    kernel_value(to, &i->values[0]);
    text_add(to, ";\n    setp.%s.s32 %%p, %%t, ", i->op);
    kernel_value(to, &i->values[1]);
    text_add(to, ";\n    @%%p bra T%u_%u;\n", thread, i->label);
}

static bool has_barrier(const struct litmus_thread *t, int32_t number) {
    for (uint32_t k = 0; k < t->n_insns; k++)
        if (t->insns[k].kind == LITMUS_BARRIER &&
            t->insns[k].values[0].number == number)
            return true;
    return false;
}

/* A barrier for so many warps of the block as have threads that come to it. */
static void barrier(struct text *to, const struct litmus *t, uint32_t thread,
                    const struct litmus_insn *i) {
    int32_t number = i->values[0].number;
    uint32_t warps = 0;
    for (uint32_t k = 0; k < t->n_threads; k++)
        warps += t->threads[k].block == t->threads[thread].block &&
                 has_barrier(&t->threads[k], number);
    text_add(to, "    barrier.sync %" PRId32 ", %u;\n", number, 32 * warps);
}

static void insn(struct text *to, const struct litmus *t, uint32_t thread,
                 const struct litmus_insn *i) {
    switch (i->kind) {
    case LITMUS_LOAD:
        text_add(to, "    ld.%s.global.b32 %%v%u, ", i->order, i->to);
        address(to, i);
        text_add(to, ";\n");
        break;
    case LITMUS_STORE:
        text_add(to, "    st.%s.global.b32 ", i->order);
        address(to, i);
        text_add(to, ", ");
        if (!i->values[0].is_register) {
            text_add(to, "%" PRId32 ";\n", i->values[0].number);
            break;
        }
        kernel_value(to, &i->values[0]);
        text_add(to, ";\n");
        break;
    case LITMUS_ATOMIC: atomic(to, i); break;
    case LITMUS_FENCE: text_add(to, "    %s;\n", i->order); break;
    case LITMUS_BARRIER: barrier(to, t, thread, i); break;
    case LITMUS_COMPUTE: compute(to, i); break;
    case LITMUS_BRANCH: branch(to, thread, i); break;
    case LITMUS_LABEL: text_add(to, "T%u_%u:\n", thread, i->label); break;
    }
}

static void thread(struct text *to, const struct litmus *t, uint32_t number) {
    const struct litmus_thread *of = &t->threads[number];
    text_add(to,
             "T%u:\n"
             "    ld.global.u32 %%t, [%%waits+%u];\n"
             "T%u_wait:\n"
             "    setp.eq.u32 %%p, %%t, 0;\n"
             "    @%%p bra T%u_begin;\n"
             "    sub.u32 %%t, %%t, 1;\n"
             "    bra T%u_wait;\n"
             "T%u_begin:\n",
             number, 4 * number, number, number, number, number);
    for (uint32_t r = 0; r < of->n_registers; r++)
        text_add(to, "    mov.b32 %%v%u, %" PRId32 ";\n", r, of->first[r]);
    for (uint32_t k = 0; k < of->n_insns; k++)
        insn(to, t, number, &of->insns[k]);
    for (uint32_t r = 0; r < of->n_registers; r++)
        text_add(to, "    st.global.b32 [%%results+%u], %%v%u;\n",
                 4 * (number * LITMUS_REGISTERS + r), r);
    text_add(to, "    ret;\n");
}

/* %memory, %results and %waits are those of this run. */
static void prologue(struct text *to, const struct litmus *t) {
    static const struct {
        const char *name;
        uint32_t bytes;
    } arrays[] = {{"memory", LITMUS_APART * LITMUS_WORDS},
                  {"results", 4 * LITMUS_THREADS * LITMUS_REGISTERS},
                  {"waits", 4 * LITMUS_THREADS}};
    text_add(to,
             ".version 7.0\n.target sm_70\n.address_size 64\n"
             ".visible .entry litmus(.param .u64 memory_of,\n"
             "    .param .u64 results_of, .param .u64 waits_of%s) {\n"
             "    .reg .b32 %%v<%d>, %%t, %%none, %%run, %%block, %%thread;\n"
             "    .reg .b64 %%memory, %%results, %%waits, %%at;\n"
             "    .reg .pred %%p;\n"
             "    mov.u32 %%t, %%tid.x;\n"
             "    and.b32 %%none, %%t, 31;\n"
             "    setp.ne.u32 %%p, %%none, 0;\n"
             "    @%%p ret;\n"
             "    mov.u32 %%block, %%ctaid.x;\n"
             "    div.u32 %%run, %%block, %u;\n"
             "    rem.u32 %%block, %%block, %u;\n"
             "    shr.u32 %%thread, %%t, 5;\n"
             "    mad.lo.u32 %%thread, %%block, %u, %%thread;\n",
             t->n_gpus > 1 ? ",\n    .param .u64 blocks_of" : "",
             LITMUS_REGISTERS, t->n_blocks, t->n_blocks, t->n_warps);
    if (t->n_gpus > 1) /* which of the blocks are this GPU's */
        text_add(to, "    ld.param.u64 %%at, [blocks_of];\n"
                     "    shr.u64 %%at, %%at, %%block;\n"
                     "    and.b64 %%at, %%at, 1;\n"
                     "    setp.eq.u64 %%p, %%at, 0;\n"
                     "    @%%p ret;\n");
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        text_add(to,
                 "    ld.param.u64 %%%s, [%s_of];\n"
                 "    mul.wide.u32 %%at, %%run, %u;\n"
                 "    add.u64 %%%s, %%%s, %%at;\n",
                 arrays[k].name, arrays[k].name, arrays[k].bytes,
                 arrays[k].name, arrays[k].name);
    for (uint32_t k = 0; k < t->n_threads; k++)
        text_add(to, "    setp.eq.u32 %%p, %%thread, %u;\n    @%%p bra T%u;\n",
                 t->threads[k].block * t->n_warps + t->threads[k].warp, k);
    text_add(to, "    ret;\n");
}

void litmus_ptx(const struct litmus *t, struct text *to) {
    prologue(to, t);
    for (uint32_t k = 0; k < t->n_threads; k++) thread(to, t, k);
    text_add(to, "}\n");
}
