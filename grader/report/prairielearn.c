/* SPDX-License-Identifier: MIT
 *
 * prairielearn.c: results.json for PrairieLearn ("External grading", its
 * documentation). Steps of a call are pictures. PrairieLearn takes 1 MB:
 * pictures are left out from where they do not fit, and then words; both say
 * so.
 */
#include <stdlib.h>
#include <string.h>

#include "steps_formats.h"
#include "base64.h"
#include "feedback.h"
#include "formats.h"
#include "json_parts.h"
#include "translate.h"

enum { PICTURES = 600000, WORDS = 850000 }; /* bytes until then */

/* The picture as a URL that holds it; "": there is none. */
static void add_picture(struct text *url, const struct steps_view *steps) {
    char *svg = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&svg, &size);
    if (!stream) return;
    bool good = steps_svg(stream, steps);
    if (fclose(stream) == 0 && good) {
        text_add(url, "data:image/svg+xml;base64,");
        base64_add(url, svg, size);
    }
    free(svg);
}

/* What it takes in JSON: clean text has no other characters to escape. */
static size_t json_bytes(const struct text *t) {
    size_t n = t->size + 2;
    for (size_t i = 0; i < t->size; i++)
        n += strchr("\"\\\n", t->bytes[i]) != 0;
    return n;
}

/* The text, or why it is not there; frees it. */
static json_t *that_fits(struct text *t, size_t *used, size_t most) {
    if (*used + json_bytes(t) > most) {
        text_free(t);
        text_add(t, "%s",
                 _("Words are left out: this report has reached its size."));
    }
    *used += json_bytes(t);
    return feedback_json(t);
}

static json_t *pictures(const struct check_result *r, struct text *said,
                        size_t *used) {
    struct text url = {0};
    json_t *images = json_array();
    if (r->outcome.steps) add_picture(&url, r->outcome.steps);
    if (url.size && *used + url.size > PICTURES) {
        text_add(said, "%s",
                 _("The picture of its steps is left out: this report has "
                   "reached its size.\n"));
    } else if (url.size) {
        *used += url.size;
        json_array_append_new(images, json_pack("{s:s, s:s}", "label",
                                                _("The call, step by step"),
                                                "url", text_string(&url)));
    }
    text_free(&url);
    return images;
}

static json_t *test_object(const struct grade *grade,
                           const struct lab_result *lab,
                           const struct check_result *r, size_t *used) {
    const struct lab_check *check = r->check;
    struct text name = {0}, message = {0}, said = {0};
    char *sentence = feedback_sentence(r);
    text_add(&name, "%s %s: %s", lab->lab->id, check->id, check->title);
    text_add(&message, "%s", sentence ? sentence : "");
    free(sentence);
    feedback_check(&said, grade, lab, r);
    json_t *images = pictures(r, &said, used);
    return json_pack("{s:o, s:s, s:i, s:i, s:o, s:o, s:o}", "name",
                     feedback_json(&name), "description",
                     check_kind_name(check->kind), "points", r->score,
                     "max_points", check->bonus ? 0 : check->points, "message",
                     that_fits(&message, used, WORDS), "output",
                     that_fits(&said, used, WORDS), "images", images);
}

/* A bonus makes up for what is missing, and for no more. */
static double share(const struct grade *grade) {
    double share =
        grade->max_score > 0 ? (double)grade->score / grade->max_score : 0;
    return share > 1 ? 1 : share;
}

bool write_prairielearn(FILE *stream, const struct grade *grade,
                        const struct report_options *options) {
    json_t *tests = json_array();
    struct text head = {0}, said = {0};
    (void)options;
    feedback_head(&head, grade);
    for (size_t i = 0; i < grade->n_labs; i++)
        feedback_lab(&said, &grade->labs[i]);
    size_t used = 0;
    json_t *output = that_fits(&said, &used, WORDS / 2);
    for (size_t i = 0; i < grade->n_labs; i++)
        for (size_t k = 0; k < grade->labs[i].n_checks; k++)
            json_array_append_new(tests, test_object(grade, &grade->labs[i],
                                                     &grade->labs[i].checks[k],
                                                     &used));
    return json_write(stream, json_pack("{s:b, s:f, s:o, s:o, s:o}", "gradable",
                                        1, "score", share(grade), "message",
                                        feedback_json(&head), "output", output,
                                        "tests", tests));
}
