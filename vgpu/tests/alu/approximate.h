/* SPDX-License-Identifier: MIT
 *
 * approximate.h: what PTX ISA promises of approximate functions
 * (approximate.def), and how far an answer is from the right value: libm's in
 * long double.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum approximate_measure { ULP, RELATIVE, ABSOLUTE };

struct promise {
    const char *form;
    long double (*function)(long double);
    enum approximate_measure measure;
    double bound;
    const char *text;
    double low, high;
};
extern const struct promise promises[];
extern const unsigned n_promises;

/* Of the form's format, in the low bits; infinities and NaN are numbers or
 * infinite here, no format needs them. */
long double approximate_value(const char *form, uint64_t bits);
/* div: the promise is about the second operand. */
bool promise_is_of_quotient(const struct promise *);

struct distance {
    long double ulp, measured; /* in the promise's measure */
};
/* Of an answer for in[0] (and in[1]); false: the promise says nothing of this
 * operand, or the right value is no normal number of the format. */
bool promise_distance(const struct promise *, const uint64_t in[2],
                      uint64_t answer, struct distance *);
