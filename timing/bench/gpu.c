/* SPDX-License-Identifier: MIT
 *
 * gpu.c: see bench_gpu.h. A group's contestants take turns, each round from
 * another one on, so that drift of clocks and temperature hits all alike. The
 * first round tells what a round costs; how many follow depends on the time
 * that is left.
 */
#include "bench_gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "text.h"
#include "crew.h"
#include "rows.h"

enum {
    QUICK_MS = 60000,
    FULL_MS = 480000,
    LEAST_ROUNDS = 5,
    LEAST_LONG_ROUNDS = 3, /* of rounds that take longer than this: */
    LONG_ROUND_MS = 1500,
    MOST_ROUNDS = 31,
    TURN_LIMIT_MS = 30000, /* then the function is taken to hang */
    MOST_HANGS = 2,
    SLOW_MS = 1000,   /* a call that takes longer is made once */
    ENOUGH_MS = 3000, /* of turns of one contestant in one group */
    CLOCKS_MS = 1200, /* of copies while nvidia-smi reads the clocks */
    TODO_STATUS = 31, /* SCANLAB_TODO */
    CLOCK_BYTES = 64,
    SEED = 0x5ca11ab
};

struct contestant {
    const struct performer *performer;
    struct bench_cell cell;
    double *samples;
    size_t n, room;
    uint64_t wrong, bytes;
    double spent_ms;
    bool out; /* of this group's further rounds */
};

struct bench {
    const struct bench_gpu_options *options;
    struct plan_filter filter;
    struct crew crew;
    struct groups groups;
    struct rows rows;
    int hangs[1024]; /* per performer */
    bool wrong;      /* an output was, or a function crashed */
    long long end_ms;
    char error[CREW_ERROR_BYTES];
};

static void tell(const char *text) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", text);
    else
        fprintf(stderr, "%s\n", text);
    fflush(stderr);
}

