/* SPDX-License-Identifier: MIT
 *
 * module.c: loading an image: PTX text, its variables, its kernels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "device_hooks.h"
#include "edit.h"
#include "fatbin.h"
#include "module_shared.h"
#include "parsed.h"

/* Of several PTX texts, takes the newest that the profile's capability allows;
 * GPUs older than what nvcc still compiles for count as OLDEST_PTX. When all
 * texts are newer, the device runs the newest anyway: it has the instructions.
 */
enum { OLDEST_PTX = 75, NEWEST_PTX = 90 };

static unsigned capability_of(const vgpu_device *d) {
    unsigned capability = (unsigned)d->profile->capability;
    return capability < OLDEST_PTX ? OLDEST_PTX : capability;
}

/* The first profile that runs an image of PTX for architectures that are newer
 * than this device's. NULL: there is none, or that is not what lacks. */
static const char *profile_for(const void *image, size_t bytes, unsigned fits) {
    const struct vgpu_profile *list;
    size_t n = vgpu_profiles(&list);
    char why[FATBIN_MESSAGE], *text = NULL;
    for (size_t k = 0; k < n; k++) {
        unsigned sm = (unsigned)list[k].capability;
        size_t size;
        if (sm <= fits ||
            fatbin_find_ptx(image, bytes, sm, &text, &size, why) != FATBIN_OK)
            continue;
        free(text);
        return list[k].name;
    }
    return NULL;
}

