/* SPDX-License-Identifier: MIT
 *
 * on_gpu.c: the hardware as referee of the ALU forms. Every row of the table
 * becomes a kernel; the same operands go through the kernel and through the
 * handler; what differs is printed. Needs a GPU of compute capability 9.0 and
 * its driver, which is loaded by name so that this builds without CUDA.
 *
 *   alu_on_gpu [CUBIN [RECORD [APPROXIMATE]]]
 *
 * CUBIN: what ptxas made of alu_emit_ptx's output; without it, or when it is
 * empty, the driver compiles the PTX itself (a minute). RECORD: a file for the
 * digests of what the GPU answered (h200.txt). Approximate forms are printed
 * with their largest distance in units in the last place; APPROXIMATE: a file
 * for them, a line per form: its name, on how many operands, how many differ
 * from the virtual GPU's, the largest distance, and the GPU's first answers of
 * each round (the operands are trial.h's). A NaN equals a NaN
 * only bit for bit. Exit status 1 when an exact form differs.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "form_ptx.h"
#include "trial.h"

enum { MOST = TRIAL_MOST, THREADS = FORM_PTX_THREADS };

static struct driver cuda;

static void must(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "alu_on_gpu: %s failed\n", what);
    exit(2);
}

static char *read_all(const char *path) {
    FILE *f = fopen(path, "rb");
    must(f != NULL, path);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *r = malloc((size_t)n + 1);
    must(r && fread(r, 1, (size_t)n, f) == (size_t)n, path);
    r[n] = 0;
    fclose(f);
    return r;
}

static char *all_ptx(const struct alu_table *table) {
    char *text;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    must(f != NULL, "open_memstream");
    fputs(FORM_PTX_HEADER, f);
    const struct alu_row *row;
    for (unsigned k = 0; (row = row_at(table, k)) != NULL; k++)
        form_ptx(f, row, k, TRIAL_IMMEDIATE);
    fclose(f);
    return text;
}

/* Distance between two floats of `bits` as integers on one line. */
static uint64_t distance(uint64_t a, uint64_t b, unsigned bits) {
    uint64_t top = 1ull << (bits - 1);
    int64_t x = a & top ? -(int64_t)(a & (top - 1)) : (int64_t)a;
    int64_t y = b & top ? -(int64_t)(b & (top - 1)) : (int64_t)b;
    return (uint64_t)(x > y ? x - y : y - x);
}

struct tally {
    unsigned differ;
    uint64_t furthest;
    uint64_t in[MOST], got, want;
    unsigned operand;
};

static void compare(const struct alu_row *row, const struct trial *t,
                    unsigned n_in, unsigned n_out, struct tally *r) {
    unsigned bits = strstr(row->form, "f64")   ? 64
                    : strstr(row->form, "f16") ? 16
                                               : 32;
    for (unsigned k = 0; k < n_out; k++)
        for (unsigned i = 0; i < THREADS; i++) {
            if (t->got[k][i] == t->want[k][i]) continue;
            uint64_t far = distance(t->got[k][i], t->want[k][i], bits);
            bool worse = !r->differ++ ||
                         (trial_is_approximate(row->form) && far > r->furthest);
            if (!worse) continue;
            r->furthest = far;
            r->got = t->got[k][i];
            r->want = t->want[k][i];
            r->operand = k;
            for (unsigned j = 0; j < n_in; j++) r->in[j] = t->in[j][i];
        }
}

static void report(const struct alu_row *row, const struct tally *r,
                   unsigned n_in, unsigned total) {
    printf("%-32s %5u/%u", row->form, r->differ, total);
    if (trial_is_approximate(row->form))
        printf(" at most %llu ulp:", (unsigned long long)r->furthest);
    printf(" d%u", r->operand);
    for (unsigned j = 0; j < n_in; j++)
        printf(" %#llx", (unsigned long long)r->in[j]);
    printf(" -> ours %#llx, GPU %#llx\n", (unsigned long long)r->got,
           (unsigned long long)r->want);
}

struct gpu {
    void *module;
    address in, out;
};

