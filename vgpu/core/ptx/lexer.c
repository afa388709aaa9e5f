/* SPDX-License-Identifier: MIT
 *
 * lexer.c: PTX text to tokens (PTX ISA 4.1 to 4.5).
 *
 * How to read this: the text ends in NUL, which no token contains, so that
 * every loop over characters ends there. Words are interned as they are found.
 */
#include "parser.h"

#include <stdlib.h>
#include <string.h>

enum { LETTER = 1, DIGIT = 2, HEX = 4, PUNCTUATION = 8, BLANK = 16 };

/* clang-format off */
#define L LETTER
#define D (DIGIT | HEX)
#define H (LETTER | HEX)
#define P PUNCTUATION
#define B BLANK
static const unsigned char classes[256] = { /* ASCII, 16 to a row */
    0, 0, 0, 0, 0, 0, 0, 0, 0, B, B, B, B, B, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    B, P, 0, 0, L, P, P, 0, P, P, P, P, P, P, P, P,
    D, D, D, D, D, D, D, D, D, D, P, P, P, P, P, P,
    P, H, H, H, H, H, H, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, P, 0, P, P, L,
    0, H, H, H, H, H, H, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, P, P, P, P, 0,
};
#undef L
#undef D
#undef H
#undef P
#undef B
/* clang-format on */

static unsigned lexer_class_of(char c) {
    return classes[(unsigned char)c];
}

static bool is_word_char(char c) {
    return lexer_class_of(c) & (LETTER | DIGIT);
}

static const char *skip_word(const char *c) {
    while (is_word_char(*c)) c++;
    return c;
}

static void skip_block_comment(struct ptx_parser *p) {
    const char *start = p->at;
    for (p->at += 2; *p->at; p->at++) {
        if (*p->at == '\n') p->line++;
        if (p->at[0] == '*' && p->at[1] == '/') {
            p->at += 2;
            return;
        }
    }
    ptx_fail(p, start, "this comment does not end");
}

static void skip_blank(struct ptx_parser *p) {
    for (;;) {
        for (; lexer_class_of(*p->at) & BLANK; p->at++)
            p->line += *p->at == '\n';
        if (*p->at != '/') return;
        if (p->at[1] == '/')
            p->at += strcspn(p->at, "\n");
        else if (p->at[1] == '*')
            skip_block_comment(p);
        else
            return;
    }
}

static int digit_value(char c) {
    if (c <= '9') return c - '0';
    return (c | 32) - 'a' + 10;
}

/* Digits up to end in a base; fails past 64 bits or on a wrong digit. */
static uint64_t read_digits(struct ptx_parser *p, const char *c,
                            const char *end, unsigned base) {
    uint64_t value = 0;
    if (c == end) ptx_fail(p, p->token.start, "a number without digits");
    for (; c < end; c++) {
        unsigned digit =
            lexer_class_of(*c) & HEX ? (unsigned)digit_value(*c) : base;
        if (digit >= base) ptx_fail(p, p->token.start, "malformed number");
        if (value > (UINT64_MAX - digit) / base)
            ptx_fail(p, p->token.start, "number exceeds 64 bits");
        value = value * base + digit;
    }
    return value;
}

static void lex_decimal_float(struct ptx_parser *p) {
    const char *c = p->at;
    while (lexer_class_of(*c) & DIGIT) c++;
    if (*c == '.')
        for (c++; lexer_class_of(*c) & DIGIT;) c++;
    if (*c == 'e' || *c == 'E') {
        c++;
        if (*c == '+' || *c == '-') c++;
        if (!(lexer_class_of(*c) & DIGIT))
            ptx_fail(p, p->at, "an exponent without digits");
        while (lexer_class_of(*c) & DIGIT) c++;
    }
    if (is_word_char(*c)) ptx_fail(p, p->at, "malformed number");
    double value = strtod(p->at, NULL);
    p->token.kind = PTX_TOKEN_FLOAT64;
    memcpy(&p->token.bits, &value, sizeof value);
    p->at = c;
}

static void lex_hex_float(struct ptx_parser *p, const char *end) {
    bool is_double = (p->at[1] | 32) == 'd';
    if (end - p->at != (is_double ? 18 : 10))
        ptx_fail(p, p->at, "0%c must have %d hexadecimal digits", p->at[1],
                 is_double ? 16 : 8);
    p->token.bits = read_digits(p, p->at + 2, end, 16);
    p->token.kind = is_double ? PTX_TOKEN_FLOAT64 : PTX_TOKEN_FLOAT32;
    p->at = end;
}

static void lex_number(struct ptx_parser *p) {
    const char *c = p->at, *end = skip_word(c), *digits = c;
    char second = (char)(c[1] | 32);
    unsigned base = 10;
    if (*c == '0' && (second == 'f' || second == 'd')) {
        lex_hex_float(p, end);
        return;
    }
    if (*c == '0' && second == 'x') {
        base = 16;
        digits += 2;
    } else if (*c == '0' && second == 'b') {
        base = 2;
        digits += 2;
    } else {
        const char *after = c;
        while (lexer_class_of(*after) & DIGIT) after++;
        if (*after == '.' || (*after | 32) == 'e') {
            lex_decimal_float(p);
            return;
        }
        if (*c == '0' && after - c > 1) base = 8;
    }
    p->at = end;
    bool suffix = end[-1] == 'U';
    p->token.kind = PTX_TOKEN_INTEGER;
    p->token.bits = read_digits(p, digits, suffix ? end - 1 : end, base);
    p->token.is_unsigned = suffix || p->token.bits > INT64_MAX;
}

