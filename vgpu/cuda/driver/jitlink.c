/* SPDX-License-Identifier: MIT
 *
 * jitlink.c: what stands for libnvJitLink in a program under `vgpu`: NVIDIA's
 * makes machine code of PTX, which the virtual GPU cannot run. This one keeps
 * the PTX: its "cubin" is an image for our cuModuleLoadData. It links nothing
 * itself; the device does, when the image is loaded. Of the inputs it takes
 * PTX. There is no nvJitLinkVersion, as in the first versions, which had no
 * optimisation at link time: so numba and cuda.core do not ask for it, and link
 * by cuLinkCreate.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_image.h"

#define JITLINK_API __attribute__((visibility("default")))
#define UNUSED      __attribute__((unused))
/* The names that the toolkit's header gives them. */
#define ALSO_13(name)                                                          \
    JITLINK_API extern __typeof__(name) __##name##_13_0                        \
        __attribute__((alias(#name)))

enum { /* nvJitLinkResult */
       JITLINK_SUCCESS,
       JITLINK_UNRECOGNIZED_OPTION,
       JITLINK_MISSING_ARCH,
       JITLINK_INVALID_INPUT,
       JITLINK_PTX_COMPILE,
       JITLINK_NVVM_COMPILE,
       JITLINK_INTERNAL
};
enum { INPUT_PTX = 2, INPUT_ANY = 10, MOST_TEXTS = 256, MOST_TEXT = 1 << 28 };

struct jitlink {
    size_t n;
    char *texts[MOST_TEXTS];
    size_t bytes[MOST_TEXTS], image_bytes;
    void *image;
    char log[128];
};

JITLINK_API int nvJitLinkCreate(struct jitlink **link, UNUSED uint32_t n,
                                UNUSED const char **options) {
    *link = calloc(1, sizeof **link);
    return *link ? JITLINK_SUCCESS : JITLINK_INTERNAL;
}

JITLINK_API int nvJitLinkDestroy(struct jitlink **link) {
    if (!link || !*link) return JITLINK_INVALID_INPUT;
    for (size_t k = 0; k < (*link)->n; k++) free((*link)->texts[k]);
    free((*link)->image);
    free(*link);
    *link = NULL;
    return JITLINK_SUCCESS;
}

/* Text that begins as PTX does, behind comments and blanks. */
static bool is_ptx(const char *text, size_t bytes) {
    const char *end = text + bytes;
    while (text < end) {
        if (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r') {
            text++;
        } else if (end - text > 1 && text[0] == '/' && text[1] == '/') {
            while (text < end && *text != '\n') text++;
        } else if (end - text > 1 && text[0] == '/' && text[1] == '*') {
            for (text += 2; end - text > 1 && memcmp(text, "*/", 2) != 0;)
                text++;
            text += 2;
        } else {
            return end - text > 8 && memcmp(text, ".version", 8) == 0;
        }
    }
    return false;
}

JITLINK_API int nvJitLinkAddData(struct jitlink *link, int kind,
                                 const void *data, size_t bytes,
                                 const char *name) {
    bool takes = (kind == INPUT_PTX || kind == INPUT_ANY) && data &&
                 bytes < MOST_TEXT && is_ptx(data, bytes);
    if (!takes || link->n == MOST_TEXTS) {
        snprintf(link->log, sizeof link->log,
                 "the virtual GPU links PTX only: %s", name ? name : "?");
        fprintf(stderr, "vgpu: nvJitLinkAddData: %s\n", link->log);
        return JITLINK_INVALID_INPUT;
    }
    char *text = calloc(1, bytes + 1);
    if (!text) return JITLINK_INTERNAL;
    memcpy(text, data, bytes);
    link->texts[link->n] = text;
    link->bytes[link->n++] = strlen(text) + 1;
    return JITLINK_SUCCESS;
}

JITLINK_API int nvJitLinkAddFile(struct jitlink *link, int kind,
                                 const char *name) {
    FILE *file = fopen(name, "rb");
    long bytes = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text =
        bytes < 0 || bytes > MOST_TEXT ? NULL : calloc(1, (size_t)bytes + 1);
    if (file) rewind(file);
    size_t got = text ? fread(text, 1, (size_t)bytes, file) : 0;
    if (file) fclose(file);
    int result = text ? nvJitLinkAddData(link, kind, text, got, name)
                      : (int)JITLINK_INVALID_INPUT;
    free(text);
    return result;
}

JITLINK_API int nvJitLinkComplete(struct jitlink *link) {
    if (!link->n) return JITLINK_INVALID_INPUT;
    free(link->image);
    link->image = driver_link((const char *const *)link->texts, link->bytes,
                              link->n, &link->image_bytes);
    return link->image ? JITLINK_SUCCESS : JITLINK_INTERNAL;
}

JITLINK_API int nvJitLinkGetLinkedCubinSize(struct jitlink *link,
                                            size_t *bytes) {
    if (!link->image) return JITLINK_INVALID_INPUT;
    *bytes = link->image_bytes;
    return JITLINK_SUCCESS;
}
JITLINK_API int nvJitLinkGetLinkedCubin(struct jitlink *link, void *to) {
    if (!link->image) return JITLINK_INVALID_INPUT;
    memcpy(to, link->image, link->image_bytes);
    return JITLINK_SUCCESS;
}

/* PTX as a result is there of one text, which is what it was. */
JITLINK_API int nvJitLinkGetLinkedPtxSize(struct jitlink *link, size_t *bytes) {
    if (!link->image || link->n != 1) return JITLINK_INVALID_INPUT;
    *bytes = link->bytes[0];
    return JITLINK_SUCCESS;
}
JITLINK_API int nvJitLinkGetLinkedPtx(struct jitlink *link, char *to) {
    if (!link->image || link->n != 1) return JITLINK_INVALID_INPUT;
    memcpy(to, link->texts[0], link->bytes[0]);
    return JITLINK_SUCCESS;
}

JITLINK_API int nvJitLinkGetErrorLogSize(struct jitlink *link, size_t *bytes) {
    *bytes = strlen(link->log) + 1;
    return JITLINK_SUCCESS;
}
JITLINK_API int nvJitLinkGetErrorLog(struct jitlink *link, char *to) {
    memcpy(to, link->log, strlen(link->log) + 1);
    return JITLINK_SUCCESS;
}
JITLINK_API int nvJitLinkGetInfoLogSize(UNUSED struct jitlink *link,
                                        size_t *bytes) {
    *bytes = 1;
    return JITLINK_SUCCESS;
}
JITLINK_API int nvJitLinkGetInfoLog(UNUSED struct jitlink *link, char *to) {
    *to = 0;
    return JITLINK_SUCCESS;
}

ALSO_13(nvJitLinkCreate);
ALSO_13(nvJitLinkDestroy);
ALSO_13(nvJitLinkAddData);
ALSO_13(nvJitLinkAddFile);
ALSO_13(nvJitLinkComplete);
ALSO_13(nvJitLinkGetLinkedCubinSize);
ALSO_13(nvJitLinkGetLinkedCubin);
ALSO_13(nvJitLinkGetLinkedPtxSize);
ALSO_13(nvJitLinkGetLinkedPtx);
ALSO_13(nvJitLinkGetErrorLogSize);
ALSO_13(nvJitLinkGetErrorLog);
ALSO_13(nvJitLinkGetInfoLogSize);
ALSO_13(nvJitLinkGetInfoLog);
