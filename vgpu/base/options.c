/* SPDX-License-Identifier: MIT
 *
 * options.c: see options.h. getopt_long takes the command line apart; what it
 * found is looked up in the table, set and complained about here.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "nearest.h"

enum { FIRST = 256, MOST_ROWS = 64 };
enum { HELP = MOST_ROWS, VERSION }; /* rows that every program has */

/* ---- messages ---- */

static void print_name(FILE *out, const struct option_table *o) {
    fprintf(out, "%s%s%s", o->program, o->command ? " " : "",
            o->command ? o->command : "");
}

void options_usage(FILE *out, const struct option_table *o) {
    bool has_options = false;
    for (size_t i = 0; i < o->n_rows; i++)
        has_options |= o->rows[i].kind > OPTION_KIND_WORD;
    fputs("usage: ", out);
    print_name(out, o);
    if (has_options && o->stops_at_word) fputs(" [OPTION...]", out);
    if (*o->arguments) fprintf(out, " %s", o->arguments);
    if (has_options && !o->stops_at_word) fputs(" [OPTION...]", out);
    fputc('\n', out);
}

/* What was typed may be a name that somebody else gave a file. */
static void complain_of(const struct option_table *o, const char *words) {
    char *clean = clean_name(words);
    fprintf(stderr, "%s: %s\n", o->program, clean ? clean : "out of memory");
    free(clean);
}

static int wrong_end(const struct option_table *o) {
    fputs("see: ", stderr);
    print_name(stderr, o);
    fputs(" --help\n", stderr);
    return OPTIONS_WRONG;
}

int options_wrong(const struct option_table *o, const char *format, ...) {
    struct text words = {0};
    va_list arguments;
    va_start(arguments, format);
    text_add_list(&words, format, arguments);
    va_end(arguments);
    complain_of(o, words.bytes);
    text_free(&words);
    return wrong_end(o);
}

void option_suggest(struct text *why, const char *typed,
                    const char *const *names) {
    size_t n = 0;
    while (names[n]) n++;
    const char *near = nearest_name(typed, names, n);
    if (near) text_add(why, " (did you mean '%s'?)", near);
}

/* The option that was cut short, or is closest to a mistyped one. */
static const char *near_option(const struct option_table *o, const char *name) {
    const char *names[MOST_ROWS + 2] = {"help", "version"};
    size_t n = 2;
    for (size_t i = 0; i < o->n_rows; i++)
        if (o->rows[i].name) names[n++] = o->rows[i].name;
    for (size_t i = n; *name && i-- > 0;)
        if (strncmp(names[i], name, strlen(name)) == 0) return names[i];
    return nearest_name(name, names, n);
}

static int unknown_option(const struct option_table *o, const char *typed) {
    char *name = strdup(typed);
    if (name) name[strcspn(name, "=")] = '\0';
    bool is_long = name && strncmp(name, "--", 2) == 0;
    const char *near = is_long ? near_option(o, name + 2) : NULL;
    options_wrong(o, "%s is no option of '%s%s%s'%s%s%s", name ? name : typed,
                  o->program, o->command ? " " : "",
                  o->command ? o->command : "", near ? " (did you mean --" : "",
                  near ? near : "", near ? "?)" : "");
    free(name);
    return OPTIONS_WRONG;
}

/* ---- values ---- */

bool option_number(const char *text, uint64_t most, uint64_t *number) {
    int base = text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10;
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *number = strtoull(text, &end, base);
    return *end == '\0' && errno == 0 && *number <= most;
}

/* Large powers of two as such: "2^36", "2^63 - 1". */
static void add_limit(struct text *why, uint64_t limit) {
    const uint64_t large = 1ull << 32;
    if (limit >= large && (limit & (limit - 1)) == 0)
        text_add(why, "2^%d", __builtin_ctzll(limit));
    else if (limit >= large - 1 && (limit & (limit + 1)) == 0)
        text_add(why, "2^%d - 1", __builtin_popcountll(limit));
    else
        text_add(why, "%llu", (unsigned long long)limit);
}

static bool set_number(const struct option_row *row, const char *value,
                       struct text *why) {
    uint64_t number;
    if (option_number(value, row->most, &number) && number >= row->least) {
        *row->number = number;
        if (row->given) *row->given = true;
        return true;
    }
    text_add(why, "'%s' is not a number from ", value);
    add_limit(why, row->least);
    text_add(why, " to ");
    add_limit(why, row->most);
    return false;
}

static bool set_choice(const struct option_row *row, const char *value,
                       struct text *why) {
    const char *const *name = row->names;
    for (; *name; name++)
        if (strcmp(*name, value) == 0) {
            *row->choice = *name;
            return true;
        }
    text_add(why, "'%s' is none of ", value);
    for (name = row->names; *name; name++)
        text_add(why, "%s%s", name == row->names ? "" : ", ", *name);
    option_suggest(why, value, row->names);
    return false;
}

static bool is_given_again(const struct option_row *row) {
    return row->once && (row->kind == OPTION_KIND_CHOICE ? *row->choice
                                                         : *row->text) != NULL;
}

static bool set_row(const struct option_row *row, const char *value,
                    struct text *why) {
    if (is_given_again(row)) {
        text_add(why, "it is given a second time");
        return false;
    }
    switch (row->kind) {
    case OPTION_KIND_FLAG: *row->flag = true; return true;
    case OPTION_KIND_BITS: *row->bits |= row->mask; return true;
    case OPTION_KIND_NUMBER: return set_number(row, value, why);
    case OPTION_KIND_CHOICE: return set_choice(row, value, why);
    case OPTION_KIND_CALL: return row->set(row->to, value, why);
    case OPTION_KIND_TEXT:
        if (!*value) text_add(why, "it is empty");
        *row->text = value;
        return why->size == 0;
    default: row->print(); return true;
    }
}

