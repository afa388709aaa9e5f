/* SPDX-License-Identifier: MIT
 *
 * driver_module.c: images that a program hands over while it runs (PTX, fatbin,
 * what was linked by driver_linker.c), their kernels and variables.
 *
 * An image becomes what nvcc's output registers before main: containers behind
 * a wrapper (client_images.c). The runtime knows a kernel or a variable by an
 * address: that of our struct for it, which is also the handle.
 */
#include "driver.h"
#include "driver_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WRAPPER_MAGIC = 0x466243B1,
    WRAPPER_LINKED = 2,
    MODULE_MAGIC = 0x444f4d56,
    FUNCTION_MAGIC = 0x4e554656,
    MOST_FILE = 1 << 28
};
struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *more;
};

struct driver_module {
    uint32_t magic;
    void **image; /* the runtime's handle */
    void *bytes;  /* our copy of it */
    struct wrapper wrapper;
    const void **containers; /* of a linked one; ends in NULL */
    struct driver_function *functions;
    struct variable *variables;
};
struct driver_function {
    uint32_t magic;
    struct driver_module *module;
    char *name;
    struct driver_function *next;
};
struct variable {
    char *name;
    void *address;
    size_t bytes;
    struct variable *next;
};

/* ---- images ---- */

static const uint32_t container_magic = CONTAINER_MAGIC;
static const char linked_magic[8] = LINKED_MAGIC;

static bool begins_with(const void *image, const void *magic, size_t n) {
    return memcmp(image, magic, n) == 0;
}

/* How long an ELF file is: its sections are behind all else, or its segments
 * are. */
static size_t elf_bytes(const unsigned char *elf) {
    uint64_t sections, segments;
    uint16_t size, n, segment_size, n_segments;
    memcpy(&segments, elf + 32, 8);
    memcpy(&sections, elf + 40, 8);
    memcpy(&segment_size, elf + 54, 2);
    memcpy(&n_segments, elf + 56, 2);
    memcpy(&size, elf + 58, 2);
    memcpy(&n, elf + 60, 2);
    uint64_t end = sections + (uint64_t)size * n;
    uint64_t other = segments + (uint64_t)segment_size * n_segments;
    return (size_t)(end > other ? end : other);
}

/* Sets the module's bytes and containers. A CUresult. */
static int copy_linked(struct driver_module *m, const struct linked *l) {
    m->bytes = malloc((size_t)l->bytes);
    m->containers = calloc(l->n + 1, sizeof *m->containers);
    if (!m->bytes || !m->containers) return CU_OUT_OF_MEMORY;
    memcpy(m->bytes, l, (size_t)l->bytes);
    const char *at = (const char *)m->bytes + sizeof *l;
    for (uint64_t k = 0; k < l->n; k++) {
        const struct container *c = (const void *)at;
        m->containers[k] = at;
        at += sizeof *c + c->bytes;
    }
    m->wrapper =
        (struct wrapper){WRAPPER_MAGIC, WRAPPER_LINKED, NULL, m->containers};
    return CU_SUCCESS;
}

static int copy_one(struct driver_module *m, const void *image) {
    const struct container *c = image;
    static const char elf[] = "\177ELF";
    size_t bytes;
    if (begins_with(image, &container_magic, sizeof container_magic)) {
        bytes = (size_t)(c->header_bytes + c->bytes);
        m->bytes = malloc(bytes);
        if (m->bytes) memcpy(m->bytes, image, bytes);
    } else {
        bool is_elf = begins_with(image, elf, sizeof elf - 1);
        bytes = is_elf ? elf_bytes(image) : strlen(image) + 1;
        if (bytes > MOST_FILE) return CU_INVALID_IMAGE;
        m->bytes = calloc(1, container_bytes(bytes));
        if (m->bytes)
            container_put(m->bytes, is_elf ? ENTRY_ELF : ENTRY_PTX, image,
                          bytes);
    }
    if (!m->bytes) return CU_OUT_OF_MEMORY;
    m->wrapper = (struct wrapper){WRAPPER_MAGIC, 1, m->bytes, NULL};
    return CU_SUCCESS;
}

static int copy_image(struct driver_module *m, const void *image) {
    static const uint32_t wrapper_magic = WRAPPER_MAGIC;
    if (begins_with(image, &wrapper_magic, sizeof wrapper_magic))
        return copy_one(m, ((const struct wrapper *)image)->data);
    if (begins_with(image, linked_magic, sizeof linked_magic))
        return copy_linked(m, image);
    return copy_one(m, image);
}

