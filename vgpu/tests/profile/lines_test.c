/* SPDX-License-Identifier: MIT
 *
 * lines_test.c: the printed profile: kernels, hottest lines, the source with
 * counts; filters; and files that are no text, are not there, or have bytes
 * that a terminal would obey.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lines.h>

#include "unit.h"

enum { WARP = 32, MOST = 1 << 16 };

struct world {
    char folder[64], source[128], *ptx;
    vgpu_device *device;
};

static char *replace(const char *text, const char *what, const char *by) {
    char *out = calloc(1, MOST), *to = out;
    while (out && *text) {
        if (strncmp(text, what, strlen(what)) == 0) {
            to += sprintf(to, "%s", by);
            text += strlen(what);
        } else {
            *to++ = *text++;
        }
    }
    return out;
}

static void launch(struct world *w, const char *name) {
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {WARP, 1, 1};
    static vgpu_module *module;
    vgpu_kernel *kernel;
    uint64_t out;
    if (strcmp(name, "first") == 0)
        assert_int_equal(
            vgpu_module_load(w->device, w->ptx, strlen(w->ptx) + 1, &module),
            VGPU_OK);
    assert_int_equal(vgpu_module_kernel(module, name, &kernel), VGPU_OK);
    assert_int_equal(vgpu_malloc(w->device, WARP * 4, &out), VGPU_OK);
    assert_int_equal(
        vgpu_launch(w->device, kernel, grid, block, 1024, &out, sizeof out),
        VGPU_OK);
}

static int set_up(void **state) {
    static struct world w;
    const struct vgpu_options o = {0};
    char raw[MOST] = "";
    FILE *f = fopen(KERNELS "/lines.ptx", "r");
    w = (struct world){.folder = "/tmp/lines-XXXXXX"};
    if (!f || !fread(raw, 1, sizeof raw - 1, f) || !mkdtemp(w.folder)) return 1;
    fclose(f);
    w.ptx = replace(raw, "@FOLDER@", w.folder);
    snprintf(w.source, sizeof w.source, "%s/lines.cu", w.folder);
    f = fopen(w.source, "w");
    if (!f) return 1;
    fputs("one\n\ttwo\nline three\nword \033[31mfour\nfive\nsix\nseven\neight\n"
          "nine\nten\neleven\ntwelve\nthirteen\nfourteen\nfifteen\n",
          f);
    fclose(f);
    w.device = vgpu_open(&o, NULL);
    launch(&w, "first");
    launch(&w, "first");
    launch(&w, "second");
    *state = &w;
    return 0;
}

static int tear_down(void **state) {
    struct world *w = *state;
    vgpu_close(w->device);
    unlink(w->source);
    rmdir(w->folder);
    free(w->ptx);
    return 0;
}

static char *print(const struct world *w, const struct lines_options *o,
                   bool *good) {
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    assert_non_null(f);
    *good = lines_print(f, w->device, o);
    fclose(f);
    return text;
}

static void assert_says(const char *text, const char *words) {
    if (!strstr(text, words)) fail_msg("no '%s' in:\n%s", words, text);
}

static void assert_silent(const char *text, const char *words) {
    if (strstr(text, words)) fail_msg("'%s' in:\n%s", words, text);
}

/* first: 5 instructions... per launch of 32 threads, by line: 3: 2, 4: 4,
 * 12: 4. second: 3: 1, absent.cu:5: 2. */
TEST(everything) {
    const struct lines_options o = {0};
    bool good;
    char *t = print(*state, &o, &good);
    assert_true(good);
    assert_says(t, "  first                                        2");
    assert_says(t, "thread instr.    share\n");
    assert_says(t, "  lines.cu:4  ");
    assert_says(t, "    1                              | one\n");
    assert_silent(t, "\033");
    assert_says(t, "| word ^[[31mfour\n");
    assert_says(t, "|     two\n");
    assert_says(t, "   ...\n");
    assert_silent(t, "| seven");
    assert_says(t, "| twelve\n");
    assert_says(t, "absent.cu is not shown: No such file");
    free(t);
}

TEST(counts_are_right) {
    const struct lines_options o = {.kernel = "first"};
    bool good;
    char *t = print(*state, &o, &good);
    assert_true(good);
    /* Line 4 stores at stride 2: one conflict, twice. Line 12 writes 128 bytes,
     * 4 sectors, twice. */
    assert_says(t, "conflicts written\n");
    assert_says(t, "         4         2       .\n");
    assert_says(t, "         .         .       8\n");
    assert_silent(t, "second");
    assert_silent(t, "absent");
    free(t);
}

