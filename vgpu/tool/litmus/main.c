/* SPDX-License-Identifier: MIT
 *
 * main.c: the command `vgpu litmus`.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "litmus.h"
#include "options.h"

enum { GOOD = 0, WRONG = 1, FAILED = 2, MOST_LIST = 1 << 22 };

struct command {
    struct litmus_options run;
    const char *expected, *ptx;
    bool quiet, every;
    struct text list; /* the file `expected`, its lines ended by NUL */
    struct litmus_result result;
    uint64_t tests, forbidden, unseen, refused;
};

/* The last line whose path is the end of this one, or the other way around. */
static enum litmus_expected expected_of(const struct command *c,
                                        const char *path) {
    enum litmus_expected found = LITMUS_UNKNOWN;
    const char *line = text_string(&c->list);
    const char *end = line + c->list.size;
    for (; line < end; line += strlen(line) + 1) {
        const char *comma = strrchr(line, ',');
        size_t n = comma ? (size_t)(comma - line) : 0, all = strlen(path);
        if (!n || n > all || memcmp(path + all - n, line, n) ||
            (n < all && path[all - n - 1] != '/'))
            continue;
        found = comma[1] == '1'   ? LITMUS_YES
                : comma[1] == '0' ? LITMUS_NO
                                  : LITMUS_UNKNOWN;
    }
    return found;
}

static bool write_ptx(const struct command *c, const struct litmus *t) {
    struct text ptx = {0};
    char *path = text_format("%s/%s.ptx", c->ptx, t->name);
    FILE *file = path && !strchr(t->name, '/') ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "// blocks %u warps %u\n", t->n_blocks, t->n_warps);
        for (uint32_t k = 0; k < LITMUS_WORDS; k++)
            fprintf(file, "// word %u %d\n", k, (int)t->first[k]);
        for (uint32_t k = 0; k < t->n_observed; k++) {
            const struct litmus_place *p = &t->observed[k];
            struct text name = {0};
            litmus_print_place(&name, t, k);
            fprintf(file, "// observe %s %d %u\n", text_string(&name),
                    p->is_register,
                    p->is_register ? p->thread * LITMUS_REGISTERS + p->reg
                                   : p->word);
            text_free(&name);
        }
        litmus_ptx(t, &ptx);
        fputs(text_string(&ptx), file);
    }
    text_free(&ptx);
    free(path);
    return file && !fclose(file);
}

static void refuse(struct command *c, const char *path, const char *why) {
    c->refused++;
    printf("%s: refused: %s\n", path, why);
}

static void run_test(struct command *c, const char *path,
                     const struct litmus *t) {
    struct text why = {0};
    struct litmus_verdict v;
    enum litmus_expected expected = expected_of(c, path);
    c->tests++;
    if (c->ptx) {
        if (!write_ptx(c, t)) refuse(c, path, "its PTX cannot be written");
    } else if (!litmus_run(t, &c->run, &c->result, &why)) {
        refuse(c, path, text_string(&why));
    } else {
        litmus_judge(t, &c->result, expected, &v);
        c->forbidden += v.forbidden || v.unlisted;
        c->unseen += v.unseen;
        if (v.forbidden || v.unlisted || v.unseen || !c->quiet) {
            printf("%s\n", path);
            litmus_print(stdout, t, &c->result, expected, &v);
        }
    }
    text_free(&why);
}

static void run_file(struct command *c, const char *path) {
    struct text bytes = {0}, why = {0};
    const char *failed = text_read_file(&bytes, path, LITMUS_FILE);
    struct litmus *t = NULL;
    if (!failed) t = litmus_read(text_string(&bytes), bytes.size, &why);
    if (t)
        run_test(c, path, t);
    else
        refuse(c, path, failed ? failed : text_string(&why));
    free(t);
    text_free(&bytes);
    text_free(&why);
}

static int is_litmus(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return e->d_name[0] != '.' &&
           (e->d_type == DT_DIR ||
            (n > 7 && !strcmp(e->d_name + n - 7, ".litmus")));
}

/* A file, or every test in a folder and those in it. */
static void run_path(struct command *c, const char *path, int depth) {
    struct dirent **list;
    int n = depth < 16 ? scandir(path, &list, is_litmus, alphasort) : -1;
    if (n < 0) {
        run_file(c, path);
        return;
    }
    for (int k = 0; k < n; k++) {
        char *inside = text_format("%s/%s", path, list[k]->d_name);
        if (inside) run_path(c, inside, depth + 1);
        free(inside);
        free(list[k]);
    }
    free(list);
}

static bool read_expected(struct command *c) {
    const char *failed =
        c->expected ? text_read_file(&c->list, c->expected, MOST_LIST) : NULL;
    if (failed) fprintf(stderr, "vgpu: %s: %s\n", c->expected, failed);
    for (size_t k = 0; k < c->list.size; k++)
        if (c->list.bytes[k] == '\n' || c->list.bytes[k] == '\r')
            c->list.bytes[k] = 0;
    return !failed;
}

static int main_run(struct command *c, char **words, int n) {
    if (!read_expected(c)) return FAILED;
    for (int k = 0; k < n; k++) run_path(c, words[k], 0);
    printf("%llu tests, %llu with outcomes that are forbidden, %llu without "
           "one that is allowed, %llu refused\n",
           (unsigned long long)c->tests, (unsigned long long)c->forbidden,
           (unsigned long long)c->unseen, (unsigned long long)c->refused);
    text_free(&c->list);
    if (c->forbidden || (c->every && c->unseen)) return WRONG;
    return c->refused || !c->tests ? FAILED : GOOD;
}

int litmus_main(int argc, char **argv) {
    struct command *c = calloc(1, sizeof *c);
    if (!c) return FAILED;
    c->run = (struct litmus_options){.runs = 1000, .seed = 1};
    const struct option_row rows[] = {
        {'n', "runs", "N", "runs of each test (1000)",
         OPTION_NUMBER(&c->run.runs, 1, 1u << 30)},
        {0, "seed", "N", "of schedules and memory (1)",
         OPTION_NUMBER(&c->run.seed, 0, UINT64_MAX)},
        {0, "sc", NULL, "a memory where every store is seen at once",
         OPTION_FLAG(&c->run.strong)},
        {0, "expected", "FILE",
         "lines PATH,1 or PATH,0: whether the test's condition holds in the "
         "model",
         OPTION_TEXT(&c->expected)},
        {0, "every", NULL, "allowed outcomes that are not seen are errors, too",
         OPTION_FLAG(&c->every)},
        {'q', "quiet", NULL, "print only tests that are not as expected",
         OPTION_FLAG(&c->quiet)},
        {0, "ptx", "DIR", "run nothing; write each test's kernel there",
         OPTION_TEXT(&c->ptx)}};
    const struct option_table of = {
        .program = "vgpu",
        .command = "litmus",
        .arguments = "FILE...",
        .what = "Runs litmus tests of the PTX memory model, many times with "
                "other seeds, and counts what comes out. A folder stands for "
                "the tests in it.",
        .end = "Exit status: 0 nothing was seen that is forbidden; 1 something "
               "was; 2 a test was refused, or wrong usage. Manual: "
               "vgpu/docs/litmus.md",
        .rows = rows,
        .n_rows = sizeof rows / sizeof *rows,
        .least_words = 1,
        .most_words = -1};
    char **words;
    int n = options_read(&of, argc, argv, &words);
    int status = n >= 0              ? main_run(c, words, n)
                 : n == OPTIONS_DONE ? GOOD
                                     : FAILED;
    free(c);
    return status;
}
