/* SPDX-License-Identifier: MIT
 *
 * picture.c: see picture.h.
 */
#include "picture.h"

#include <string.h>

#include "html_escape.h"
#include "json_parts.h"

enum { LONGEST = 6000 /* bytes of words */ };

/* ---- making ---- */

void picture_text(json_t *shapes, const char *class, unsigned x, unsigned y,
                  const char *words) {
    json_array_append_new(shapes, json_pack("[s, s, i, i, o]", "text", class,
                                            (int)x, (int)y, json_text(words)));
}

void picture_line(json_t *shapes, const char *class, unsigned x1, unsigned y1,
                  unsigned x2, unsigned y2) {
    json_array_append_new(shapes,
                          json_pack("[s, s, i, i, i, i]", "line", class,
                                    (int)x1, (int)y1, (int)x2, (int)y2));
}

void picture_rect(json_t *shapes, unsigned x, unsigned y, unsigned width,
                  unsigned height) {
    json_array_append_new(shapes, json_pack("[s, i, i, i, i]", "rect", (int)x,
                                            (int)y, (int)width, (int)height));
}

json_t *picture_group(json_t *shapes, const char *class, const char *title) {
    json_t *inner = json_array();
    json_array_append_new(
        shapes, json_pack("[s, s, o, o]", "g", class, json_text(title), inner));
    return inner;
}

json_t *picture_of(const char *title, struct picture_size size,
                   json_t *shapes) {
    return json_pack("{s:o, s:i, s:i, s:o}", "title", json_text(title), "width",
                     (int)size.width, "height", (int)size.height, "shapes",
                     shapes);
}

/* ---- a file of its own ---- */

static bool put_title(FILE *to, const char *words) {
    return fputs("<title>", to) != EOF && html_escape(to, words, LONGEST) &&
           fputs("</title>", to) != EOF;
}

bool picture_svg_begin(FILE *to, struct picture_size s, const char *title) {
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
            "height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" class=\"steps\">",
            s.width, s.height, s.width, s.height);
    if (!put_title(to, title)) return false;
    fprintf(to,
            "\n<style>text{font:14px monospace;fill:#16191d;text-anchor:middle}"
            ".head,.name,.line{text-anchor:start}.head{font-weight:bold}"
            "rect{fill:#fff;stroke:#6c7684}.new rect{fill:#dcebff}"
            ".new text{font-weight:bold}.wrong rect{fill:#ffe3e3;"
            "stroke:#c8202c;stroke-width:2}.wrong .sign{fill:#a3101b}"
            ".cell .index{font:8px monospace;text-anchor:start;fill:#4a525d}"
            ".sign{font-size:11px}.flow{stroke:#0a4fa3;stroke-width:1.2}"
            ".flow.alone{stroke:#8b95a3}.flow.wrong{stroke:#c8202c;"
            "stroke-width:2}.bank rect{stroke:#b0b7c0}.one rect{fill:#bfe6dc}"
            ".many rect{fill:#c8202c}.many text{fill:#fff}"
            ".bank text,text.bank{font-size:9px}.page{stroke:none}"
            ".end{text-anchor:end}.tick{font-size:12px}"
            ".grid{stroke:#dde1e6}.axis{stroke:#6c7684}"
            ".leader{stroke:#b0b7c0;stroke-width:.6}"
            ".series{stroke:#00806b;stroke-width:2}"
            ".series.s1,.series.s5{stroke:#c8202c}"
            ".series.s2,.series.s6{stroke:#8a6510}"
            ".series.s3,.series.s7{stroke:#0a4fa3}"
            ".series.s4,.series.s5,.series.s6,.series.s7"
            "{stroke-dasharray:6 3}</style>\n"
            "<rect class=\"page\" width=\"%u\" height=\"%u\"/>\n",
            s.width, s.height);
    return !ferror(to);
}

static int number(const json_t *shape, size_t i) {
    return (int)json_integer_value(json_array_get(shape, i));
}

static const char *words(const json_t *shape, size_t i) {
    return json_string_value(json_array_get(shape, i));
}

static bool put_text(FILE *to, const json_t *s) {
    fprintf(to, "<text class=\"%s\" x=\"%d\" y=\"%d\">", words(s, 1),
            number(s, 2), number(s, 3));
    return html_escape(to, words(s, 4), LONGEST) &&
           fputs("</text>\n", to) != EOF;
}

static bool put_line(FILE *to, const json_t *s) {
    return fprintf(to,
                   "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" "
                   "y2=\"%d\"/>\n",
                   words(s, 1), number(s, 2), number(s, 3), number(s, 4),
                   number(s, 5)) > 0;
}

static bool put_rect(FILE *to, const json_t *s) {
    return fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                   number(s, 1), number(s, 2), number(s, 3), number(s, 4)) > 0;
}

static bool put_group(FILE *to, const json_t *s) {
    fprintf(to, "<g class=\"%s\">", words(s, 1));
    if (words(s, 2) && !put_title(to, words(s, 2))) return false;
    return picture_svg_shapes(to, json_array_get(s, 3)) &&
           fputs("</g>\n", to) != EOF;
}

bool picture_svg_shapes(FILE *to, const json_t *shapes) {
    static const struct {
        const char *name;
        bool (*put)(FILE *, const json_t *);
    } kinds[] = {{"text", put_text},
                 {"line", put_line},
                 {"rect", put_rect},
                 {"g", put_group}};
    for (size_t i = 0; i < json_array_size(shapes); i++) {
        const json_t *s = json_array_get(shapes, i);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(words(s, 0), kinds[k].name) == 0 && !kinds[k].put(to, s))
                return false;
    }
    return json_is_array(shapes) && !ferror(to);
}

bool picture_svg_end(FILE *to) {
    return fputs("</svg>\n", to) != EOF;
}