static void run_on_gpu(const struct gpu *g, void *f, struct trial *t) {
    address in = g->in, out = g->out;
    void *arguments[] = {&in, &out};
    must(!cuda.to_device(in, t->in, sizeof t->in), "copy in");
    must(!cuda.launch(f, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL),
         "launch");
    must(!cuda.synchronise(), "kernel");
    must(!cuda.to_host(t->want, out, sizeof t->want), "copy out");
}

struct records {
    FILE *exact, *approximate;
    int column; /* of exact's last line */
};

/* Forms with their digests, as many as a line of 160 columns takes. */
static void write_exact(struct records *r, const char *form, uint64_t digest) {
    int n = (int)strlen(form) + 17;
    bool fits = r->column && r->column + 1 + n <= 160;
    if (r->column) fputc(fits ? ' ' : '\n', r->exact);
    fprintf(r->exact, "%s %016llx", form, (unsigned long long)digest);
    r->column = fits ? r->column + 1 + n : n;
}

/* The GPU's answers, collected round by round. */
enum { KEPT = 64 };
struct answers {
    uint64_t list[TRIAL_ROUNDS][KEPT];
};

static void write_approximate(FILE *f, const struct alu_row *row,
                              const struct tally *r, const struct answers *a) {
    fprintf(f, "%s %u %u %llu", row->form, TRIAL_ROUNDS * THREADS, r->differ,
            (unsigned long long)r->furthest);
    for (unsigned round = 0; round < TRIAL_ROUNDS; round++)
        for (unsigned i = 0; i < KEPT; i++)
            fprintf(f, " %llx", (unsigned long long)a->list[round][i]);
    fputc('\n', f);
}

/* False: an exact form differs. */
static bool judge(const struct gpu *g, const struct alu_row *row,
                  unsigned index, struct trial *t, struct records *record) {
    char name[32];
    snprintf(name, sizeof name, "f%u", index);
    void *f;
    must(!cuda.find(&f, g->module, name), row->form);
    struct tally r = {.differ = 0};
    struct answers answers;
    uint64_t seed = trial_seed(row->form), digest = 0;
    for (unsigned round = 0; round < TRIAL_ROUNDS; round++) {
        trial_fill(t, row, &seed);
        trial_run(t, row);
        run_on_gpu(g, f, t);
        compare(row, t, t->n_in, t->n_out, &r);
        digest = trial_digest(digest, t, t->want);
        memcpy(answers.list[round], t->want[0], sizeof answers.list[round]);
    }
    if (r.differ) report(row, &r, t->n_in, TRIAL_ROUNDS * THREADS);
    if (trial_is_approximate(row->form)) {
        if (record->approximate)
            write_approximate(record->approximate, row, &r, &answers);
        return true;
    }
    if (record->exact) write_exact(record, row->form, digest);
    return !r.differ;
}

int main(int argc, char **argv) {
    unsigned n = 0, wrong = 0;
    const struct alu_table *table = alu_tables_select(-1);
    const struct alu_row *row;
    must(table != NULL, "alu_tables_select");
    const char *missing = driver_open(&cuda);
    must(!missing, missing);
    struct gpu g;
    char *image = argc > 1 && *argv[1] ? read_all(argv[1]) : all_ptx(table);
    must(!cuda.load(&g.module, image, 0, NULL, NULL), "cuModuleLoadDataEx");
    struct records record = {.exact = argc > 2 ? fopen(argv[2], "w") : NULL,
                             .approximate =
                                 argc > 3 ? fopen(argv[3], "w") : NULL};
    struct trial *t = calloc(1, sizeof *t);
    must(t != NULL, "memory");
    must(!cuda.allocate(&g.in, sizeof t->in), "cuMemAlloc");
    must(!cuda.allocate(&g.out, sizeof t->want), "cuMemAlloc");
    for (; (row = row_at(table, n)) != NULL; n++)
        wrong += !judge(&g, row, n, t, &record);
    if (record.exact) fputc('\n', record.exact);
    if (record.exact) must(!fclose(record.exact), argv[2]);
    if (record.approximate) must(!fclose(record.approximate), argv[3]);
    printf("%u forms, %u differ\n", n, wrong);
    return wrong != 0;
}
