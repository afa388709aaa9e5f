/* SPDX-License-Identifier: MIT */
#include "fact.h"

#include <stdlib.h>
#include <string.h>

static const char *const ids[N_FACTS] = {
#define X(NAME, id, sentence, cause) [FACT_##NAME] = id,
#include "facts.def"
#undef X
};

const char *fact_id(enum fact_row row) {
    return ids[row];
}

struct fact fact_keep(struct fact fact) {
    for (size_t i = 0; i < FACT_VALUES; i++)
        if (fact.values[i].type == VALUE_TEXT && fact.values[i].text)
            fact.values[i].text = strdup(fact.values[i].text);
    return fact;
}

void fact_free(struct fact *fact) {
    for (size_t i = 0; i < FACT_VALUES; i++)
        if (fact->values[i].type == VALUE_TEXT)
            free((char *)fact->values[i].text);
    *fact = (struct fact){0};
}
