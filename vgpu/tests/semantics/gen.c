/* SPDX-License-Identifier: MIT
 *
 * gen.c: the tree of nodes, registers and bodies: what gen_*.c share.
 */
#include "gen.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t gen_below(struct gen *g, uint32_t n) {
    return (uint32_t)((draw(&g->random) >> 32) * n >> 32);
}

bool gen_one_in(struct gen *g, uint32_t n) {
    return gen_below(g, n) == 0;
}

/* ---- the tree ---- */

static void *must(void *p) {
    if (!p) abort();
    return p;
}

void gen_begin(struct gen *g) {
    struct node *n = must(calloc(1, sizeof *n));
    n->id = g->p->n_nodes++;
    if (g->depth) {
        struct node *parent = g->open[g->depth - 1];
        unsigned part = g->part[g->depth - 1];
        if (parent->last[part])
            parent->last[part]->next = n;
        else
            parent->first[part] = n;
        parent->last[part] = n;
    } else {
        g->p->root = n;
    }
    if (g->depth == GEN_DEPTH) abort();
    g->open[g->depth] = n;
    g->part[g->depth++] = 0;
}

void gen_children(struct gen *g) {
    if (++g->part[g->depth - 1] == NODE_PARTS) abort();
}

void gen_end(struct gen *g) {
    g->open[--g->depth]->end = g->p->n_nodes;
}

void gen_emit(struct gen *g, const char *format, ...) {
    char line[1024];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= sizeof line) abort();
    struct node *at = g->open[g->depth - 1];
    unsigned part = g->part[g->depth - 1];
    at->text[part] =
        must(realloc(at->text[part], at->length[part] + (size_t)n + 1));
    memcpy(at->text[part] + at->length[part], line, (size_t)n + 1);
    at->length[part] += (size_t)n;
}

static void write_text(FILE *f, const char *text, unsigned index) {
    for (const char *at = text; at && *at;) {
        size_t n = strcspn(at, "#");
        fwrite(at, 1, n, f);
        at += n;
        if (*at != '#') continue;
        fprintf(f, "%u", index);
        at++;
    }
}

static void write_node(FILE *f, const struct node *n, unsigned index,
                       const uint8_t *skipped) {
    for (; n; n = n->next) {
        if (skipped && skipped[n->id]) continue;
        for (unsigned k = 0; k < NODE_PARTS; k++) {
            write_text(f, n->text[k], index);
            write_node(f, n->first[k], index, skipped);
        }
    }
}

void program_write(const struct program *p, FILE *f, unsigned index,
                   const uint8_t *skipped) {
    write_node(f, p->root, index, skipped);
}

char *program_text(const struct program *p, const uint8_t *skipped) {
    char *text;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) {
        perror("a program's text");
        exit(2);
    }
    fputs(PROGRAM_HEADER, f);
    program_write(p, f, 0, skipped);
    fclose(f);
    return text;
}

unsigned program_nodes(const struct program *p) {
    return p->n_nodes;
}

static const struct node *find_node(const struct node *n, unsigned id) {
    for (; n; n = n->next) {
        if (n->id == id) return n;
        if (id > n->id && id < n->end)
            for (unsigned k = 0; k < NODE_PARTS; k++) {
                const struct node *found = find_node(n->first[k], id);
                if (found) return found;
            }
    }
    return NULL;
}

unsigned program_node_end(const struct program *p, unsigned node) {
    const struct node *n = find_node(p->root, node);
    return n ? n->end : node;
}

static void write_statement(FILE *f, const struct node *n,
                            const uint8_t *skipped) {
    for (; n; n = n->next) {
        if (skipped && skipped[n->id]) continue;
        fprintf(f, "// %u\n", n->id);
        for (unsigned k = 0; k < NODE_PARTS; k++) {
            write_text(f, n->text[k], 0);
            write_statement(f, n->first[k], skipped);
        }
    }
}

void program_write_statements(const struct program *p, FILE *f,
                              const uint8_t *skipped) {
    for (unsigned k = 0; k < NODE_PARTS; k++)
        write_statement(f, p->root->first[k], skipped);
}

static void free_node(struct node *n) {
    while (n) {
        struct node *next = n->next;
        for (unsigned k = 0; k < NODE_PARTS; k++) {
            free(n->text[k]);
            free_node(n->first[k]);
        }
        free(n);
        n = next;
    }
}

void program_free(struct program *p) {
    if (!p) return;
    free_node(p->root);
    free(p);
}

/* ---- registers ---- */

const char gen_classes[] = "phwdexfg";

unsigned gen_pool(char class) {
    switch (class) {
    case 'p': return 8;
    case 'h':
    case 'd':
    case 'f': return 6;
    case 'w': return 12;
    default: return 4;
    }
}

unsigned gen_pick(struct gen *g, char class) {
    return gen_below(g, gen_pool(class));
}

void gen_registers(struct gen *g) {
    static const char *const types[] = {".pred", ".b16", ".b32", ".b64",
                                        ".b16",  ".b32", ".f32", ".f64"};
    for (unsigned k = 0; gen_classes[k]; k++)
        gen_emit(g, " .reg %s %%%c<%u>, %%t%c<16>;\n", types[k], gen_classes[k],
                 gen_pool(gen_classes[k]), gen_classes[k]);
    gen_emit(g, " .reg .b32 %%m<%d>, %%i<%d>, %%n<%d>, %%tmask;\n", GEN_MASKS,
             GEN_LOOPS, GEN_LOOPS);
}

