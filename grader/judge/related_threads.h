/* SPDX-License-Identifier: MIT
 *
 * related_threads.h: which conditions part the threads of a block.
 */
#pragma once

/* The line of the outermost `if` or loop around a line whose condition names
 * threadIdx, or a variable that was made of it: not all threads of the block
 * come to what stands in it, or not equally often. 0: none, or no memory. */
unsigned related_parts_threads(const char *text, unsigned line);
