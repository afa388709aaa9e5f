/* SPDX-License-Identifier: MIT
 *
 * toolchain.h: where the compilers are.
 */
#pragma once

#include "lab.h"

/* The path of a program in PATH, NULL: not there. */
char *toolchain_in_path(const char *name);

/* The path of nvcc: $SCANLAB_NVCC, <build_folder>/nvcc-path (a whole path, or
 * one from build_folder on), PATH,
 * $CUDA_HOME/bin, /usr/local/cuda/bin. NULL: none. */
char *toolchain_nvcc(const char *build_folder);
/* The words by which this nvcc links the runtime as a shared library, NULL
 * behind the last, each to be freed. NVIDIA's wheels have it in lib/ and under
 * its number only, where nvcc looks for lib64/libcudart.so. */
enum { TOOLCHAIN_RUNTIME = 4 };
void toolchain_runtime(const char *nvcc, char *words[TOOLCHAIN_RUNTIME]);
/* The compiler of a lab's language. nvcc without links, which may lead through
 * folders that it cannot see; cc by the name that it was found under, which may
 * tell it what to be. NULL: there is none, and *why says so. */
char *toolchain_compiler(const char *build_folder, enum lab_language,
                         const char **why);
