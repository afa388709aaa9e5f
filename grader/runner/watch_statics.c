/* SPDX-License-Identifier: MIT
 *
 * watch_statics.c: the static variables of a watched library, by its table of
 * symbols. An access to the library's data that lies in none of them, or only
 * begins in one, goes past the end of a static array: what it finds there is
 * zero in one run and another variable's in the next, so that the answer may be
 * right by luck. One that lands wholly in another variable is not seen.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "watch.h"

enum { MOST = 1024 };

struct range {
    uintptr_t begin, end;
};

/* Written before the student's code runs. */
static struct {
    struct range variables[MOST]; /* in order */
    size_t n;
    struct range parts[2]; /* .data, and .bss to the end of its last page */
    size_t n_parts;
} statics;

struct file {
    const unsigned char *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    size_t n;
};

static const void *part(const struct file *f, uint64_t at, uint64_t bytes) {
    return at % 8 == 0 && at <= f->size && bytes <= f->size - at ? f->bytes + at
                                                                 : NULL;
}

static bool is_named(const struct file *f, size_t names, size_t i,
                     const char *name) {
    const Elf64_Shdr *s = &f->sections[names];
    uint64_t at = s->sh_offset + f->sections[i].sh_name;
    size_t bytes = strlen(name) + 1;
    return s->sh_offset < f->size && f->sections[i].sh_name < s->sh_size &&
           at < f->size && bytes <= f->size - at &&
           memcmp(f->bytes + at, name, bytes) == 0;
}

static bool is_variable(const struct file *f, const Elf64_Sym *s) {
    if (ELF64_ST_TYPE(s->st_info) != STT_OBJECT || !s->st_size) return false;
    if (s->st_shndx >= f->n) return false;
    for (size_t i = 0; i < statics.n_parts; i++)
        if (s->st_value >= statics.parts[i].begin &&
            s->st_value < statics.parts[i].end)
            return true;
    return false;
}

static void find_parts(const struct file *f, size_t names) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 1; i < f->n && statics.n_parts < 2; i++) {
        const Elf64_Shdr *s = &f->sections[i];
        bool bss = is_named(f, names, i, ".bss");
        if (!bss && !is_named(f, names, i, ".data")) continue;
        uintptr_t end = s->sh_addr + s->sh_size;
        if (bss) end = (end + page - 1) & ~(page - 1);
        statics.parts[statics.n_parts++] = (struct range){s->sh_addr, end};
    }
}

static void find_variables(const struct file *f) {
    for (size_t i = 1; i < f->n; i++) {
        const Elf64_Shdr *s = &f->sections[i];
        const Elf64_Sym *symbols = part(f, s->sh_offset, s->sh_size);
        if (s->sh_type != SHT_SYMTAB || !symbols) continue;
        for (size_t k = 0; k < s->sh_size / sizeof *symbols; k++)
            if (is_variable(f, &symbols[k]) && statics.n < MOST)
                statics.variables[statics.n++] =
                    (struct range){symbols[k].st_value,
                                   symbols[k].st_value + symbols[k].st_size};
    }
}

static int by_begin(const void *a, const void *b) {
    const struct range *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool watch_statics_read_file(struct file *f) {
    const Elf64_Ehdr *h = part(f, 0, sizeof *h);
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_shstrndx >= h->e_shnum)
        return false;
    f->n = h->e_shnum;
    f->sections = part(f, h->e_shoff, f->n * sizeof *f->sections);
    if (!f->sections) return false;
    find_parts(f, h->e_shstrndx);
    find_variables(f);
    return true;
}

bool watch_statics_read(int fd) {
    struct stat s;
    if (fstat(fd, &s) != 0) return false;
    if (s.st_size <= 0) return true;
    struct file f = {.size = (size_t)s.st_size};
    void *bytes = mmap(NULL, f.size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) return false;
    f.bytes = bytes;
    if (!watch_statics_read_file(&f) || statics.n == MOST)
        statics.n = statics.n_parts = 0;
    munmap(bytes, f.size);
    qsort(statics.variables, statics.n, sizeof *statics.variables, by_begin);
    return true;
}

void watch_statics_at(uintptr_t base) {
    for (size_t i = 0; i < statics.n_parts; i++) {
        statics.parts[i].begin += base;
        statics.parts[i].end += base;
    }
    for (size_t i = 0; i < statics.n; i++) {
        statics.variables[i].begin += base;
        statics.variables[i].end += base;
    }
}

/* Of those that begin at or before the access, the last. */
static bool in_variable(uintptr_t at, size_t bytes) {
    size_t low = 0, high = statics.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (statics.variables[middle].begin <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at + bytes <= statics.variables[low - 1].end;
}

bool watch_statics_bad(uintptr_t at, size_t bytes) {
    for (size_t i = 0; i < statics.n_parts; i++)
        if (at >= statics.parts[i].begin && at < statics.parts[i].end)
            return !in_variable(at, bytes);
    return false;
}
