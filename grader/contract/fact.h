/* SPDX-License-Identifier: MIT
 *
 * fact.h: one thing that a grade says, as an id and values; never as text. The
 * code that finds something out makes a fact; fact_words.h makes its sentence.
 *
 *   fact = FACT(RESTARTS_EVERY, {V(block)});
 *
 * A text is copied; it may come from a submission and hold any bytes but NUL.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum fact_row {
#define X(NAME, id, sentence, cause) FACT_##NAME,
#include "facts.def"
#undef X
    N_FACTS
};

enum value_type { VALUE_UNSIGNED, VALUE_SIGNED, VALUE_REAL, VALUE_TEXT };

struct value {
    enum value_type type;
    union {
        uint64_t u;
        int64_t i;
        double real;
        const char *text; /* in a fact: its own; NULL without memory */
    };
};

enum { FACT_VALUES = 8 };

struct fact {
    enum fact_row row; /* 0, FACT_NONE: nothing */
    struct value values[FACT_VALUES];
};

#define FACT(...) fact_keep((struct fact){.row = FACT_##__VA_ARGS__})

struct fact fact_keep(struct fact); /* with texts of its own */
void fact_free(struct fact *);
const char *fact_id(enum fact_row); /* "restarts-every-block" */

/* ---- values from C's types ---- */

static inline struct value value_unsigned(uint64_t u) {
    return (struct value){.type = VALUE_UNSIGNED, .u = u};
}

static inline struct value value_signed(int64_t i) {
    return (struct value){.type = VALUE_SIGNED, .i = i};
}

static inline struct value value_real(double real) {
    return (struct value){.type = VALUE_REAL, .real = real};
}

static inline struct value value_text(const char *text) {
    return (struct value){.type = VALUE_TEXT, .text = text};
}

#define V(x)                                                                   \
    _Generic((x), char *                                                       \
             : value_text, const char *                                        \
             : value_text, double                                              \
             : value_real, int                                                 \
             : value_signed, long                                              \
             : value_signed, long long                                         \
             : value_signed, default                                           \
             : value_unsigned)(x)
