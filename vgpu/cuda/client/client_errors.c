/* SPDX-License-Identifier: MIT
 *
 * client_errors.c: names and texts of errors, from errors.def. They need no
 * device.
 */
#include "client.h"

static const struct error {
    int value;
    const char *name, *text;
} errors[] = {
#define X(name, value, text) {value, #name, text},
#include "errors.def"
#undef X
};

static const struct error *client_errors_find(int value) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].value == value) return &errors[i];
    return NULL;
}

CUDA_API const char *cudaGetErrorName(int value) {
    const struct error *error = client_errors_find(value);
    return error ? error->name : "unrecognized error code";
}

CUDA_API const char *cudaGetErrorString(int value) {
    const struct error *error = client_errors_find(value);
    return error ? error->text : "unrecognized error code";
}
