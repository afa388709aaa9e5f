/* SPDX-License-Identifier: MIT
 *
 * oracle_banks.c: the right answers of lab 3: in which words of shared memory
 * a tree of sums lives, and what an up-sweep leaves there.
 */
#include "oracle.h"

enum { PLAIN, PADDING, LEFTRIGHT }; /* contract/parameters.def */

/* The word of node x of level m. LeftRight not by the paper's formula but by
 * the rule behind it: of k nodes in a row, the first half lives in
 * their left children's words, the other half in their right ones'. */
static size_t word_of(const struct oracle_call *c, unsigned m, size_t x) {
    size_t banks = (size_t)c->parameters[PARAMETER_banks];
    if (c->parameters[PARAMETER_map] == LEFTRIGHT) {
        while (m-- > 0) x = 2 * x + (x % banks >= banks / 2);
        return x;
    }
    size_t last = ((x + 1) << m) - 1;
    return c->parameters[PARAMETER_map] == PADDING ? last + last / banks : last;
}

static unsigned levels_for(size_t n) {
    unsigned levels = 0;
    while ((size_t)1 << levels < n) levels++;
    return levels;
}

/* Words of shared memory for the tree. */
static size_t words_for(const struct oracle_call *c) {
    size_t banks = (size_t)c->parameters[PARAMETER_banks];
    bool padded = c->parameters[PARAMETER_map] == PADDING;
    return padded ? c->n + c->n / banks : c->n;
}

size_t oracle_node_word(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    unsigned levels = levels_for(c->n); /* n: a power of two */
    for (size_t i = 0; i < c->n; i++) {
        size_t node = (uint32_t)in[i] % (2 * c->n);
        unsigned depth = 0;
        while (node >> depth > 1) depth++;
        size_t x = node - ((size_t)1 << depth);
        out[i] = (int32_t)(node ? word_of(c, levels - depth, x) : words_for(c));
    }
    return c->n;
}

/* The word of leaf i: up from the leaf as long as the parent lives there, too.
 * Then that parent left it its left half's sum; the root has the total. */
size_t oracle_up_sweep(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    unsigned levels = levels_for(c->n);
    for (size_t i = 0; i < c->n; i++) {
        size_t x = i;
        unsigned m = 0;
        while (m < levels && word_of(c, m + 1, x / 2) == word_of(c, m, x))
            x /= 2, m++;
        size_t first = m < levels ? x / 2 << (m + 1) : 0;
        uint32_t sum = 0;
        for (size_t k = first; k < first + ((size_t)1 << m) && k < c->n; k++)
            sum += (uint32_t)in[k];
        out[i] = (int32_t)sum;
    }
    return c->n;
}
