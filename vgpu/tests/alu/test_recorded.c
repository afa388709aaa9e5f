/* SPDX-License-Identifier: MIT
 *
 * test_recorded.c: an H200's answers of approximate functions (on_gpu.c made
 * h200_approximate.txt) beside the promises and beside the virtual GPU's. A
 * table in vgpu/docs/semantics.md is what comes out.
 *
 *   alu_recorded_test [table]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approximate.h"
#include "trial.h"
#include "documented.h"

enum { KEPT = 64, MOST_FORMS = 64, OPERANDS = KEPT * TRIAL_ROUNDS };

struct recorded {
    char form[48];
    const struct alu_row *row;
    unsigned operands, differ; /* of all, not only those that were kept */
    unsigned long long furthest;
    uint64_t in[OPERANDS][2], ours[OPERANDS], theirs[OPERANDS];
};
static struct recorded recorded[MOST_FORMS];
static unsigned n_recorded;

static bool read_form(FILE *f, struct recorded *r, struct trial *t) {
    r->row = alu_find(alu_tables_select(-1), r->form);
    if (!r->row) return false;
    uint64_t seed = trial_seed(r->form);
    for (unsigned round = 0; round < TRIAL_ROUNDS; round++) {
        trial_fill(t, r->row, &seed);
        trial_run(t, r->row);
        for (unsigned i = 0; i < KEPT; i++) {
            unsigned k = round * KEPT + i;
            unsigned long long answer;
            if (fscanf(f, "%llx", &answer) != 1) return false;
            r->theirs[k] = answer;
            r->ours[k] = t->got[0][i];
            r->in[k][0] = t->in[0][i];
            r->in[k][1] = t->n_in > 1 ? t->in[1][i] : t->in[0][i];
        }
    }
    return true;
}

static int read_all(void **state) {
    (void)state;
    FILE *f = fopen(ALU_APPROXIMATE, "r");
    struct trial *t = calloc(1, sizeof *t);
    int c, result = f && t ? 0 : -1;
    while (!result && (c = fgetc(f)) != EOF) {
        if (c == '#') {
            while (c != '\n' && c != EOF) c = fgetc(f);
            continue;
        }
        ungetc(c, f);
        struct recorded *r = &recorded[n_recorded];
        if (n_recorded == MOST_FORMS ||
            fscanf(f, "%47s %u %u %llu", r->form, &r->operands, &r->differ,
                   &r->furthest) != 4 ||
            !read_form(f, r, t))
            result = -1;
        n_recorded++;
        if (fgetc(f) != '\n') result = -1;
    }
    if (f) fclose(f);
    free(t);
    return result;
}

/* ---- one answer, or one of the two in a register ---- */

static unsigned width(const char *form) {
    return strstr(form, "f64") ? 64 : strstr(form, "f16") ? 16 : 32;
}

static unsigned parts(const char *form) {
    return strstr(form, "f16x2") ? 2 : 1;
}

static uint64_t part(uint64_t bits, const char *form, unsigned which) {
    unsigned w = width(form);
    return w == 64 ? bits : bits >> (w * which) & ((1ull << w) - 1);
}

static bool is_special(const char *form, uint64_t bits, bool zeros) {
    unsigned w = width(form);
    unsigned fraction = w == 64              ? 52
                        : w == 32            ? 23
                        : strstr(form, "bf") ? 7
                                             : 10;
    uint64_t magnitude = bits & ((1ull << (w - 1)) - 1);
    uint64_t infinity = (1ull << (w - 1)) - (1ull << fraction);
    return magnitude >= infinity || (zeros && !magnitude);
}

/* Where the two must agree bit for bit: zeros, infinities, NaN. */
static bool must_agree(const struct recorded *r, unsigned k, unsigned which) {
    bool any = is_special(r->form, part(r->theirs[k], r->form, which), false) ||
               is_special(r->form, part(r->ours[k], r->form, which), false);
    for (unsigned o = 0; o < 2; o++)
        any |= is_special(r->form, part(r->in[k][o], r->form, which), true);
    return any;
}

/* ---- beside the promises ---- */

struct summary {
    unsigned answers, differ;
    long double measured; /* at most */
};

