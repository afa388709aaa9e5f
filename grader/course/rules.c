/* SPDX-License-Identifier: MIT
 *
 * rules.c: what the rules of a course mean for a check and for a submission.
 */
#include "rules.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const struct lab_rules *rules_of(const struct course_rules *rules,
                                 const struct lab *lab) {
    for (size_t i = 0; i < rules->n_labs; i++)
        if (strcmp(rules->labs[i].id, lab->id) == 0) return &rules->labs[i];
    return NULL;
}

/* ---- time ---- */

bool rules_time(const char *text, int64_t *seconds) {
    struct tm tm = {0};
    int hours = 0, minutes = 0, end = 0;
    char sign = '+';
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M", &tm);
    /* strptime lets fields be short and days be any. */
    if (!rest || rest - text != (int)sizeof "2026-11-30T23:59" - 1)
        return false;
    if (rest[0] == ':') { /* seconds, as learning systems say them */
        if (!isdigit((unsigned char)rest[1]) ||
            !isdigit((unsigned char)rest[2]) || rest[1] > '5')
            return false;
        tm.tm_sec = (rest[1] - '0') * 10 + rest[2] - '0';
        rest += 3;
    }
    struct tm same = tm;
    int64_t at = timegm(&same);
    if (same.tm_mday != tm.tm_mday || same.tm_mon != tm.tm_mon) return false;
    if (strcmp(rest, "Z") != 0) {
        if (sscanf(rest, "%c%2d:%2d%n", &sign, &hours, &minutes, &end) != 3 ||
            end != 6 || rest[end] || !strchr("+-", sign) || hours < 0 ||
            hours > 14 || minutes < 0 || minutes > 59)
            return false;
        int64_t ahead = (hours * 60 + minutes) * 60;
        at += sign == '+' ? -ahead : ahead;
    }
    *seconds = at;
    return true;
}

unsigned rules_lost(const struct course_rules *rules, const struct lab *lab,
                    int64_t submitted_s, int64_t *late_s) {
    const struct lab_rules *own = rules_of(rules, lab);
    const struct late_rules *late = &rules->late;
    *late_s = 0;
    if (!own || !own->due_s || submitted_s <= own->due_s + late->grace_s)
        return 0;
    *late_s = submitted_s - own->due_s;
    if (!late->percent) return 0;
    if (late->until_s && *late_s > late->until_s) return 100;
    int64_t begun = (*late_s + late->each_s - 1) / late->each_s;
    /* Beyond `most` it makes no difference how often. */
    int64_t lost = begun > 100 ? 100 : begun * late->percent;
    return lost > late->most ? late->most : (unsigned)lost;
}

enum visibility rules_shown(const struct course_rules *rules,
                            const struct lab *lab,
                            const struct lab_check *check, int64_t now_s) {
    const struct lab_rules *own = rules_of(rules, lab);
    const struct late_rules *late = &rules->late;
    int64_t open_s =
        late->until_s > late->grace_s ? late->until_s : late->grace_s;
    if (check->visibility == VISIBILITY_AFTER_DEADLINE && own && own->due_s &&
        now_s > own->due_s + open_s)
        return VISIBILITY_VISIBLE;
    return (enum visibility)check->visibility;
}
