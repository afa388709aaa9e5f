/* SPDX-License-Identifier: MIT
 *
 * main.c: races: racecheck against the referee. Exit status 1 when they differ
 * somewhere, 2 when it could not be done.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"
#include "header.h"
#include "run.h"

struct tally {
    uint64_t programs, runs, errors, racy, clean, differ;
    struct seen seen;
};

/* The k-th way to run a program: in order, reversed, at random; every other
 * time with weak memory. */
static struct mode mode_of(uint64_t k, uint64_t seed) {
    struct mode m = {.schedule_seed = seed * 8 + k + 1};
    m.schedule = k == 0 ? VGPU_IN_ORDER : k == 1 ? VGPU_REVERSE : VGPU_RANDOM;
    if (k % 2) m.memory_seed = seed * 8 + k + 1;
    return m;
}
enum { MODES = 4, RUNS_OF_FILE = 16 };

/* False: they differ, and `why` says how. */
static bool agree(struct machine_under_test *mt, const struct program *p,
                  const struct mode *mode, struct tally *t, FILE *why) {
    struct run run;
    size_t words = t->seen.words;
    char *ptx = program_ptx(p);
    machine_run(mt, p, ptx, mode, true, &run);
    free(ptx);
    bool good = true;
    t->runs++;
    if (*run.error) {
        t->errors++;
        fprintf(why, "error: %s\n", run.error);
    } else {
        good = compare(p, &run, &t->seen, why);
        t->racy += t->seen.words > words;
        t->clean += t->seen.words == words;
        t->differ += !good;
    }
    run_free(&run);
    return good;
}

/* ---- making a program smaller ---- */

static bool differs(struct machine_under_test *mt, const struct program *p,
                    const struct mode *mode) {
    struct tally t = {.runs = 0};
    FILE *nowhere = fopen("/dev/null", "w");
    bool good = agree(mt, p, mode, &t, nowhere);
    fclose(nowhere);
    return !good;
}

static void without(struct program *p, uint32_t k) {
    p->n_ops--;
    for (; k < p->n_ops; k++) p->ops[k] = p->ops[k + 1];
}

/* The same with fewer lanes, or blocks. */
static bool narrow(struct machine_under_test *mt, struct program *p,
                   const struct mode *mode, uint32_t k) {
    struct program less = *p;
    struct op *o = &less.ops[k];
    bool may = o->kind < OP_fence || o->kind == OP_copy;
    if (!may || !(o->lanes & (o->lanes - 1))) return false;
    o->lanes &= -o->lanes;
    if (!differs(mt, &less, mode)) return false;
    *p = less;
    return true;
}

static void minimise(struct machine_under_test *mt, struct program *p,
                     const struct mode *mode) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = p->n_ops; k-- > 0;) {
            struct program less = *p;
            again |= narrow(mt, p, mode, k);
            less = *p;
            without(&less, k);
            if (!less.n_ops || !differs(mt, &less, mode)) continue;
            *p = less;
            again = true;
        }
    }
}

/* ---- commands ---- */

static void explain(struct machine_under_test *mt, struct program *p,
                    const struct mode *mode) {
    struct tally t = {.runs = 0};
    minimise(mt, p, mode);
    printf("schedule %s %" PRIu64 ", memory %" PRIu64 "%s\n",
           mode->schedule == VGPU_IN_ORDER  ? "in-order"
           : mode->schedule == VGPU_REVERSE ? "reverse"
                                            : "random",
           mode->schedule_seed, mode->memory_seed,
           mode->reads_return ? ", reads return" : "");
    program_print(p, stdout);
    agree(mt, p, mode, &t, stdout);
    printf("\n");
}

/* A trace changes nothing: racecheck finds the same without. */
static bool same_untraced(struct machine_under_test *mt,
                          const struct program *p, const struct mode *mode) {
    static struct run with, without;
    char *ptx = program_ptx(p);
    machine_run(mt, p, ptx, mode, true, &with);
    machine_run(mt, p, ptx, mode, false, &without);
    free(ptx);
    bool same = with.n_findings == without.n_findings;
    for (size_t k = 0; same && k < with.n_findings; k++) {
        const struct vgpu_finding *a = &with.findings[k];
        const struct vgpu_finding *b = &without.findings[k];
        same = a->kind == b->kind && a->where.line == b->where.line &&
               a->thread[0] == b->thread[0] && a->repeats == b->repeats;
    }
    run_free(&with);
    run_free(&without);
    return same;
}

/* Programs from..to of a seed, each in so many ways; the first few that differ
 * are shown. */
struct choice {
    uint64_t seed, from, to, runs, shown;
    bool sc;
    uint32_t gpus; /* 0: one */
    struct taste taste;
};

