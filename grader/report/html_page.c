/* SPDX-License-Identifier: MIT
 *
 * html_page.c: see html_page.h. A page loads nothing: its policy allows the
 * style sheets and scripts that stand in it, by their SHA-256, and nothing
 * else; one that a server shows may ask that server, too.
 */
#include "html_page.h"

#include <sha2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "clean_text.h"
#include "translate.h"

static void put(struct html *h, const char *bytes, size_t size) {
    h->bytes += fwrite(bytes, 1, size, h->stream);
}

static void put_string(struct html *h, const char *text) {
    put(h, text, strlen(text));
}

/* ---- words ---- */

static const char *entity(char c) {
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : NULL;
}

/* The one way for words into a page. */
static void put_escaped(struct html *h, const char *words) {
    char *clean = clean_text(words);
    const char *at = clean;
    if (!clean) h->failed = true;
    while (at && *at) {
        size_t plain = strcspn(at, "&<>\"'");
        put(h, at, plain);
        at += plain;
        if (*at) put_string(h, entity(*at++));
    }
    free(clean);
}

void html_words(struct html *h, const char *text, size_t most) {
    size_t size = text ? strlen(text) : 0, kept = size;
    if (size > most) {
        kept = most;
        /* Not within a character. */
        while (kept && ((unsigned char)text[kept] & 0xc0) == 0x80) kept--;
    }
    char *part = text ? strndup(text, kept) : NULL;
    if (part) put_escaped(h, part);
    h->failed |= text && !part;
    free(part);
    if (kept < size) html_add(h, " \xe2\x80\xa6 %zu more bytes", size - kept);
}

/* Bytes of words that are shown in one place. */
static size_t most(const struct html *h) {
    return html_has_room(h) ? HTML_SENTENCES : HTML_NAME;
}

void html_own(struct html *h, char *text) {
    html_words(h, text, most(h));
    free(text);
}

/* One conversion, up to and with its letter. */
static void put_value(struct html *h, const char *spec, size_t length,
                      va_list *list) {
    char format[16], number[64] = "";
    if (length >= sizeof format) abort();
    memcpy(format, spec, length);
    format[length] = '\0';
    char type = format[length - 1], size = length > 1 ? format[length - 2] : 0;
    if (type == '%') {
        put(h, "%", 1);
        return;
    }
    if (type == 's') {
        html_words(h, va_arg(*list, const char *), most(h));
        return;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (type == 'g' || type == 'f')
        snprintf(number, sizeof number, format, va_arg(*list, double));
    else if (size == 'z' || size == 'l')
        snprintf(number, sizeof number, format, va_arg(*list, uint64_t));
    else if (type == 'd' || type == 'u')
        snprintf(number, sizeof number, format, va_arg(*list, unsigned));
    else
        abort(); /* a conversion that html_page.h does not name */
#pragma GCC diagnostic pop
    put_string(h, number);
}

void html_add(struct html *h, const char *markup, ...) {
    va_list list;
    va_start(list, markup);
    while (*markup) {
        size_t plain = strcspn(markup, "%");
        put(h, markup, plain);
        markup += plain;
        if (!*markup) break;
        size_t length = 1 + strcspn(markup + 1, "%sdugf") + 1;
        put_value(h, markup, length, &list);
        markup += length;
    }
    va_end(list);
}

void html_data(struct html *h, const char *id, json_t *value) {
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII |
                                               JSON_ENCODE_ANY)
                       : NULL;
    json_decref(value);
    h->failed |= !text;
    html_add(h, "<script type=\"application/json\" id=\"%s\">", id);
    /* In JSON these stand in strings only. */
    for (const char *at = text; at && *at;) {
        size_t plain = strcspn(at, "<>&");
        put(h, at, plain);
        at += plain;
        if (*at)
            put_string(h, *at == '<'   ? "\\u003c"
                          : *at == '>' ? "\\u003e"
                                       : "\\u0026");
        at += *at != '\0';
    }
    html_add(h, "</script>\n");
    free(text);
}

bool html_has_room(const struct html *h) {
    return h->bytes < HTML_ROOM;
}

/* ---- head ---- */

static bool belongs(const struct html *h, const struct html_asset *a,
                    const char *element) {
    if (strcmp(a->element, "live") == 0)
        return h->live && strcmp(element, "script") == 0;
    return strcmp(a->element, element) == 0;
}

/* "; script-src 'sha256-...' 'sha256-...'" */
static void put_hashes(struct html *h, const char *element) {
    html_add(h, "; %s-src", element);
    for (const struct html_asset *a = html_assets; a->element; a++) {
        SHA2_CTX state;
        uint8_t digest[SHA256_DIGEST_LENGTH];
        if (!belongs(h, a, element)) continue;
        SHA256Init(&state);
        SHA256Update(&state, a->bytes, a->size);
        SHA256Final(digest, &state);
        struct text letters = {0};
        base64_add(&letters, digest, sizeof digest);
        html_add(h, " 'sha256-%s'", text_string(&letters));
        text_free(&letters);
    }
}

static void put_assets(struct html *h, const char *element) {
    for (const struct html_asset *a = html_assets; a->element; a++) {
        if (!belongs(h, a, element)) continue;
        html_add(h, "<%s>", element);
        put(h, (const char *)a->bytes, a->size);
        html_add(h, "</%s>\n", element);
    }
}

void html_begin(struct html *h, const char *title) {
    html_add(h,
             "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n"
             "<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" "
             "content=\"default-src 'none'",
             _("en"));
    put_hashes(h, "style");
    put_hashes(h, "script");
    if (h->live) html_add(h, "; connect-src 'self'");
    html_add(h,
             "; base-uri 'none'; form-action 'none'\">\n"
             "<meta name=\"viewport\" "
             "content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<meta name=\"referrer\" content=\"no-referrer\">\n"
             "<title>%s</title>\n",
             title);
    put_assets(h, "style");
    html_add(h, "</head>\n<body>\n");
}

void html_end(struct html *h) {
    put_assets(h, "script");
    html_add(h, "</body>\n</html>\n");
}
