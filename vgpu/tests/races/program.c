/* SPDX-License-Identifier: MIT
 *
 * program.c: programs as text, one operation a line (program.h).
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

static const char *const kinds[] = {
#define X(name, accesses, writes) #name,
    OPS(X)
#undef X
};
static const bool accesses_of[] = {
#define X(name, accesses, writes) accesses,
    OPS(X)
#undef X
};
static const char *const sems[] = {
#define X(name) #name,
    SEMS(X)
#undef X
};
static const char *const scopes[] = {
#define X(name) #name,
    SCOPES(X)
#undef X
};
static const char *const spaces[] = {"global", "shared"};

bool op_accesses(const struct op *o) {
    return accesses_of[o->kind];
}

bool op_is_system(const struct op *o) {
    return o->scope == SCOPE_sys;
}

bool op_is_wide(const struct op *o) {
    return o->scope != SCOPE_cta && o->scope != SCOPE_cluster;
}

bool op_is_atomic(const struct op *o) {
    return o->kind >= OP_add && o->kind <= OP_lock;
}

/* .sem and .scope belong to it. */
static bool op_has_order(const struct op *o) {
    return o->kind <= OP_fence;
}

uint32_t program_value(uint32_t launch, uint32_t op, uint32_t thread) {
    return launch << 26 | (op + 1) << 16 | (thread + 1);
}

uint32_t program_byte(uint32_t launch, uint32_t op) {
    return launch << BYTE_LAUNCH | (op + 1);
}

bool program_has_bytes(const struct program *p) {
    for (uint32_t k = 0; k < p->n_ops; k++)
        if (p->ops[k].kind < OP_fence && p->ops[k].bytes < 4 &&
            p->ops[k].sem != SEM_weak)
            return true;
    return false;
}

/* ---- writing ---- */

static void print_place(const char *word, const struct place *p, FILE *f) {
    fprintf(f, " %s %u", word, p->word);
    if (p->by_thread) fprintf(f, " thread*%u", p->by_thread);
    if (p->by_block) fprintf(f, " block*%u", p->by_block);
    if (p->value >= 0) fprintf(f, " v%d*%u", p->value, p->by_value);
}

/* "0-2,5", or "*" for all of n. */
static void print_set(char letter, uint32_t set, uint32_t n, FILE *f) {
    uint32_t all = n == LANES ? UINT32_MAX : (1u << n) - 1;
    fprintf(f, " %c", letter);
    if ((set & all) == all) {
        fputc('*', f);
        return;
    }
    const char *comma = "";
    for (uint32_t k = 0; k < n; k++) {
        if (!(set >> k & 1)) continue;
        uint32_t end = k;
        while (end + 1 < n && set >> (end + 1) & 1) end++;
        fprintf(f, end > k ? "%s%u-%u" : "%s%u", comma, k, end);
        comma = ",";
        k = end;
    }
}

void op_print(const struct op *o, FILE *f) {
    fprintf(f, "%s", kinds[o->kind]);
    if (op_has_order(o)) fprintf(f, " %s %s", sems[o->sem], scopes[o->scope]);
    if (op_accesses(o)) {
        fprintf(f, " %s %u", spaces[o->space], o->bytes);
        print_place("at", &o->at, f);
        if (o->byte) fprintf(f, " byte %u", o->byte);
    }
    if (o->kind >= OP_copy && op_accesses(o)) print_place("from", &o->from, f);
    if (o->to >= 0) fprintf(f, " to v%d", o->to);
    if (o->id) fprintf(f, " id %u", o->id);
    if (o->count) fprintf(f, " count %u", o->count);
    if (o->bytes && !op_accesses(o)) fprintf(f, " bytes %u", o->bytes);
    if (o->condition >= 0) fprintf(f, " if v%d", o->condition);
    if (o->condition >= 0 && o->is) fprintf(f, " is %u", o->is);
    fputs(" by", f);
    print_set('b', o->blocks, MOST_BLOCKS, f);
    print_set('w', o->warps, MOST_WARPS, f);
    print_set('l', o->lanes, LANES, f);
    fputc('\n', f);
}

void program_print(const struct program *p, FILE *f) {
    fprintf(f, "blocks %u warps %u launches %u\n", p->n_blocks, p->n_warps,
            p->n_launches);
    for (uint32_t k = 0; k < p->n_ops; k++) op_print(&p->ops[k], f);
}

/* ---- reading ---- */

static int find(const char *word, const char *const *list, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (!strcmp(word, list[k])) return (int)k;
    return -1;
}
#define FIND(word, list) find(word, list, sizeof(list) / sizeof *(list))

