/* SPDX-License-Identifier: MIT
 *
 * compile.h: from a submission's source files to shared libraries, one per lab,
 * kept in a cache (cache.h), so that what has not changed is not compiled
 * again. Compilers run inside walls (walled.h), on copies.
 *
 * CUDA code is built as PTX for compute capability 7.5 with the shared CUDA
 * runtime, so that the same library runs on the virtual GPU and on a real one
 * (or for another one: `--arch`, for sources that have more than one way);
 * with code for the real one beside it when its capability is given.
 *
 * A build sees the sources of other labs only if it fails without them. So an
 * edit in one lab does not cause the others to be compiled again.
 */
#pragma once

#include "compile_settings.h"

/* Builds all labs, two at a time. false: set-up error (no compiler, full disk),
 * in error; out is empty then. A source that is missing or does not compile is
 * its lab's error, not one of these. */
bool compile_labs(const struct compile_settings *, struct lab *const *labs,
                  size_t n, struct compiled *out,
                  char error[COMPILE_ERROR_BYTES]);
void compile_free(struct compiled *, size_t n);
