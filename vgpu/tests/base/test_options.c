/* SPDX-License-Identifier: MIT
 *
 * test_options.c: what a table of options makes of a command line: values,
 * words, messages, --help.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "unit.h"

static struct values {
    bool loud, given;
    unsigned bits;
    uint64_t n;
    const char *file, *colour, *kind;
    int kinds;
} v;

static const char *const colours[] = {"red", "green", NULL};

static bool set_kind(void *to, const char *value, struct text *why) {
    struct values *values = to;
    values->kinds++;
    values->kind = value;
    if (value && strcmp(value, "bad") == 0) text_add(why, "'bad' it is");
    return why->size == 0;
}

static const struct option_row rows[] = {
    {'l', "loud", NULL, "tell more", OPTION_FLAG(&v.loud)},
    {0, "four", NULL, "a bit", OPTION_BITS(&v.bits, 4)},
    {0, "eight", NULL, "another bit", OPTION_BITS(&v.bits, 8)},
    {'n', NULL, "N", "a number", OPTION_NUMBER_GIVEN(&v.n, 2, 90, &v.given)},
    {'f', "file", "FILE",
     "a file whose text of help is so long that it does not fit beside its "
     "name "
     "and goes on below it",
     OPTION_TEXT(&v.file)},
    OPTION_HEADING("More:"),
    {0, "colour", "C", "red or green", OPTION_CHOICE(&v.colour, colours)},
    {0, "kind", "[=KIND]", "of whatever kind", OPTION_CALL(set_kind, &v)}};

static struct option_table table(void) {
    return (struct option_table){.program = "paint",
                                 .command = "wall",
                                 .version = "1.2",
                                 .arguments = "WORD...",
                                 .what = "Paints.",
                                 .rows = rows,
                                 .n_rows = sizeof rows / sizeof *rows,
                                 .most_words = 2};
}

static char said[4096];
static char **words;

/* Reads a command line that is cut at blanks; what it says is in `said`. */
static int reads(const struct option_table *o, const char *line) {
    static char copy[256], *argv[16];
    int argc = 0;
    FILE *error = stderr, *out = stdout, *into;
    v = (struct values){0};
    memset(said, 0, sizeof said);
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    into = fmemopen(said, sizeof said - 1, "w");
    assert_non_null(into);
    stderr = stdout = into;
    int n = options_read(o, argc, argv, &words);
    stderr = error;
    stdout = out;
    fclose(into);
    return n;
}

TEST(values_go_where_the_rows_say) {
    struct option_table o = table();
    assert_int_equal(reads(&o, "wall -l --four --eight -n 7 --file x"), 0);
    assert_true(v.loud && v.given);
    assert_int_equal(v.bits, 12);
    assert_int_equal(v.n, 7);
    assert_string_equal(v.file, "x");
    assert_int_equal(reads(&o, "wall --file=-n -ln0x10 --colour=green"), 0);
    assert_string_equal(v.file, "-n");
    assert_int_equal(v.n, 16);
    assert_true(v.loud);
    assert_ptr_equal(v.colour, colours[1]);
    assert_int_equal(reads(&o, "wall --kind --kind=x"), 0);
    assert_int_equal(v.kinds, 2);
    assert_string_equal(v.kind, "x");
    assert_int_equal(reads(&o, "wall --kind x"), 1);
    assert_null(v.kind);
    assert_string_equal(said, "");
}

TEST(words_may_stand_anywhere) {
    struct option_table o = table();
    assert_int_equal(reads(&o, "wall a -l b"), 2);
    assert_string_equal(words[0], "a");
    assert_string_equal(words[1], "b");
    assert_true(v.loud);
    assert_int_equal(reads(&o, "wall -- -l"), 1);
    assert_string_equal(words[0], "-l");
    assert_false(v.loud);
    o.stops_at_word = true;
    assert_int_equal(reads(&o, "wall a -l"), 2);
    assert_string_equal(words[1], "-l");
    assert_false(v.loud);
}

static void is_refused(const char *line, const char *message) {
    struct option_table o = table();
    o.least_words = strstr(line, "few") ? 5 : 0;
    assert_int_equal(reads(&o, line), OPTIONS_WRONG);
    if (strncmp(said, message, strlen(message)) != 0)
        fail_msg("%s: '%s', not '%s'", line, said, message);
    assert_non_null(strstr(said, "\nsee: paint wall --help\n"));
}

