/* SPDX-License-Identifier: MIT
 *
 * lab_sizes.c: the sizes of a check: how lab.ini writes them, and what they are
 * under a seed. lab.h has the grammar.
 *
 * A drawn size depends on the seed, the lab, the check and its place in the
 * list, and on nothing else. Ranges are spread evenly over logarithms: as many
 * draws from 100 to 1000 as from 1000 to 10000.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "lab_setters.h"
#include "text.h"

/* ---- one size ---- */

/* Of exponents and units alike. */
static size_t scaled(const struct lab_size *s, size_t value) {
    size_t n = s->power ? (size_t)1 << value : value * s->unit;
    return s->beside < 0 && n < (size_t)-s->beside
               ? 0
               : n + (size_t)(ptrdiff_t)s->beside;
}

size_t lab_size_most(const struct lab_size *s) {
    return scaled(s, s->most);
}

size_t lab_size_least(const struct lab_size *s) {
    return scaled(s, s->least);
}

static bool is_drawn(const struct lab_size *s) {
    return s->least < s->most;
}

/* A number from least to most. The mantissa of 53 bits is a number from 0 to
 * below 1. */
static size_t draw(const struct lab_size *s, uint64_t bits) {
    double part = (double)(bits >> 11) * 0x1p-53;
    if (s->power)
        return s->least + (size_t)(part * (double)(s->most - s->least + 1));
    double low = log((double)s->least), high = log((double)s->most + 1);
    size_t value = (size_t)exp(low + part * (high - low));
    return value < s->least ? s->least : value > s->most ? s->most : value;
}

void lab_draw(struct lab *lab, uint64_t seed) {
    for (size_t k = 0; k < lab->n_checks; k++) {
        struct lab_check *c = &lab->checks[k];
        char *label = text_format("size %s/%s", lab->id, c->id);
        for (size_t i = 0; i < c->n_sizes; i++) {
            const struct lab_size *s = &c->written[i];
            uint64_t bits = inputs_seed(seed, label ? label : c->id, i);
            c->sizes[i] = scaled(s, is_drawn(s) ? draw(s, bits) : s->least);
        }
        free(label);
    }
}

/* "257", "A..B", "A..B*T+1", "2^A..B-1", "2^26"; false: none of these. */
static bool parse(const char *word, struct lab_size *s) {
    char *end;
    *s = (struct lab_size){.unit = 1};
    if (strncmp(word, "2^", 2) == 0) {
        s->power = true;
        word += 2;
    }
    if (!isdigit((unsigned char)*word)) return false;
    s->least = s->most = strtoull(word, &end, 10);
    if (strncmp(end, "..", 2) == 0 && isdigit((unsigned char)end[2]))
        s->most = strtoull(end + 2, &end, 10);
    if (*end == '*' && isdigit((unsigned char)end[1]) && !s->power)
        s->unit = strtoull(end + 1, &end, 10);
    if ((*end == '+' || *end == '-') && isdigit((unsigned char)end[1]))
        s->beside = (int)strtol(end, &end, 10);
    size_t limit = s->power ? 30 : LAB_MAX_FAST_SIZE;
    return *end == '\0' && s->least <= s->most && s->most <= limit &&
           s->unit >= 1 && s->unit <= LAB_MAX_FAST_SIZE / (s->most + 1) + 1 &&
           s->beside > -65536 && s->beside < 65536 &&
           (s->least > 0 || s->least == s->most) &&
           lab_size_most(s) <= LAB_MAX_FAST_SIZE;
}

/* ---- lists of them ---- */

static bool add_size(struct lab_reader *r, struct lab_check *c,
                     const struct lab_key *key, const struct ini_entry *entry,
                     const char *word, bool large) {
    enum { MOST = 256 };
    struct lab_size parsed;
    if (!parse(word, &parsed))
        return lab_fail(r, entry->line,
                        "%s: '%s' is not a whole number from 0 to %d, nor a "
                        "range such as 100..4096, 2..64*256+1 or 2^10..20-1",
                        key->name, word, LAB_MAX_FAST_SIZE);
    parsed.group = c->n_groups - !large; /* of large ones: lab_sizes_fit */
    parsed.large = large;
    if (c->n_sizes == MOST)
        return lab_fail(r, entry->line, "%s: more than %d", key->name, MOST);
    struct lab_size *written =
        realloc(c->written, (c->n_sizes + 1) * sizeof *written);
    if (written) c->written = written;
    size_t *sizes = realloc(c->sizes, (c->n_sizes + 1) * sizeof *sizes);
    if (sizes) c->sizes = sizes;
    if (!written || !sizes) return lab_no_memory(r);
    c->sizes[c->n_sizes] = lab_size_least(&parsed);
    c->written[c->n_sizes++] = parsed;
    return true;
}

static struct lab_group *add_group(struct lab_check *c) {
    struct lab_group *grown =
        realloc(c->groups, (c->n_groups + 1) * sizeof *grown);
    if (!grown) return NULL;
    c->groups = grown;
    grown[c->n_groups] = (struct lab_group){.inputs = -1};
    return &grown[c->n_groups++];
}

