/* SPDX-License-Identifier: MIT
 *
 * replay.h: what hardware answered, held to the virtual GPU.
 *
 * A file of answers: lines that begin with '#' say where they come from; the
 * others are a seed, then of one program after the other k, the digest of its
 * text and the digest of its result (ptx_referee writes a line for each).
 */
#pragma once

#include <stdint.h>

/* 0: all agree; 1: one does not; 2: the file cannot be read. */
int replay(const char *path);
/* Of a program's PTX, so that a change of the generator is told from a change
 * of the virtual GPU. */
uint64_t replay_text_digest(const char *ptx);
