/* SPDX-License-Identifier: MIT
 *
 * dump.c: the PTX in an image for people: as nvcc wrote it, or as the parser
 * understood it; of all modules, or of one kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"
#include "program.h"
#include "ptx.h"
#include "vgpu.h"

struct dump {
    FILE *out;
    struct vgpu_dump *options;
    const struct ptx_module *module; /* NULL: it was not understood */
    char target[64];
    const char *text;
    size_t bytes;
};

/* What is printed of it has a name: the mangled one, or as findings say it. */
static bool dump_is_wanted(const struct dump *d, const struct ptx_function *f) {
    char name[256];
    const char *wanted = d->options->kernel;
    return f->has_body &&
           (strcmp(f->name, wanted) == 0 ||
            strcmp(demangle(f->name, name, sizeof name), wanted) == 0);
}

/* From the line of the function's head to the brace that closes it, which nvcc
 * writes at the beginning of a line; to the end where there is none. */
static void print_lines(const struct dump *d, const struct ptx_function *f) {
    const char *at = d->text, *end = d->text + d->bytes;
    for (uint32_t line = 1; line < f->ptx_line && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((newline ? newline + 1 : end) - at);
        bool is_last = *at == '}';
        fwrite(at, 1, n, d->out);
        at += n;
        if (is_last) break;
    }
}

static void print_kernel(const struct dump *d, const struct ptx_function *f) {
    char name[256];
    fprintf(d->out, "// %s: %s, %u instructions\n",
            demangle(f->name, name, sizeof name), d->target, f->n_insns);
    if (d->options->parsed)
        ptx_print_function(d->module, f, d->out);
    else
        print_lines(d, f);
    fputc('\n', d->out);
    d->options->n_kernels++;
}

static void print_module(const struct dump *d) {
    fprintf(d->out, "// module %zu: %s, %zu bytes\n", d->options->n_modules,
            d->target, d->bytes);
    for (uint32_t k = 0; d->module && k < d->module->n_functions; k++) {
        const struct ptx_function *f = &d->module->functions[k];
        char name[256];
        if (!f->is_entry || !f->has_body) continue;
        fprintf(d->out, "//   kernel %s\n",
                demangle(f->name, name, sizeof name));
        d->options->n_kernels++;
    }
    if (d->options->parsed && d->module)
        ptx_print(d->module, d->out);
    else if (!d->options->parsed)
        fwrite(d->text, 1, d->bytes, d->out);
    fputs("\n\n", d->out);
}

/* What the parser does not understand is printed nevertheless. */
static vgpu_status dump_text(struct dump *d, char why[VGPU_TEXT]) {
    struct ptx_error e;
    struct ptx_module *m = ptx_parse(d->text, d->bytes, &e);
    d->module = m;
    d->options->n_modules++;
    if (!m)
        snprintf(why, VGPU_TEXT, "PTX line %u: %s: %s", e.line, e.message,
                 e.text);
    if (!d->options->kernel) print_module(d);
    for (uint32_t k = 0; d->options->kernel && m && k < m->n_functions; k++)
        if (dump_is_wanted(d, &m->functions[k]))
            print_kernel(d, &m->functions[k]);
    ptx_free(m);
    return m ? VGPU_OK : VGPU_BAD_PTX;
}

static vgpu_status dump_entry(struct dump *d, const struct fatbin_entry *entry,
                              char why[VGPU_TEXT]) {
    bool is_ptx = entry->kind == FATBIN_PTX;
    const char *specific = entry->is_specific ? "a" : "";
    if (!is_ptx && entry->kind != FATBIN_ELF) return VGPU_OK;
    if (!is_ptx && !d->options->kernel)
        fprintf(d->out, "// sm_%u%s: machine code, no PTX\n\n", entry->arch,
                specific);
    if (!is_ptx) return VGPU_OK;
    char *text;
    enum fatbin_status s = fatbin_unpack(entry, &text, &d->bytes, why);
    if (s == FATBIN_NO_MEMORY) return VGPU_OUT_OF_MEMORY;
    if (s != FATBIN_OK) return VGPU_BAD_IMAGE;
    snprintf(d->target, sizeof d->target, "compute_%u%s, PTX ISA %u.%u",
             entry->arch, specific, entry->major, entry->minor);
    d->text = text;
    vgpu_status status = dump_text(d, why);
    free(text);
    return status;
}

vgpu_status vgpu_dump_ptx(FILE *out, const void *image, size_t bytes,
                          struct vgpu_dump *options, char why[VGPU_TEXT]) {
    struct dump d = {.out = out, .options = options};
    struct fatbin_walk walk;
    struct fatbin_entry entry;
    vgpu_status status = VGPU_OK;
    enum fatbin_status next = FATBIN_END;
    why[0] = '\0';
    options->n_modules = options->n_kernels = 0;
    if (bytes && !fatbin_is_image(image, bytes)) {
        const char *end = memchr(image, 0, bytes);
        d.text = image;
        d.bytes = end ? (size_t)(end - d.text) : bytes;
        snprintf(d.target, sizeof d.target, "PTX text");
        status = dump_text(&d, why);
    } else if (bytes) {
        fatbin_begin(&walk, image, bytes);
        while (status == VGPU_OK &&
               (next = fatbin_next(&walk, &entry, why)) == FATBIN_OK)
            status = dump_entry(&d, &entry, why);
    }
    if (status == VGPU_OK && next != FATBIN_END) status = VGPU_BAD_IMAGE;
    if (status != VGPU_OK && !*why)
        snprintf(why, VGPU_TEXT, "%s", vgpu_status_text(status));
    return status;
}