/* PTX text out of whatever the image is. */
static vgpu_status read_text(vgpu_device *d, const void *image, size_t bytes,
                             char **text, size_t *n) {
    if (bytes == 0) image = ""; /* may be NULL */
    if (!fatbin_is_image(image, bytes)) {
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
    unsigned fits = capability_of(d);
    enum fatbin_status s = fatbin_find_ptx(image, bytes, fits, text, n, why);
    if (s == FATBIN_NO_PTX && fits < NEWEST_PTX)
        s = fatbin_find_ptx(image, bytes, NEWEST_PTX, text, n, why);
    if (s == FATBIN_OK) return VGPU_OK;
    const char *newer =
        s == FATBIN_NO_PTX ? profile_for(image, bytes, fits) : NULL;
    return device_fail(d, statuses[s], "%s%s%s%s", why,
                       newer ? ", or run it on the profile " : "",
                       newer ? newer : "",
                       newer ? " (--device), which has what it needs" : "");
}

/* In what the device may still hold, `held` bytes being taken already. Only a
 * text that needs it asks for more than the device's share. */
static struct ptx_module *parse_within(vgpu_device *d, const char *text,
                                       size_t n, size_t held,
                                       struct ptx_error *e) {
    struct charges *c = &d->memory.charges;
    for (int all = 0;; all++) {
        uint64_t room = charges_room(c, all), used = 2 * (uint64_t)n + held;
        uint64_t limit = room > used ? room - used : 0;
        struct ptx_module *m = ptx_parse_within(text, n, limit, e);
        if (m || e->line || !c->limit) return m;
        if (!all && !c->has_more) continue;
        charges_refuse(c, used + limit, "what is made of an image's PTX");
        return NULL;
    }
}

static struct ptx_module *parse(vgpu_device *d, const char *text, size_t n,
                                size_t held, vgpu_status *s) {
    struct ptx_error e;
    struct ptx_module *m = parse_within(d, text, n, held, &e);
    device_tell_limit(d, NULL);
    if (!m && d->memory.charges.refused)
        *s = VGPU_OUT_OF_MEMORY;
    else if (!m)
        *s = device_fail(d, VGPU_BAD_PTX, "PTX line %u: %s: %s", e.line,
                         e.message, e.text);
    return m;
}

/* The bytes of the container at the image's begin; all of it when that is no
 * sound container, which is for the reader to say. */
static size_t container_bytes(const void *image, size_t bytes) {
    if (!fatbin_is_image(image, bytes) || bytes < FATBIN_CONTAINER_HEADER)
        return bytes;
    uint64_t n = fatbin_total_bytes(image);
    return n && n < bytes ? (size_t)n : bytes;
}

/* A program of several sources that were compiled for linking comes as a
 * container for each; a container without PTX for us adds nothing. */
static struct ptx_module *read_module(vgpu_device *d, const void *image,
                                      size_t bytes, vgpu_status *s) {
    struct ptx_module *all = NULL;
    const char *at = image;
    *s = bytes ? VGPU_OK
               : device_fail(d, VGPU_BAD_IMAGE, "the image has no bytes");
    for (unsigned unit = 0; bytes; unit++) {
        if (unit && vgpu_time_is_over(d)) {
            *s = device_fail(d, VGPU_LAUNCH_TIMEOUT,
                             "the time was over before all of it was read");
            ptx_free(all);
            return NULL;
        }
        size_t here = container_bytes(at, bytes), n = 0;
        char *text = NULL;
        vgpu_status got = read_text(d, at, here, &text, &n);
        at += here;
        bytes -= here;
        if (got == VGPU_NO_PTX && (all || bytes)) continue;
        *s = got;
        struct ptx_module *m =
            *s == VGPU_OK ? parse(d, text, n, all ? ptx_memory(all) : 0, s)
                          : NULL;
        struct ptx_error e;
        free(text);
        if (m && all && !ptx_link(all, m, unit, &e))
            *s = device_fail(d, VGPU_BAD_PTX, "linking: %s: %s", e.message,
                             e.text);
        else if (m && all)
            continue;
        else if (m)
            all = m;
        if (*s == VGPU_OK) continue;
        if (m != all) ptx_free(m);
        ptx_free(all);
        return NULL;
    }
    return all;
}

/* Nothing but the bytes and the capability decides what becomes of an image.
 * One that edits change is the device's own. */
static struct parsed *read_image(vgpu_device *d, const void *image,
                                 size_t bytes, vgpu_status *s) {
    unsigned capability = capability_of(d);
    bool own = program_edits_module(d->options.edits, d->options.n_edits);
    vgpu_cache *cache = own ? NULL : d->options.cache;
    struct parsed *p = parsed_find(cache, image, bytes, capability);
    if (p) return p;
    struct ptx_module *ptx = read_module(d, image, bytes, s);
    if (!ptx) return NULL;
    if (program_edit(ptx, d->options.edits, d->options.n_edits))
        p = parsed_add(cache, image, bytes, capability, ptx);
    else
        ptx_free(ptx);
    if (!p) *s = device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    return p;
}

static uint64_t address_of(const struct program *p, const char *name) {
    const struct symbol *s = program_symbol(p, name);
    if (s) return s->address;
    for (uint32_t k = 0; k < p->n_functions; k++)
        if (p->functions[k].ptx->name == name)
            return FUNCTION_WINDOW + (uint64_t)(k + 1) * FUNCTION_STRIDE;
    return 0;
}

static void relocate(struct program *p, const struct ptx_variable *v,
                     uint8_t *bytes) {
    for (size_t k = 0; k < v->n_relocations; k++) {
        const struct ptx_relocation *r = &v->relocations[k];
        if (program_is_late(p, p->n_symbols + p->n_functions)) return;
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
    p->symbols =
        charges_zeroed(&d->memory.charges,
                       (p->ptx->n_variables + (size_t)1) * sizeof *p->symbols,
                       "an image's variables");
    if (!p->symbols) return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    for (uint32_t k = 0; k < p->ptx->n_variables; k++) {
        const struct ptx_variable *v = &p->ptx->variables[k];
        if (!holds_bytes(v)) continue;
        struct allocation *a =
            v->is_managed && d->memory.has_file
                ? memory_allocate_mapped(&d->memory, v->bytes, false)
                : memory_allocate(&d->memory, v->bytes);
        if (!a)
            return device_fail(d, VGPU_OUT_OF_MEMORY,
                               "no room for device variable '%s' (%llu bytes)",
                               v->name, (unsigned long long)v->bytes);
        char name[128];
        demangle(v->name, name, sizeof name);
        a->module = true;
        a->read_only = v->space == PTX_CONST;
        memory_name(&d->memory, a, name);
        /* nvcc makes an array of whatever type one of bytes. */
        if (v->type != PTX_B8) a->element = ptx_type_bytes(v->type);
        if (v->data)
            memcpy(a->region.bytes, v->data, (size_t)v->bytes);
        else
            memset(a->region.bytes, 0, (size_t)v->bytes);
        if (a->region.written) bits_set(a->region.written, 0, a->size, true);
        p->symbols[p->n_symbols++] = (struct symbol){.name = v->name,
                                                     .space = v->space,
                                                     .address = a->region.base,
                                                     .bytes = v->bytes};
    }
    for (uint32_t k = 0, s = 0; k < p->ptx->n_variables; k++) {
        if (!holds_bytes(&p->ptx->variables[k])) continue;
        struct allocation *a = memory_find(&d->memory, p->symbols[s++].address);
        relocate(p, &p->ptx->variables[k], a->region.bytes);
    }
    if (p->stopped)
        return device_fail(d, VGPU_LAUNCH_TIMEOUT,
                           "the time was over before its variables were set");
    return VGPU_OK;
}

static vgpu_status list_functions(vgpu_device *d, struct program *p) {
    p->functions =
        charges_zeroed(&d->memory.charges,
                       (p->ptx->n_functions + (size_t)1) * sizeof *p->functions,
                       "an image's functions");
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
    vgpu_status s = VGPU_OK;
    struct vgpu_module *m = calloc(1, sizeof *m);
    if (!m) return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    m->parsed = read_image(d, image, bytes, &s);
    if (!m->parsed) {
        free(m);
        return s;
    }
    m->device = d;
    m->gpu = d->memory.gpu;
    m->program.ptx = parsed_module(m->parsed);
    m->program.alu = d->alu;
    m->program.choice = program_choice(d->options.edits, d->options.n_edits);
    m->program.memory = &d->memory;
    /* with model time the whole grid's warps take turns */
    m->program.has_textures = d->options.has_textures;
    m->program.may_launch = d->options.may_launch;
    m->program.shares_slots = d->clock != NULL;
    m->program.should_stop = d->options.should_stop;
    m->program.stop_user = d->options.user;
    m->next = d->modules;
    d->modules = m;
    size_t held = parsed_held(m->parsed);
    if (charges_add(&d->memory.charges, held, "what is made of an image's PTX"))
        m->charged = held;
    s = m->charged ? list_functions(d, &m->program)
                   : device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    if (s == VGPU_OK) s = place_variables(d, &m->program);
    device_tell_limit(d, NULL);
    if (s != VGPU_OK) {
        vgpu_module_unload(d, m);
        return s;
    }
    module_place_shared(&m->program);
    m->number = ++d->n_loaded;
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_LOAD,
                                      .module = m->number - 1,
                                      .data = image,
                                      .data_bytes = bytes});
    *out = m;
    return VGPU_OK;
}