static const struct recorded *answers_of(const struct promise *p) {
    for (unsigned k = 0; k < n_recorded; k++)
        if (!strcmp(recorded[k].form, p->form)) return &recorded[k];
    return NULL;
}

static struct summary summary_of(const struct promise *p) {
    const struct recorded *r = answers_of(p);
    struct summary s = {.answers = 0};
    assert_non_null(r);
    for (unsigned k = 0; k < OPERANDS; k++)
        for (unsigned which = 0; which < parts(p->form); which++) {
            const uint64_t in[] = {part(r->in[k][0], p->form, which),
                                   part(r->in[k][1], p->form, which)};
            uint64_t theirs = part(r->theirs[k], p->form, which);
            struct distance d;
            if (!promise_distance(p, in, theirs, &d)) continue;
            s.answers++;
            s.differ += theirs != part(r->ours[k], p->form, which);
            if (!(d.measured <= s.measured)) s.measured = d.measured;
        }
    return s;
}

static void table_line(const struct promise *p, char line[256]) {
    const struct recorded *r = answers_of(p);
    struct summary s = summary_of(p);
    snprintf(line, 256, "| `%s` | %u | %.4Lg to %.4Lg | %u of %u | %.3g | %s |",
             p->form, r->differ, (long double)p->low, (long double)p->high,
             s.differ, s.answers, (double)s.measured, p->text);
}

/* ---- tests ---- */

TEST(special_values_agree) {
    unsigned wrong = 0, seen = 0;
    for (unsigned j = 0; j < n_recorded; j++)
        for (unsigned k = 0; k < OPERANDS; k++)
            for (unsigned which = 0; which < parts(recorded[j].form); which++) {
                const struct recorded *r = &recorded[j];
                if (!must_agree(r, k, which)) continue;
                seen++;
                if (part(r->ours[k], r->form, which) ==
                    part(r->theirs[k], r->form, which))
                    continue;
                print_error("%s of %#llx, %#llx: %#llx, H200 %#llx\n", r->form,
                            (unsigned long long)r->in[k][0],
                            (unsigned long long)r->in[k][1],
                            (unsigned long long)r->ours[k],
                            (unsigned long long)r->theirs[k]);
                wrong++;
            }
    assert_int_equal(wrong, 0);
    assert_true(seen > 1000);
}

TEST(the_hardware_keeps_the_promises) {
    for (unsigned k = 0; k < n_promises; k++) {
        const struct promise *p = &promises[k];
        struct summary s = summary_of(p);
        if (s.answers && s.measured <= p->bound) continue;
        print_error("%s (%s): %Lg, %u answers\n", p->form, p->text, s.measured,
                    s.answers);
        fail();
    }
}

/* Nothing is promised of f64: one unit of what the form gives. */
TEST(doubles_are_near) {
    unsigned seen = 0;
    for (unsigned j = 0; j < n_recorded; j++) {
        const struct recorded *r = &recorded[j];
        uint64_t one = strstr(r->form, "ftz") ? 1ull << 32 : 1;
        if (!strstr(r->form, "f64")) continue;
        for (unsigned k = 0; k < OPERANDS; k++, seen++) {
            uint64_t a = r->ours[k], b = r->theirs[k];
            if ((a > b ? a - b : b - a) > one)
                print_error("%s of %#llx: %#llx, H200 %#llx\n", r->form,
                            (unsigned long long)r->in[k][0],
                            (unsigned long long)a, (unsigned long long)b);
            assert_true((a > b ? a - b : b - a) <= one);
        }
    }
    assert_int_equal(seen, 3 * OPERANDS);
}

TEST(the_table_is_in_the_documentation) {
    char line[256];
    for (unsigned k = 0; k < n_promises; k++) {
        table_line(&promises[k], line);
        assert_documented(line);
    }
}

static int print_table(void) {
    char line[256];
    if (read_all(NULL)) return 2;
    puts(
        "| form | differ, of 4096 | absolute value of the operand | differ "
        "there | H200's largest error | promised |\n|---|---|---|---|---|---|");
    for (unsigned k = 0; k < n_promises; k++) {
        table_line(&promises[k], line);
        puts(line);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "table")) return print_table();
    return UNIT_RUN(read_all, NULL);
}
