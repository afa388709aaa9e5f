/* SPDX-License-Identifier: MIT
 *
 * dump.c: vgpu --dump-ptx: finds the device code in a file, without running
 * anything. nvcc puts fatbins into sections of their own.
 */
#include "tool.h"

#include <errno.h>
#include <string.h>

#include "text.h"

enum { MOST_BYTES = 1 << 30 };

static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

/* False: said why. Adds to *n_modules and *n_kernels. */
static bool dump_image(const char *name, const void *image, size_t bytes,
                       struct vgpu_dump *dump, size_t *n_modules,
                       size_t *n_kernels) {
    char why[VGPU_TEXT];
    vgpu_status status = vgpu_dump_ptx(stdout, image, bytes, dump, why);
    *n_modules += dump->n_modules;
    *n_kernels += dump->n_kernels;
    if (status != VGPU_OK) tool_say("%s: %s", name, why);
    return status == VGPU_OK;
}

static bool dump_file(const char *name, const struct text *file,
                      struct vgpu_dump *dump) {
    size_t n_modules = 0, n_kernels = 0, size;
    bool is_elf = file->size > 4 && memcmp(file->bytes, "\177ELF", 4) == 0;
    bool is_good = is_elf || dump_image(name, file->bytes, file->size, dump,
                                        &n_modules, &n_kernels);
    for (int i = 0; is_elf && is_good && i < N_SECTIONS; i++) {
        const void *section =
            tool_elf_section(file->bytes, file->size, sections[i], &size);
        is_good = !section ||
                  dump_image(name, section, size, dump, &n_modules, &n_kernels);
    }
    if (is_good && n_modules == 0)
        tool_say("%s holds no PTX", name);
    else if (is_good && dump->kernel && n_kernels == 0)
        tool_say("%s: no module in it has a kernel '%s'", name, dump->kernel);
    return is_good && n_modules && (n_kernels || !dump->kernel);
}

int tool_dump(const char *name, struct vgpu_dump *dump) {
    struct text file = {0};
    const char *why = text_read_file(&file, name, MOST_BYTES);
    bool is_good = !why && dump_file(name, &file, dump);
    if (why) tool_say("cannot read %s: %s", name, why);
    text_free(&file);
    if (fflush(stdout) == 0) return is_good ? 0 : TOOL_FAILED;
    tool_say("cannot write to standard output: %s", strerror(errno));
    return TOOL_FAILED;
}
