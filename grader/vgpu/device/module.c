/* SPDX-License-Identifier: MIT
 *
 * module.c: loading an image: PTX text, its variables, its kernels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "fatbin.h"

/* The device runs whatever PTX it has the instructions for, so a profile's
 * capability does not limit which PTX is taken. */
enum { NEWEST_PTX = 90 };

static bool is_fatbin(const void *image, size_t bytes) {
    const uint8_t magic[4] = {0x50, 0xed, 0x55, 0xba};
    return bytes >= 4 && !memcmp(image, magic, 4);
}

/* PTX text out of whatever the image is. */
static vgpu_status read_text(vgpu_device *d, const void *image, size_t bytes,
                             char **text, size_t *n) {
    if (!is_fatbin(image, bytes)) {
        const char *end = memchr(image, 0, bytes);
        *n = end ? (size_t)(end - (const char *)image) : bytes;
        *text = malloc(*n + 1);
        if (!*text) return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
        memcpy(*text, image, *n);
        (*text)[*n] = 0;
        return VGPU_OK;
    }
    static const vgpu_status statuses[] = {[FATBIN_OK] = VGPU_OK,
                                           [FATBIN_END] = VGPU_NO_PTX,
                                           [FATBIN_NO_PTX] = VGPU_NO_PTX,
                                           [FATBIN_CORRUPT] = VGPU_BAD_IMAGE,
                                           [FATBIN_TOO_LARGE] = VGPU_BAD_IMAGE,
                                           [FATBIN_NO_MEMORY] =
                                               VGPU_OUT_OF_MEMORY};
    char why[FATBIN_MESSAGE];
    enum fatbin_status s =
        fatbin_find_ptx(image, bytes, NEWEST_PTX, text, n, why);
    if (s == FATBIN_OK) return VGPU_OK;
    return device_fail(d, statuses[s], "%s", why);
}

static uint64_t address_of(const struct program *p, const char *name) {
    const struct symbol *s = program_symbol(p, name);
    if (s) return s->address;
    for (uint32_t k = 0; k < p->n_functions; k++)
        if (!strcmp(p->functions[k].ptx->name, name))
            return FUNCTION_WINDOW + (uint64_t)(k + 1) * FUNCTION_STRIDE;
    return 0;
}

static void relocate(const struct program *p, const struct ptx_variable *v,
                     uint8_t *bytes) {
    for (size_t k = 0; k < v->n_relocations; k++) {
        const struct ptx_relocation *r = &v->relocations[k];
        uint64_t a = address_of(p, r->symbol) + (uint64_t)r->addend;
        if (r->masked) a = a >> r->shift & 0xff;
        if (r->offset + r->bytes <= v->bytes && r->bytes <= 8)
            memcpy(bytes + r->offset, &a, r->bytes);
    }
}

static bool holds_bytes(const struct ptx_variable *v) {
    return v->space == PTX_GLOBAL || v->space == PTX_CONST;
}

static vgpu_status place_variables(vgpu_device *d, struct program *p) {
    p->symbols = calloc(p->ptx->n_variables + 1, sizeof *p->symbols);
    if (!p->symbols) return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    for (uint32_t k = 0; k < p->ptx->n_variables; k++) {
        const struct ptx_variable *v = &p->ptx->variables[k];
        if (!holds_bytes(v)) continue;
        struct allocation *a = memory_allocate(&d->memory, v->bytes);
        if (!a)
            return device_fail(d, VGPU_OUT_OF_MEMORY,
                               "no room for device variable '%s' (%llu bytes)",
                               v->name, (unsigned long long)v->bytes);
        char name[128];
        demangle(v->name, name, sizeof name);
        a->module = true;
        a->read_only = v->space == PTX_CONST;
        a->name = strdup(name);
        if (v->data) memcpy(a->region.bytes, v->data, v->bytes);
        if (a->region.written) bits_set(a->region.written, 0, a->size, true);
        p->symbols[p->n_symbols++] =
            (struct symbol){v->name, v->space, a->region.base, v->bytes};
    }
    for (uint32_t k = 0, s = 0; k < p->ptx->n_variables; k++) {
        if (!holds_bytes(&p->ptx->variables[k])) continue;
        struct allocation *a = memory_find(&d->memory, p->symbols[s++].address);
        relocate(p, &p->ptx->variables[k], a->region.bytes);
    }
    return VGPU_OK;
}

