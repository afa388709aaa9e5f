/* SPDX-License-Identifier: MIT
 *
 * chain.c: the chain of instructions and messages behind the end of a launch,
 * block by block: a leg of it is what one block does until another one goes on.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "why_words.h"

enum { SHOWN = 3 /* legs at each end */, PARTS = 3, FROM = 12, FOR = 11 };

struct leg {
    const struct vgpu_path_piece *pieces;
    size_t n;
    uint64_t ps;
};

/* Time on one line for one reason. */
struct part {
    const struct vgpu_path_piece *piece;
    uint64_t ps;
};

static bool chain_is_same(const struct vgpu_path_piece *a,
                          const struct vgpu_path_piece *b) {
    return a->cause == b->cause && a->where.line == b->where.line &&
           a->where.file == b->where.file;
}

/* The leg's largest parts, the largest first; how many. */
static int find_parts(const struct leg *l, struct part *largest) {
    int n = 0;
    for (size_t k = 0; k < l->n; k++) {
        struct part p = {&l->pieces[k], 0};
        bool again = false;
        for (size_t j = 0; j < l->n; j++)
            if (chain_is_same(&l->pieces[j], p.piece)) {
                again |= j < k;
                p.ps += l->pieces[j].to - l->pieces[j].from;
            }
        if (again) continue;
        int at = n;
        while (at && largest[at - 1].ps < p.ps) at--;
        if (at == PARTS) continue;
        if (n < PARTS) n++;
        memmove(largest + at + 1, largest + at,
                (size_t)(n - at - 1) * sizeof *largest);
        largest[at] = p;
    }
    return n;
}

static void print_part(FILE *f, const struct vgpu_why *y,
                       const struct part *p) {
    char time[WHY_TIME], place[64];
    why_time(time, y, p->ps);
    fprintf(f, "%s %s", vgpu_cause_words(p->piece->cause), time);
    if (!p->piece->where.line) return;
    lines_place(p->piece->where.file, p->piece->where.line, place,
                sizeof place);
    fputs(" (", f);
    lines_put(f, place, strlen(place), 24);
    fputc(')', f);
}

static void print_leg(FILE *f, const struct vgpu_why *y, const struct leg *l) {
    char from[WHY_TIME], time[WHY_TIME];
    struct part parts[PARTS];
    struct leg first = *l;
    if (first.n > 2000) first.n = 2000; /* its parts, not its time */
    int n = find_parts(&first, parts);
    why_time(from, y, l->pieces->from);
    why_time(time, y, l->ps);
    fprintf(f, "  %*s%*s  block %-6" PRIu32, FROM, from, FOR, time,
            l->pieces->block);
    for (int k = 0; k < n; k++) {
        if (k) fprintf(f, ",\n%*s", 2 + FROM + FOR + 2 + 12, "");
        print_part(f, y, &parts[k]);
    }
    fputc('\n', f);
}

static int by_time(const void *a, const void *b) {
    const struct leg *x = *(const struct leg *const *)a,
                     *y = *(const struct leg *const *)b;
    return x->ps < y->ps ? -1 : x->ps > y->ps;
}

/* Legs in the middle of a long chain are alike, mostly: how long they take, and
 * what the one in the middle does. */
static void print_middle(FILE *f, const struct vgpu_why *y,
                         const struct leg *legs, size_t n) {
    const struct leg **sorted = malloc(n * sizeof *sorted);
    char time[WHY_TIME];
    uint64_t sum = 0;
    if (!sorted) return;
    for (size_t k = 0; k < n; k++) {
        sorted[k] = &legs[k];
        sum += legs[k].ps;
    }
    qsort(sorted, n, sizeof *sorted, by_time);
    why_time(time, y, sum);
    fprintf(f, "  %*s%*s  %zu more blocks; the median:\n", FROM, "...", FOR,
            time, n);
    print_leg(f, y, sorted[n / 2]);
    fprintf(f, "  %*s\n", FROM, "...");
    free(sorted);
}

static size_t find_legs(const struct vgpu_why *y, struct leg *legs) {
    size_t n = 0;
    for (size_t k = 0; k < y->n_path; k++) {
        const struct vgpu_path_piece *p = &y->path[k];
        if (!k || p->block != p[-1].block)
            legs[n++] = (struct leg){.pieces = p};
        legs[n - 1].n++;
        legs[n - 1].ps += p->to - p->from;
    }
    return n;
}

void chain_print(FILE *f, const struct vgpu_why *y,
                 const struct lines_options *o) {
    char time[WHY_TIME];
    struct leg *legs = calloc(y->n_path + 1, sizeof *legs);
    if (!legs || !y->n_path) {
        free(legs);
        return;
    }
    size_t n = find_legs(y, legs);
    why_time(time, y, y->longest_ps);
    fprintf(f, "\n  The path of launch %" PRIu64 ", ", y->launch);
    lines_put(f, y->kernel, strlen(y->kernel), 40);
    fprintf(f, " (%s), goes through %zu block%s:\n\n", time, n,
            n == 1 ? "" : "s one after another");
    if (y->left_out)
        fprintf(f, "  its first %" PRIu64 " pieces are left out\n",
                y->left_out);
    fprintf(f, "%s  %*s%*s  %s%s\n", o->colour ? "\033[1m" : "", FROM, "from",
            FOR, "for", "mostly", o->colour ? "\033[0m" : "");
    bool whole = n <= 2 * SHOWN + 1;
    for (size_t k = 0; k < n && (whole || k < SHOWN); k++)
        print_leg(f, y, &legs[k]);
    if (!whole) print_middle(f, y, legs + SHOWN, n - 2 * SHOWN);
    for (size_t k = whole ? n : n - SHOWN; k < n; k++)
        print_leg(f, y, &legs[k]);
    free(legs);
}