/* ---- getopt's tables ---- */

struct tables {
    char letters[2 * MOST_ROWS + 8];
    struct option names[MOST_ROWS + 3];
};

static int argument_of(const struct option_row *row) {
    return !row->argument          ? no_argument
           : *row->argument == '[' ? optional_argument
                                   : required_argument;
}

static void fill_tables(struct tables *t, const struct option_table *o) {
    char *letter = t->letters;
    struct option *name = t->names;
    /* "+": stop at the first word; ":": no messages of getopt's own. */
    if (o->stops_at_word) *letter++ = '+';
    *letter++ = ':';
    *letter++ = 'h';
    for (size_t i = 0; i < o->n_rows && i < MOST_ROWS; i++) {
        const struct option_row *row = &o->rows[i];
        int argument = argument_of(row);
        if (row->letter) {
            *letter++ = row->letter;
            if (argument == required_argument) *letter++ = ':';
        }
        if (row->name)
            *name++ =
                (struct option){row->name, argument, NULL, FIRST + (int)i};
    }
    *name++ = (struct option){"help", no_argument, NULL, FIRST + HELP};
    *name++ = (struct option){"version", no_argument, NULL, FIRST + VERSION};
    *letter = '\0';
    *name = (struct option){0};
}

/* The row that getopt means: by the number we gave it, or by its letter. */
static const struct option_row *row_of(const struct option_table *o,
                                       int value) {
    static const struct option_row help = {'h', "help", .argument = NULL},
                                   version = {0, "version", .argument = NULL};
    if (value == 'h' || value == FIRST + HELP) return &help;
    if (value == FIRST + VERSION) return &version;
    for (size_t i = 0; i < o->n_rows; i++)
        if (value == FIRST + (int)i || (value && value == o->rows[i].letter))
            return &o->rows[i];
    return NULL;
}

/* ---- reading ---- */

/* What getopt just read, as it was typed. */
static const char *typed(char **argv) {
    bool separate = optarg && optind > 1 && optarg == argv[optind - 1];
    return argv[optind - (separate ? 2 : 1)];
}

static bool is_abbreviated(const struct option_row *row, const char *word) {
    size_t length = strcspn(word, "=");
    return strncmp(word, "--", 2) == 0 &&
           (strlen(row->name) + 2 != length ||
            strncmp(word + 2, row->name, length - 2) != 0);
}

/* "--seed", or "-n" where that was typed or is all there is. */
static const char *shown(const struct option_row *row, const char *word,
                         char buffer[64]) {
    bool is_long = row->name && strncmp(word, "--", 2) == 0;
    if (is_long || (row->name && strlen(row->name) > 1))
        snprintf(buffer, 64, "--%s", row->name);
    else
        snprintf(buffer, 64, "-%c", row->letter);
    return buffer;
}

/* After '?' or ':'. */
static int complain(const struct option_table *o, int value, char **argv) {
    const char *word = argv[optind - 1];
    const struct option_row *row = row_of(o, optopt);
    char name[64];
    if (value == ':' && row)
        return options_wrong(o, "%s needs an argument: %s",
                             shown(row, word, name), row->argument);
    if (optopt >= FIRST && row)
        return options_wrong(o, "%s takes no argument", shown(row, word, name));
    if (optopt && strncmp(word, "--", 2) != 0) {
        snprintf(name, sizeof name, "-%c", optopt);
        return unknown_option(o, name);
    }
    return unknown_option(o, word);
}

static int one_option(const struct option_table *o, int value, char **argv) {
    char name[64];
    const struct option_row *row =
        value == '?' || value == ':' ? NULL : row_of(o, value);
    if (!row) return complain(o, value, argv);
    const char *word = typed(argv);
    if (value >= FIRST && is_abbreviated(row, word))
        return unknown_option(o, word);
    if (value == 'h' || value == FIRST + HELP) {
        options_help(stdout, o);
        return OPTIONS_DONE;
    }
    if (value == FIRST + VERSION) {
        printf("%s %s\n", o->program, o->version);
        return OPTIONS_DONE;
    }
    struct text why = {0};
    bool is_good = set_row(row, optarg, &why);
    if (!is_good)
        options_wrong(o, "%s: %s", shown(row, word, name), text_string(&why));
    text_free(&why);
    if (!is_good) return OPTIONS_WRONG;
    return row->kind == OPTION_KIND_PRINT ? OPTIONS_DONE : 0;
}

/* Too few words or too many. */
static int wrong_words(const struct option_table *o, int n, char **words) {
    char *why = n < o->least_words
                    ? text_format("an argument is missing")
                    : text_format("'%s' is one argument too many",
                                  words[o->most_words]);
    complain_of(o, why);
    free(why);
    options_usage(stderr, o);
    return wrong_end(o);
}

int options_read(const struct option_table *o, int argc, char **argv,
                 char ***words) {
    struct tables t;
    fill_tables(&t, o);
    optind = 0; /* glibc starts anew */
    opterr = 0;
    for (int c;
         (c = getopt_long(argc, argv, t.letters, t.names, NULL)) != -1;) {
        int next = one_option(o, c, argv);
        if (next) return next;
    }
    *words = argv + optind;
    int n = argc - optind;
    if (n < o->least_words || (o->most_words >= 0 && n > o->most_words))
        return wrong_words(o, n, *words);
    return n;
}