/* Shared variables of module scope and of device functions: one layout for all
 * kernels, so that a function has them at the same place for every caller. */
static void place_shared(struct program *p) {
    uint64_t end = 0;
    for (uint32_t k = 0; k < p->ptx->n_variables; k++) {
        const struct ptx_variable *v = &p->ptx->variables[k];
        if (v->space != PTX_SHARED || v->is_extern || !v->bytes) continue;
        uint64_t align = v->align ? v->align : 1;
        end = (end + align - 1) / align * align;
        p->symbols[p->n_symbols++] =
            (struct symbol){v->name, v->space, end, v->bytes};
        end += v->bytes;
    }
    p->shared_bytes = end < (1u << 28) ? (uint32_t)end : 1u << 28;
}

static vgpu_status list_functions(vgpu_device *d, struct program *p) {
    p->functions = calloc(p->ptx->n_functions + 1, sizeof *p->functions);
    if (!p->functions)
        return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    for (uint32_t k = 0; k < p->ptx->n_functions; k++) {
        const struct ptx_function *f = &p->ptx->functions[k];
        if (f->is_extern || (!f->n_insns && !f->is_entry)) continue;
        p->functions[p->n_functions].ptx = f;
        p->functions[p->n_functions++].program = p;
    }
    return VGPU_OK;
}

vgpu_status vgpu_module_load(vgpu_device *d, const void *image, size_t bytes,
                             vgpu_module **out) {
    if (d->sticky) return d->sticky;
    char *text = NULL;
    size_t n = 0;
    vgpu_status s = read_text(d, image, bytes, &text, &n);
    if (s != VGPU_OK) return s;
    struct ptx_error e;
    struct vgpu_module *m = calloc(1, sizeof *m);
    const struct ptx_module *ptx = m ? ptx_parse(text, n, &e) : NULL;
    if (!ptx) {
        free(text);
        free(m);
        if (!m) return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
        return device_fail(d, VGPU_BAD_PTX, "PTX line %u: %s: %s", e.line,
                           e.message, e.text);
    }
    m->device = d;
    m->text = text;
    m->program.ptx = ptx;
    m->program.alu = d->alu;
    m->program.memory = &d->memory;
    m->next = d->modules;
    d->modules = m;
    s = list_functions(d, &m->program);
    if (s == VGPU_OK) s = place_variables(d, &m->program);
    if (s != VGPU_OK) {
        vgpu_module_unload(d, m);
        return s;
    }
    place_shared(&m->program);
    *out = m;
    return VGPU_OK;
}

void vgpu_module_unload(vgpu_device *d, vgpu_module *m) {
    struct vgpu_module **at = &d->modules;
    while (*at && *at != m) at = &(*at)->next;
    if (!*at) return;
    *at = m->next;
    struct program *p = &m->program;
    for (uint32_t k = 0; k < p->n_functions; k++)
        function_free(&p->functions[k]);
    for (uint32_t k = 0; k < p->n_symbols; k++)
        if (p->symbols[k].space != PTX_SHARED)
            memory_release(&d->memory, p->symbols[k].address);
    while (m->kernels) {
        struct vgpu_kernel *next = m->kernels->next;
        free(m->kernels->param_offset);
        free(m->kernels->param_size);
        free(m->kernels);
        m->kernels = next;
    }
    free(p->functions);
    free(p->symbols);
    ptx_free((struct ptx_module *)p->ptx);
    free(m->text);
    free(m);
}

vgpu_status vgpu_module_symbol(vgpu_module *m, const char *name,
                               uint64_t *address, size_t *bytes) {
    const struct symbol *s = program_symbol(&m->program, name);
    if (!s || s->space == PTX_SHARED)
        return device_fail(m->device, VGPU_INVALID_SYMBOL,
                           "the module has no variable '%s'", name);
    *address = s->address;
    *bytes = s->bytes;
    return VGPU_OK;
}
