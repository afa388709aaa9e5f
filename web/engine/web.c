/* SPDX-License-Identifier: MIT
 *
 * web.c: a device, its modules, memory and launches: see web.h.
 */
#include "web.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/* "all", "none", or names with commas between them. */
static bool parse_checks(const char *words, struct vgpu_options *o) {
    unsigned checks = 0;
    if (!strcmp(words, "all")) checks = VGPU_CHECK_ALL;
    for (const char *at = words; checks != VGPU_CHECK_ALL && *at;) {
        char name[32] = "";
        size_t n = strcspn(at, ",");
        if (n < sizeof name) memcpy(name, at, n);
        unsigned bit = strcmp(words, "none") ? vgpu_check_by_name(name) : 0;
        if (!bit && strcmp(words, "none")) return false;
        checks |= bit;
        at += n + (at[n] == ',');
    }
    o->checks = checks;
    return true;
}

static bool parse_number(const char *words, uint64_t *number) {
    char *end;
    *number = strtoull(words, &end, 10);
    return *words >= '0' && *words <= '9' && !*end;
}

/* A copy that stays as long as the options. */
static const char *web_keep(struct web *w, const char *text) {
    if (w->n_texts == sizeof w->texts / sizeof *w->texts) return NULL;
    char *copy = strdup(text);
    if (copy) w->texts[w->n_texts++] = copy;
    return copy;
}

int web_set(struct web *w, const char *name, const char *value) {
    struct vgpu_options *o = &w->options;
    uint64_t number;
#define WORDS(row, parse)                                                      \
    if (!strcmp(name, row)) return !parse(value, o);
#define TEXT(row, member)                                                      \
    if (!strcmp(name, row)) return !(o->member = web_keep(w, value));
#define NUMBER(row, member)                                                    \
    if (!strcmp(name, row)) {                                                  \
        if (!parse_number(value, &number)) return 1;                           \
        o->member = (__typeof__(o->member))number;                             \
        return 0;                                                              \
    }
#include "web_options.def"
#undef WORDS
#undef TEXT
#undef NUMBER
    return 1;
}

/* ---- a device ---- */

struct web *web_new(void) {
    struct web *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->options = (struct vgpu_options){.checks = VGPU_CHECK_ALL,
                                       .contents = VGPU_CONTENTS_RANDOM,
                                       .memory_limit_bytes = WEB_MEMORY_BYTES,
                                       .held_limit_bytes = WEB_HELD_BYTES,
                                       .held_share_bytes = WEB_HELD_BYTES,
                                       .race_memory_mib = WEB_RACE_MIB};
    return w;
}

static void keep_printed(void *user, const char *text, size_t bytes) {
    enum { MOST = 1 << 20 };
    struct web *w = user;
    if (bytes > MOST - w->printed_bytes) bytes = MOST - w->printed_bytes;
    char *more = bytes ? realloc(w->printed, w->printed_bytes + bytes) : NULL;
    if (!more) return;
    memcpy(more + w->printed_bytes, text, bytes);
    w->printed = more;
    w->printed_bytes += bytes;
}

int web_open(struct web *w) {
    vgpu_status status = VGPU_OK;
    if (w->device) return VGPU_INVALID_VALUE;
    w->options.print = keep_printed;
    w->options.user = w;
    w->device = vgpu_open(&w->options, &status);
    if (!w->device && status == VGPU_INVALID_VALUE)
        w->refused = "there is no such profile or clock";
    return w->device ? VGPU_OK : (int)status;
}

void web_close(struct web *w) {
    if (!w) return;
    if (w->device) vgpu_close(w->device);
    while (w->n_texts) free(w->texts[--w->n_texts]);
    free(w->modules);
    free(w->kernels);
    free(w->printed);
    free(w->said);
    free(w);
}

/* What the device is not asked for. */
static int refuse(struct web *w, vgpu_status status, const char *why) {
    w->refused = why;
    return (int)status;
}

static int refuse_call(struct web *w) {
    return refuse(w, VGPU_INVALID_VALUE,
                  "no device is open, or an address, a size or a number is "
                  "none");
}

const char *web_failed(struct web *w, int status) {
    const char *more = w->device ? vgpu_last_message(w->device) : NULL;
    if (w->refused) more = w->refused;
    w->refused = NULL;
    snprintf(w->failed, sizeof w->failed, "%s",
             more && *more ? more : vgpu_status_text((vgpu_status)status));
    return w->failed;
}

/* ---- modules ---- */

/* Room for one more pointer behind n of them. */
static bool make_room(void *list, unsigned n) {
    void **old = *(void ***)list;
    void **more = realloc(old, (n + (size_t)1) * sizeof *more);
    if (more) *(void ***)list = more;
    return more;
}

int web_load(struct web *w, const char *ptx, size_t bytes) {
    if (!w->device) return -refuse_call(w);
    if (!make_room(&w->modules, w->n_modules)) return -VGPU_OUT_OF_MEMORY;
    vgpu_status s =
        vgpu_module_load(w->device, ptx, bytes, &w->modules[w->n_modules]);
    return s ? -(int)s : (int)w->n_modules++;
}