void vgpu_module_unload(vgpu_device *d, vgpu_module *m) {
    struct vgpu_module **at = &d->modules;
    while (*at && *at != m) at = &(*at)->next;
    if (!*at) return;
    *at = m->next;
    if (m->number)
        asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_UNLOAD,
                                          .module = m->number - 1});
    struct program *p = &m->program;
    for (uint32_t k = 0; k < p->n_functions; k++)
        function_free(&p->functions[k]);
    program_take_back(p);
    for (uint32_t k = 0; k < p->n_symbols; k++)
        if (p->symbols[k].space != PTX_SHARED)
            memory_release(&d->memory, p->symbols[k].address);
    while (m->kernels) {
        struct vgpu_kernel *next = m->kernels->next;
        kernel_free(m->kernels);
        m->kernels = next;
    }
    charges_free(&d->memory.charges, p->functions);
    charges_free(&d->memory.charges, p->symbols);
    charges_drop(&d->memory.charges, m->charged);
    parsed_release(m->parsed);
    free(m);
}

vgpu_status vgpu_module_symbol(vgpu_module *m, const char *name,
                               uint64_t *address, size_t *bytes) {
    const struct symbol *s =
        program_symbol(&m->program, ptx_find_name(m->program.ptx, name));
    if (!s || s->space == PTX_SHARED)
        return device_fail(m->device, VGPU_INVALID_SYMBOL,
                           "the module has no variable '%s'", name);
    *address = s->address;
    *bytes = (size_t)s->bytes; /* has room: it was allocated */
    return VGPU_OK;
}

void vgpu_edit_sites(const vgpu_device *d,
                     void (*each)(void *user, const struct vgpu_edit_site *),
                     void *user) {
    for (const vgpu_module *m = d->modules; m; m = m->next)
        for (const vgpu_kernel *k = m->kernels; k; k = k->next)
            if (k->recorded_in)
                program_edit_sites(m->program.ptx, k->function->ptx, each,
                                   user);
}
