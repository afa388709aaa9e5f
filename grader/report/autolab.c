/* SPDX-License-Identifier: MIT
 *
 * autolab.c: what Autolab reads from an autograder's output: feedback, and as
 * its last line the scores, {"scores":{"naive":35}}; a problem for each lab,
 * called as the lab is. Autolab puts quotes around a word before a colon before
 * it parses the line, so in there no letter or digit stands before a colon.
 */
#include "feedback.h"
#include "formats.h"

bool write_autolab(FILE *stream, const struct grade *grade,
                   const struct report_options *options) {
    struct text said = {0};
    json_t *scores = json_object();
    (void)options;
    feedback_all(&said, grade);
    for (size_t i = 0; i < grade->n_labs; i++)
        json_object_set_new(scores, grade->labs[i].lab->id,
                            json_integer(grade->labs[i].score));
    json_t *root = json_pack("{s:o}", "scores", scores);
    fprintf(stream, "%s\n", text_string(&said));
    bool good = said.size && root &&
                json_dumpf(root, stream, JSON_COMPACT) == 0 &&
                fputc('\n', stream) != EOF;
    text_free(&said);
    json_decref(root);
    return good;
}
