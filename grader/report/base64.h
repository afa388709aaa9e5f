/* SPDX-License-Identifier: MIT
 *
 * base64.h: bytes as letters (RFC 4648), for hashes and pictures in a text.
 */
#pragma once

#include "text.h"

void base64_add(struct text *, const void *bytes, size_t size);
