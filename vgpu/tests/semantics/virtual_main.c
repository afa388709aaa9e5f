/* SPDX-License-Identifier: MIT
 *
 * virtual_main.c: ptx_programs: random PTX programs (program.h) on the virtual
 * GPU alone. Exit status 1 when something disagrees, 2 when it could not be
 * done.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coverage.h"
#include "machine.h"
#include "minimise.h"
#include "options.h"
#include "replay.h"
#include "vgpu.h"

struct trial {
    struct virtual_gpu *v;
    struct program *p;
    const struct virtual_mode *a, *b;
};

/* The result, or NULL with a message. */
static uint8_t *result_of(const struct trial *t, const struct virtual_mode *m,
                          const uint8_t *skipped,
                          char message[MACHINE_MESSAGE]) {
    struct program_shape s;
    program_get_shape(t->p, &s);
    char *text = program_text(t->p, skipped);
    uint8_t *memory = malloc(s.bytes);
    if (!memory) exit(2);
    program_fill(t->p, memory);
    if (!virtual_run(t->v, m, t->p, text, "k0", memory, s.bytes, message)) {
        free(memory);
        memory = NULL;
    }
    free(text);
    return memory;
}

static uint64_t digest_of(const struct program *p, const uint8_t *memory) {
    struct program_shape s;
    program_get_shape(p, &s);
    return program_digest(memory + s.result, s.bytes - s.result);
}

/* Modes a and b do not give the same, or b fails. */
static bool differs(void *user, const uint8_t *skipped) {
    const struct trial *t = user;
    char message[MACHINE_MESSAGE];
    uint8_t *a = result_of(t, t->a, skipped, message);
    uint8_t *b = result_of(t, t->b, skipped, message);
    /* while it is made smaller, a may not be a program any more */
    bool differ =
        !a ? !skipped : !b || digest_of(t->p, a) != digest_of(t->p, b);
    free(a);
    free(b);
    return differ;
}

static void explain(struct trial *t) {
    char message[MACHINE_MESSAGE], name[128];
    struct program_shape s;
    uint8_t *skipped = calloc(program_nodes(t->p), 1);
    minimise(t->p, differs, t, 400, skipped);
    uint8_t *a = result_of(t, t->a, skipped, message);
    uint8_t *b = result_of(t, t->b, skipped, message);
    if (!a || !b) printf("%s\n", message);
    program_get_shape(t->p, &s);
    for (uint32_t k = s.result; a && b && k < s.bytes; k++)
        if (a[k] != b[k]) {
            program_name(t->p, k - s.result, name, sizeof name);
            printf("%s differs, block of %u threads\n", name,
                   s.block[0] * s.block[1] * s.block[2]);
            break;
        }
    program_write_statements(t->p, stdout, skipped);
    free(a);
    free(b);
    free(skipped);
}

static int run(uint64_t seed, uint64_t from, uint64_t to) {
    const struct virtual_mode plain = {.checks = 0};
    struct trial t = {.v = virtual_open()};
    char message[MACHINE_MESSAGE];
    int bad = 0;
    if (!t.v) return 2;
    for (uint64_t k = from; k < to; k++) {
        t.p = program_make(seed, k, PROGRAM_PLAIN);
        uint8_t *result = result_of(&t, &plain, NULL, message);
        if (result)
            printf("%" PRIu64 " %016" PRIx64 "\n", k, digest_of(t.p, result));
        else
            printf("%" PRIu64 " fails: %s\n", k, message);
        bad |= !result;
        free(result);
        program_free(t.p);
    }
    virtual_close(t.v);
    return bad;
}

static int check(uint64_t seed, uint64_t from, uint64_t to) {
    struct trial t = {.v = virtual_open()};
    unsigned bad = 0;
    if (!t.v) return 2;
    for (uint64_t k = from; k < to; k++) {
        const struct virtual_mode modes[] = {
            {.checks = 0},
            {.checks = VGPU_CHECK_ALL},
            {.schedule = k + 1},
            {.checks = VGPU_CHECK_ALL, .schedule = k + 2, .memory = k + 3},
            /* in another order, and with registers that share places */
            {.checks = VGPU_CHECK_ALL, .clock = k % 2 ? "teach" : "pram"}};
        t.p = program_make(seed, k, PROGRAM_PLAIN);
        t.a = &modes[0];
        for (unsigned m = 1; m < sizeof modes / sizeof *modes; m++) {
            t.b = &modes[m];
            if (!differs(&t, NULL)) continue;
            printf("program %" PRIu64 ", mode %u:\n", k, m);
            explain(&t);
            bad++;
            break;
        }
        program_free(t.p);
    }
    virtual_close(t.v);
    printf("%u disagree\n", bad);
    return bad != 0;
}

