/* SPDX-License-Identifier: MIT
 *
 * loc.c: .loc, .file and .section (PTX ISA 11.5).
 *
 * How to read this: files and function names may stand after the instructions
 * that refer to them, so a .loc keeps numbers (struct detail) that become texts
 * in ptx_finish_locs. "inlined_at FILE LINE COLUMN" names an earlier .loc of
 * the same body by its place; a hash from place to the latest .loc there finds
 * it. Sections other than .debug_str are skipped.
 */
#include "parser.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a name that are kept, as many as a path can have: each line that is
 * looked up reads the names of its file and function. */
enum { MOST_OF_NAME = 4096 };

struct detail { /* one per loc, same index */
    uint32_t file;
    struct ptx_name *function; /* label in .debug_str */
    uint64_t offset;
    uint32_t serial; /* body */
};
struct file {
    uint32_t number;
    const char *path;
};
struct place {
    uint32_t file, line, column;
};

static uint32_t *find_slot(struct ptx_parser *p, struct place place) {
    const struct detail *details = p->loc_details.items;
    const struct ptx_loc *locs = p->locs.items;
    uint32_t *slots = p->loc_slots.items;
    size_t mask = p->loc_slots.n - 1;
    uint64_t hash = place.file * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ place.line) * 0xd6e8feb86659fd93ull;
    hash = (hash ^ place.column) * p->storage->names.seed;
    for (size_t i = (hash >> 32) & mask;; i = (i + 1) & mask) {
        if (!slots[i]) return &slots[i];
        uint32_t n = slots[i] - 1;
        if (details[n].file == place.file && locs[n].line == place.line &&
            locs[n].column == place.column)
            return &slots[i];
    }
}

static struct place loc_place_of(struct ptx_parser *p, uint32_t n) {
    const struct detail *details = p->loc_details.items;
    const struct ptx_loc *locs = p->locs.items;
    return (struct place){details[n].file, locs[n].line, locs[n].column};
}

/* At most half of the slots are in use; rebuilt with the latest locs. */
static void grow_slots(struct ptx_parser *p) {
    if (p->locs.n * 2 < p->loc_slots.n) return;
    size_t n = p->loc_slots.n ? p->loc_slots.n * 2 : 64;
    p->loc_slots.n = 0;
    while (p->loc_slots.n < n) ptx_list_add(p, &p->loc_slots, sizeof(uint32_t));
    for (uint32_t i = 0; i < p->locs.n; i++)
        *find_slot(p, loc_place_of(p, i)) = i + 1;
}

static uint32_t add_loc(struct ptx_parser *p, struct place place,
                        int32_t inlined_at) {
    grow_slots(p);
    struct detail *detail = ptx_list_add(p, &p->loc_details, sizeof *detail);
    struct ptx_loc *loc = ptx_list_add(p, &p->locs, sizeof *loc);
    detail->file = place.file;
    detail->serial = p->body.serial;
    loc->line = place.line;
    loc->column = place.column;
    loc->inlined_at = inlined_at;
    uint32_t n = (uint32_t)p->locs.n - 1;
    *find_slot(p, place) = n + 1;
    return n;
}

static uint32_t parse_number(struct ptx_parser *p, const char *what) {
    return (uint32_t)ptx_expect_integer(p, UINT32_MAX, what);
}

static struct place parse_place(struct ptx_parser *p) {
    struct place place;
    place.file = parse_number(p, "a file number");
    place.line = parse_number(p, "a line number");
    place.column = parse_number(p, "a column number");
    return place;
}

static bool is_word(const struct ptx_parser *p, const char *text) {
    return p->token.kind == PTX_TOKEN_WORD &&
           strcmp(p->token.name->text, text) == 0;
}

/* The call site: an earlier .loc of this body, or a new one without history. */
static int32_t parse_inlined_at(struct ptx_parser *p) {
    ptx_next(p);
    struct place place = parse_place(p);
    grow_slots(p);
    uint32_t found = *find_slot(p, place);
    const struct detail *details = p->loc_details.items;
    if (found && details[found - 1].serial == p->body.serial)
        return (int32_t)found - 1;
    return (int32_t)add_loc(p, place, -1);
}

