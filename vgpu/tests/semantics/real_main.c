/* SPDX-License-Identifier: MIT
 *
 * real_main.c: ptx_referee: random PTX programs (program.h) on a real GPU and
 * on the virtual one. Needs a driver, no toolkit.
 *
 * FOLDER/answers.txt: what the GPU answered (replay.h). FOLDER/report.txt: each
 * disagreement. FOLDER/faults.txt: the numbers of the programs that ended with
 * an error on the GPU or took too long, for `list`, which runs each in a module
 * of its own. A program of which the GPU says the virtual one's answer when it
 * is compiled again without optimisation counts as the compiler's, and that
 * answer is kept. Exit status 1 when something disagrees, 2 when it could not
 * be done.
 *
 * Workers are processes: one that dies or hangs costs its program only. They
 * take programs in batches, which are compiled as one module.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "minimise.h"
#include "options.h"
#include "replay.h"
#include "vgpu.h"

enum {
    BATCH = 25,
    MOST_WORKERS = 64,
    MOST_FAULTS = 1024,
    PATIENCE = 40 /* s */
};
static const struct virtual_mode plain = {.checks = 0};

struct worker {      /* shared with its process */
    uint64_t to, at; /* the batch's end, and what comes next in it */
    time_t alive;
    unsigned long done, disagree, compiler;
    pid_t pid;
};

struct all {
    uint64_t next, to;
    const uint64_t *list; /* next, to count these; NULL: they are programs */
    time_t until;
    uint64_t faults[MOST_FAULTS];
    unsigned n_faults; /* may be more */
    struct worker workers[MOST_WORKERS];
};

struct run { /* of one worker */
    struct all *all;
    struct worker *me;
    uint64_t seed;
    unsigned explained;
    int optimise;
    struct virtual_gpu *virtual;
    struct real_gpu *real;
    FILE *answers, *report;
};

static void die(const char *what) {
    fprintf(stderr, "ptx_referee: %s\n", what);
    exit(2);
}

static uint64_t number_of(const struct all *a, uint64_t at) {
    return a->list ? a->list[at] : at;
}

static void note_fault(struct all *a, uint64_t at) {
    unsigned k = __atomic_fetch_add(&a->n_faults, 1, __ATOMIC_RELAXED);
    if (k < MOST_FAULTS) a->faults[k] = number_of(a, at);
}

static size_t bytes_of(const struct program *p, bool trace) {
    struct program_shape s;
    program_get_shape(p, &s);
    return trace ? s.trace + (size_t)s.threads * PROGRAM_TRACE * 16 : s.bytes;
}

static uint8_t *memory_of(const struct program *p, bool trace) {
    uint8_t *memory = calloc(1, bytes_of(p, trace));
    if (!memory) die("out of memory");
    program_fill(p, memory);
    return memory;
}

/* ---- one program on its own ---- */

struct trial {
    struct run *run;
    struct program *p;
    int optimise;
    bool trace;
    char message[MACHINE_MESSAGE];
};

/* Memory after the run, or NULL and the message. */
static uint8_t *on_real(struct trial *t, const uint8_t *skipped) {
    char *text = program_text(t->p, skipped);
    uint8_t *memory = memory_of(t->p, t->trace);
    struct real_module *m =
        real_load(t->run->real, text, t->optimise, t->message);
    bool ok = m && real_run(t->run->real, m, t->p, "k0", memory,
                            bytes_of(t->p, t->trace), t->message);
    real_unload(t->run->real, m);
    free(text);
    if (ok) return memory;
    free(memory);
    return NULL;
}

static uint8_t *on_virtual(struct trial *t, const uint8_t *skipped) {
    char *text = program_text(t->p, skipped);
    uint8_t *memory = memory_of(t->p, t->trace);
    bool ok = virtual_run(t->run->virtual, &plain, t->p, text, "k0", memory,
                          bytes_of(t->p, t->trace), t->message);
    free(text);
    if (ok) return memory;
    free(memory);
    return NULL;
}

static bool same(const struct program *p, const uint8_t *a, const uint8_t *b) {
    struct program_shape s;
    program_get_shape(p, &s);
    return !memcmp(a + s.result, b + s.result, s.bytes - s.result);
}

static bool disagrees(void *user, const uint8_t *skipped) {
    struct trial *t = user;
    t->run->me->alive = time(NULL);
    uint8_t *real = on_real(t, skipped);
    uint8_t *virtual = real ? on_virtual(t, skipped) : NULL;
    bool differ = real && virtual && !same(t->p, real, virtual);
    free(real);
    free(virtual);
    return differ;
}

/* ---- explanations ---- */

