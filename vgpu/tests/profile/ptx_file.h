/* SPDX-License-Identifier: MIT
 *
 * ptx_file.h: set-up and tear-down of tests that need one file of kernels/:
 * define PTX_FILE before this is included.
 */
#include <stdio.h>
#include <stdlib.h>

static char *ptx;
static size_t ptx_bytes; /* with the NUL */

static int read_ptx(void **state) {
    FILE *f = fopen(KERNELS "/" PTX_FILE, "r");
    (void)state;
    if (!f) return 1;
    ptx = calloc(1, 1 << 18);
    if (ptx) ptx_bytes = fread(ptx, 1, (1 << 18) - 1, f) + 1;
    fclose(f);
    return ptx ? 0 : 1;
}

static int free_ptx(void **state) {
    (void)state;
    free(ptx);
    return 0;
}
