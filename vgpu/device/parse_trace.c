/* SPDX-License-Identifier: MIT
 *
 * parse_trace.c: which instructions to print, as words with commas between
 * them: kernel=scan,block=0,warp=1,lines=20-30.
 */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "vgpu.h"

/* "20" or "20-30" */
static bool set_range(const char *value, uint64_t most, uint64_t *first,
                      uint64_t *last) {
    char copy[64];
    if (strlen(value) >= sizeof copy) return false;
    strcpy(copy, value);
    char *dash = strchr(copy, '-');
    if (dash) *dash = '\0';
    return option_number(copy, most, first) &&
           option_number(dash ? dash + 1 : copy, most, last) && *first <= *last;
}

/* "7", or "1:0:0" */
static bool set_block(struct vgpu_trace_options *t, const char *value) {
    char copy[64], *rest = copy, *part;
    if (strlen(value) >= sizeof copy) return false;
    strcpy(copy, value);
    for (t->block_parts = 0; (part = strsep(&rest, ":")); t->block_parts++) {
        uint64_t n;
        if (t->block_parts == 3 || !option_number(part, UINT32_MAX, &n))
            return false;
        t->block[t->block_parts] = (uint32_t)n;
    }
    return t->block_parts != 2;
}

static bool set_lanes(struct vgpu_trace_options *t, const char *value) {
    uint64_t first, last;
    if (!set_range(value, 31, &first, &last)) return false;
    t->lanes = (uint32_t)((2ull << last) - (1ull << first));
    return true;
}

static bool set_lines(struct vgpu_trace_options *t, const char *value) {
    uint64_t first, last;
    if (!set_range(value, UINT32_MAX, &first, &last) || !first) return false;
    t->line_first = (uint32_t)first;
    t->line_last = (uint32_t)last;
    return true;
}

static bool set_kernel(struct vgpu_trace_options *t, const char *value) {
    t->kernel = value;
    return *value != '\0';
}

static bool set_file(struct vgpu_trace_options *t, const char *value) {
    t->file = value;
    return *value != '\0' && !strchr(value, '/');
}

static bool set_launch(struct vgpu_trace_options *t, const char *value) {
    return option_number(value, UINT64_MAX, &t->launch) && t->launch;
}

static bool set_warp(struct vgpu_trace_options *t, const char *value) {
    uint64_t n;
    t->has_warp = option_number(value, 31, &n);
    t->warp = (uint32_t)n;
    return t->has_warp;
}

static bool set_limit(struct vgpu_trace_options *t, const char *value) {
    return option_number(value, UINT64_MAX, &t->limit) && t->limit;
}

static const struct {
    const char *name;
    bool (*set)(struct vgpu_trace_options *, const char *value);
    const char *wants;
} keys[] = {
    {"kernel", set_kernel, "a name"},
    {"launch", set_launch, "a number from 1"},
    {"block", set_block, "its number, or its index X:Y:Z"},
    {"warp", set_warp, "its number in the block, 0 to 31"},
    {"lanes", set_lanes, "FIRST-LAST or one, 0 to 31"},
    {"file", set_file, "a source file without its folder"},
    {"lines", set_lines, "FIRST-LAST or one, of the source"},
    {"limit", set_limit, "most instructions, a number from 1"},
};
enum { N_KEYS = sizeof keys / sizeof *keys };

static bool set_word(struct vgpu_trace_options *t, char *word,
                     struct text *why) {
    const char *names[N_KEYS + 1] = {0};
    char *value = strchr(word, '=');
    if (value) *value++ = '\0';
    for (int k = 0; k < N_KEYS; k++) {
        names[k] = keys[k].name;
        if (strcmp(word, keys[k].name) != 0) continue;
        if (value && keys[k].set(t, value)) return true;
        text_add(why, "%s= wants %s%s%s%s", word, keys[k].wants,
                 value ? ", not '" : "", value ? value : "", value ? "'" : "");
        return false;
    }
    text_add(why, "'%s' is none of ", word);
    for (int k = 0; k < N_KEYS; k++)
        text_add(why, "%s%s=", k ? ", " : "", keys[k].name);
    option_suggest(why, word, names);
    return false;
}

bool vgpu_parse_trace(char *words, struct vgpu_trace_options *t,
                      char why[VGPU_TEXT]) {
    struct text wrong = {0};
    bool is_good = true;
    for (char *word; is_good && (word = strsep(&words, ",")) != NULL;)
        is_good = set_word(t, word, &wrong);
    snprintf(why, VGPU_TEXT, "%s", text_string(&wrong));
    text_free(&wrong);
    return is_good;
}
