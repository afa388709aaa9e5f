/* SPDX-License-Identifier: MIT
 *
 * interpret.h: what a filter says of a call, without the kernel: an interpreter
 * of classic BPF, as much of it as libseccomp writes.
 */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A word of code that is not known: never what a filter answers. */
enum { INTERPRET_BROKEN = 1 };

static bool interpret_jumps(uint16_t code, uint32_t a, uint32_t k) {
    switch (BPF_OP(code)) {
    case BPF_JEQ: return a == k;
    case BPF_JGT: return a > k;
    case BPF_JGE: return a >= k;
    default: return (a & k) != 0; /* JSET */
    }
}

/* SECCOMP_RET_*, with its data. */
static uint32_t interpret(const struct sock_filter *code, size_t n,
                          const struct seccomp_data *call) {
    uint32_t a = 0, memory[BPF_MEMWORDS] = {0};
    for (size_t at = 0; at < n; at++) {
        const struct sock_filter *c = &code[at];
        switch (c->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (c->k > sizeof *call - sizeof a) return INTERPRET_BROKEN;
            memcpy(&a, (const char *)call + c->k, sizeof a);
            break;
        case BPF_LD | BPF_MEM: a = memory[c->k % BPF_MEMWORDS]; break;
        case BPF_ST: memory[c->k % BPF_MEMWORDS] = a; break;
        case BPF_ALU | BPF_AND | BPF_K: a &= c->k; break;
        case BPF_RET | BPF_K: return c->k;
        case BPF_JMP | BPF_JA: at += c->k; break;
        case BPF_JMP | BPF_JEQ | BPF_K:
        case BPF_JMP | BPF_JGT | BPF_K:
        case BPF_JMP | BPF_JGE | BPF_K:
        case BPF_JMP | BPF_JSET | BPF_K:
            at += interpret_jumps(c->code, a, c->k) ? c->jt : c->jf;
            break;
        default: return INTERPRET_BROKEN;
        }
    }
    return INTERPRET_BROKEN;
}
