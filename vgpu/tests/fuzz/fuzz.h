/* SPDX-License-Identifier: MIT
 *
 * fuzz.h: what a fuzz target is: a function of any bytes that must come back,
 * in bounded time and memory, without a sanitizer's complaint. libFuzzer calls
 * it (CMakeLists.txt says how), or replay.c does with the inputs of corpus/.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
