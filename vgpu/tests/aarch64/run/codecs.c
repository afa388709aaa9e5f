/* SPDX-License-Identifier: MIT
 *
 * codecs.c: in place of LZ4 and zstd, which unpack what nvcc has packed: the
 * clock's tests give PTX as text (run.sh). Whoever comes here is stopped.
 */
#include <stdio.h>
#include <stdlib.h>

#define STOPS(name)                                                            \
    int name(void);                                                            \
    int name(void) {                                                           \
        fprintf(stderr, #name ": packed PTX, under emulation\n");              \
        abort();                                                               \
    }
STOPS(LZ4_decompress_safe)
STOPS(ZSTD_decompress)
STOPS(ZSTD_isError)
