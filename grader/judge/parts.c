/* SPDX-License-Identifier: MIT
 *
 * parts.c: see parts.h.
 */
#include "parts.h"

#include <stdint.h>

/* As parameters.def names them. */
enum { CUT_EVEN, CUT_UNEVEN, CUT_GAPS, CUT_ONES };

bool parts_has(int signature) {
    return signature_takes(signature, PARAMETER_devices);
}

size_t parts_count(int signature, const struct parameters *p) {
    if (!parts_has(signature)) return 1;
    int devices = p->value[PARAMETER_devices];
    return devices < 1            ? 1
           : devices > WIRE_PARTS ? WIRE_PARTS
                                  : (size_t)devices;
}

/* Parts that differ, as the weights 1 to 7 in an order that n decides. */
static size_t weight(size_t n, size_t part) {
    uint64_t x = (uint64_t)(n + 1) * 0x9e3779b97f4a7c15u;
    return 1 + (size_t)((x >> (8 + 7 * part)) % 7);
}

static size_t weight_under(int cut, size_t n, size_t devices, size_t part) {
    switch (cut) {
    case CUT_UNEVEN: return weight(n, part);
    case CUT_GAPS: return part % 2 == (devices - 1) % 2;
    case CUT_ONES: return part == devices - 1;
    default: return 1;
    }
}

/* In proportion to the weights; `ones` gives an element to each part before. */
void parts_cut(size_t n, size_t devices, int cut, size_t lengths[WIRE_PARTS]) {
    size_t all = 0, before = 0, from = 0, given = 0;
    for (size_t p = 0; p < devices; p++) {
        lengths[p] = cut == CUT_ONES && p + 1 < devices && given < n;
        given += lengths[p];
        all += weight_under(cut, n, devices, p);
    }
    for (size_t p = 0; p < devices; p++) {
        before += weight_under(cut, n, devices, p);
        size_t to =
            (n - given) / all * before + (n - given) % all * before / all;
        lengths[p] += to - from;
        from = to;
    }
}