static void lex_string(struct ptx_parser *p) {
    for (p->at++; *p->at != '"'; p->at++) {
        if (*p->at == '\\' && p->at[1] && p->at[1] != '\n') p->at++;
        if (!*p->at || *p->at == '\n')
            ptx_fail(p, p->token.start, "this string does not end");
    }
    p->at++;
    p->token.kind = PTX_TOKEN_STRING;
}

static void lex_punctuation(struct ptx_parser *p) {
    static const struct {
        char text[3];
        int kind;
    } pairs[] = {
        {"<<", PTX_TOKEN_SHIFT_LEFT}, {">>", PTX_TOKEN_SHIFT_RIGHT},
        {"<=", PTX_TOKEN_LESS_EQUAL}, {">=", PTX_TOKEN_GREATER_EQUAL},
        {"==", PTX_TOKEN_EQUAL},      {"!=", PTX_TOKEN_NOT_EQUAL},
        {"&&", PTX_TOKEN_AND},        {"||", PTX_TOKEN_OR},
    };
    if (!(lexer_class_of(*p->at) & PUNCTUATION)) {
        unsigned char c = (unsigned char)*p->at;
        ptx_fail(p, p->at, "unexpected character 0x%02x", c);
    }
    p->token.kind = (unsigned char)*p->at;
    bool may_pair = lexer_class_of(p->at[1]) & PUNCTUATION;
    for (size_t i = 0; may_pair && i < sizeof pairs / sizeof *pairs; i++)
        if (p->at[0] == pairs[i].text[0] && p->at[1] == pairs[i].text[1]) {
            p->token.kind = pairs[i].kind;
            p->at++;
            break;
        }
    p->at++;
}

static void finish_word(struct ptx_parser *p, int kind, const char *end) {
    p->token.kind = kind;
    p->at = end;
    p->token.name =
        ptx_intern(p, p->token.start, (size_t)(end - p->token.start));
}

void ptx_next(struct ptx_parser *p) {
    skip_blank(p);
    const char *c = p->at;
    p->token = (struct ptx_token){.start = c, .line = p->line};
    unsigned class = lexer_class_of(*c);
    if (class & LETTER)
        finish_word(p, PTX_TOKEN_WORD, skip_word(c));
    else if (*c == '%' && is_word_char(c[1]))
        finish_word(p, PTX_TOKEN_WORD, skip_word(c + 1));
    else if (*c == '.' && (lexer_class_of(c[1]) & LETTER))
        finish_word(p, PTX_TOKEN_DOT_WORD, skip_word(c + 1));
    else if (class & DIGIT)
        lex_number(p);
    else if (*c == '.' && (lexer_class_of(c[1]) & DIGIT))
        lex_decimal_float(p);
    else if (*c == '"')
        lex_string(p);
    else if (*c)
        lex_punctuation(p);
    p->token.length = (uint32_t)(p->at - c);
}

void ptx_extend_form(struct ptx_parser *p) {
    const char *c = p->at;
    for (;;) {
        if (*c == '.' && is_word_char(c[1]))
            c = skip_word(c + 1);
        else if (c[0] == ':' && c[1] == ':' && is_word_char(c[2]))
            c = skip_word(c + 2);
        else
            break;
    }
    if (c == p->at) return;
    finish_word(p, PTX_TOKEN_WORD, c);
    p->token.length = (uint32_t)(c - p->token.start);
}

bool ptx_accept(struct ptx_parser *p, int kind) {
    if (p->token.kind != kind) return false;
    ptx_next(p);
    return true;
}

void ptx_expect(struct ptx_parser *p, int kind, const char *what) {
    if (!ptx_accept(p, kind)) ptx_fail_expected(p, what);
}

bool ptx_is_keyword(const struct ptx_parser *p, enum ptx_keyword keyword) {
    return p->token.kind == PTX_TOKEN_DOT_WORD &&
           p->token.name->keyword == keyword;
}

struct ptx_name *ptx_expect_word(struct ptx_parser *p, const char *what) {
    struct ptx_name *name = p->token.name;
    ptx_expect(p, PTX_TOKEN_WORD, what);
    return name;
}

uint64_t ptx_expect_integer(struct ptx_parser *p, uint64_t limit,
                            const char *what) {
    struct ptx_token token = p->token;
    ptx_expect(p, PTX_TOKEN_INTEGER, what);
    if (token.bits > limit) ptx_fail(p, token.start, "%s is too large", what);
    return token.bits;
}

const char *ptx_expect_string(struct ptx_parser *p, const char *what) {
    struct ptx_token token = p->token;
    ptx_expect(p, PTX_TOKEN_STRING, what);
    char *copy = ptx_take(p, token.length - 1);
    memcpy(copy, token.start + 1, token.length - 2);
    return copy;
}