static void differing_words(FILE *f, const struct program *p,
                            const uint8_t *real, const uint8_t *virtual) {
    struct program_shape s;
    char name[128];
    unsigned told = 0;
    program_get_shape(p, &s);
    for (uint32_t k = s.result; k + 4 <= s.bytes && told < 12; k += 4) {
        uint32_t a, b;
        memcpy(&a, real + k, 4);
        memcpy(&b, virtual + k, 4);
        if (a == b) continue;
        program_name(p, k - s.result, name, sizeof name);
        fprintf(f, "  %s: GPU %08x, virtual %08x\n", name, a, b);
        told++;
    }
}

/* The first traced value that differs, of the thread where it is earliest. */
static void first_difference(struct trial *t, const uint8_t *skipped) {
    struct program_shape s;
    struct trial traced = *t;
    traced.p = program_make(
        t->run->seed, number_of(t->run->all, t->run->me->at), PROGRAM_TRACED);
    traced.trace = true;
    program_get_shape(traced.p, &s);
    uint8_t *real = on_real(&traced, skipped);
    uint8_t *virtual = real ? on_virtual(&traced, skipped) : NULL;
    uint32_t best = PROGRAM_TRACE, thread = 0;
    uint64_t found[4] = {0};
    for (uint32_t i = 0; real && virtual && i < s.threads; i++)
        for (uint32_t k = 0; k < best; k++) {
            size_t at = s.trace + ((size_t)i * PROGRAM_TRACE + k) * 16;
            if (!memcmp(real + at, virtual + at, 16)) continue;
            best = k;
            thread = i;
            memcpy(found, real + at, 16);
            memcpy(found + 2, virtual + at, 16);
        }
    if (best < PROGRAM_TRACE)
        fprintf(t->run->report,
                "  traced: thread %u, value %u: GPU node %" PRIu64
                " %016" PRIx64 ", virtual node %" PRIu64 " %016" PRIx64 "\n",
                thread, best, found[0], found[1], found[2], found[3]);
    else
        fprintf(t->run->report, "  traced: no difference%s%s\n",
                virtual ? "" : ": ", virtual ? "" : traced.message);
    free(real);
    free(virtual);
    program_free(traced.p);
}

static void explain(struct run *r, struct program *p) {
    struct trial t = {.run = r, .p = p, .optimise = r->optimise};
    FILE *f = r->report;
    uint8_t *skipped = calloc(program_nodes(p), 1);
    if (!skipped) die("out of memory");
    if (!disagrees(&t, skipped)) {
        fprintf(f, "  alone in its module it agrees\n");
        free(skipped);
        return;
    }
    minimise(p, disagrees, &t, 250, skipped);
    uint8_t *real = on_real(&t, skipped), *virtual = on_virtual(&t, skipped);
    if (real && virtual) differing_words(f, p, real, virtual);
    first_difference(&t, skipped);
    program_write_statements(p, f, skipped);
    free(real);
    free(virtual);
    free(skipped);
}

/* ---- a batch ---- */

static void judge(struct run *r, struct program *p, struct real_module *m,
                  unsigned index) {
    char kernel[PROGRAM_NAME], message[MACHINE_MESSAGE];
    struct program_shape s;
    uint64_t k = number_of(r->all, r->me->at);
    program_get_shape(p, &s);
    snprintf(kernel, sizeof kernel, "k%u", index);
    uint8_t *real = memory_of(p, false), *virtual = memory_of(p, false);
    char *text = program_text(p, NULL);
    if (!real_run(r->real, m, p, kernel, real, s.bytes, message)) {
        fprintf(r->report, "program %" PRIu64 " on the GPU: %s\n", k, message);
        fflush(r->report);
        note_fault(r->all, r->me->at);
        r->me->disagree++;
        r->me->at++;
        _exit(3); /* the context may be lost */
    }
    bool ran = virtual_run(r->virtual, &plain, p, text, "k0", virtual, s.bytes,
                           message);
    bool agree = ran && same(p, real, virtual), compiler = false;
    if (ran && !agree && r->optimise) {
        struct trial t = {.run = r, .p = p};
        uint8_t *again = on_real(&t, NULL);
        compiler = again && same(p, again, virtual);
        if (compiler) memcpy(real, again, s.bytes);
        free(again);
    }
    fprintf(r->answers,
            "%" PRIu64 " %" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n", r->seed,
            k, replay_text_digest(text),
            program_digest(real + s.result, s.bytes - s.result));
    if (!agree) {
        r->me->disagree += !compiler;
        r->me->compiler += compiler;
        fprintf(r->report, "program %" PRIu64 ": %s\n", k,
                compiler ? "the compiler's"
                : ran    ? "disagrees"
                         : message);
        if (ran && r->explained) {
            r->explained--;
            explain(r, p);
        } else if (ran) {
            differing_words(r->report, p, real, virtual);
        }
        fflush(r->report);
    }
    free(text);
    free(real);
    free(virtual);
}

