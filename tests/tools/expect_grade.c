/* SPDX-License-Identifier: MIT
 *
 * expect_grade FILE GRADE.json: does the grade say what FILE expects?
 *
 * FILE is a submission, a mutant or a cheat; anywhere in it stand lines like
 *     // expect: <lab>/<check> pass|fail|skip ["message part" [at "where
 * part"]]
 *     // expect-score: <lab> <points>
 *     // expect-build: <lab> "part of the compiler's message"
 * <check> may be *, every check of the lab, of which there must be one.
 * Prints each expectation that does not hold, as file:line; exit 0: all hold,
 * 1: some do not, 2: no expectations, or a file that cannot be read.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 1024, NAME_BYTES = 128, PART_BYTES = 512 };

struct state {
    const char *file;
    unsigned line;
    json_t *labs;
    unsigned expected, failed;
};

static void object(struct state *s, const char *what, const char *got) {
    printf("%s:%u: expected %s, got %s\n", s->file, s->line, what, got);
    s->failed++;
}

static json_t *by_id(json_t *array, const char *id) {
    size_t i;
    json_t *entry;
    json_array_foreach(array, i, entry) {
        const char *name = json_string_value(json_object_get(entry, "id"));
        if (name && strcmp(name, id) == 0) return entry;
    }
    return NULL;
}

static const char *text_of(json_t *object_, const char *key) {
    const char *text = json_string_value(json_object_get(object_, key));
    return text ? text : "";
}

/* Takes a "quoted part" off *at; false when there is none. No escapes. */
static bool quoted(const char **at, char part[PART_BYTES]) {
    const char *open = strchr(*at, '"');
    const char *close = open ? strrchr(open + 1, '"') : NULL;
    const char *next = open ? strstr(open + 1, "\" at \"") : NULL;
    if (next) close = next;
    if (!close || (size_t)(close - open) >= PART_BYTES) return false;
    memcpy(part, open + 1, (size_t)(close - open - 1));
    part[close - open - 1] = '\0';
    *at = close + 1;
    return true;
}

static void compare_check(struct state *s, const json_t *check,
                          const char *status, const char *rest) {
    json_t *c = (json_t *)check;
    const char *got = text_of(c, "status"), *message = text_of(c, "message");
    char part[PART_BYTES], told[2 * PART_BYTES];
    snprintf(told, sizeof told, "%s: %s", text_of(c, "id"), got);
    if (strcmp(got, status) != 0) {
        snprintf(told, sizeof told, "%s %s: %s", text_of(c, "id"), got,
                 message);
        object(s, status, told);
        return;
    }
    if (!quoted(&rest, part)) return;
    if (!strstr(message, part)) object(s, part, message);
    if (quoted(&rest, part) && !strstr(text_of(c, "where"), part))
        object(s, part, text_of(c, "where"));
}

static void expect_check(struct state *s, const char *text) {
    char lab_id[NAME_BYTES], check_id[NAME_BYTES], status[NAME_BYTES];
    int used = 0;
    if (sscanf(text, " %127[^/ ]/%127s %127s%n", lab_id, check_id, status,
               &used) != 3) {
        object(s, "LAB/CHECK STATUS", text);
        return;
    }
    json_t *lab = by_id(s->labs, lab_id);
    json_t *checks = json_object_get(lab, "checks"), *check;
    size_t i;
    bool found = false;
    json_array_foreach(checks, i, check) {
        if (strcmp(check_id, "*") != 0 &&
            strcmp(check_id, text_of(check, "id")) != 0)
            continue;
        found = true;
        compare_check(s, check, status, text + used);
    }
    if (!found) object(s, check_id, "no such check in the grade");
}

static void expect_score(struct state *s, const char *text) {
    char lab_id[NAME_BYTES], told[NAME_BYTES];
    long long score;
    if (sscanf(text, " %127s %lld", lab_id, &score) != 2) {
        object(s, "LAB POINTS", text);
        return;
    }
    json_t *got = json_object_get(by_id(s->labs, lab_id), "score");
    if (json_is_integer(got) && json_integer_value(got) == score) return;
    char wanted[NAME_BYTES];
    snprintf(wanted, sizeof wanted, "score %lld", score);
    snprintf(told, sizeof told, "%lld", (long long)json_integer_value(got));
    object(s, wanted, got ? told : "no such lab in the grade");
}

static void expect_build(struct state *s, const char *text) {
    char lab_id[NAME_BYTES] = "", part[PART_BYTES] = "";
    if (sscanf(text, " %127s", lab_id) != 1 || !quoted(&text, part)) {
        object(s, "LAB \"PART\"", text);
        return;
    }
    const char *got = text_of(by_id(s->labs, lab_id), "build_error");
    if (!*part || !strstr(got, part))
        object(s, part, *got ? got : "no compiler message");
}

static const struct {
    const char *prefix;
    void (*expect)(struct state *, const char *);
} forms[] = {{"// expect:", expect_check},
             {"// expect-score:", expect_score},
             {"// expect-build:", expect_build}};

static void read_line(struct state *s, char *line) {
    line[strcspn(line, "\r\n")] = '\0';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *at = strstr(line, forms[i].prefix);
        if (!at) continue;
        s->expected++;
        unsigned before = s->failed;
        forms[i].expect(s, at + strlen(forms[i].prefix));
        if (s->failed > before) s->failed = before + 1; /* per line */
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fputs("usage: expect_grade FILE GRADE.json\n", stderr);
        return 2;
    }
    json_error_t error;
    json_t *grade = json_load_file(argv[2], 0, &error);
    FILE *file = fopen(argv[1], "r");
    if (!grade || !file) {
        if (!grade)
            fprintf(stderr, "%s:%d: %s\n", argv[2], error.line, error.text);
        else
            perror(argv[1]);
        if (file) fclose(file);
        json_decref(grade);
        return 2;
    }
    struct state s = {argv[1], 0, json_object_get(grade, "labs"), 0, 0};
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, file)) {
        s.line++;
        read_line(&s, line);
    }
    fclose(file);
    json_decref(grade);
    if (s.expected == 0) {
        fprintf(stderr, "%s: no expectations\n", argv[1]);
        return 2;
    }
    printf("%u of %u expectations failed\n", s.failed, s.expected);
    return s.failed ? 1 : 0;
}
