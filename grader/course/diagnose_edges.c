/* SPDX-License-Identifier: MIT
 *
 * diagnose_edges.c: where the first wrong element stands among the parts of
 * which the lab speaks (warps, rows, tiles, chunks), and which node of a tree
 * it is.
 */
#include "diagnose_parts.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN = 16 }; /* words of a thread in lab 7 */

/* Lab 7: a chunk holds whole tuples, as many columns as make them up, and half
 * as many elements that are twice as large. 0: not even one tuple. A block has
 * the size that the program gave it; 0: it gave several. */
static size_t size_of(const struct diagnose_case *c,
                      const struct lab_part *part) {
    if (strcmp(part->name, "block") == 0) return c->block_threads;
    if (!signature_takes(c->signature, PARAMETER_tuple)) return part->size;
    size_t tuple = (size_t)c->parameters->value[PARAMETER_tuple];
    size_t columns = part->size / COLUMN;
    size_t words = element_words(signature_element(c->signature, BUFFER_IN));
    return (columns - columns % tuple) * COLUMN / words;
}

/* The largest part that begins at the element. */
static const struct lab_part *begun(const struct diagnose_case *c, size_t at) {
    const struct lab_part *best = NULL;
    for (size_t i = 0; at > 0 && i < c->n_parts; i++) {
        size_t size = size_of(c, &c->parts[i]);
        if (size && at % size == 0 && (!best || size > size_of(c, best)))
            best = &c->parts[i];
    }
    return best;
}

static const struct lab_part *largest(const struct diagnose_case *c) {
    const struct lab_part *best = NULL;
    for (size_t i = 0; i < c->n_parts; i++)
        if (size_of(c, &c->parts[i]) &&
            (!best || size_of(c, &c->parts[i]) > size_of(c, best)))
            best = &c->parts[i];
    return best;
}

/* Blocks that take one part after the other; 0: one part each. */
static size_t blocks_in_turns(const struct diagnose_case *c, size_t size) {
    return c->n_blocks && c->n_blocks * size < c->n ? c->n_blocks : 0;
}

static void set_edge(const struct diagnose_case *c, struct diagnosis *d) {
    const struct lab_part *part = begun(c, d->first), *most = largest(c);
    size_t whole = most ? size_of(c, most) : 0;
    if (!part && diagnose_stretch(c, d->first, whole, d)) return;
    if (!part && (!most || d->first < whole)) return;
    bool begins = part != NULL;
    if (!begins) part = most;
    size_t size = size_of(c, part), number = d->first / size;
    size_t blocks = part == most ? blocks_in_turns(c, size) : 0;
    struct edge e = {
        part->name, d->first, number, size, blocks ? number / blocks : 0,
        blocks};
    fact_free(&d->shape);
    if (begins && number == size && part == most) {
        d->shape =
            FACT(PART_FULL, {V(e.first), V(e.part), V(e.number), V(e.size)});
        return;
    }
    if (begins && diagnose_carry(c, &e, d)) return;
    if (begins)
        d->shape = FACT(PART_EDGE, {V(e.first), V(e.part), V(e.number),
                                    V(e.size), V(e.round), V(e.blocks)});
    else
        d->shape = FACT(PART_INSIDE, {V(e.first), V(e.part), V(e.number),
                                      V(e.size), V(e.round), V(e.blocks)});
}

/* Node numbers as in the lab: the root is 1. */
static void set_node(const struct diagnose_case *c, struct diagnosis *d) {
    size_t node = (uint32_t)c->in[d->first] % (2 * c->n);
    unsigned depth = 0, levels = 0;
    while (node >> depth > 1) depth++;
    while ((size_t)1 << levels < c->n) levels++;
    fact_free(&d->shape);
    d->shape = node ? FACT(WRONG_NODE,
                           {V(d->first), V(node),
                            V(node - ((size_t)1 << depth)), V(levels - depth)})
                    : FACT(WRONG_WORDS, {V(d->first)});
}

static bool is_weak(enum fact_row row) {
    static const enum fact_row weak[] = {FACT_NONE,
                                         FACT_LAST_ONLY,
                                         FACT_TAIL,
                                         FACT_POWER_OF_TWO,
                                         FACT_SCATTERED_ONE,
                                         FACT_SCATTERED_RANGE,
                                         FACT_SCATTERED,
                                         FACT_ANY,
                                         FACT_ANY_BEGINS,
                                         FACT_CONSTANT_FROM,
                                         FACT_CARRY_PER_BLOCK,
                                         FACT_CARRY_PER_BLOCK_OWN};
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
        if (row == weak[i]) return true;
    return false;
}

/* A shape that stays where the numbers do not say more. */
static bool is_doubtful(enum fact_row row) {
    return row == FACT_CHANGES || row == FACT_ANY_ONE_SLOT;
}

/* What the part that begins at the first wrong element of a slot took over. */
static void look_over(const struct diagnose_case *c, struct diagnosis *d) {
    bool tuples = d->shape.row == FACT_ANY_ONE_SLOT;
    size_t tuple = tuples ? (size_t)c->parameters->value[PARAMETER_tuple] : 1;
    size_t slot = d->first % tuple, begins = d->first - slot;
    const struct lab_part *part = begun(c, begins);
    struct diagnosis found = {.first = d->first};
    if (!part) {
        if (!tuples) diagnose_stretch(c, d->first, 0, d);
        return;
    }
    size_t size = size_of(c, part), number = begins / size;
    struct edge e = {
        .part = part->name, .first = d->first, .number = number, .size = size};
    if (!diagnose_carry(c, &e, &found)) return;
    bool lacks = found.shape.row == FACT_CARRY_NOTHING ||
                 found.shape.row == FACT_CARRY_LACKS ||
                 found.shape.row == FACT_CARRY_LACKS_LAST;
    fact_free(tuples && !lacks ? &found.shape : &d->shape);
    if (!tuples)
        d->shape = found.shape;
    else if (lacks) {
        d->shape = FACT(ONE_SLOT_LACKS, {V(slot), V(tuple), V(d->first),
                                         V(part->name), V(number)});
        fact_free(&found.shape);
    }
}

/* More sums of parts than a part has elements. */
static bool fills_one(const struct diagnose_case *c, struct diagnosis *d) {
    const struct lab_part *part = begun(c, d->first);
    if (d->shape.row != FACT_RESTARTS_AT || !part || part != largest(c))
        return false;
    size_t size = size_of(c, part);
    if (d->first / size != size) return false;
    fact_free(&d->shape);
    d->shape = FACT(PART_FULL, {V(d->first), V(part->name), V(size), V(size)});
    return true;
}

void diagnose_edge(const struct diagnose_case *c, struct diagnosis *d) {
    if (d->count == 0 || fills_one(c, d)) return;
    bool scan = oracle_shape(c->oracle) == OUTPUT_SCAN;
    if (scan && is_doubtful(d->shape.row)) {
        look_over(c, d);
        return;
    }
    struct diagnosis own = {.first = d->first};
    if (scan && (is_weak(d->shape.row) || d->shape.row == FACT_CONSTANT) &&
        d->shape.row != FACT_CARRY_PER_BLOCK_OWN &&
        diagnose_first_own(c, &own)) {
        fact_free(&d->shape);
        d->shape = own.shape;
        return;
    }
    if (c->oracle == ORACLE_node_word && is_weak(d->shape.row) && c->n)
        set_node(c, d);
    else if (oracle_shape(c->oracle) == OUTPUT_SCAN &&
             (is_weak(d->shape.row) && d->shape.row != FACT_TAIL))
        set_edge(c, d);
}
