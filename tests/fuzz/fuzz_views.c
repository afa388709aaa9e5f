/* SPDX-License-Identifier: MIT
 *
 * fuzz_views.c: what scanlab trace, scanlab profile and a report show of a
 * call: steps, banks, lines. Kernels of any text run on a few elements, and
 * what was seen of them is written in every format: as text without control
 * characters, as JSON that reads, as markup in which no name becomes a tag.
 * Input: HEAD bytes (oracle, signature, n, kind of input, block, schedule,
 * changes, mode), then PTX.
 */
#define _GNU_SOURCE /* open_memstream */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_page.h"
#include "steps_formats.h"
#include "any_rule.h"
#include "formula.h"
#include "fuzz.h"
#include "inputs.h"
#include "oracle.h"
#include "ptx.h"
#include "report.h"
#include "source_view.h"
#include "steps.h"

enum { HEAD = 8, MOST_KERNELS = 4, MOST_N = 96, BUFFER = 4096, WORDS = 1024 };
enum { WITH_CLOCK = 1, TWICE = 2, TWO_BLOCKS = 4, WRITES_INPUT = 8 };

struct call {
    struct steps_call steps;
    int32_t in[WORDS], expected[WORDS], got[WORDS];
    uint64_t d_in, d_out;
    uint32_t block, mode;
    const char *text; /* the PTX, with a NUL */
    struct rule *rule;
};

/* ---- what was written ---- */

typedef bool write_one(FILE *, const void *);

static void must_be_plain(const char *at) {
    for (; *at; at++)
        if (((unsigned char)*at < ' ' && *at != '\n') || *at == 0x7f) abort();
}

/* Names in the corpus have it; no element of ours does. A page's data are JSON,
 * where a quote has a backslash before it. */
static void must_be_quoted(const char *at) {
    must_be_plain(at);
    if (strstr(at, "<zz")) abort();
    for (; (at = strstr(at, "\"zz=")); at++)
        if (at[-1] != '\\') abort();
}

static void must_be_xml(const char *at) {
    must_be_quoted(at);
    for (; (at = strpbrk(at, "<&")); at++) {
        if (*at == '<' && !strchr("/?!abcdefghijklmnopqrstuvwxyz", at[1]))
            abort();
        if (*at == '&' && strncmp(at, "&amp;", 5) && strncmp(at, "&lt;", 4) &&
            strncmp(at, "&gt;", 4) && strncmp(at, "&quot;", 6) && at[1] != '#')
            abort();
    }
}

static void must_be_json(const char *text) {
    json_t *read = json_loads(text, 0, NULL);
    if (!read) abort();
    json_decref(read);
}

static void write_as(write_one *write, const void *what,
                     void (*check)(const char *)) {
    char *written = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    if (!out || !write(out, what)) abort();
    if (fclose(out) != 0 || strlen(written) != size) abort(); /* a NUL */
    check(written);
    free(written);
}

static const struct report_options as_text = {.width = 60, .verbose = true};

static bool text_of(FILE *to, const void *v) {
    return steps_text(to, v, &as_text);
}
static bool banks_of(FILE *to, const void *v) {
    return banks_text(to, v, &as_text);
}
static bool svg_of(FILE *to, const void *v) {
    return steps_svg(to, v);
}
static bool json_of(FILE *to, const void *v) {
    return steps_json(to, v);
}
static bool html_of(FILE *to, const void *v) {
    return steps_html(to, v);
}
static bool banks_svg_of(FILE *to, const void *v) {
    return banks_svg(to, v);
}
static bool banks_html_of(FILE *to, const void *v) {
    return banks_html(to, v);
}

static void show_steps(vgpu_device *device, const struct call *c) {
    struct text words = {0};
    struct steps_view *v = steps_make(device, &c->steps);
    if (!v) abort();
    write_as(text_of, v, must_be_plain);
    write_as(banks_of, v, must_be_plain);
    write_as(svg_of, v, must_be_xml);
    write_as(banks_svg_of, v, must_be_xml);
    write_as(json_of, v, must_be_json);
    write_as(html_of, v, must_be_quoted);
    write_as(banks_html_of, v, must_be_quoted);
    steps_fault_words(&words, v);
    text_free(&words);
    steps_free_view(v);
}

struct page {
    const struct source_view *view;
    const struct source_page *page;
};

static bool page_of(FILE *to, const void *page) {
    const struct page *p = page;
    return source_page(to, p->view, p->page);
}

/* The PTX is the source that the lines are of, too. */
static void show_lines(vgpu_device *device, const struct call *c) {
    struct source_view *v = source_make(device, NULL, c->mode % 16, 0);
    if (!v) return; /* nothing ran */
    source_note(v, "<zz>.cu", 1, c->text);
    char *name = strdup(v->n && v->lines[0].file ? v->lines[0].file : "zz.cu");
    char *text = strdup(c->text), *why = strdup(c->text);
    struct source_text texts[] = {{name, text, NULL}, {"other", NULL, why}};
    struct source_page page = {.title = c->text,
                               .verdict = c->text,
                               .message = c->text,
                               .more = c->text,
                               .cause = c->text,
                               .printed = c->text,
                               .clock = c->mode & WITH_CLOCK ? "h200" : NULL,
                               .texts = texts,
                               .n_texts = 2,
                               .more_files = true};
    if (!name || !text || !why) abort();
    write_as(page_of, &(struct page){v, &page}, must_be_quoted);
    free(name);
    free(text);
    free(why);
    source_free(v);
    source_free(source_make(device, NULL, c->mode % 16, SOURCE_HOT));
}

