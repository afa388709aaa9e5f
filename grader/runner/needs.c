/* SPDX-License-Identifier: MIT
 *
 * needs.c: which CUDA runtime a library asks for, so that it is loaded while
 * files can be opened. Reads the library as the loader does, by its dynamic
 * section; what does not look like one asks for none.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runner.h"

struct file {
    const unsigned char *bytes;
    size_t size;
};

static const void *part(const struct file *f, uint64_t at, uint64_t bytes) {
    return at % 8 == 0 && at <= f->size && bytes <= f->size - at ? f->bytes + at
                                                                 : NULL;
}

static const Elf64_Phdr *segments(const struct file *f, unsigned *n) {
    const Elf64_Ehdr *h = part(f, 0, sizeof *h);
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64)
        return NULL;
    *n = h->e_phnum;
    return part(f, h->e_phoff, *n * sizeof(Elf64_Phdr));
}

/* Where in the file an address is; its size: nowhere. */
static uint64_t place(const struct file *f, uint64_t address) {
    unsigned n = 0;
    const Elf64_Phdr *p = segments(f, &n);
    for (unsigned i = 0; p && i < n; i++)
        if (p[i].p_type == PT_LOAD && address - p[i].p_vaddr < p[i].p_filesz)
            return address - p[i].p_vaddr + p[i].p_offset;
    return f->size;
}

static void needs_find(const struct file *f, const Elf64_Dyn *d, size_t n,
                       char name[RUNTIME_BYTES]) {
    uint64_t strings = f->size;
    for (size_t i = 0; i < n; i++)
        if (d[i].d_tag == DT_STRTAB) strings = place(f, d[i].d_un.d_ptr);
    for (size_t i = 0; i < n && strings < f->size; i++) {
        uint64_t left = f->size - strings, at = d[i].d_un.d_val;
        if (d[i].d_tag != DT_NEEDED || at >= left) continue;
        const char *text = (const char *)f->bytes + strings + at;
        size_t bytes = strnlen(text, left - at);
        if (bytes < RUNTIME_BYTES && bytes < left - at && !strchr(text, '/') &&
            strncmp(text, "libcudart.so.", 13) == 0)
            memcpy(name, text, bytes + 1);
    }
}

bool needs_runtime(int fd, char name[RUNTIME_BYTES]) {
    struct stat s;
    *name = '\0';
    if (fd < 0 || fstat(fd, &s) != 0 || s.st_size <= 0) return false;
    size_t size = (size_t)s.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) return false;
    struct file f = {bytes, size};
    unsigned n = 0;
    const Elf64_Phdr *p = segments(&f, &n);
    for (unsigned i = 0; p && i < n; i++) {
        const Elf64_Dyn *d = p[i].p_type == PT_DYNAMIC
                                 ? part(&f, p[i].p_offset, p[i].p_filesz)
                                 : NULL;
        if (d) needs_find(&f, d, p[i].p_filesz / sizeof *d, name);
    }
    munmap(bytes, size);
    return *name != '\0';
}
