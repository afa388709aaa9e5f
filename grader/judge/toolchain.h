/* SPDX-License-Identifier: MIT
 *
 * toolchain.h: where the compilers are.
 */
#pragma once

/* The path of a program in PATH, NULL: not there. */
char *toolchain_in_path(const char *name);

/* The path of nvcc: $SCANLAB_NVCC, <build_folder>/nvcc-path, PATH,
 * $CUDA_HOME/bin, /usr/local/cuda/bin. NULL: none. */
char *toolchain_nvcc(const char *build_folder);
