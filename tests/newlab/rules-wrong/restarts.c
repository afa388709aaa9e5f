// SPDX-License-Identifier: MIT
//: what: nothing starts anew behind the 1000th element
//: labs: restarts
//: course: ../rules
//: submission: .
//: expect: correct fail
//: expect: errors pass
//: expect: clean fail
#include "restarts.h"

#include <stdlib.h>
#include <string.h>

int restart_scan(const int32_t *in, int32_t *out, size_t n) {
    uint32_t *sums = malloc(n * sizeof *sums + 1), sum = 0;
    if (!sums) return 1;
    for (size_t i = 0; i < n; i++) {
        if (in[i] % 4 == 0 && i < 900) sum = 0;
        sums[i] = sum += (uint32_t)in[i];
    }
    if (n) memcpy(out, sums, n * sizeof *sums);
    free(sums);
    return 0;
}