/* One number a line: a list for ptx_referee. */
static int undefined(uint64_t seed, uint64_t from, uint64_t to) {
    const struct virtual_mode plain = {.checks = 0};
    struct trial t = {.v = virtual_open()};
    char message[MACHINE_MESSAGE];
    if (!t.v) return 2;
    for (uint64_t k = from; k < to; k++) {
        t.p = program_make(seed, k, PROGRAM_CHECKED);
        uint8_t *result = result_of(&t, &plain, NULL, message);
        if (!result) printf("%" PRIu64 "\n", k);
        free(result);
        program_free(t.p);
    }
    virtual_close(t.v);
    return 0;
}

static int coverage(uint64_t seed, uint64_t from, uint64_t to) {
    for (uint64_t k = from; k < to; k++) {
        struct program *p = program_make(seed, k, PROGRAM_PLAIN);
        char *text = program_text(p, NULL);
        coverage_count(text);
        free(text);
        program_free(p);
    }
    coverage_report(stdout);
    return 0;
}

static int text(uint64_t seed, uint64_t k, bool is_traced) {
    struct program *p =
        program_make(seed, k, is_traced ? PROGRAM_TRACED : PROGRAM_PLAIN);
    char *ptx = program_text(p, NULL);
    fputs(ptx, stdout);
    free(ptx);
    program_free(p);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(uint64_t seed, uint64_t from, uint64_t to);
} commands[] = {{"run", run},
                {"check", check},
                {"undefined", undefined},
                {"coverage", coverage}};

#define COMMAND(words, text)                                                   \
    { .argument = words, .help = text, .kind = OPTION_KIND_WORD }

int main(int argc, char **argv) {
    bool is_traced = false;
    char **words;
    uint64_t number[3] = {0};
    const struct option_row rows[] = {
        COMMAND("text SEED K", "the PTX of a program"),
        COMMAND("run SEED FROM TO", "a line for each: K and digest"),
        COMMAND("check SEED FROM TO",
                "in five modes, which must agree, with every check on in "
                "three of them"),
        COMMAND("undefined SEED FROM TO",
                "numbers of programs with a call.uni whose lanes call "
                "different functions"),
        COMMAND("coverage SEED FROM TO", "how often each form was generated"),
        COMMAND("replay FILE", "compares with recorded answers of hardware"),
        OPTION_HEADING("Options:"),
        {0, "trace", NULL, "text: the program stores what it computes",
         OPTION_FLAG(&is_traced)}};
    const struct option_table table = {
        .program = "ptx_programs",
        .version = VGPU_VERSION,
        .arguments = "COMMAND ARGUMENT...",
        .what = "Random PTX programs on the virtual GPU: program K of a SEED.",
        .end = "Example: ptx_programs check 1 0 100",
        .rows = rows,
        .n_rows = sizeof rows / sizeof *rows,
        .least_words = 2,
        .most_words = 4};
    int n = options_read(&table, argc, argv, &words);
    if (n < 0) return n == OPTIONS_DONE ? 0 : OPTIONS_STATUS_WRONG;
    if (n == 2 && !strcmp(words[0], "replay")) return replay(words[1]);
    for (int k = 1; k < n; k++)
        if (!option_number(words[k], UINT64_MAX, &number[k - 1])) {
            options_wrong(&table, "'%s' is not a number", words[k]);
            return OPTIONS_STATUS_WRONG;
        }
    if (n == 3 && !strcmp(words[0], "text"))
        return text(number[0], number[1], is_traced);
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        if (n == 4 && !strcmp(words[0], commands[k].name))
            return commands[k].run(number[0], number[1], number[2]);
    options_wrong(&table, "'%s' with %d arguments is no command", words[0],
                  n - 1);
    return OPTIONS_STATUS_WRONG;
}
