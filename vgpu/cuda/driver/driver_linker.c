/* SPDX-License-Identifier: MIT
 *
 * driver_linker.c: cuLinkCreate and its like: PTX texts that become one
 * program. What comes out is no machine code but an image that
 * cuModuleLoadData takes; the device links it when it is loaded.
 */
#include "driver.h"
#include "driver_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINK_MAGIC = 0x4b4e4c56, MOST_TEXTS = 256, MOST_TEXT = 1 << 28 };
enum { INPUT_CUBIN, INPUT_PTX };

struct driver_linker {
    uint32_t magic;
    size_t n;
    char *texts[MOST_TEXTS];
    size_t bytes[MOST_TEXTS];
    void *image;
};

DRIVER_API int cuLinkCreate_v2(unsigned n, int *options, void **values,
                               struct driver_linker **linker) {
    int error = driver_enter();
    if (!error && !linker) error = CU_INVALID_VALUE;
    if (error) return error;
    driver_options(n, options, values);
    *linker = calloc(1, sizeof **linker);
    if (!*linker) return CU_OUT_OF_MEMORY;
    (*linker)->magic = LINK_MAGIC;
    return CU_SUCCESS;
}

/* Takes the text, which ends in NUL. */
static int linker_add(struct driver_linker *l, char *text, size_t bytes) {
    if (!text || l->n == MOST_TEXTS) {
        free(text);
        return CU_OUT_OF_MEMORY;
    }
    l->texts[l->n] = text;
    l->bytes[l->n++] = bytes;
    return CU_SUCCESS;
}

DRIVER_API int cuLinkAddData_v2(struct driver_linker *linker, int kind,
                                const void *data, size_t bytes,
                                UNUSED const char *name, UNUSED unsigned n,
                                UNUSED const int *options,
                                UNUSED void **values) {
    if (!linker || linker->magic != LINK_MAGIC) return CU_INVALID_HANDLE;
    if (kind != INPUT_PTX) return driver_refuse(VGPU_CALL_cuLinkAddData_v2);
    if (!data || bytes > MOST_TEXT) return CU_INVALID_VALUE;
    char *text = calloc(1, bytes + 1);
    if (text) memcpy(text, data, bytes);
    return linker_add(linker, text, text ? strlen(text) + 1 : 0);
}

DRIVER_API int cuLinkAddFile_v2(struct driver_linker *linker, int kind,
                                const char *name, UNUSED unsigned n,
                                UNUSED const int *options,
                                UNUSED void **values) {
    if (!linker || linker->magic != LINK_MAGIC) return CU_INVALID_HANDLE;
    if (kind != INPUT_PTX) return driver_refuse(VGPU_CALL_cuLinkAddFile_v2);
    FILE *file = name ? fopen(name, "rb") : NULL;
    if (!file) return CU_FILE_NOT_FOUND;
    long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text =
        bytes < 0 || bytes > MOST_TEXT ? NULL : calloc(1, (size_t)bytes + 1);
    rewind(file);
    size_t got = text ? fread(text, 1, (size_t)bytes, file) : 0;
    fclose(file);
    return linker_add(linker, text, got + 1);
}

DRIVER_API int cuLinkComplete(struct driver_linker *linker, void **image,
                              size_t *bytes) {
    size_t size = 0;
    if (!linker || linker->magic != LINK_MAGIC) return CU_INVALID_HANDLE;
    if (!linker->n || !image) return CU_INVALID_VALUE;
    free(linker->image);
    linker->image = driver_link((const char *const *)linker->texts,
                                linker->bytes, linker->n, &size);
    if (!linker->image) return CU_OUT_OF_MEMORY;
    *image = linker->image;
    if (bytes) *bytes = size;
    return CU_SUCCESS;
}

DRIVER_API int cuLinkDestroy(struct driver_linker *linker) {
    if (!linker || linker->magic != LINK_MAGIC) return CU_INVALID_HANDLE;
    for (size_t k = 0; k < linker->n; k++) free(linker->texts[k]);
    free(linker->image);
    linker->magic = 0;
    free(linker);
    return CU_SUCCESS;
}
