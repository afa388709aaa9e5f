/* SPDX-License-Identifier: MIT
 *
 * native.c: what web/tests/equal.mjs runs in node, on this machine: a kernel
 * with the arguments that its names say, then all that web_say says.
 *
 *   web_native PTX KERNEL GRID BLOCK N ARGUMENTS [OPTION=VALUE]...
 *
 * ARGUMENTS are words with commas: numbers, results and flags are arrays, n is
 * a number. Exit status 0, also where a call failed: that is printed.
 */
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "web.h"

enum { MOST_ARGUMENTS = 8, PTX_BYTES = 1 << 22 };

struct trial {
    struct web *web;
    uint32_t n, size[6];
    int kernel;
    uint64_t results, args[MOST_ARGUMENTS];
    uint32_t sizes[MOST_ARGUMENTS], n_args;
};

static int32_t number_at(uint32_t i) {
    return (int32_t)(i * 2654435761u >> 28) - 7;
}

/* An array of n words that the device knows by its name. */
static int add_array(struct trial *t, const char *name, uint64_t *address) {
    uint32_t bytes = 4 * t->n;
    int status = web_malloc(t->web, bytes);
    double at = web_address(t->web);
    if (!status) status = web_name(t->web, at, name, 4);
    *address = (uint64_t)at;
    if (!status && !strcmp(name, "flags"))
        status = web_fill(t->web, at, 0, bytes);
    if (!status && !strcmp(name, "numbers")) {
        int32_t *numbers = malloc(bytes + 4);
        for (uint32_t i = 0; numbers && i < t->n; i++)
            numbers[i] = number_at(i);
        status = numbers ? web_write(t->web, at, numbers, bytes)
                         : (int)VGPU_OUT_OF_MEMORY;
        free(numbers);
    }
    return status;
}

static int add_arguments(struct trial *t, char *names) {
    int status = 0;
    for (char *at = strtok(names, ","); at && !status; at = strtok(NULL, ",")) {
        uint32_t k = t->n_args++;
        bool is_n = !strcmp(at, "n");
        t->sizes[k] = is_n ? 4 : 8;
        t->args[k] = t->n;
        if (!is_n) status = add_array(t, at, &t->args[k]);
        if (!strcmp(at, "results")) t->results = t->args[k];
    }
    return status;
}

/* As PTX aligns parameters of 4 and 8 bytes. */
static int launch(struct trial *t) {
    uint8_t block[8 * MOST_ARGUMENTS] = {0};
    size_t at = 0;
    for (uint32_t k = 0; k < t->n_args; k++) {
        at = (at + t->sizes[k] - 1) / t->sizes[k] * t->sizes[k];
        memcpy(block + at, &t->args[k], t->sizes[k]);
        at += t->sizes[k];
    }
    return web_launch(t->web, t->kernel, t->size, 0, block, at);
}

static void print_results(struct trial *t) {
    uint32_t bytes = 4 * t->n;
    uint8_t *to = malloc(bytes + 1);
    if (to && !web_read(t->web, to, (double)t->results, bytes))
        for (uint32_t k = 0; k < bytes; k++) printf("%02x", to[k]);
    printf("\n");
    free(to);
}

static int run(struct trial *t, char **argv) {
    struct text ptx = {0};
    const char *bad = text_read_file(&ptx, argv[1], PTX_BYTES);
    if (bad) {
        fprintf(stderr, "%s: %s\n", argv[1], bad);
        return 2;
    }
    int status = web_open(t->web);
    int module =
        status ? -status : web_load(t->web, text_string(&ptx), ptx.size + 1);
    text_free(&ptx);
    if (module < 0) status = -module;
    if (!status) t->kernel = web_kernel(t->web, module, argv[2]);
    if (t->kernel < 0) status = -t->kernel;
    if (!status) status = add_arguments(t, argv[6]);
    if (!status) status = launch(t);
    printf("failed: %s\n", status ? web_failed(t->web, status) : "");
    printf("results: ");
    print_results(t);
#define X(name, function) printf("%s: %s\n", name, web_say(t->web, name));
#include "web_says.def"
#undef X
    return 0;
}

int main(int argc, char **argv) {
    struct trial t = {.web = web_new()};
    if (argc < 7 || !t.web) return 2;
    t.size[0] = (uint32_t)strtoul(argv[3], NULL, 10);
    t.size[3] = (uint32_t)strtoul(argv[4], NULL, 10);
    t.size[1] = t.size[2] = t.size[4] = t.size[5] = 1;
    t.n = (uint32_t)strtoul(argv[5], NULL, 10);
    for (int k = 7; k < argc; k++) {
        char *value = strchr(argv[k], '=');
        if (value) *value++ = '\0';
        if (!value || web_set(t.web, argv[k], value)) {
            fprintf(stderr, "%s: no such option\n", argv[k]);
            return 2;
        }
    }
    int status = run(&t, argv);
    web_close(t.web);
    return status;
}
