/* SPDX-License-Identifier: MIT
 *
 * words_late.c: see words.h. By how much a submission is late.
 */
#include "words.h"

#include "translate.h"

char *words_late(const struct lab_result *lab) {
    const struct lateness *late = &lab->late;
    struct text t = {0};
    long long minutes = (late->late_s + 59) / 60;
    if (!late->late_s) return NULL;
    text_add(&t, _("Handed in "));
    if (minutes >= 24 * 60) text_add(&t, "%lld d ", minutes / (24 * 60));
    if (minutes >= 60) text_add(&t, "%lld h ", minutes / 60 % 24);
    text_add(&t, _("%lld min late"), minutes % 60);
    if (late->percent)
        text_add(&t, _(": %u %% less, that is %d point%s"), late->percent,
                 late->lost, late->lost == 1 ? "" : "s");
    return t.bytes;
}
