/* SPDX-License-Identifier: MIT
 *
 * program.c: is this a program the virtual GPU can serve? Says in plain words
 * why not: missing, not executable, CUDA runtime linked in statically, a
 * runtime of another version. Reads the ELF file itself: its sections (device
 * code inside?) and its dynamic section (which libraries?). Anything that is
 * not a 64-bit ELF file of this machine (a script) is run as it is.
 */
#define _GNU_SOURCE /* asprintf */
#include "tool.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const our_runtimes[] = {"libcudart.so.13",
                                           "libcudart.so.12"};
enum { N_RUNTIMES = sizeof our_runtimes / sizeof *our_runtimes };

struct elf {
    const unsigned char *bytes;
    size_t n_bytes;
    const Elf64_Ehdr *header;
};

/* n bytes of the file at offset, or NULL when they are not all there. */
static const void *program_part(const struct elf *elf, uint64_t offset,
                                uint64_t n) {
    if (offset > elf->n_bytes || n > elf->n_bytes - offset) return NULL;
    return elf->bytes + offset;
}

/* A string that ends inside the file. */
static const char *string_at(const struct elf *elf, uint64_t offset) {
    if (offset >= elf->n_bytes) return NULL;
    if (!memchr(elf->bytes + offset, 0, elf->n_bytes - offset)) return NULL;
    return (const char *)elf->bytes + offset;
}

static bool is_elf(const void *bytes, size_t n) {
    const Elf64_Ehdr *header = bytes;
    return n >= sizeof *header && memcmp(bytes, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64;
}

const void *tool_elf_section(const void *file, size_t bytes, const char *name,
                             size_t *size) {
    const struct elf elf = {file, bytes, file};
    const Elf64_Ehdr *h = file;
    if (!is_elf(file, bytes)) return NULL;
    const Elf64_Shdr *sections =
        program_part(&elf, h->e_shoff, (uint64_t)h->e_shnum * sizeof *sections);
    if (!sections || h->e_shstrndx >= h->e_shnum || h->e_shoff % 8) return NULL;
    for (unsigned i = 0; i < h->e_shnum; i++) {
        uint64_t names = sections[h->e_shstrndx].sh_offset;
        const char *found = string_at(&elf, names + sections[i].sh_name);
        if (!found || strcmp(found, name) != 0) continue;
        *size = sections[i].sh_size;
        return program_part(&elf, sections[i].sh_offset, sections[i].sh_size);
    }
    return NULL;
}

static bool has_device_code(const struct elf *elf) {
    size_t size;
    return tool_elf_section(elf->bytes, elf->n_bytes, ".nvFatBinSegment",
                            &size) != NULL;
}

static const Elf64_Phdr *segments(const struct elf *elf) {
    const Elf64_Ehdr *h = elf->header;
    if (h->e_phoff % 8) return NULL;
    return program_part(elf, h->e_phoff,
                        (uint64_t)h->e_phnum * sizeof(Elf64_Phdr));
}

/* Where in the file a virtual address is; UINT64_MAX: nowhere. */
static uint64_t file_offset(const struct elf *elf, uint64_t address) {
    const Elf64_Phdr *p = segments(elf);
    for (unsigned i = 0; p && i < elf->header->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && address >= p[i].p_vaddr &&
            address - p[i].p_vaddr < p[i].p_filesz)
            return address - p[i].p_vaddr + p[i].p_offset;
    return UINT64_MAX;
}

static const Elf64_Dyn *dynamic(const struct elf *elf, size_t *n) {
    const Elf64_Phdr *p = segments(elf);
    for (unsigned i = 0; p && i < elf->header->e_phnum; i++)
        if (p[i].p_type == PT_DYNAMIC && p[i].p_offset % 8 == 0) {
            *n = p[i].p_filesz / sizeof(Elf64_Dyn);
            return program_part(elf, p[i].p_offset, p[i].p_filesz);
        }
    return NULL;
}

/* The next library the file asks for whose name begins with prefix, from entry
 * *at of its list on; or NULL. */
static const char *needed(const struct elf *elf, const char *prefix,
                          size_t *at) {
    size_t n = 0;
    uint64_t strings = UINT64_MAX;
    const Elf64_Dyn *d = dynamic(elf, &n);
    for (size_t i = 0; d && i < n; i++)
        if (d[i].d_tag == DT_STRTAB)
            strings = file_offset(elf, d[i].d_un.d_ptr);
    while (d && strings < elf->n_bytes && *at < n) {
        const Elf64_Dyn *entry = &d[(*at)++];
        if (entry->d_tag != DT_NEEDED) continue;
        const char *name = string_at(elf, strings + entry->d_un.d_val);
        if (name && strncmp(name, prefix, strlen(prefix)) == 0) return name;
    }
    return NULL;
}

static bool is_ours(const char *runtime) {
    for (size_t i = 0; i < N_RUNTIMES; i++)
        if (strcmp(runtime, our_runtimes[i]) == 0) return true;
    return false;
}

static bool check_elf(const char *path, const struct elf *elf) {
    size_t at = 0;
    const char *runtime = needed(elf, "libcudart.so", &at);
    if (!runtime && has_device_code(elf)) {
        tool_say("%s has the CUDA runtime linked in statically; rebuild it "
                 "with `nvcc -cudart shared`",
                 path);
        return false;
    }
    if (!runtime || is_ours(runtime)) return true;
    tool_say("%s needs %s; the virtual GPU is %s or %s: rebuild it with nvcc "
             "13 or 12",
             path, runtime, our_runtimes[0], our_runtimes[1]);
    return false;
}

/* False: it cannot be read, or is no 64-bit ELF file. */
static bool map_elf(const char *path, struct elf *elf) {
    struct stat stat_of;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &stat_of) != 0 || stat_of.st_size == 0) {
        if (fd >= 0) close(fd);
        return false;
    }
    size_t n = (size_t)stat_of.st_size;
    void *bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) return false;
    *elf = (struct elf){bytes, n, bytes};
    if (is_elf(bytes, n)) return true;
    munmap(bytes, n);
    return false;
}

