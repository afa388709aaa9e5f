/* SPDX-License-Identifier: MIT
 *
 * wavefronts.c: the wavefronts of the K-model, measured, against Capannini et
 * al.
 *
 *     wavefronts VGPU KMODEL REFERENCE [CSV]
 *
 * Runs KMODEL (kmodel.cu) under VGPU for every method, n = 32 to 2048, k = 16
 * (the GTX 275: half-warps) and k = 32, prints what was counted beside T(n, k),
 * and fails when they differ where the difference is not explained below.
 * REFERENCE is the source of lab 3's reference, in which the line that stores
 * the sums is looked for. With CSV, the table goes there as well.
 *
 * T of the paper (section VII) counts the stores of sums. Two of its formulas
 * divide by k what hardware rounds up to whole passes:
 *   Padding  its first log2 k terms are n / 2^i / k, less than one pass where
 *            a level has fewer than k nodes; and its rest, the plain formula
 *            for n / k words, is meant for n / k >= k. So T holds for n >= k^2.
 *            Below that no level has a conflict, and what is counted must be
 *            what LeftRight costs.
 *   CM       steps of fewer than k elements' distance leave a part of the first
 *            pass idle: T is 1 / k above a whole number, and what is counted
 *            must be T rounded up.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum method { PLAIN, PADDING, LEFTRIGHT, CM, N_METHODS };

static const char *const names[N_METHODS] = {"plain", "padding", "leftright",
                                             "cm"};

struct tools {
    const char *vgpu, *program;
    int64_t sum_line;
    FILE *csv;
};

struct counted {
    int64_t sums;                     /* wavefronts of the stores of sums */
    int64_t stores, loads, conflicts; /* of all shared memory */
    int64_t words;                    /* of shared memory */
};

static int64_t log2_of(int64_t n) {
    int64_t log2 = 0;
    while (n >> log2 > 1) log2++;
    return log2;
}

/* ---- the paper's formulas, times k to stay whole ---- */

static int64_t plain_k(int64_t n, int64_t k) {
    return n * (log2_of(k) + 1) - k;
}

static int64_t leftright_k(int64_t n, int64_t k) {
    return k * log2_of(k) + n - k;
}

/* T(n, k) * k^2: n / k in place of n divides once more. */
static int64_t paper_k2(enum method method, int64_t n, int64_t k) {
    int64_t log_n = log2_of(n), log_k = log2_of(k), first = 0;
    switch (method) {
    case PLAIN: return plain_k(n, k) * k;
    case LEFTRIGHT: return leftright_k(n, k) * k;
    case CM: return (n * log_n - n + 1) * k;
    default: break;
    }
    for (int64_t i = 1; i <= log_k; i++) first += n * k >> i;
    return first + n * (log_k + 1) - k * k;
}

/* What must be counted; *why: not T itself. */
static int64_t expected(enum method method, int64_t n, int64_t k,
                        const char **why) {
    int64_t t = paper_k2(method, n, k);
    *why = NULL;
    if (method == CM) {
        *why = "T rounded up";
        return (t + k * k - 1) / (k * k);
    }
    if (method == PADDING && n < k * k) {
        *why = "n < k^2: as LeftRight";
        t = leftright_k(n, k) * k;
    }
    if (t % (k * k) == 0) return t / (k * k);
    *why = "T is no whole number";
    return -1;
}

/* ---- counting ---- */

/* The line that holds `text`; 0: none or several. */
static int64_t line_with(const char *path, const char *text) {
    char line[512];
    int64_t number = 0, found = 0;
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        number++;
        if (!strstr(line, text)) continue;
        if (found) number = found = 0;
        if (!number) break;
        found = number;
    }
    fclose(f);
    return found;
}

static int64_t count_of(const json_t *object, const char *name) {
    return json_integer_value(
        json_object_get(json_object_get(object, "counts"), name));
}

static bool is_sum_line(const json_t *line, enum method method,
                        int64_t sum_line) {
    const json_t *where = json_object_get(line, "where");
    const char *file = json_string_value(json_object_get(where, "file"));
    int64_t number = json_integer_value(json_object_get(where, "line"));
    const char *kernel = json_string_value(json_object_get(line, "kernel"));
    if (!file || !kernel) return false;
    if (method == CM) return strcmp(kernel, "cm_block") == 0;
    return strstr(file, "bank_conflicts.cu") && number == sum_line;
}

