/* SPDX-License-Identifier: MIT
 *
 * lab_state.c: see lab_state.h.
 */
#include "lab_state.h"

#include "translate.h"

static const struct {
    const char *id, *words;
} states[] = {
#define X(state, id, words) {id, words},
#include "lab_states.def"
#undef X
};

const char *lab_state_id(enum lab_state state) {
    return states[state].id;
}

const char *lab_state_words(enum lab_state state) {
    return *states[state].words ? _(states[state].words) : "";
}