static void unmap_elf(const struct elf *elf) {
    munmap((void *)(uintptr_t)elf->bytes, elf->n_bytes);
}

static bool check_file(const char *path) {
    struct elf elf;
    if (!map_elf(path, &elf)) return true; /* let it run as it is */
    bool is_good = check_elf(path, &elf);
    unmap_elf(&elf);
    return is_good;
}

/* Appends a name to a list with commas, which may be NULL, unless it is there.
 */
static char *list_with(char *list, const char *name) {
    char *longer;
    size_t n = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ','))
            return list;
    if (asprintf(&longer, "%s%s%s", list ? list : "", list ? ", " : "", name) <
        0)
        return list;
    free(list);
    return longer;
}

/* They bring a runtime of their own, or ask the driver for a GPU. */
static const char *const others[] = {
    "libcublas",    "libcusparse", "libcufft.", "libcufftw.", "libcurand.",
    "libcusolver",  "libcudnn",    "libnpp",    "libnvjpeg",  "libnccl.",
    "libcutensor.", "libcupti.",   "libcudart", "libcuda."};
enum { N_OTHERS = sizeof others / sizeof *others };

static bool is_other(const char *name) {
    for (size_t k = 0; k < N_OTHERS; k++)
        if (strncmp(name, others[k], strlen(others[k])) == 0) return true;
    return false;
}

/* Of the runtime and the driver, ours may lie in the folder, and in a folder of
 * it. */
static bool lies_in(const char *path, const char *folder) {
    char of_path[PATH_MAX], of_folder[PATH_MAX];
    if (!realpath(path, of_path) || !realpath(folder, of_folder)) return false;
    size_t n = strlen(of_folder);
    return strncmp(of_path, of_folder, n) == 0 && of_path[n] == '/';
}

static char *list_opened(char *list, const char *opened, const char *folder) {
    char *lines = opened ? strdup(opened) : NULL, *rest = lines, *path;
    while (lines && (path = strsep(&rest, "\n")) != NULL) {
        const char *slash = strrchr(path, '/');
        const char *name = slash ? slash + 1 : path;
        if (is_other(name) && !lies_in(path, folder))
            list = list_with(list, name);
    }
    free(lines);
    return list;
}

char *tool_other_libraries(const char *path, const char *opened,
                           const char *folder) {
    struct elf elf;
    char *list = NULL, *driver = NULL;
    bool has_driver = asprintf(&driver, "%s/driver/libcuda.so.1", folder) > 0 &&
                      access(driver, R_OK) == 0;
    free(driver);
    if (map_elf(path, &elf)) {
        for (size_t k = 0; k < N_OTHERS; k++) {
            size_t at = 0;
            /* The program finds ours, of these two, if they are installed. */
            if (!strcmp(others[k], "libcudart") ||
                (has_driver && !strcmp(others[k], "libcuda.")))
                continue;
            for (const char *name; (name = needed(&elf, others[k], &at));)
                list = list_with(list, name);
        }
        unmap_elf(&elf);
    }
    return list_opened(list, opened, folder);
}

bool tool_has_allocator(const char *path) {
    static const char *const prefixes[] = {"libasan",     "libtsan",
                                           "libjemalloc", "libtcmalloc",
                                           "libmimalloc", "libhwasan"};
    struct elf elf;
    bool has = false;
    if (!map_elf(path, &elf)) return false;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        size_t at = 0;
        has |= needed(&elf, prefixes[k], &at) != NULL;
    }
    unmap_elf(&elf);
    return has;
}

static bool is_file(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static char *search_path(const char *name) {
    const char *variable = getenv("PATH");
    char *list = strdup(variable ? variable : "/bin:/usr/bin");
    char *rest = list, *folder, *found = NULL;
    while (list && !found && (folder = strsep(&rest, ":")) != NULL) {
        if (asprintf(&found, "%s/%s", *folder ? folder : ".", name) < 0)
            found = NULL;
        if (found && (!is_file(found) || access(found, X_OK) != 0)) {
            free(found);
            found = NULL;
        }
    }
    free(list);
    return found;
}

char *tool_find_program(const char *name) {
    char *path = strchr(name, '/') ? strdup(name) : search_path(name);
    struct stat s;
    if (!path) {
        tool_say("%s: no such program on PATH%s%s%s", name,
                 is_file(name) ? " (did you mean ./" : "",
                 is_file(name) ? name : "", is_file(name) ? "?)" : "");
        return NULL;
    }
    if (stat(path, &s) != 0)
        tool_say("%s: %s", path, strerror(errno));
    else if (!S_ISREG(s.st_mode))
        tool_say("%s is not a file", path);
    else if (access(path, X_OK) != 0)
        tool_say("%s is not executable", path);
    else if (check_file(path))
        return path;
    free(path);
    return NULL;
}

char *tool_client_folder(void) {
    char self[PATH_MAX], *folder = NULL;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = 0;
        *strrchr(self, '/') = 0;
        if (asprintf(&folder, "%s/../lib/vgpu", self) < 0) folder = NULL;
    }
    for (size_t i = 0; folder && i < N_RUNTIMES; i++) {
        char *library = NULL;
        if (asprintf(&library, "%s/%s", folder, our_runtimes[i]) >= 0 &&
            access(library, R_OK) != 0) {
            tool_say("%s is missing; build or install it beside this tool",
                     library);
            free(folder);
            folder = NULL;
        }
        free(library);
    }
    return folder;
}