static bool read_set(const char *text, uint32_t *set) {
    uint32_t a, b;
    int n;
    *set = 0;
    if (!strcmp(text, "*")) *set = UINT32_MAX;
    if (*set) return true;
    for (;; text++) {
        if (sscanf(text, "%u%n", &a, &n) != 1 || a >= LANES) return false;
        text += n;
        b = a;
        if (*text == '-') {
            if (sscanf(text, "-%u%n", &b, &n) != 1 || b >= LANES) return false;
            text += n;
        }
        for (; a <= b; a++) *set |= 1u << a;
        if (*text != ',') return !*text;
    }
}

static bool register_of(const char *word, int *r) {
    char end;
    return word && sscanf(word, "v%d%c", r, &end) == 1 && *r >= 0 &&
           *r < VALUES;
}

/* One of the words behind "at 5" or "from 5". */
static bool read_place(const char *word, struct place *p) {
    return sscanf(word, "thread*%u", &p->by_thread) == 1 ||
           sscanf(word, "block*%u", &p->by_block) == 1 ||
           (sscanf(word, "v%d*%u", &p->value, &p->by_value) == 2 &&
            p->value >= 0 && p->value < VALUES);
}

static bool read_word(struct op *o, struct place **place, const char *word) {
    const char *next;
    unsigned byte;
    int k;
    if ((k = FIND(word, sems)) >= 0) return o->sem = (uint8_t)k, true;
    if ((k = FIND(word, scopes)) >= 0) return o->scope = (uint8_t)k, true;
    if ((k = FIND(word, spaces)) >= 0) {
        o->space = (uint8_t)k;
        next = strtok(NULL, " \n");
        return next && sscanf(next, "%u", &o->bytes) == 1;
    }
    if (*place && read_place(word, *place)) return true;
    if (!strcmp(word, "by")) return true;
    if (!(next = strtok(NULL, " \n"))) return false;
    if (!strcmp(word, "to")) return register_of(next, &o->to);
    if (!strcmp(word, "if")) return register_of(next, &o->condition);
    if (!strcmp(word, "is")) return sscanf(next, "%u", &o->is) == 1;
    if (!strcmp(word, "byte"))
        return sscanf(next, "%u", &byte) == 1 && (o->byte = (uint8_t)byte) < 4;
    if (!strcmp(word, "id")) return sscanf(next, "%u", &o->id) == 1;
    if (!strcmp(word, "count")) return sscanf(next, "%u", &o->count) == 1;
    if (!strcmp(word, "bytes")) return sscanf(next, "%u", &o->bytes) == 1;
    if (!strcmp(word, "at") || !strcmp(word, "from")) {
        *place = *word == 'a' ? &o->at : &o->from;
        return sscanf(next, "%u", &(*place)->word) == 1;
    }
    return false;
}

/* "b0-1", "w*", "l0,3" */
static bool read_who(struct op *o, const char *word) {
    return *word == 'b'   ? read_set(word + 1, &o->blocks)
           : *word == 'w' ? read_set(word + 1, &o->warps)
           : *word == 'l' ? read_set(word + 1, &o->lanes)
                          : false;
}

static bool read_op(struct op *o, char *line) {
    char *word = strtok(line, " \n");
    struct place *place = NULL;
    bool who = false;
    int kind = word ? FIND(word, kinds) : -1;
    if (kind < 0) return false;
    *o = (struct op){.kind = (uint8_t)kind,
                     .at.value = -1,
                     .from.value = -1,
                     .to = -1,
                     .condition = -1};
    while ((word = strtok(NULL, " \n"))) {
        if (who ? !read_who(o, word) : !read_word(o, &place, word))
            return false;
        who |= !strcmp(word, "by");
    }
    return o->blocks && o->warps && o->lanes;
}

bool program_read(struct program *p, FILE *f, char why[REASON]) {
    char line[512];
    *p = (struct program){.n_ops = 0};
    while (fgets(line, sizeof line, f)) {
        char copy[512];
        memcpy(copy, line, sizeof copy);
        if (line[0] == '\n' || line[0] == '#') continue;
        bool good =
            p->n_blocks
                ? p->n_ops < MOST_OPS && read_op(&p->ops[p->n_ops++], line)
                : sscanf(line, "blocks %u warps %u launches %u", &p->n_blocks,
                         &p->n_warps, &p->n_launches) == 3;
        if (!good) return snprintf(why, REASON, "%.140s", copy), false;
    }
    snprintf(why, REASON, "it is not of 1 to %u blocks", MOST_BLOCKS);
    return p->n_blocks && p->n_blocks <= MOST_BLOCKS && p->n_warps &&
           p->n_warps <= MOST_WARPS && p->n_launches &&
           p->n_launches <= MOST_LAUNCHES;
}
