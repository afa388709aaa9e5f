/* SPDX-License-Identifier: MIT
 *
 * fuzz_diagnose.c: a submission's output is numbers, and how many it says they
 * are. Any of them, made from the right answer by changes that the input lists,
 * must be refused or agreed with, explained, and written as JSON that reads.
 * Input: oracle, signature, n, kind of input, how many it says, seed, then
 * changes of four bytes.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose.h"
#include "any_rule.h"
#include "formula.h"
#include "fuzz.h"
#include "inputs.h"
#include "oracle.h"
#include "report.h"

enum { MOST = 200, HEAD = 8, CHANGE = 4, POISON = (int32_t)0xdeadbeef };
enum {
    WAYS = 0
#define X(name, text) +1
#include "ways.def"
#undef X
};

struct output {
    const struct diagnose_case *of;
    const uint8_t *changes;
    size_t n_changes, words;
};

static int32_t *words(size_t n) {
    int32_t *array = calloc(n + 2, sizeof *array);
    if (!array) abort();
    return array;
}

/* The right answer, and then other numbers. */
static void change(const struct output *o, int32_t *out) {
    for (size_t i = 0; i < o->n_changes && o->words; i++) {
        const uint8_t *c = o->changes + CHANGE * i;
        size_t at = (c[1] | (size_t)c[2] << 8) % o->words;
        size_t other = (at + c[3]) % o->words;
        switch (c[0] % 8) {
        case 0: out[at] = POISON; break;
        case 1: out[at] = out[other]; break;
        case 2: out[at] = (int32_t)((uint32_t)out[at] + c[3]); break;
        case 3: out[at] = 0; break;
        case 4: out[at] = (int32_t)((uint32_t)out[at] << (c[3] % 32)); break;
        case 5: memmove(out + at, out, (o->words - at) * sizeof *out); break;
        case 6:
            for (size_t k = at; k < o->words; k += c[3] + 1u) out[k] = POISON;
            break;
        default:
            for (size_t k = at; k < o->words; k++)
                out[k] = (int32_t)((uint32_t)out[k] - (uint32_t)out[other]);
        }
    }
}

/* diagnose_run: of other inputs, also longer ones, it is as wrong. */
static bool run(void *user, const int32_t *in, int32_t *out, size_t n) {
    const struct output *o = user;
    struct output here = *o;
    here.words = signature_out_words(o->of->signature, n);
    memset(out, 0, here.words * sizeof *out);
    oracle_apply_rule(o->of->oracle, o->of->rule, o->of->parameters, in, n,
                      out);
    change(&here, out);
    return o->n_changes % 16 != 15;
}

static void write_report(struct diagnosis *d) {
    struct lab_check check = {.id = "c", .title = "C", .cause = "", .read = ""};
    struct lab lab = {.folder = "l", .id = "l", .title = "L", .source = "l.c"};
    struct check_result one = {
        .check = &check,
        .status = STATUS_FAIL,
        .ran = true,
        .outcome = {.kind = OUTCOME_DIFFERENCE, .difference = d}};
    struct lab_result result = {.lab = &lab, .checks = &one, .n_checks = 1};
    struct grade grade = {
        .submission = "s", .program = "p", .labs = &result, .n_labs = 1};
    for (int format = 0; format < N_REPORTS; format++) {
        struct report_options options = {.width = 60, .verbose = true};
        char *written = NULL;
        size_t size;
        FILE *out = open_memstream(&written, &size);
        if (!out || !report_write(format, out, &grade, &options)) abort();
        fclose(out);
        if (format == REPORT_json) {
            json_t *read = json_loadb(written, size, 0, NULL);
            if (!read) abort();
            json_decref(read);
        }
        free(written);
    }
}

static void explain(const uint8_t *data, size_t bytes, int oracle,
                    int signature) {
    static const size_t sizes[] = {1, 2, 33, 200};
    static struct lab_part parts[] = {{"warp", 32}, {"block", 64}};
    struct parameters p;
    parameters_usual(&p);
    for (int i = 0; i < N_PARAMETERS; i++) {
        int least, most;
        parameter_range((enum parameter)i, &least, &most);
        p.value[i] = least + data[5] % (most / 2 - least / 2 + 1);
    }
    size_t n = data[2] % MOST, claimed;
    size_t in_words = signature_in_words(signature, n),
           out_words = signature_out_words(signature, n);
    int32_t *in = words(in_words), *expected = words(out_words),
            *got = words(out_words);
    inputs_fill(data[3] % N_INPUTS, data[5], in, in_words);
    struct rule *rule = any_rule(oracle);
    size_t right = oracle_apply_rule(oracle, rule, &p, in, n, expected);
    memcpy(got, expected, out_words * sizeof *got);
    memset(&claimed, data[4], sizeof claimed); /* 0, or very many */
    if (data[4] % 4) claimed = data[4] % 4 == 1 ? right : right + data[4] - 128;
    bool is_scan = oracle_shape(oracle) == OUTPUT_SCAN;
    struct diagnose_case c = {.oracle = oracle,
                              .rule = rule,
                              .signature = signature,
                              .parameters = &p,
                              .in = in,
                              .expected = expected,
                              .got = got,
                              .n = n,
                              .n_expected = right,
                              .n_got = is_scan ? n : claimed,
                              .poison = POISON,
                              .parts = parts,
                              .n_parts = data[6] % 3,
                              .n_blocks = data[6] % 5,
                              .in_place = data[6] & 64,
                              .way = data[7] % WAYS,
                              .sizes = sizes,
                              .n_sizes = sizeof sizes / sizeof *sizes,
                              .run = run,
                              .time_limit_ms = 100,
                              .max_runs = data[6] & 128 ? 20 : 3,
                              .seed = data[5]};
    struct output o = {&c, data + HEAD, (bytes - HEAD) / CHANGE, out_words};
    c.user = &o;
    change(&o, got);
    if (!oracle_agrees(oracle, rule, &p, in, n, expected, right, got,
                       c.n_got)) {
        struct diagnosis d;
        diagnose(&c, &d);
        write_report(&d);
        diagnosis_free(&d);
    }
    rule_free(rule);
    free(in);
    free(expected);
    free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    if (bytes < HEAD || bytes > HEAD + 64 * CHANGE) return 0;
    int oracle = data[0] % N_ORACLES;
    for (int i = 0; i < N_SIGNATURES; i++) {
        int signature = (data[1] + i) % N_SIGNATURES;
        if (!oracle_fits(oracle, signature)) continue;
        explain(data, bytes, oracle, signature);
        break;
    }
    return 0;
}