static void check_program(struct machine_under_test *mt, struct program *p,
                          uint64_t k, const struct choice *c, struct tally *t) {
    FILE *nowhere = fopen("/dev/null", "w");
    for (uint64_t m = 0; nowhere && m < c->runs; m++) {
        struct mode mode = mode_of((k + m) % MODES, k);
        mode.reads_return = k / MODES % 3 == 0;
        uint64_t errors = t->errors;
        if (c->sc || program_has_bytes(p)) mode.memory_seed = 0;
        bool good = agree(mt, p, &mode, t, nowhere);
        if (t->errors > errors) {
            struct tally again = {.runs = 0};
            printf("seed %" PRIu64 " program %" PRIu64 ": cannot be run\n",
                   c->seed, k);
            agree(mt, p, &mode, &again, stdout);
            break;
        }
        if (good || t->differ > c->shown) continue;
        printf("seed %" PRIu64 " program %" PRIu64 ":\n", c->seed, k);
        explain(mt, p, &mode);
        break;
    }
    struct mode some = mode_of(k % MODES, k + 1);
    if (k % 8 == 0 && !same_untraced(mt, p, &some)) {
        printf("seed %" PRIu64 " program %" PRIu64
               ": other findings without a trace\n",
               c->seed, k);
        t->differ++;
    }
    if (nowhere) fclose(nowhere);
}

/* Among GPUs; most scopes of the device become the system's, or nearly all of
 * what passes between GPUs would race. */
static void divide(struct program *p, uint32_t n_gpus, uint64_t k) {
    uint64_t random = k * 0x9e3779b97f4a7c15ull | 1;
    p->n_gpus = n_gpus;
    for (uint32_t i = 0; i < p->n_ops; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (p->ops[i].scope == SCOPE_gpu && random >> 20 & 7)
            p->ops[i].scope = SCOPE_sys;
    }
}

static int check(const struct choice *c) {
    struct machine_under_test *mt = machine_open(c->gpus ? c->gpus : 1);
    struct tally t = {.runs = 0};
    for (uint64_t k = c->from; k < c->to; k++) {
        struct program p;
        program_random(&p, c->seed, k, c->taste);
        if (c->gpus) divide(&p, c->gpus, k);
        t.programs++;
        check_program(mt, &p, k, c, &t);
    }
    machine_close(mt);
    printf("%" PRIu64 " programs, %" PRIu64 " runs: %" PRIu64
           " with races (%zu words), %" PRIu64 " without, %" PRIu64
           " without an answer; %zu too long for the referee; %" PRIu64
           " differ\n",
           t.programs, t.runs, t.racy, t.seen.words, t.clean, t.errors,
           t.seen.too_long, t.differ);
    return t.differ || t.errors || t.seen.too_long > t.runs / 200;
}

static bool read_file(struct program *p, const char *path) {
    char why[REASON];
    FILE *f = fopen(path, "r");
    bool good = f && program_read(p, f, why);
    if (!good) printf("%s: %s\n", path, f ? why : "cannot be read");
    if (f) fclose(f);
    return good;
}

/* The next header line; false at the end of the file. What is none and begins
 * as one has "" for a key. */
static bool next_header(FILE *f, char line[256], char **key, char **value) {
    while (f && fgets(line, 256, f)) {
        enum header is = header_read(line, key, value);
        if (is == HEADER_WRONG) *key = *value = strchr(line, 0);
        if (is != HEADER_NONE) return true;
    }
    return false;
}

/* Has it a line "#: run: WANTED"? */
static bool runs(const char *path, const char *wanted) {
    char line[256], *key, *value;
    bool is = false;
    FILE *f = fopen(path, "r");
    while (next_header(f, line, &key, &value))
        is |= !strcmp(key, "run") && !strcmp(value, wanted);
    if (f) fclose(f);
    return is;
}

/* "#: expect: race A B": operations A and B race in some run. Takes them out of
 * what was seen; false: one was not, or the header is not understood. */
static bool as_expected(const char *path, struct seen *seen) {
    char line[256], *key, *value;
    uint32_t a, b, expects = 0;
    bool good = true;
    FILE *f = fopen(path, "r");
    while (next_header(f, line, &key, &value)) {
        bool is_run = !strcmp(value, "sc") || !strcmp(value, "reads return");
        if (!strcmp(key, "what") || (!strcmp(key, "run") && is_run)) continue;
        bool expect = !strcmp(key, "expect");
        expects++;
        if (expect && !strcmp(value, "no race")) continue;
        bool known = expect && sscanf(value, "race %u %u", &a, &b) == 2 &&
                     a < MOST_OPS && b < MOST_OPS;
        bool is_so = known && seen->pairs[a][b];
        if (!is_so) printf("%s: not so: %s: %s\n", path, key, value);
        good &= is_so;
        if (known) seen->pairs[a][b] = false;
    }
    if (f) fclose(f);
    for (a = 0; a < MOST_OPS; a++)
        for (b = 0; b < MOST_OPS; b++) {
            if (!seen->pairs[a][b]) continue;
            printf("%s: not expected: race %u %u\n", path, a, b);
            good = false;
        }
    return good && expects;
}