const char *gen_guard(struct gen *g, char text[16]) {
    text[0] = 0;
    if (gen_one_in(g, 7)) {
        unsigned p = gen_pick(g, 'p');
        snprintf(text, 16, "@%s%%p%u ", gen_one_in(g, 2) ? "!" : "", p);
    }
    return text;
}

/* %th1, %tw1 or %td1 of a half: its bits, with one NaN. */
static void canonical_half(struct gen *g, const char *from, int to) {
    gen_emit(g,
             " setp.nan.f16 %%tp15, %s, %s;\n"
             " selp.b16 %%th%d, 0x7fff, %s, %%tp15;\n",
             from, from, to, from);
}

void gen_canonical(struct gen *g, char class, unsigned reg, char name[16]) {
    char half[16];
    switch (class) {
    case 'e':
        snprintf(half, sizeof half, "%%e%u", reg);
        canonical_half(g, half, 15);
        strcpy(name, "%th15");
        break;
    case 'x':
        gen_emit(g, " mov.b32 {%%th12, %%th13}, %%x%u;\n", reg);
        canonical_half(g, "%th12", 14);
        canonical_half(g, "%th13", 15);
        gen_emit(g, " mov.b32 %%tw15, {%%th14, %%th15};\n");
        strcpy(name, "%tw15");
        break;
    case 'f':
        gen_emit(g,
                 " testp.notanumber.f32 %%tp15, %%f%u;\n"
                 " mov.b32 %%tw15, %%f%u;\n"
                 " selp.b32 %%tw15, 0x7fffffff, %%tw15, %%tp15;\n",
                 reg, reg);
        strcpy(name, "%tw15");
        break;
    case 'g':
        gen_emit(g,
                 " testp.notanumber.f64 %%tp15, %%g%u;\n"
                 " mov.b64 %%td15, %%g%u;\n"
                 " selp.b64 %%td15, 0x7fffffffffffffff, %%td15, %%tp15;\n",
                 reg, reg);
        strcpy(name, "%td15");
        break;
    default: snprintf(name, 16, "%%%c%u", class, reg);
    }
}

/* The value as a 64-bit register name: %td14. */
static void widen(struct gen *g, char class, unsigned reg) {
    char name[16];
    gen_canonical(g, class, reg, name);
    switch (class) {
    case 'p': gen_emit(g, " selp.u64 %%td14, 1, 0, %s;\n", name); break;
    case 'd':
    case 'g': gen_emit(g, " mov.b64 %%td14, %s;\n", name); break;
    case 'h':
    case 'e': gen_emit(g, " cvt.u64.u16 %%td14, %s;\n", name); break;
    default: gen_emit(g, " cvt.u64.u32 %%td14, %s;\n", name);
    }
}

void gen_trace(struct gen *g, char class, unsigned reg) {
    if (g->p->build != PROGRAM_TRACED || g->in_function) return;
    widen(g, class, reg);
    gen_emit(g,
             " setp.lt.u64 %%tp14, %%rtrace, %%rtrace_end;\n"
             " mov.b64 %%td13, %u;\n"
             " @%%tp14 st.global.v2.u64 [%%rtrace], {%%td13, %%td14};\n"
             " @%%tp14 add.u64 %%rtrace, %%rtrace, 16;\n",
             g->open[g->depth - 1]->id);
}

void gen_spread(struct gen *g, const char *from) {
    static const uint32_t odd[] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du};
    for (unsigned k = 0; k < gen_pool('w'); k++)
        gen_emit(g,
                 " shr.u64 %%td0, %s, %u;\n cvt.u32.u64 %%w%u, %%td0;\n"
                 " mad.lo.u32 %%w%u, %%w%u, 0x%x, %u;\n",
                 from, k * 3, k, k, k, (unsigned)odd[k % 3], k * 77);
    for (unsigned k = 0; k < gen_pool('d'); k++)
        gen_emit(g, " mov.b64 %%d%u, {%%w%u, %%w%u};\n", k, k, 11 - k);
    for (unsigned k = 0; k < gen_pool('h'); k++)
        gen_emit(g, " cvt.u16.u32 %%h%u, %%w%u;\n", k, k + 1);
    for (unsigned k = 0; k < gen_pool('e'); k++)
        gen_emit(g, " cvt.rn.f16.s16 %%e%u, %%h%u;\n", k, k);
    for (unsigned k = 0; k < gen_pool('x'); k++)
        gen_emit(g, " mov.b32 %%x%u, %%w%u;\n", k, k + 2);
    for (unsigned k = 0; k < gen_pool('f'); k++)
        gen_emit(g,
                 k % 2 ? " cvt.rn.f32.s32 %%f%u, %%w%u;\n"
                       : " mov.b32 %%f%u, %%w%u;\n",
                 k, k + 3);
    for (unsigned k = 0; k < gen_pool('g'); k++)
        gen_emit(g,
                 k % 2 ? " cvt.rn.f64.s64 %%g%u, %%d%u;\n"
                       : " mov.b64 %%g%u, %%d%u;\n",
                 k, k + 1);
    for (unsigned k = 0; k < gen_pool('p'); k++)
        gen_emit(g, " setp.lt.s32 %%p%u, %%w%u, %%w%u;\n", k, k, k + 4);
}