int web_kernel(struct web *w, int module, const char *name) {
    if (module < 0 || (unsigned)module >= w->n_modules) return -refuse_call(w);
    if (!make_room(&w->kernels, w->n_kernels)) return -VGPU_OUT_OF_MEMORY;
    vgpu_status s =
        vgpu_module_kernel(w->modules[module], name, &w->kernels[w->n_kernels]);
    return s ? -(int)s : (int)w->n_kernels++;
}

/* ---- memory ---- */

/* What JavaScript calls a size or an address: a whole number that is none but
 * itself. */
static bool is_whole(double x) {
    return x >= 0 && x < 0x1p53 && x == (double)(uint64_t)x;
}

int web_malloc(struct web *w, double bytes) {
    uint64_t address = 0;
    w->address = 0;
    if (!w->device || !is_whole(bytes)) return refuse_call(w);
    if (bytes > (double)(SIZE_MAX / 2))
        return refuse(w, VGPU_OUT_OF_MEMORY,
                      "these are more bytes than there can be here");
    vgpu_status s = vgpu_malloc(w->device, (size_t)bytes, &address);
    w->address = (double)address;
    return (int)s;
}

double web_address(const struct web *w) {
    return w->address;
}

int web_free(struct web *w, double address) {
    if (!w->device || !is_whole(address)) return refuse_call(w);
    return (int)vgpu_free(w->device, (uint64_t)address);
}

int web_write(struct web *w, double to, const void *from, size_t bytes) {
    if (!w->device || !is_whole(to)) return refuse_call(w);
    return (int)vgpu_write(w->device, (uint64_t)to, from, bytes);
}

int web_read(struct web *w, void *to, double from, size_t bytes) {
    if (!w->device || !is_whole(from)) return refuse_call(w);
    return (int)vgpu_read(w->device, to, (uint64_t)from, bytes);
}

int web_fill(struct web *w, double to, int byte, double bytes) {
    if (!w->device || !is_whole(to) || !is_whole(bytes) ||
        bytes > (double)(SIZE_MAX / 2))
        return refuse_call(w);
    return (int)vgpu_fill(w->device, (uint64_t)to, byte, (size_t)bytes);
}

int web_name(struct web *w, double address, const char *name,
             unsigned element) {
    if (!w->device || !is_whole(address)) return refuse_call(w);
    uint64_t at = (uint64_t)address;
    return (int)(element ? vgpu_name_elements(w->device, at, name, at, element)
                         : vgpu_name(w->device, at, name));
}

/* ---- what else is asked ---- */

int web_copy(struct web *w, double to, double from, double bytes) {
    if (!w->device || !is_whole(to) || !is_whole(from) || !is_whole(bytes) ||
        bytes > (double)(SIZE_MAX / 2))
        return refuse_call(w);
    return (int)vgpu_copy(w->device, (uint64_t)to, (uint64_t)from,
                          (size_t)bytes);
}

int web_unwritten(struct web *w, double address, double bytes) {
    if (!w->device || !is_whole(address) || !is_whole(bytes) ||
        bytes > (double)(SIZE_MAX / 2))
        return refuse_call(w);
    return (int)vgpu_mark_uninitialised(w->device, (uint64_t)address,
                                        (size_t)bytes);
}

int web_own(struct web *w, double address) {
    if (!w->device || !is_whole(address)) return refuse_call(w);
    return (int)vgpu_own(w->device, (uint64_t)address);
}

int web_protect(struct web *w, double address, int read_only) {
    if (!w->device || !is_whole(address)) return refuse_call(w);
    return (int)vgpu_protect(w->device, (uint64_t)address, read_only);
}

int web_name_elements(struct web *w, double address, const char *name,
                      double first, unsigned element) {
    if (!w->device || !is_whole(address) || !is_whole(first))
        return refuse_call(w);
    return (int)vgpu_name_elements(w->device, (uint64_t)address, name,
                                   (uint64_t)first, element);
}

/* ---- launches ---- */

static vgpu_kernel *kernel_at(const struct web *w, int kernel, double bytes) {
    bool is = kernel >= 0 && (unsigned)kernel < w->n_kernels &&
              is_whole(bytes) && bytes <= 0x1p30;
    return is ? w->kernels[kernel] : NULL;
}

int web_dynamic(struct web *w, int kernel, double bytes) {
    vgpu_kernel *k = kernel_at(w, kernel, bytes);
    if (!k) return refuse_call(w);
    return (int)vgpu_kernel_set_max_dynamic_smem(k, (size_t)bytes);
}

int web_launch(struct web *w, int kernel, const uint32_t size[6],
               double dynamic_smem_bytes, const void *params,
               size_t param_bytes) {
    vgpu_kernel *k = kernel_at(w, kernel, dynamic_smem_bytes);
    if (!k) return refuse_call(w);
    return (int)vgpu_launch(w->device, k, size, size + 3,
                            (size_t)dynamic_smem_bytes, params, param_bytes);
}

int web_launch_cooperative(struct web *w, int kernel, const uint32_t size[6],
                           double dynamic_smem_bytes, const void *params,
                           size_t param_bytes) {
    vgpu_kernel *k = kernel_at(w, kernel, dynamic_smem_bytes);
    if (!k) return refuse_call(w);
    return (int)vgpu_launch_cooperative(w->device, k, size, size + 3,
                                        (size_t)dynamic_smem_bytes, params,
                                        param_bytes);
}
