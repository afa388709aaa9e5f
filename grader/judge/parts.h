/* SPDX-License-Identifier: MIT
 *
 * parts.h: an array that lies in parts, one on each of several GPUs: how long
 * each part is. It depends on n, the number of devices and the parameter `cut`
 * alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "signature.h"
#include "wire.h"

/* The arrays of the signature's functions are in parts. */
bool parts_has(int signature);
/* Devices of a call: 1 where the arrays are whole. */
size_t parts_count(int signature, const struct parameters *);
/* lengths[0] to lengths[devices - 1], whose sum is n. */
void parts_cut(size_t n, size_t devices, int cut, size_t lengths[WIRE_PARTS]);