TEST(what_is_to_be_given_once_is_refused_twice) {
    const struct option_row once[] = {
        {'f', "file", "FILE", "a file", OPTION_ONCE(OPTION_TEXT(&v.file))},
        {0, "colour", "C", "red or green",
         OPTION_ONCE(OPTION_CHOICE(&v.colour, colours))}};
    struct option_table o = table();
    o.rows = once;
    o.n_rows = 2;
    assert_true(reads(&o, "wall --colour red --colour green word") < 0);
    assert_non_null(strstr(said, "--colour: it is given a second time"));
    assert_int_equal(reads(&o, "wall -f a word"), 1);
    assert_string_equal(v.file, "a");
    assert_true(reads(&o, "wall -f a --file=b word") < 0);
    assert_non_null(strstr(said, "--file: it is given a second time"));
}

TEST(wrong_usage_is_one_message) {
    is_refused("wall --frob", "paint: --frob is no option of 'paint wall'\n");
    is_refused("wall --frob=3", "paint: --frob is no option of 'paint wall'\n");
    is_refused("wall -x", "paint: -x is no option of 'paint wall'\n");
    is_refused("wall -lx", "paint: -x is no option of 'paint wall'\n");
    is_refused("wall -n", "paint: -n needs an argument: N\n");
    is_refused("wall --file", "paint: --file needs an argument: FILE\n");
    is_refused("wall --loud=3", "paint: --loud takes no argument\n");
    is_refused("wall --file=", "paint: --file: it is empty\n");
    is_refused("wall --kind=bad", "paint: --kind: 'bad' it is\n");
    is_refused("wall --colour gren",
               "paint: --colour: 'gren' is none of red, green "
               "(did you mean 'green'?)\n");
    is_refused("wall a b c", "paint: 'c' is one argument too many\n"
                             "usage: paint wall WORD... [OPTION...]\n");
    is_refused("wall few", "paint: an argument is missing\nusage: ");
}

TEST(numbers_are_whole_and_in_range) {
    static const char *const wrong[] = {"1",
                                        "91",
                                        "x",
                                        "2x",
                                        "-3",
                                        "+3",
                                        "",
                                        "0x",
                                        " 3",
                                        "3.0",
                                        "99999999999999999999"};
    uint64_t number;
    for (size_t i = 1; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(option_number(wrong[i], 90, &number));
    is_refused("wall -n 1", "paint: -n: '1' is not a number from 2 to 90\n");
    assert_true(option_number("010", 90, &number)); /* not octal */
    assert_int_equal(number, 10);
    assert_true(option_number("18446744073709551615", UINT64_MAX, &number));
    assert_true(number == UINT64_MAX);
}

/* A row that is added later must not change what a script says. */
TEST(abbreviations_are_refused) {
    is_refused("wall --lou", "paint: --lou is no option of 'paint wall' (did "
                             "you mean --loud?)\n");
    is_refused("wall --fil x", "paint: --fil is no option of 'paint wall' (did "
                               "you mean --file?)\n");
    is_refused("wall --fil=x", "paint: --fil is no option of 'paint wall' (did "
                               "you mean --file?)\n");
    assert_int_equal(v.n, 0);
}

TEST(help_is_made_from_the_table) {
    struct option_table o = table();
    assert_int_equal(reads(&o, "wall --version"), OPTIONS_DONE);
    assert_string_equal(said, "paint 1.2\n");
    assert_int_equal(reads(&o, "wall -h"), OPTIONS_DONE);
    assert_string_equal(
        said, "usage: paint wall WORD... [OPTION...]\n\n"
              "Paints.\n\n"
              "  -l, --loud         tell more\n"
              "      --four         a bit\n"
              "      --eight        another bit\n"
              "  -n N               a number\n"
              "  -f, --file FILE    a file whose text of help is so long that "
              "it does "
              "not fit\n"
              "                     beside its name and goes on below it\n"
              "\nMore:\n\n"
              "      --colour C     red or green\n"
              "      --kind[=KIND]  of whatever kind\n"
              "\n"
              "  -h, --help         this text\n"
              "      --version      the version\n");
}

UNIT_MAIN(NULL, NULL)
