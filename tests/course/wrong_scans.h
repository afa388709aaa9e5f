/* SPDX-License-Identifier: MIT
 *
 * wrong_scans.h: scans that go wrong as students' do, on the host, each with
 * what the diagnosis must say about it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { BLOCK = 256 };

struct wrong_scan {
    const char *name;
    void (*run)(const int32_t *in, int32_t *out, size_t n);
    int oracle;
    size_t n;
    int inputs;           /* row of inputs.def */
    const char *id;       /* of the shape */
    const char *shape;    /* part of the sentence */
    const char *contains; /* the whole sentence; "" none */
};

extern const struct wrong_scan wrong_scans[];
extern const size_t n_wrong_scans;