/* "many blocks 12", "zeros 5 of zeros": what stands before the colon. */
static bool begin_group(struct lab_reader *r, struct lab_check *c,
                        const struct ini_entry *entry, const char *head,
                        size_t length) {
    char text[128], *of;
    struct lab_group *g = add_group(c);
    if (!g) return lab_no_memory(r);
    snprintf(text, sizeof text, "%.*s", (int)length, head);
    of = strstr(text, " of ");
    if (of) {
        *of = '\0';
        g->inputs = inputs_by_name(of + 4);
        if (g->inputs < 0)
            return lab_fail(r, entry->line, "sizes: no inputs '%s'", of + 4);
    }
    char *number = strrchr(text, ' '), *end = NULL;
    if (number) g->points = (int)strtol(number + 1, &end, 10);
    if (!number || end == number + 1 || *end || g->points < 0 ||
        g->points > 10000)
        return lab_fail(r, entry->line,
                        "sizes: '%s' is no name of a group and its points, as "
                        "in 'edges 3: 0 1 2'",
                        text);
    *number = '\0';
    g->name = strdup(text);
    return g->name || lab_no_memory(r);
}

/* One line of the value. */
static bool read_line(struct lab_reader *r, struct lab_check *c,
                      const struct lab_key *key, const struct ini_entry *entry,
                      const char *line) {
    const char *colon = strchr(line, ':');
    char word[64];
    if (colon && c->n_groups && !c->groups[0].name)
        return lab_fail(r, entry->line,
                        "sizes: either all are in groups or none is");
    if (colon && !begin_group(r, c, entry, line, (size_t)(colon - line)))
        return false;
    if (!c->n_groups && !add_group(c)) return lab_no_memory(r);
    for (const char *at = colon ? colon + 1 : line; lab_next_word(&at, word);)
        if (!add_size(r, c, key, entry, word, false)) return false;
    return true;
}

bool lab_set_sizes(struct lab_reader *r, void *object,
                   const struct lab_key *key, const struct ini_entry *entry) {
    struct lab_check *c = object;
    char *copy = strdup(entry->value), *state = NULL;
    bool good = copy || lab_no_memory(r);
    for (char *line = copy ? strtok_r(copy, "\n", &state) : NULL; line && good;
         line = strtok_r(NULL, "\n", &state))
        good = read_line(r, c, key, entry, line + strspn(line, " \t"));
    free(copy);
    return good &&
           (c->n_sizes || lab_fail(r, entry->line, "sizes: there is none"));
}

bool lab_set_large(struct lab_reader *r, void *object,
                   const struct lab_key *key, const struct ini_entry *entry) {
    const char *at = entry->value;
    char word[64];
    while (lab_next_word(&at, word))
        if (!add_size(r, object, key, entry, word, true)) return false;
    return true;
}

/* Those of `large` stand last, wherever the file has them. */
static void large_last(struct lab_check *c) {
    for (size_t i = 1; i < c->n_sizes; i++)
        for (size_t k = i;
             k > 0 && c->written[k - 1].large && !c->written[k].large; k--) {
            struct lab_size written = c->written[k];
            size_t size = c->sizes[k];
            c->written[k] = c->written[k - 1];
            c->sizes[k] = c->sizes[k - 1];
            c->written[k - 1] = written;
            c->sizes[k - 1] = size;
        }
}

bool lab_sizes_fit(struct lab_reader *r, struct lab_check *c,
                   const struct ini_section *ini) {
    int all = 0;
    for (size_t g = 0; g < c->n_groups; g++) {
        size_t n = 0;
        for (size_t i = 0; i < c->n_sizes; i++)
            n += c->written[i].group == g && !c->written[i].large;
        if (n == 0)
            return lab_fail(r, lab_key_line(ini, "sizes"),
                            "sizes: group '%s' has none", c->groups[g].name);
        all += c->groups[g].points;
    }
    if (c->groups[0].name && all == 0 && c->points)
        return lab_fail(r, lab_key_line(ini, "sizes"),
                        "sizes: no group has points");
    for (size_t i = 0; i < c->n_sizes; i++)
        if (c->written[i].large) c->written[i].group = c->n_groups - 1;
    large_last(c);
    return true;
}

/* ---- in words ---- */

static void add_size_words(struct text *t, const struct lab_size *s) {
    text_add(t, t->size ? ", " : "");
    if (!is_drawn(s))
        text_add(t, "%zu", lab_size_least(s));
    else
        text_add(t, "%zu to %zu", lab_size_least(s), lab_size_most(s));
    if (is_drawn(s) && s->power)
        text_add(t, s->beside ? " (2^k%+d)" : " (2^k)", s->beside);
    else if (s->unit > 1 && is_drawn(s))
        text_add(t, s->beside ? " (%zu k%+d)" : " (%zu k)", s->unit, s->beside);
}

char *lab_check_sizes(const struct lab_check *c) {
    struct text sizes = {0};
    for (size_t i = 0; i < c->n_sizes; i++)
        if (!c->written[i].large) add_size_words(&sizes, &c->written[i]);
    return sizes.bytes;
}