static bool run_file(struct machine_under_test *mt, const char *path) {
    struct tally t = {.runs = 0};
    struct program p;
    if (!read_file(&p, path)) return false;
    for (uint64_t m = 0; m < RUNS_OF_FILE; m++) {
        struct mode mode = mode_of(m, m);
        if (runs(path, "sc")) mode.memory_seed = 0;
        mode.reads_return = runs(path, "reads return");
        bool good = agree(mt, &p, &mode, &t, stdout) && !t.errors;
        if (good) continue;
        printf("%s: in run %" PRIu64 "\n", path, m);
        return false;
    }
    return as_expected(path, &t.seen);
}

static int run_files(int n, char **paths) {
    struct machine_under_test *mt = machine_open(1);
    int bad = 0;
    for (int k = 0; k < n; k++) bad += !run_file(mt, paths[k]);
    machine_close(mt);
    printf("%d files, %d wrong\n", n, bad);
    return bad > 0;
}

/* What one run did, access by access. */
static void show(const char *path, uint64_t m, uint64_t seed) {
    struct machine_under_test *mt = machine_open(1);
    struct mode mode = mode_of(m, seed);
    mode.reads_return = runs(path, "reads return");
    struct tally t = {.runs = 0};
    struct program p;
    struct run run;
    if (!read_file(&p, path)) exit(2);
    char *ptx = program_ptx(&p);
    machine_run(mt, &p, ptx, &mode, true, &run);
    for (size_t k = 0; k < run.events.n; k++) {
        const struct event *e = &run.events.list[k];
        for (uint32_t l = 0; l < LANES; l++) {
            if (!(e->lanes >> l & 1)) continue;
            printf("%zu: launch %u block %u thread %u at 0x%" PRIx64
                   " value %" PRIx64 ": ",
                   k, e->launch, e->block, e->warp * LANES + l, e->address[l],
                   e->out[l]);
            op_print(&p.ops[e->op], stdout);
        }
    }
    run_free(&run);
    agree(mt, &p, &mode, &t, stdout);
    free(ptx);
    machine_close(mt);
}

static int check_words(int n, char **words) {
    struct choice c = {.runs = 1, .shown = 10, .taste.copies = true};
    uint64_t *to[] = {&c.seed, &c.from, &c.to, &c.runs, &c.shown};
    size_t k = 0;
    for (; n; n--, words++)
        if (!strcmp(*words, "sc"))
            c.sc = true;
        else if (!strcmp(*words, "no-copies"))
            c.taste.copies = false;
        else if (!strcmp(*words, "wide"))
            c.taste.wide = true;
        else if (!strcmp(*words, "gpus"))
            c.gpus = 2, c.taste.copies = false;
        else if (k < sizeof to / sizeof *to)
            *to[k++] = strtoull(*words, NULL, 10);
    return check(&c);
}

int main(int argc, char **argv) {
    struct program p;
    if (argc > 2 && !strcmp(argv[1], "run"))
        return run_files(argc - 2, argv + 2);
    if (argc > 4 && !strcmp(argv[1], "check"))
        return check_words(argc - 2, argv + 2);
    if (argc > 3 && !strcmp(argv[1], "print")) {
        program_random(&p, strtoull(argv[2], NULL, 10),
                       strtoull(argv[3], NULL, 10),
                       (struct taste){.copies = argc == 4});
        program_print(&p, stdout);
        return 0;
    }
    if (argc > 3 && !strcmp(argv[1], "show")) {
        uint64_t m = strtoull(argv[3], NULL, 10);
        show(argv[2], m, argc > 4 ? strtoull(argv[4], NULL, 10) : m);
        return 0;
    }
    if (argc > 2 && !strcmp(argv[1], "ptx") && read_file(&p, argv[2])) {
        char *text = program_ptx(&p);
        fputs(text, stdout);
        free(text);
        return 0;
    }
    puts("races run FILE...\n"
         "      check SEED FROM TO [RUNS [SHOWN]] [sc] [no-copies] [wide] "
         "[gpus]\n"
         "      print SEED K [no-copies]\n"
         "      show FILE RUN [PROGRAM]\n"
         "      ptx FILE");
    return 2;
}