static void module_drop(struct driver_module *m) {
    m->magic = 0;
    for (struct driver_function *f = m->functions; f; f = f->next) f->magic = 0;
    free(m->bytes);
    free(m->containers);
    m->bytes = m->containers = NULL; /* its handle is never used again */
}

int driver_load(struct driver_module **module, const void *image) {
    const struct driver_runtime *rt = driver_runtime();
    if (!module || !image) return CU_INVALID_VALUE;
    struct driver_module *m = calloc(1, sizeof *m);
    if (!m) return CU_OUT_OF_MEMORY;
    int error = copy_image(m, image);
    if (!error && !(m->image = rt->registers_image(&m->wrapper)))
        error = CU_OUT_OF_MEMORY;
    if (!error) {
        error = driver_result(rt->table->load(m->image));
        if (error) rt->forgets_image(m->image);
    }
    if (error) {
        module_drop(m);
        free(m);
        return error;
    }
    m->magic = MODULE_MAGIC;
    *module = m;
    return CU_SUCCESS;
}

void driver_options(unsigned n, const int *options, void **values) {
    enum { INFO_LOG = 3, INFO_BYTES, ERROR_LOG, ERROR_BYTES };
    for (unsigned k = 0; options && values && k < n; k++) {
        bool is_log = options[k] == INFO_LOG || options[k] == ERROR_LOG;
        if (is_log && values[k]) *(char *)values[k] = 0;
        if (options[k] == INFO_BYTES || options[k] == ERROR_BYTES)
            values[k] = NULL; /* so many bytes were written */
    }
}

DRIVER_API int cuModuleLoadData(struct driver_module **module,
                                const void *image) {
    int error = driver_enter();
    return error ? error : driver_load(module, image);
}
DRIVER_ALSO(cuModuleLoadFatBinary, cuModuleLoadData);

DRIVER_API int cuModuleLoadDataEx(struct driver_module **module,
                                  const void *image, unsigned n,
                                  const int *options, void **values) {
    driver_options(n, options, values);
    return cuModuleLoadData(module, image);
}

DRIVER_API int cuModuleLoad(struct driver_module **module, const char *name) {
    int error = driver_enter();
    FILE *file = error || !name ? NULL : fopen(name, "rb");
    if (!file) return error ? error : (int)CU_FILE_NOT_FOUND;
    long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *image = bytes < 0 || bytes > MOST_FILE
                      ? NULL
                      : calloc(1, (size_t)bytes + ENTRY_BYTES);
    rewind(file);
    bool is_read =
        image && fread(image, 1, (size_t)bytes, file) == (size_t)bytes;
    fclose(file);
    error = is_read ? driver_load(module, image) : (int)CU_INVALID_IMAGE;
    free(image);
    return error;
}

static int module_check(const struct driver_module *m) {
    return m && m->magic == MODULE_MAGIC ? CU_SUCCESS : CU_INVALID_HANDLE;
}

DRIVER_API int cuModuleUnload(struct driver_module *module) {
    int error = driver_enter();
    const struct driver_runtime *rt = driver_runtime();
    if (!error) error = module_check(module);
    if (error) return error;
    error = driver_result(rt->table->unload(module->image));
    rt->forgets_image(module->image);
    module_drop(module);
    return error;
}

DRIVER_API int cuModuleGetLoadingMode(int *mode) {
    enum { EAGER = 1 };
    if (mode) *mode = EAGER;
    return driver_begin();
}

/* ---- kernels ---- */

const void *driver_function(const void *handle) {
    const struct driver_function *f = handle;
    return f && f->magic == FUNCTION_MAGIC ? f : NULL;
}

static struct driver_function *known(const struct driver_module *m,
                                     const char *name) {
    struct driver_function *f = m->functions;
    while (f && strcmp(f->name, name) != 0) f = f->next;
    return f;
}

/* Registered, and asked for at once: a name that is not there is an error. The
 * name outlives its module: the runtime has it. */
static int make_function(struct driver_module *m, const char *name,
                         struct driver_function **function) {
    const struct driver_runtime *rt = driver_runtime();
    struct rt_attributes ignored;
    struct driver_function *f = calloc(1, sizeof *f);
    if (!f || !(f->name = strdup(name))) {
        free(f);
        return CU_OUT_OF_MEMORY;
    }
    rt->registers_function(m->image, (const char *)f, f->name, f->name, -1,
                           NULL, NULL, NULL, NULL, NULL);
    int error = rt->cudaFuncGetAttributes(&ignored, f);
    enum { NO_SUCH_FUNCTION = 98 };
    if (driver_result(error))
        return error == NO_SUCH_FUNCTION ? (int)CU_NOT_FOUND
                                         : driver_result(error);
    f->magic = FUNCTION_MAGIC;
    f->module = m;
    f->next = m->functions;
    m->functions = f;
    *function = f;
    return CU_SUCCESS;
}