void ptx_parse_loc(struct ptx_parser *p) {
    ptx_next(p);
    struct place place = parse_place(p);
    struct ptx_name *function = NULL;
    uint64_t offset = 0;
    int32_t inlined_at = -1;
    while (ptx_accept(p, ',')) {
        if (is_word(p, "function_name")) {
            ptx_next(p);
            function = ptx_expect_word(p, "a label in .debug_str");
            if (ptx_accept(p, '+')) offset = parse_number(p, "an offset");
        } else if (is_word(p, "inlined_at")) {
            inlined_at = parse_inlined_at(p);
        } else {
            ptx_fail_expected(p, "function_name or inlined_at");
        }
    }
    uint32_t n = add_loc(p, place, inlined_at);
    struct detail *detail = (struct detail *)p->loc_details.items + n;
    detail->function = function;
    detail->offset = offset;
    p->body.loc = (int32_t)n;
}

void ptx_parse_file(struct ptx_parser *p) {
    ptx_next(p);
    uint32_t number = parse_number(p, "a file number");
    const char *path = ptx_expect_string(p, "a path in quotes");
    size_t size = strlen(path);
    if (size > MOST_OF_NAME) path += size - MOST_OF_NAME;
    for (int i = 0; i < 2 && ptx_accept(p, ','); i++) /* time, size */
        ptx_expect_integer(p, UINT64_MAX, "a time or size");
    struct file *file = ptx_list_add(p, &p->loc_files, sizeof *file);
    *file = (struct file){number, path};
}

static void parse_debug_bytes(struct ptx_parser *p) {
    do {
        uint64_t byte = ptx_expect_integer(p, 255, "a byte");
        uint8_t *added = ptx_list_add(p, &p->debug_bytes, 1);
        *added = (uint8_t)byte;
    } while (ptx_accept(p, ','));
}

static void parse_debug_str(struct ptx_parser *p) {
    while (p->token.kind != '}') {
        if (p->token.kind == PTX_TOKEN_DOT_WORD &&
            p->token.name->keyword == PTX_KEY_TYPE &&
            p->token.name->value == PTX_B8) {
            ptx_next(p);
            parse_debug_bytes(p);
            continue;
        }
        struct ptx_name *label = ptx_expect_word(p, "a label or .b8");
        ptx_expect(p, ':', "':'");
        label->debug_string = (uint32_t)p->debug_bytes.n + 1;
    }
}

void ptx_parse_section(struct ptx_parser *p) {
    ptx_next(p);
    bool is_strings = ptx_is_keyword(p, PTX_KEY_DEBUG_STR);
    ptx_expect(p, PTX_TOKEN_DOT_WORD, "the name of a section");
    const char *at = p->token.start;
    ptx_expect(p, '{', "'{'");
    if (is_strings) parse_debug_str(p);
    while (p->token.kind != '}') {
        if (p->token.kind == PTX_TOKEN_END)
            ptx_fail(p, at, "this section does not end");
        ptx_next(p);
    }
    ptx_next(p);
}

static int compare_files(const void *a, const void *b) {
    const struct file *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static const char *find_file(struct ptx_parser *p, uint32_t number) {
    struct file key = {number, NULL};
    if (!p->loc_files.n) return NULL;
    const struct file *found = bsearch(&key, p->loc_files.items, p->loc_files.n,
                                       sizeof key, compare_files);
    return found ? found->path : NULL;
}

void ptx_finish_locs(struct ptx_parser *p) {
    if (p->loc_files.n)
        qsort(p->loc_files.items, p->loc_files.n, sizeof(struct file),
              compare_files);
    size_t n_bytes = p->debug_bytes.n;
    char *strings = ptx_take(p, n_bytes + 1);
    if (n_bytes) memcpy(strings, p->debug_bytes.items, n_bytes);
    const struct detail *details = p->loc_details.items;
    struct ptx_loc *locs = p->locs.items;
    for (size_t i = 0; i < p->locs.n; i++) {
        bool same = i > 0 && details[i].file == details[i - 1].file;
        locs[i].file = same ? locs[i - 1].file : find_file(p, details[i].file);
        const struct ptx_name *label = details[i].function;
        if (!label || !label->debug_string) continue;
        uint64_t at = label->debug_string - 1 + details[i].offset;
        if (at >= n_bytes) continue;
        locs[i].function = strings + at;
        if (strnlen(strings + at, n_bytes - (size_t)at) > MOST_OF_NAME)
            strings[at + MOST_OF_NAME] = '\0';
    }
    p->module->locs =
        ptx_list_take(p, &p->locs, sizeof(struct ptx_loc), &p->module->n_locs);
}