static bool read_report(const json_t *report, enum method method, int64_t n,
                        int64_t k, int64_t sum_line, struct counted *c) {
    size_t i;
    const json_t *line;
    const json_t *launch =
        json_array_get(json_object_get(report, "launches"), 0);
    *c = (struct counted){
        .stores = count_of(report, "shared_write_wavefronts"),
        .loads = count_of(report, "shared_read_wavefronts"),
        .conflicts = count_of(report, "shared_conflicts"),
        .words =
            json_integer_value(json_object_get(launch, "dynamic_smem_bytes")) /
            4,
    };
    json_array_foreach(json_object_get(report, "lines"), i, line) {
        if (is_sum_line(line, method, sum_line))
            c->sums += count_of(line, "shared_write_wavefronts");
    }
    if (method == CM) c->sums -= n / k; /* the leaves, in the same kernel */
    return c->sums > 0 && c->words > 0;
}

static bool count(const struct tools *t, enum method method, int64_t n,
                  int64_t k, struct counted *c) {
    char command[2048];
    snprintf(command, sizeof command,
             "'%s' --profile --format json --device %s -o /dev/fd/3 '%s' %s "
             "%" PRId64 " %" PRId64 " 3>&1 1>&2",
             t->vgpu, k == 16 ? "gtx275" : "teach", t->program, names[method],
             n, k);
    FILE *pipe = popen(command, "r");
    if (!pipe) return false;
    json_error_t error;
    json_t *report = json_loadf(pipe, 0, &error);
    int status = pclose(pipe);
    bool done = report && status == 0 &&
                read_report(report, method, n, k, t->sum_line, c);
    if (!done)
        fprintf(stderr, "FAIL: %s: status %d %s\n", command, status,
                report ? "" : error.text);
    json_decref(report);
    return done;
}

/* ---- the table ---- */

static bool compare(const struct tools *t, enum method method, int64_t n,
                    int64_t k) {
    struct counted c;
    const char *why;
    if (!count(t, method, n, k, &c)) return false;
    int64_t want = expected(method, n, k, &why);
    int64_t words = method == PADDING ? n + n / k : n;
    double paper = (double)paper_k2(method, n, k) / (double)(k * k);
    bool same = c.sums == want && c.words == words;
    printf("%-9s %5" PRId64 " %3" PRId64 " %9.4f %9" PRId64 "  %s%s\n",
           names[method], n, k, paper, c.sums, same ? "" : "FAIL ",
           why ? why : "");
    if (!same)
        printf("FAIL: expected %" PRId64 " wavefronts in %" PRId64
               " words, not %" PRId64 "\n",
               want, words, c.words);
    if (t->csv)
        fprintf(t->csv,
                "%s,%" PRId64 ",%" PRId64 ",%.4f,%" PRId64 ",%" PRId64
                ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
                names[method], n, k, paper, c.sums, c.stores, c.loads,
                c.conflicts, c.words);
    return same;
}

static const char csv_head[] =
    "# SPDX-License-Identifier: MIT\n"
    "# origin: counts of the virtual GPU (profiles gtx275, teach)\n"
    "# made by tests/kmodel/wavefronts.c; no column is a time. t_paper: paper "
    "001, section VII; t_measured:\n"
    "# wavefronts of the stores of sums; stores, loads, conflicts: of the "
    "whole "
    "up-sweep, its leaves included\n"
    "method,n,banks,t_paper,t_measured,stores,loads,conflicts,shared_words\n";

int main(int argc, char **argv) {
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: wavefronts VGPU KMODEL REFERENCE [CSV]\n");
        return 2;
    }
    struct tools t = {argv[1], argv[2],
                      line_with(argv[3], "tree[node.sum] = scan_add("), NULL};
    if (!t.sum_line) {
        fprintf(stderr, "%s: not one line that stores sums\n", argv[3]);
        return 1;
    }
    if (argc == 5 && !(t.csv = fopen(argv[4], "w"))) {
        perror(argv[4]);
        return 1;
    }
    if (t.csv) fputs(csv_head, t.csv);
    int failures = 0;
    printf("%-9s %5s %3s %9s %9s\n", "method", "n", "k", "T(n,k)", "counted");
    for (int method = 0; method < N_METHODS; method++)
        for (int64_t k = 16; k <= 32; k *= 2)
            for (int64_t n = 32; n <= 2048; n *= 2)
                failures += !compare(&t, (enum method)method, n, k);
    if (t.csv && fclose(t.csv) != 0) {
        perror(argv[4]);
        return 1;
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