/* ---- the call ---- */

static void run_kernel(vgpu_device *device, vgpu_kernel *kernel,
                       const struct call *c) {
    const uint32_t grid[3] = {c->mode & TWO_BLOCKS ? 2 : 1, 1, 1},
                   block[3] = {c->block, 1, 1};
    uint64_t parameters[64];
    struct vgpu_kernel_info info;
    vgpu_kernel_info(kernel, &info);
    if (info.param_bytes > sizeof parameters) return;
    for (size_t i = 0; i < 64; i++)
        parameters[i] = i % 3 == 2   ? c->steps.n
                        : i % 3 == 1 ? c->d_out
                                     : c->d_in;
    vgpu_launch(device, kernel, grid, block, 64, parameters, info.param_bytes);
}

static void run_all(vgpu_device *device, const struct ptx_module *parsed,
                    const struct call *c) {
    vgpu_module *module;
    if (vgpu_module_load(device, c->text, strlen(c->text) + 1, &module) !=
        VGPU_OK)
        return;
    size_t n_kernels = 0;
    for (uint32_t i = 0; i < parsed->n_functions; i++) {
        vgpu_kernel *kernel;
        const struct ptx_function *f = &parsed->functions[i];
        if (!f->is_entry || n_kernels++ == MOST_KERNELS) continue;
        for (int k = 0; k < (c->mode & TWICE ? 2 : 1); k++)
            if (vgpu_module_kernel(module, f->name, &kernel) == VGPU_OK)
                run_kernel(device, kernel, c);
    }
    /* The views are of modules that are there: as after a call. */
}

static void put(vgpu_device *device, struct call *c) {
    vgpu_malloc(device, BUFFER, &c->d_in);
    vgpu_malloc(device, BUFFER, &c->d_out);
    vgpu_name(device, c->d_in, "d_in");
    vgpu_name(device, c->d_out, "d_out");
    vgpu_write(device, c->d_in, c->in, BUFFER);
    vgpu_fill(device, c->d_out, 0x5a, BUFFER);
}

static void call_and_show(struct call *c, const struct ptx_module *parsed,
                          vgpu_schedule schedule) {
    const bool clock = c->mode & WITH_CLOCK;
    const struct vgpu_options options = {.checks = clock ? 0 : VGPU_CHECK_ALL,
                                         .clock = clock ? "h200" : NULL,
                                         .why = clock,
                                         .steps = !clock,
                                         .schedule =
                                             clock ? VGPU_IN_ORDER : schedule,
                                         .schedule_seed = 1,
                                         .instruction_budget = 3000,
                                         .memory_limit_bytes = 8 << 20};
    vgpu_device *device = vgpu_open(&options, NULL);
    if (!device) abort();
    put(device, c);
    run_all(device, parsed, c);
    if (c->mode & WRITES_INPUT) vgpu_copy(device, c->d_in + 8, c->d_out, 64);
    vgpu_read(device, c->got, c->d_out, BUFFER);
    if (!clock) show_steps(device, c);
    show_lines(device, c);
    vgpu_close(device);
}

/* false: no function of a lab has these. */
static bool prepare(struct call *c, const uint8_t *head) {
    struct steps_call *s = &c->steps;
    s->oracle = head[0] % N_ORACLES;
    s->signature = head[1] % N_SIGNATURES;
    s->n = head[2] % MOST_N;
    if (!oracle_fits(s->oracle, s->signature)) return false;
    parameters_usual(&s->parameters);
    size_t words = signature_in_words(s->signature, s->n);
    if (words > WORDS || signature_out_words(s->signature, s->n) > WORDS)
        return false;
    inputs_fill(head[3] % N_INPUTS, head[3], c->in, words);
    s->lab = c->text;
    s->function = c->text;
    s->in = c->in;
    s->expected = c->expected;
    s->got = c->got;
    s->rule = c->rule = any_rule(s->oracle);
    s->n_expected = oracle_apply_rule(s->oracle, s->rule, &s->parameters, c->in,
                                      s->n, c->expected);
    if (head[6]) c->expected[head[6] % (s->n + 1)] ^= head[6];
    c->block = 1 + head[4] % 64;
    c->mode = head[7];
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    struct ptx_error error;
    if (bytes <= HEAD) return 0;
    char *text = strndup((const char *)data + HEAD, bytes - HEAD);
    struct ptx_module *parsed =
        text ? ptx_parse(text, strlen(text), &error) : NULL;
    struct call *c = calloc(1, sizeof *c);
    if (parsed && c) {
        c->text = text;
        if (prepare(c, data)) call_and_show(c, parsed, data[5] % 3);
    }
    if (c) rule_free(c->rule);
    free(c);
    free(text);
    ptx_free(parsed);
    return 0;
}