static void tell_no_more(void) {
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

/* ---- one turn ---- */

static struct performer *performer_of(struct bench *b,
                                      const struct contestant *c) {
    return &b->crew.performers.items[c->performer - b->crew.performers.items];
}

/* The process must be started again; whoever crashed it is not asked again. */
static void crashed(struct bench *b, struct contestant *c, const char *how,
                    bool gone) {
    struct performer *p = performer_of(b, c);
    char why[BENCH_TEXT];
    rows_note(&b->rows, p->who, &c->cell, how);
    c->out = true;
    b->wrong = true;
    p->gone = p->gone || gone;
    if (worker_again(&b->crew.workers[p->worker], why)) return;
    rows_note(&b->rows, p->who, &c->cell, why);
    for (size_t i = 0; i < b->crew.performers.n; i++)
        if (b->crew.performers.items[i].worker == p->worker)
            b->crew.performers.items[i].gone = true;
}

static void take(struct bench *b, struct contestant *c,
                 const struct bench_answer *answer, int calls) {
    struct performer *p = performer_of(b, c);
    char text[BENCH_TEXT + 32];
    switch (answer->status) {
    case BENCH_OK:
        if (c->n + (size_t)calls > c->room) {
            size_t room = 2 * c->room + 64;
            double *more = realloc(c->samples, room * sizeof *more);
            if (!more) return;
            c->samples = more;
            c->room = room;
        }
        for (int i = 0; i < calls; i++) {
            c->samples[c->n++] = (double)answer->u.turn.ms[i] * 1e6;
            if (answer->u.turn.ms[i] <= SLOW_MS || c->out) continue;
            c->out = true;
            rows_note(&b->rows, p->who, &c->cell,
                      "a call takes more than a second: one turn only");
        }
        c->wrong += answer->u.turn.wrong;
        c->bytes = answer->u.turn.bytes;
        if (answer->u.turn.wrong) c->out = true;
        break;
    case BENCH_REFUSED:
        c->out = true;
        if (answer->value == TODO_STATUS) p->gone = true;
        snprintf(text, sizeof text, "not timed, it returned error %" PRId64,
                 (int64_t)answer->value);
        rows_note(&b->rows, p->who, &c->cell,
                  p->gone ? "not written yet" : text);
        break;
    case BENCH_NO_SYMBOL:
        c->out = p->gone = true;
        rows_note(&b->rows, p->who, &c->cell, answer->text);
        break;
    case BENCH_NO_ROOM:
        c->out = true;
        rows_note(&b->rows, p->who, &c->cell,
                  "not timed, too little memory on the GPU");
        break;
    default:
        snprintf(text, sizeof text, "stopped: %s", answer->text);
        crashed(b, c, text, true);
    }
}

static void turn(struct bench *b, struct contestant *c) {
    struct performer *p = performer_of(b, c);
    struct bench_ask ask = {
        .kind = BENCH_TURN, .library = p->library, .turn = p->turn};
    struct bench_answer answer;
    if (c->out || p->gone) return;
    ask.turn.cell = c->cell;
    ask.turn.calls = plan_calls(c->cell.n * type_bytes(c->cell.type));
    ask.turn.seed = SEED + (uint32_t)c->cell.n;
    ask.turn.parameters[PARAMETER_order] = c->cell.order;
    ask.turn.parameters[PARAMETER_tuple] = c->cell.tuple;
    long long start = clock_ms();
    switch (
        worker_ask(&b->crew.workers[p->worker], &ask, &answer, TURN_LIMIT_MS)) {
    case WORKER_ANSWERED: take(b, c, &answer, ask.turn.calls); break;
    case WORKER_ENDED: crashed(b, c, "stopped: its process ended", true); break;
    case WORKER_LATE: {
        size_t index = (size_t)(c->performer - b->crew.performers.items);
        bool often = index >= sizeof b->hangs / sizeof *b->hangs ||
                     ++b->hangs[index] >= MOST_HANGS;
        crashed(b, c, "stopped: no end after 30 seconds", often);
    }
    }
    c->spent_ms += (double)(clock_ms() - start);
    if (c->spent_ms > ENOUGH_MS && c->n >= LEAST_ROUNDS) c->out = true;
}

/* ---- one group ---- */

struct field {
    struct contestant *items;
    size_t n, room;
};

static bool enter(struct field *f, const struct performer *p,
                  const struct group *g, int order, int tuple) {
    if (f->n == f->room) {
        size_t room = f->room ? 2 * f->room : 64;
        struct contestant *more = realloc(f->items, room * sizeof *more);
        if (!more) return false;
        f->items = more;
        f->room = room;
    }
    f->items[f->n++] = (struct contestant){
        .performer = p, .cell = {p->operation, g->type, order, tuple, g->n}};
    return true;
}

static bool wanted(const struct bench *b, const struct performer *p) {
    return b->filter.operation < 0 || p->operation == b->filter.operation ||
           p->operation == BENCH_copy;
}

/* Orders of single elements, and tuples of order 1. */
static bool gather(struct bench *b, const struct group *g, struct field *f) {
    int widths[8];
    size_t n = plan_widths(&b->filter, g, widths);
    for (size_t i = 0; i < b->crew.performers.n; i++) {
        const struct performer *p = &b->crew.performers.items[i];
        if (p->type != g->type || p->gone || !wanted(b, p)) continue;
        for (size_t k = 0; k < n; k++) {
            int w = widths[k];
            bool order = w <= p->most_order && p->least_tuple == 1;
            bool tuple = w > 1 && w >= p->least_tuple && w <= p->most_tuple;
            if ((order && !enter(f, p, g, w, 1)) ||
                (tuple && !enter(f, p, g, 1, w)))
                return false;
        }
    }
    return true;
}

static void one_round(struct bench *b, struct field *f, size_t round) {
    for (size_t i = 0; i < f->n; i++)
        turn(b, &f->items[(i + round * 7) % f->n]);
}

static size_t rounds_for(const struct bench *b, long long round_ms,
                         size_t groups_left) {
    long long left = b->end_ms - clock_ms();
    long long mine = left > 0 ? left / (long long)groups_left : 0;
    long long rounds = 1 + mine / (round_ms > 0 ? round_ms : 1);
    long long least =
        round_ms > LONG_ROUND_MS ? LEAST_LONG_ROUNDS : LEAST_ROUNDS;
    return rounds < least         ? (size_t)least
           : rounds > MOST_ROUNDS ? MOST_ROUNDS
                                  : (size_t)rounds;
}

static bool add_rows(struct bench *b, struct field *f) {
    for (size_t i = 0; i < f->n; i++) {
        struct contestant *c = &f->items[i];
        struct row row = {
            .cell = c->cell, .bytes = c->bytes, .ok = c->wrong == 0};
        if (c->n == 0) continue;
        snprintf(row.who, sizeof row.who, "%s", c->performer->who);
        row_of_samples(&row, c->samples, c->n);
        if (c->wrong) {
            char text[64];
            snprintf(text, sizeof text, "%" PRIu64 " wrong elements", c->wrong);
            rows_note(&b->rows, row.who, &c->cell, text);
            b->wrong = true;
        }
        if (!rows_add(&b->rows, &row)) return false;
    }
    return true;
}

static bool run_group(struct bench *b, size_t index) {
    const struct group *g = &b->groups.items[index];
    struct field f = {0};
    char text[128];
    bool ok = gather(b, g, &f);
    long long start = clock_ms();
    snprintf(text, sizeof text, "[%zu/%zu] %s, n = %zu: %zu contestants",
             index + 1, b->groups.n, type_name(g->type), g->n, f.n);
    tell(text);
    if (ok && f.n) {
        one_round(b, &f, 0);
        size_t rounds = rounds_for(b, clock_ms() - start, b->groups.n - index);
        for (size_t r = 1; r < rounds; r++) one_round(b, &f, r);
        ok = add_rows(b, &f);
    }
    for (size_t i = 0; i < f.n; i++) free(f.items[i].samples);
    free(f.items);
    return ok;
}

/* ---- the head of the file ---- */

/* Copies keep the GPU busy while nvidia-smi reads its clocks. The texts have
 * room for CLOCK_BYTES. */
static void read_clocks(struct bench *b, char *sm, char *memory, char *driver) {
    static const char *const words[] = {
        "nvidia-smi",
        "--query-gpu=clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem,"
        "driver_version",
        "--format=csv,noheader,nounits", NULL};
    struct command c = {
        .arguments = words, .limit_ms = 20000, .output_limit = 4096};
    struct command_run run;
    struct bench_ask ask = {.kind = BENCH_TURN,
                            .turn = {.cell = {BENCH_copy, BENCH_TYPE_int32, 1,
                                              1, (uint64_t)1 << 26},
                                     .calls = 5,
                                     .signature = -1}};
    struct bench_answer answer;
    int now, most, memory_now, memory_most;
    char version[32];
    const struct performer *copy = NULL;
    for (size_t i = 0; i < b->crew.performers.n && !copy; i++)
        if (b->crew.performers.items[i].operation == BENCH_copy)
            copy = &b->crew.performers.items[i];
    char *const texts[] = {sm, memory, driver};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        snprintf(texts[i], CLOCK_BYTES, "unknown");
    if (!copy || command_start(&c, &run) != 0) return;
    ask.library = copy->library;
    ask.turn.peer = copy->turn.peer;
    ask.turn.cell.type = copy->type;
    for (long long end = clock_ms() + CLOCKS_MS; clock_ms() < end;)
        if (worker_ask(&b->crew.workers[0], &ask, &answer, TURN_LIMIT_MS) !=
            WORKER_ANSWERED)
            break;
    command_finish(&c, &run);
    if (c.output.bytes &&
        sscanf(c.output.bytes, "%d, %d, %d, %d, %31[0-9.]", &now, &most,
               &memory_now, &memory_most, version) == 5) {
        snprintf(sm, CLOCK_BYTES, "%d (while copying; most: %d)", now, most);
        snprintf(memory, CLOCK_BYTES, "%d (most: %d)", memory_now, memory_most);
        snprintf(driver, CLOCK_BYTES, "%s", version);
    }
    text_free(&c.output);
}

static void read_cpu(char *text, size_t size) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(text, size, "unknown");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, size, "%s, %ld threads", strchr(line, ':') + 2,
                     sysconf(_SC_NPROCESSORS_ONLN));
            break;
        }
    if (file) fclose(file);
}

