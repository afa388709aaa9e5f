/* SPDX-License-Identifier: MIT
 *
 * place.h: from addresses in a submission's library to a line of its source.
 */
#ifndef SCANLAB_PLACE_H
#define SCANLAB_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* "cpu_scan.c:31" for the first offset that lies in code of `source` (a base
 * name), inlined code counted to its caller's line there. NULL: none of them
 * does, or addr2line is not installed. */
char *place_find(const char *library, const char *source,
                 const uint64_t *offsets, size_t n);

#endif