static void run_batch(struct run *r) {
    struct program *p[BATCH];
    char message[MACHINE_MESSAGE], *text;
    size_t bytes;
    uint64_t first = r->me->at;
    unsigned n = (unsigned)(r->me->to - first);
    FILE *f = open_memstream(&text, &bytes);
    if (!f) die("out of memory");
    fputs(PROGRAM_HEADER, f);
    for (unsigned k = 0; k < n; k++) {
        p[k] =
            program_make(r->seed, number_of(r->all, first + k), PROGRAM_PLAIN);
        program_write(p[k], f, k, NULL);
    }
    fclose(f);
    r->me->alive = time(NULL);
    struct real_module *m = real_load(r->real, text, r->optimise, message);
    if (!m && n > 1) { /* one by one, to see which */
        uint64_t to = r->me->to;
        for (; r->me->at < to;) {
            r->me->to = r->me->at + 1;
            run_batch(r);
        }
    } else if (!m) {
        fprintf(r->report, "program %" PRIu64 " is not PTX: %s\n",
                number_of(r->all, first), message);
        r->me->disagree++;
        r->me->at++;
    }
    for (unsigned k = 0; m && k < n; k++) {
        r->me->alive = time(NULL);
        judge(r, p[k], m, k);
        r->me->done++;
        r->me->at++;
    }
    real_unload(r->real, m);
    for (unsigned k = 0; k < n; k++) program_free(p[k]);
    free(text);
}

static void work(struct run *r, const char *folder, unsigned number) {
    char path[4096], message[MACHINE_MESSAGE];
    snprintf(path, sizeof path, "%s/answers.%u", folder, number);
    r->answers = fopen(path, "a");
    snprintf(path, sizeof path, "%s/report.%u", folder, number);
    r->report = fopen(path, "a");
    if (!r->answers || !r->report) die(path);
    setvbuf(r->answers, NULL, _IOLBF, 0);
    r->real = real_open(message);
    if (!r->real) die(message);
    r->virtual = virtual_open();
    if (!r->virtual) die("no virtual GPU");
    for (;;) {
        while (r->me->at < r->me->to) run_batch(r);
        if (time(NULL) >= r->all->until) break;
        unsigned batch = r->all->list ? 1 : BATCH;
        uint64_t from =
            __atomic_fetch_add(&r->all->next, batch, __ATOMIC_RELAXED);
        if (from >= r->all->to) break;
        r->me->at = from;
        r->me->to = from + batch < r->all->to ? from + batch : r->all->to;
    }
    fclose(r->answers);
    fclose(r->report);
    exit(0);
}

/* ---- all of it ---- */

static void start(struct run *r, const char *folder, unsigned number) {
    struct worker *w = &r->all->workers[number];
    w->alive = time(NULL);
    pid_t pid = fork();
    if (pid < 0) die("fork");
    if (!pid) {
        r->me = w;
        work(r, folder, number);
    }
    w->pid = pid;
}

/* One that hangs is ended; its program is skipped. */
static void end_hanging(struct all *a, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        struct worker *w = &a->workers[k];
        if (!w->pid || time(NULL) - w->alive < PATIENCE) continue;
        fprintf(stderr, "program %" PRIu64 " takes too long\n",
                number_of(a, w->at));
        kill(w->pid, SIGKILL);
        note_fault(a, w->at);
        w->disagree++;
        w->at++;
        w->alive = time(NULL);
    }
}

static void join(const char *folder, const char *name, unsigned workers,
                 const char *head) {
    char path[4096], line[8192];
    snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    FILE *out = fopen(path, "w");
    if (!out) die(path);
    fputs(head, out);
    for (unsigned k = 0; k < workers; k++) {
        snprintf(path, sizeof path, "%s/%s.%u", folder, name, k);
        FILE *in = fopen(path, "r");
        while (in && fgets(line, sizeof line, in)) fputs(line, out);
        if (in) fclose(in);
        unlink(path);
    }
    fclose(out);
}

static void describe(char *text, size_t bytes) {
    char message[MACHINE_MESSAGE], gpu[256] = "?", date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%F", gmtime(&now));
    struct real_gpu *g = real_open(message);
    if (g) real_describe(g, gpu, sizeof gpu);
    snprintf(text, bytes,
             "# SPDX-License-Identifier: MIT\n"
             "# What an %s answered, %s: seed, program, digest of its PTX, "
             "digest of its result (ptx_referee).\n",
             gpu, date);
}