TEST(width_is_kept) {
    const struct lines_options o = {0};
    bool good;
    char *t = print(*state, &o, &good), *rest = t, *line;
    while ((line = strsep(&rest, "\n")) != NULL)
        assert_true(strlen(line) <= LINES_WIDTH);
    free(t);
}

TEST(top_sums_up_the_rest) {
    const struct lines_options o = {.top = 1};
    bool good;
    char *t = print(*state, &o, &good);
    assert_says(t, "other lines");
    assert_says(t, "all lines  ");
    assert_silent(t, "lines.cu:3 ");
    free(t);
}

TEST(unknown_kernel) {
    const struct lines_options o = {.kernel = "third"};
    bool good;
    char *t = print(*state, &o, &good);
    assert_false(good);
    assert_says(t, "no kernel 'third' was launched; there were: first second");
    free(t);
}

TEST(colours_end_where_they_began) {
    const struct lines_options o = {.colour = true};
    bool good;
    char *t = print(*state, &o, &good), *rest = t, *line;
    assert_says(t, "\033[31m          2\033[39m");
    while ((line = strsep(&rest, "\n")) != NULL)
        if (strchr(line, '\033'))
            assert_string_equal(line + strlen(line) - 4, "\033[0m");
    free(t);
}

/* A judge looks in the submission only, whatever the debug information says. */
TEST(folder_is_the_only_place) {
    const struct lines_options o = {.folder = "/nonexistent"};
    bool good;
    char *t = print(*state, &o, &good);
    assert_says(t, "/nonexistent/lines.cu is not shown: it is not in");
    assert_silent(t, "twelve");
    free(t);
}

TEST(a_pipe_is_no_source) {
    struct world *w = *state;
    const struct lines_options o = {0};
    char moved[sizeof w->source + 8];
    bool good;
    snprintf(moved, sizeof moved, "%s.moved", w->source);
    assert_int_equal(rename(w->source, moved), 0);
    assert_int_equal(mkfifo(w->source, 0600), 0);
    char *t = print(w, &o, &good);
    assert_int_equal(rename(moved, w->source), 0);
    assert_says(t, "is not shown: it is no ordinary file");
    free(t);
}

/* As many files as somebody likes, with lines as far down. */
TEST(a_number_of_files) {
    enum { FILES = 70, LINE = 4000000 };
    const struct lines_options o = {.folder = "/nonexistent"};
    const struct vgpu_options device = {0};
    const uint32_t one[3] = {1, 1, 1};
    char ptx[MOST] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                     ".visible .entry k()\n{\n.reg .b32 %r<2>;\n";
    struct world w = {.device = vgpu_open(&device, NULL)};
    vgpu_module *module;
    vgpu_kernel *kernel;
    bool good;
    char *to = ptx + strlen(ptx);
    for (int k = 1; k <= FILES; k++)
        to += sprintf(to, ".loc %d %d 0\nmov.u32 %%r1, 1;\n", k, LINE);
    to += sprintf(to, "ret;\n}\n");
    for (int k = 1; k <= FILES; k++)
        to += sprintf(to, ".file %d \"%d.cu\"\n", k, k);
    assert_int_equal(vgpu_module_load(w.device, ptx, strlen(ptx) + 1, &module),
                     VGPU_OK);
    assert_int_equal(vgpu_module_kernel(module, "k", &kernel), VGPU_OK);
    assert_int_equal(vgpu_launch(w.device, kernel, one, one, 0, NULL, 0),
                     VGPU_OK);
    char *t = print(&w, &o, &good);
    int shown = 0;
    for (const char *at = t; (at = strstr(at, " is not shown: ")); at++)
        shown++;
    assert_int_equal(shown, 64);
    assert_says(t, "Only the 64 hottest files are shown.\n");
    free(t);
    vgpu_close(w.device);
}

TEST(numbers_and_shares) {
    static const struct {
        uint64_t n;
        const char *text;
    } numbers[] = {{0, "0"},
                   {9999999, "9999999"},
                   {10000000, "10.0M"},
                   {999940000, "999.9M"},
                   {999960000, "1.0G"},
                   {UINT64_MAX, "18.4E"}};
    char text[16];
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        lines_number(text, numbers[k].n);
        assert_string_equal(text, numbers[k].text);
    }
    lines_share(text, 0, 0);
    assert_string_equal(text, "");
    lines_share(text, 1, 100000);
    assert_string_equal(text, "<0.1%");
    lines_share(text, 3, 3);
    assert_string_equal(text, "100.0%");
}

UNIT_MAIN(set_up, tear_down)