/* "0.1.0, commit 9b44cd5": from git, or from the file that a packed build
 * carries beside its programs. */
static void describe(const struct bench *b, char *text, size_t size) {
    const struct bench_gpu_options *o = b->options;
    const char *const words[] = {"git",    "-C",       o->root,   "describe",
                                 "--tags", "--always", "--dirty", NULL};
    struct command c = {
        .arguments = words, .limit_ms = 5000, .output_limit = 256};
    char *path = text_format("%s/describe", o->build_folder);
    char line[128] = "";
    FILE *file = path ? fopen(path, "r") : NULL;
    if (file && !fgets(line, sizeof line, file)) line[0] = '\0';
    if (file)
        fclose(file);
    else if (command_run(&c) && c.output.bytes)
        snprintf(line, sizeof line, "%s", c.output.bytes);
    line[strcspn(line, "\r\n")] = '\0';
    snprintf(text, size, "%s%s%s", o->version, *line ? ", commit " : "", line);
    text_free(&c.output);
    free(path);
}

static bool write_head(struct bench *b) {
    const struct bench_hello *h = &b->crew.workers[0].hello;
    char sm[CLOCK_BYTES], memory[CLOCK_BYTES], driver[CLOCK_BYTES], cpu[256],
        cuda[64], cub[32], gpu[256], date[64], scanlab[192];
    time_t now = time(NULL);
    struct tm utc;
    read_clocks(b, sm, memory, driver);
    read_cpu(cpu, sizeof cpu);
    describe(b, scanlab, sizeof scanlab);
    snprintf(gpu, sizeof gpu, "%s, %d SMs, L2 %.0f MiB, %.0f GiB", h->gpu,
             h->processors, (double)h->l2_bytes / (1 << 20),
             (double)h->memory_bytes / (1 << 30));
    snprintf(cuda, sizeof cuda, "runtime %d.%d, driver's %d.%d",
             h->runtime / 1000, h->runtime % 1000 / 10, h->driver / 1000,
             h->driver % 1000 / 10);
    snprintf(cub, sizeof cub, "%d.%d.%d", h->cub / 100000, h->cub / 100 % 1000,
             h->cub % 100);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    const struct {
        const char *key, *value;
    } lines[] = {
        {"machine", h->gpu},
        {"gpu", gpu},
        {"sm_clock_mhz", sm},
        {"memory_clock_mhz", memory},
        {"driver", driver},
        {"cuda", cuda},
        {"cub", cub},
        {"cpu", cpu},
        {"date", date},
        {"scanlab", scanlab},
        {"command", b->options->command},
        {"method",
         "CUDA events around a call on an idle device; contestants in turns; "
         "L2 emptied before every turn; random data; outputs checked on the "
         "device; timing/docs/bench.md"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ok = rows_head(&b->rows, lines[i].key, lines[i].value) && ok;
    return ok && rows_names(&b->rows);
}

/* ---- all ---- */

static int fail(struct bench *b, const char *text) {
    tell_no_more();
    fprintf(stderr, "scanlab: %s\n", text);
    (void)b;
    return 2;
}

static int fail_writing(struct bench *b) {
    char text[512];
    snprintf(text, sizeof text, "cannot write %s: %s", b->options->output,
             strerror(errno));
    return fail(b, text);
}

static int measure(struct bench *b) {
    const struct bench_gpu_options *o = b->options;
    if (!rows_open(&b->rows, o->output) || !write_head(b))
        return fail_writing(b);
    b->end_ms = clock_ms() + (o->milliseconds ? o->milliseconds
                              : o->full       ? FULL_MS
                                              : QUICK_MS);
    for (size_t i = 0; i < b->groups.n; i++)
        if (!run_group(b, i)) return fail_writing(b);
    tell_no_more();
    if (!rows_close(&b->rows)) return fail_writing(b);
    bool to_standard = strcmp(o->output, "-") == 0;
    FILE *out = to_standard ? stderr : stdout;
    rows_table(&b->rows, out, !o->full || o->n_sizes > 0);
    if (!to_standard) fprintf(out, "%zu rows in %s\n", b->rows.n, o->output);
    return b->wrong ? 1 : 0;
}

static void tell_units(void *user, size_t n) {
    (void)user;
    fprintf(stderr, "compiling %zu parts of timing/gpu\n", n);
}

static int prepare(struct bench *b) {
    const struct unit *units[UNITS_MOST];
    char *paths[UNITS_MOST] = {0};
    bool newer_cub = units_newer_cub(b->options->build_folder);
    size_t n = peers_units(NULL, newer_cub, units);
    units[n++] = &unit_baselines; /* for the timed checks of a grade */
    bool ok =
        units_build(units, n, paths, b->options->root, b->options->build_folder,
                    b->options->prepare, tell_units, NULL, b->error);
    units_free(paths, n);
    return ok ? 0 : fail(b, b->error);
}

int bench_gpu(const struct bench_gpu_options *o) {
    struct bench *b = calloc(1, sizeof *b);
    if (!b) return 2;
    b->options = o;
    b->filter = (struct plan_filter){
        .full = o->full,
        .operation = o->operation ? operation_by_name(o->operation) : -1,
        .type = o->type ? type_by_name(o->type) : -1,
        .sizes = o->sizes,
        .n_sizes = o->n_sizes};
    int status;
    if (!groups_plan(&b->groups, &b->filter))
        status = fail(b, "out of memory");
    else if (o->prepare)
        status = prepare(b);
    else if (!crew_open(&b->crew, o, &b->filter, tell, b->error))
        status = fail(b, b->error);
    else
        status = measure(b);
    crew_close(&b->crew);
    rows_free(&b->rows);
    groups_free(&b->groups);
    free(b);
    return status;
}