/* The numbers in a file; how many. */
static uint64_t read_list(const char *path, const uint64_t **list) {
    FILE *f = fopen(path, "r");
    uint64_t *numbers = NULL, n = 0, one;
    if (!f) die(path);
    while (fscanf(f, "%" SCNu64, &one) == 1) {
        numbers = realloc(numbers, (n + 1) * sizeof *numbers);
        if (!numbers) die("out of memory");
        numbers[n++] = one;
    }
    if (!feof(f) || !n) die("the list is not one of numbers");
    fclose(f);
    *list = numbers;
    return n;
}

static void write_faults(const struct all *a, const char *folder) {
    char path[4096];
    unsigned n = a->n_faults < MOST_FAULTS ? a->n_faults : MOST_FAULTS;
    snprintf(path, sizeof path, "%s/faults.txt", folder);
    FILE *f = fopen(path, "w");
    if (!f) die(path);
    for (unsigned k = 0; k < n; k++) fprintf(f, "%" PRIu64 "\n", a->faults[k]);
    fclose(f);
    if (n) printf("no answer from the GPU:");
    for (unsigned k = 0; k < n; k++) printf(" %" PRIu64, a->faults[k]);
    if (n) printf("%s\n", n < a->n_faults ? " and more" : "");
}

static uint64_t word_number(const char *word) {
    uint64_t number;
    if (!option_number(word, UINT64_MAX, &number)) die(word);
    return number;
}

struct request {
    uint64_t workers, explained, seconds, optimise;
    char **words; /* SEED FROM TO FOLDER, or SEED list FILE FOLDER */
};

/* 0: go on. */
static int read_options(struct request *r, int argc, char **argv) {
    const struct option_row rows[] = {
        {0, "workers", "N", "processes (4)",
         OPTION_NUMBER(&r->workers, 1, MOST_WORKERS)},
        {0, "explained", "N",
         "so many disagreements of each worker are made small, with the first "
         "value that differs (2)",
         OPTION_NUMBER(&r->explained, 0, UINT32_MAX)},
        {0, "seconds", "N", "no new programs are begun after these (240)",
         OPTION_NUMBER(&r->seconds, 0, 1 << 30)},
        {0, "optimise", "LEVEL", "0 to 4, for the driver's compiler (0)",
         OPTION_NUMBER(&r->optimise, 0, 4)}};
    const struct option_table table = {
        .program = "ptx_referee",
        .version = VGPU_VERSION,
        .arguments = "SEED FROM TO FOLDER",
        .what =
            "Runs random PTX programs on a real GPU and on the virtual one. "
            "`list FILE` instead of FROM TO: only those whose numbers the "
            "file holds.",
        .end = "Example: ptx_referee 4 0 60000 out --seconds 200\n"
               "Example: ptx_referee 4 list out/faults.txt again",
        .rows = rows,
        .n_rows = sizeof rows / sizeof *rows,
        .least_words = 4,
        .most_words = 4};
    int n = options_read(&table, argc, argv, &r->words);
    return n < 0 ? n : 0;
}

int main(int argc, char **argv) {
    struct request o = {.workers = 4, .explained = 2, .seconds = 240};
    int next = read_options(&o, argc, argv);
    if (next) return next == OPTIONS_DONE ? 0 : OPTIONS_STATUS_WRONG;
    const char *folder = o.words[3];
    struct all *a = mmap(NULL, sizeof *a, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (a == MAP_FAILED) die("mmap");
    unsigned workers = (unsigned)o.workers, running;
    struct run r = {.all = a,
                    .seed = word_number(o.words[0]),
                    .explained = (unsigned)o.explained,
                    .optimise = (int)o.optimise};
    if (!strcmp(o.words[1], "list")) {
        a->to = read_list(o.words[2], &a->list);
    } else {
        a->next = word_number(o.words[1]);
        a->to = word_number(o.words[2]);
    }
    a->until = time(NULL) + (time_t)o.seconds;
    for (unsigned k = 0; k < workers; k++) start(&r, folder, k);
    for (running = workers; running;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid <= 0) {
            end_hanging(a, workers);
            usleep(100000);
            continue;
        }
        for (unsigned k = 0; k < workers; k++) {
            if (a->workers[k].pid != pid) continue;
            a->workers[k].pid = 0;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return 2;
            if ((WIFEXITED(status) && !WEXITSTATUS(status)) ||
                time(NULL) >= a->until)
                running--;
            else
                start(&r, folder, k);
        }
    }
    unsigned long done = 0, disagree = 0, compiler = 0;
    for (unsigned k = 0; k < workers; k++) {
        done += a->workers[k].done;
        disagree += a->workers[k].disagree;
        compiler += a->workers[k].compiler;
    }
    char head[1024];
    describe(head, sizeof head);
    join(folder, "answers", workers, head);
    join(folder, "report", workers, "");
    write_faults(a, folder);
    printf("%lu programs, %lu disagree; %lu are the compiler's\n", done,
           disagree, compiler);
    return disagree != 0;
}
