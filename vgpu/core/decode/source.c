/* SPDX-License-Identifier: MIT
 *
 * source.c: from a PTX location to the line that the programmer can edit, and
 * from a mangled name to the one in the source.
 */
#include <stdio.h>
#include <string.h>

#include "program.h"

/* Headers of the toolkit and the system are not the programmer's. They are
 * known by where they are installed (targets/x86_64-linux/include, a wheel's
 * nvidia/cu13/include). nvcc names its own headers by a path that starts at its
 * program, /bin/..//include, so that they are known wherever the toolkit was
 * unpacked. "cuda" alone tells nothing: a programmer's folder may be called so.
 * The last one is for headers that a course lays beside the program's folder
 * (vgpu_is_toolkit_file in vgpu.h). */
bool vgpu_is_toolkit_file(const char *file) {
    static const char *const parts[] = {
        "/usr/include/",    "/usr/lib/",
        "/usr/local/cuda",  "/opt/cuda/",
        "-linux/include/",  "/nvidia/cu",
        "/cuda/include/",   "/include/cuda/",
        "/include/crt/",    "/include/cub/",
        "/include/thrust/", "/include/cooperative_groups",
        "/cccl/",           "/cub/cub/",
        "/thrust/thrust/",  "/bin/..//include/",
        "/bin/../include/", "/own/../labs/"};
    if (!file) return true;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (strstr(file, parts[k])) return true;
    return false;
}

bool program_same_file(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Of an instruction that the compiler made from several lines (.loc with line
 * 0, as of loads hoisted out of two branches): the next place before it. */
static int32_t place_near(const struct ptx_module *m, int32_t loc) {
    enum { FAR = 16 };
    for (int32_t k = loc - 1; k >= 0 && k > loc - FAR; k--)
        if (m->locs[k].line && m->locs[k].file == m->locs[loc].file) return k;
    return loc;
}

/* The lines of the same file at which a location's function was inlined, and
 * the functions around it. */
static void find_calls(const struct ptx_module *m, int32_t loc,
                       struct vgpu_source *s) {
    uint32_t last = m->locs[loc].line, n = 0;
    for (int32_t k = m->locs[loc].inlined_at, depth = 0;
         k >= 0 && (uint32_t)k < m->n_locs && depth < 64 && n <= VGPU_OUTER;
         k = m->locs[k].inlined_at, depth++) {
        const struct ptx_loc *at = &m->locs[k];
        if (!at->line || at->line == last ||
            !program_same_file(at->file, m->locs[loc].file))
            continue;
        last = at->line;
        *(n ? &s->outer[n - 1] : &s->called) = last;
        n++;
    }
}

struct vgpu_source program_source(const struct ptx_module *m, int32_t loc) {
    struct vgpu_source s = {0};
    int32_t best = loc;
    for (int32_t k = loc, depth = 0;
         k >= 0 && (uint32_t)k < m->n_locs && depth < 64;
         k = m->locs[k].inlined_at, depth++)
        if (!vgpu_is_toolkit_file(m->locs[k].file) && m->locs[k].line) {
            best = k;
            break;
        }
    if (best < 0 || (uint32_t)best >= m->n_locs) return s;
    s.is_merged = !m->locs[best].line;
    if (s.is_merged) best = place_near(m, best);
    s.file = m->locs[best].file;
    s.line = m->locs[best].line;
    s.function = m->locs[best].function;
    find_calls(m, best, &s);
    return s;
}

bool program_is_toolkit(const struct ptx_module *m, const char *kernel,
                        int32_t loc) {
    const char *file = program_source(m, loc).file;
    return file ? vgpu_is_toolkit_file(file)
                : strncmp(kernel, "_ZN3cub", 7) == 0 ||
                      strncmp(kernel, "_ZN6thrust", 10) == 0;
}

char *demangle(const char *mangled, char *out, size_t bytes) {
    if (!bytes) return out;
    snprintf(out, bytes, "%s", mangled);
    if (strncmp(mangled, "_Z", 2)) return out;
    const char *p = mangled + 2;
    bool nested = *p == 'N';
    if (nested) p++;
    while (*p == 'L' || *p == 'K' || *p == 'V') p++; /* static, const */
    size_t at = 0;
    while (*p >= '1' && *p <= '9') {
        size_t n = 0;
        while (*p >= '0' && *p <= '9' && n < 4096)
            n = n * 10 + (size_t)(*p++ - '0');
        if (strlen(p) < n) return out;
        int wrote =
            snprintf(out + at, bytes - at, "%s%.*s", at ? "::" : "", (int)n, p);
        if (wrote < 0 || at + (size_t)wrote >= bytes) return out;
        at += (size_t)wrote;
        p += n;
        if (!nested) break;
    }
    if (!at) snprintf(out, bytes, "%s", mangled);
    return out;
}
