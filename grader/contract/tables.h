/* SPDX-License-Identifier: MIT
 *
 * tables.h: the rows of types.def, parameters.def and signatures.def as
 * numbers. C and CUDA C++: judge, runner and the measuring process share them.
 */
#pragma once

enum element {
#define X(name, type, words) ELEMENT_##name,
#include "types.def"
#undef X
    N_ELEMENTS
};

enum parameter {
#define X(name, least, most, usual, values, text) PARAMETER_##name,
#include "parameters.def"
#undef X
    N_PARAMETERS
};

enum signature {
#define X(name, in, in2, out, out2, takes, types, call, prototype)             \
    SIGNATURE_##name,
#include "signatures.def"
#undef X
    N_SIGNATURES
};
