/* SPDX-License-Identifier: MIT
 *
 * junit.c: the XML that JUnit's reports have and that CI servers read. A lab is
 * a suite, a check a case. What is not written yet is a failure, too: its type
 * says "todo".
 */
#include <stdlib.h>

#include "feedback.h"
#include "formats.h"

/* As content or as a value of an attribute. */
static void junit_put(FILE *stream, const char *text) {
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", stream); break;
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '"': fputs("&quot;", stream); break;
        default: fputc(*text, stream);
        }
}

static void element(FILE *stream, const char *name, const struct text *text) {
    if (!text->size) return;
    fprintf(stream, "    <%s>", name);
    junit_put(stream, text_string(text));
    fprintf(stream, "</%s>\n", name);
}

static void failure(FILE *stream, const struct grade *grade,
                    const struct lab_result *lab,
                    const struct check_result *r) {
    char *sentence = feedback_sentence(r);
    struct text said = {0};
    feedback_check(&said, grade, lab, r);
    bool skipped = r->status == STATUS_SKIP;
    fprintf(stream, ">\n      <%s message=\"", skipped ? "skipped" : "failure");
    if (sentence) junit_put(stream, sentence);
    if (skipped) {
        fputs("\"/>\n    </testcase>\n", stream);
    } else {
        fprintf(stream, "\" type=\"%s\">",
                check_is_todo(r) ? "todo" : check_kind_name(r->check->kind));
        junit_put(stream, text_string(&said));
        fputs("</failure>\n    </testcase>\n", stream);
    }
    free(sentence);
    text_free(&said);
}

static void test_case(FILE *stream, const struct grade *grade,
                      const struct lab_result *lab,
                      const struct check_result *r) {
    fprintf(stream, "    <testcase name=\"%s: ", r->check->id);
    junit_put(stream, r->check->title);
    fprintf(stream, "\" classname=\"scanlab.%s\" time=\"%.3f\"", lab->lab->id,
            r->seconds);
    if (r->status == STATUS_PASS)
        fputs("/>\n", stream);
    else
        failure(stream, grade, lab, r);
}

static size_t count(const struct lab_result *lab, enum check_status status) {
    size_t n = 0;
    for (size_t i = 0; i < lab->n_checks; i++)
        n += lab->checks[i].status == status;
    return n;
}

static void suite(FILE *stream, const struct grade *grade,
                  const struct lab_result *lab) {
    double seconds = 0;
    struct text said = {0};
    for (size_t i = 0; i < lab->n_checks; i++)
        seconds += lab->checks[i].seconds;
    fprintf(stream,
            "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" "
            "errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n"
            "    <properties>\n"
            "      <property name=\"score\" value=\"%d\"/>\n"
            "      <property name=\"max_score\" value=\"%d\"/>\n"
            "    </properties>\n",
            lab->lab->id, lab->n_checks, count(lab, STATUS_FAIL),
            count(lab, STATUS_SKIP), seconds, lab->score, lab->max_score);
    for (size_t i = 0; i < lab->n_checks; i++)
        test_case(stream, grade, lab, &lab->checks[i]);
    feedback_lab(&said, lab);
    element(stream, "system-out", &said);
    text_free(&said);
    fputs("  </testsuite>\n", stream);
}

bool write_junit(FILE *stream, const struct grade *grade,
                 const struct report_options *options) {
    size_t tests = 0, failures = 0, skipped = 0;
    (void)options;
    for (size_t i = 0; i < grade->n_labs; i++) {
        tests += grade->labs[i].n_checks;
        failures += count(&grade->labs[i], STATUS_FAIL);
        skipped += count(&grade->labs[i], STATUS_SKIP);
    }
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"scanlab\" tests=\"%zu\" failures=\"%zu\" "
            "errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n",
            tests, failures, skipped, grade->seconds);
    for (size_t i = 0; i < grade->n_labs; i++)
        suite(stream, grade, &grade->labs[i]);
    fputs("</testsuites>\n", stream);
    return true;
}