DRIVER_API int cuModuleGetFunction(struct driver_function **function,
                                   struct driver_module *module,
                                   const char *name) {
    int error = driver_enter();
    if (!error) error = module_check(module);
    if (!error && (!function || !name)) error = CU_INVALID_VALUE;
    if (error) return error;
    *function = known(module, name);
    return *function ? CU_SUCCESS : make_function(module, name, function);
}

/* ---- variables ---- */

static int make_variable(struct driver_module *m, const char *name,
                         struct variable **variable) {
    const struct driver_runtime *rt = driver_runtime();
    struct variable *v = calloc(1, sizeof *v);
    if (!v || !(v->name = strdup(name))) {
        free(v);
        return CU_OUT_OF_MEMORY;
    }
    rt->registers_variable(m->image, (char *)v, v->name, v->name, 0, 0, 0, 0);
    int error = driver_result(rt->cudaGetSymbolAddress(&v->address, v));
    if (!error) error = driver_result(rt->cudaGetSymbolSize(&v->bytes, v));
    if (error) return error;
    v->next = m->variables;
    m->variables = v;
    *variable = v;
    return CU_SUCCESS;
}

DRIVER_API int cuModuleGetGlobal_v2(driver_address *address, size_t *bytes,
                                    struct driver_module *module,
                                    const char *name) {
    int error = driver_enter();
    if (!error) error = module_check(module);
    if (!error && !name) error = CU_INVALID_VALUE;
    if (error) return error;
    struct variable *v = module->variables;
    while (v && strcmp(v->name, name) != 0) v = v->next;
    if (!v) error = make_variable(module, name, &v);
    if (error) return error;
    if (address) *address = (driver_address)(uintptr_t)v->address;
    if (bytes) *bytes = v->bytes;
    return CU_SUCCESS;
}

/* ---- libraries: modules by another name ---- */

DRIVER_API int cuLibraryLoadData(struct driver_module **library,
                                 const void *code, const int *options,
                                 void **values, unsigned n,
                                 UNUSED const int *library_options,
                                 UNUSED void **library_values,
                                 UNUSED unsigned n_library) {
    driver_options(n, options, values);
    return cuModuleLoadData(library, code);
}
DRIVER_API int cuLibraryLoadFromFile(struct driver_module **library,
                                     const char *name, const int *options,
                                     void **values, unsigned n,
                                     UNUSED const int *library_options,
                                     UNUSED void **library_values,
                                     UNUSED unsigned n_library) {
    driver_options(n, options, values);
    return cuModuleLoad(library, name);
}
DRIVER_ALSO(cuLibraryUnload, cuModuleUnload);

DRIVER_API int cuLibraryGetKernel(struct driver_function **kernel,
                                  struct driver_module *library,
                                  const char *name) {
    return cuModuleGetFunction(kernel, library, name);
}
DRIVER_API int cuLibraryGetGlobal(driver_address *address, size_t *bytes,
                                  struct driver_module *library,
                                  const char *name) {
    return cuModuleGetGlobal_v2(address, bytes, library, name);
}
DRIVER_API int cuLibraryGetModule(struct driver_module **module,
                                  struct driver_module *library) {
    int error = module_check(library);
    if (!error) *module = library;
    return error;
}

static int function_check(const struct driver_function *f) {
    return driver_function(f) ? CU_SUCCESS : CU_INVALID_HANDLE;
}
DRIVER_API int cuKernelGetFunction(struct driver_function **function,
                                   struct driver_function *kernel) {
    int error = function_check(kernel);
    if (!error) *function = kernel;
    return error;
}
DRIVER_API int cuFuncGetModule(struct driver_module **module,
                               struct driver_function *function) {
    int error = function_check(function);
    if (!error) *module = function->module;
    return error;
}
DRIVER_ALSO(cuKernelGetLibrary, cuFuncGetModule);
DRIVER_API int cuFuncGetName(const char **name,
                             const struct driver_function *function) {
    int error = function_check(function);
    if (!error) *name = function->name;
    return error;
}
DRIVER_ALSO(cuKernelGetName, cuFuncGetName);
DRIVER_API int cuFuncIsLoaded(int *is_loaded,
                              const struct driver_function *function) {
    int error = function_check(function);
    if (!error && is_loaded) *is_loaded = 1;
    return error;
}
DRIVER_API int cuFuncLoad(const struct driver_function *function) {
    return function_check(function);
}
