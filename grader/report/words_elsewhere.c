/* SPDX-License-Identifier: MIT
 *
 * words_elsewhere.c: see words.h. The right value of the first wrong output
 * stood beside the one that was taken.
 */
#include "words.h"

#include "steps_parts.h"
#include "translate.h"

static const struct steps_elsewhere *elsewhere_of(const struct outcome *o) {
    return o->steps && o->steps->elsewhere.is_known ? &o->steps->elsewhere
                                                    : NULL;
}

bool words_elsewhere(struct text *t, const struct outcome *o) {
    const struct steps_elsewhere *e = elsewhere_of(o);
    if (!e) return false;
    text_add(t,
             _("A word is read elsewhere than it was stored: what out[%zu] is "
               "to be stands in "),
             e->cell);
    steps_add_cell(t, o->steps, e->right);
    text_add(t, "%s", _(", but "));
    steps_add_cell(t, o->steps, e->taken);
    text_add(t, "%s", _(" is read for it."));
    return true;
}

/* "A number is not the right one" says less than which word it leads to. */
void words_elsewhere_too(struct text *t, const struct outcome *o) {
    bool vague = o->repair && (o->repair->said.row == FACT_REPAIR_NUMBER ||
                               o->repair->said.row == FACT_REPAIR_CONSTANT);
    if (!vague || !elsewhere_of(o)) return;
    text_add(t, " ");
    words_elsewhere(t, o);
}
