/* SPDX-License-Identifier: MIT
 *
 * cursor.c: the words of a litmus file, and the tables of names.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "litmus.h"

bool litmus_fail(struct litmus_cursor *c, const char *format, ...) {
    if (c->why->size) return false;
    unsigned line = 1;
    for (const char *p = c->begin; p < c->at; p++) line += *p == '\n';
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    char *clean = text_printable(message, strlen(message), sizeof message);
    text_add(c->why, "line %u: %s", line, clean ? clean : "out of memory");
    free(clean);
    return false;
}

static bool starts(const struct litmus_cursor *c, const char *token) {
    size_t n = strlen(token);
    return (size_t)(c->end - c->at) >= n && !memcmp(c->at, token, n);
}

void litmus_skip(struct litmus_cursor *c) {
    while (c->at < c->end) {
        if (isspace((unsigned char)*c->at)) {
            c->at++;
        } else if (starts(c, "//")) {
            while (c->at < c->end && *c->at != '\n') c->at++;
        } else if (starts(c, "(*")) {
            while (c->at < c->end && !starts(c, "*)")) c->at++;
            c->at = c->end - c->at < 2 ? c->end : c->at + 2;
        } else {
            return;
        }
    }
}

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

bool litmus_take(struct litmus_cursor *c, const char *token) {
    litmus_skip(c);
    size_t n = strlen(token);
    if (!starts(c, token) ||
        (in_word(token[n - 1]) && c->at + n < c->end && in_word(c->at[n])))
        return false;
    c->at += n;
    return true;
}

bool litmus_word(struct litmus_cursor *c, char name[LITMUS_NAME]) {
    litmus_skip(c);
    size_t n = 0;
    while (c->at + n < c->end && in_word(c->at[n])) n++;
    if (!n || isdigit((unsigned char)*c->at))
        return litmus_fail(c, "a name is expected");
    if (n >= LITMUS_NAME) return litmus_fail(c, "a name is too long");
    memcpy(name, c->at, n);
    name[n] = 0;
    c->at += n;
    return true;
}

bool litmus_number(struct litmus_cursor *c, int32_t *number) {
    litmus_skip(c);
    char digits[24];
    size_t n = 0;
    while (n < sizeof digits - 1 && c->at + n < c->end &&
           (in_word(c->at[n]) || (!n && c->at[n] == '-')))
        digits[n] = c->at[n], n++;
    digits[n] = 0;
    char *end;
    long long v = strtoll(digits, &end, 0);
    if (!n || *end || end == digits)
        return litmus_fail(c, "a number is expected");
    if (v < INT32_MIN || v > UINT32_MAX)
        return litmus_fail(c, "%s does not fit into 32 bits", digits);
    *number = (int32_t)(uint32_t)v;
    c->at += n;
    return true;
}

bool litmus_thread_colon(struct litmus_cursor *c, const struct litmus *t,
                         uint32_t *thread) {
    litmus_skip(c);
    const char *p = c->at;
    uint32_t number = 0;
    if (p < c->end && (*p == 'P' || *p == 'T')) p++;
    if (p == c->end || !isdigit((unsigned char)*p)) return false;
    for (; p < c->end && isdigit((unsigned char)*p); p++)
        if (number < 1 << 20) number = number * 10 + (uint32_t)(*p - '0');
    while (p < c->end && *p == ' ') p++;
    if (p == c->end || *p != ':') return false;
    for (*thread = 0; *thread < t->n_threads; ++*thread)
        if (t->threads[*thread].number == number) break;
    if (*thread == t->n_threads)
        return litmus_fail(c, "there is no thread P%u", number);
    c->at = p + 1;
    return true;
}

static bool cursor_find(char names[][LITMUS_NAME], uint32_t n, const char *name,
                        uint32_t *at) {
    for (*at = 0; *at < n; ++*at)
        if (!strcmp(names[*at], name)) return true;
    return false;
}

bool litmus_location(struct litmus_cursor *c, struct litmus *t,
                     const char *name, uint32_t *word) {
    if (cursor_find(t->words, t->n_words, name, word)) return true;
    if (t->n_words == LITMUS_WORDS)
        return litmus_fail(c, "more than %d locations", LITMUS_WORDS);
    strcpy(t->words[t->n_words++], name);
    return true;
}

bool litmus_register(struct litmus_cursor *c, struct litmus_thread *t,
                     const char *name, uint32_t *reg) {
    if (cursor_find(t->registers, t->n_registers, name, reg)) return true;
    if (t->n_registers == LITMUS_REGISTERS)
        return litmus_fail(c, "more than %d registers", LITMUS_REGISTERS);
    strcpy(t->registers[t->n_registers++], name);
    return true;
}
