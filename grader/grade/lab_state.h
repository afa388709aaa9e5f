/* SPDX-License-Identifier: MIT
 *
 * lab_state.h: what became of a lab's source. Where none was handed in there is
 * no mistake to speak of: no list of mistakes and no statistic has it.
 */
#pragma once

enum lab_state {
#define X(state, id, words) LAB_##state,
#include "lab_states.def"
#undef X
    N_LAB_STATES
};

/* "not handed in", as JSON has it. */
const char *lab_state_id(enum lab_state);
/* " was not handed in", in the course's language; "" where it was graded. */
const char *lab_state_words(enum lab_state);
