/* SPDX-License-Identifier: MIT
 *
 * print.h: what the two files of the printer share.
 */
#pragma once

#include "ptx.h"

struct ptx_printer {
    FILE *out;
    const struct ptx_module *module;
    const char **files; /* distinct, .file number - 1 */
    size_t n_files;
    const char **functions; /* distinct names of inlined functions, sorted */
    size_t n_functions;
};

void ptx_print_head(struct ptx_printer *, const struct ptx_function *);
void ptx_print_body(struct ptx_printer *, const struct ptx_function *);
void ptx_print_variable(struct ptx_printer *, const struct ptx_variable *);
/* "(a, b)" without initialisers */
void ptx_print_params(struct ptx_printer *, const struct ptx_variable *,
                      uint32_t n);
/* Index of text in the sorted list. */
size_t ptx_print_function_index(const struct ptx_printer *, const char *text);
