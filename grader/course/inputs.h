/* SPDX-License-Identifier: MIT
 *
 * inputs.h: the numbers a case scans. Same kind, seed and n: same numbers, on
 * every machine; a longer input begins with the shorter one.
 *
 * Seeds: element i of a seed is splitmix64's output at counter i (Steele, Lea,
 * Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014), so
 * that nothing is kept between elements. inputs_seed derives one seed from
 * another and a label; the judge derives the seed of a case from the grade's
 * seed that way.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum input_kind {
#define X(name, fill, text) INPUT_##name,
#include "inputs.def"
#undef X
    N_INPUTS
};

int inputs_by_name(const char *name); /* -1: none */
const char *inputs_name(int kind);
const char *inputs_text(int kind); /* "any 32-bit value, equally likely" */

/* Fills out[0..n). kind is a row of inputs.def. */
void inputs_fill(int kind, uint64_t seed, int32_t *out, size_t n);

/* A seed for one purpose: mixes seed, label ("naive/any-size") and index
 * (repeat, size, ...). */
uint64_t inputs_seed(uint64_t seed, const char *label, uint64_t index);

/* One number: splitmix64 of (seed, i). */
uint64_t inputs_mix(uint64_t seed, uint64_t i);
