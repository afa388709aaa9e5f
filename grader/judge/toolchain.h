/* SPDX-License-Identifier: MIT
 *
 * toolchain.h: where programs are; see also compile_find_nvcc.
 */
#ifndef SCANLAB_TOOLCHAIN_H
#define SCANLAB_TOOLCHAIN_H

/* The path of a program in PATH, NULL: not there. */
char *toolchain_in_path(const char *name);

#endif
