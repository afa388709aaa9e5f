/* SPDX-License-Identifier: MIT
 *
 * initialiser.c: "= value", "= {1, 2, {3, 4}, f, generic(x)+4, mask(0xff)(x)}"
 * (PTX ISA 5.4.4 and 5.4.5).
 *
 * How to read this: values are written to a growing image as they come; braces
 * move the write position to the end of the row they stand for. Addresses leave
 * zeros and a relocation. The image is copied to the variable at its end,
 * padded with zeros to the variable's size.
 */
#include "parser.h"

#include <assert.h>
#include <string.h>

struct image {
    struct ptx_variable *variable;
    struct ptx_shape *shape;
    uint64_t limit;   /* elements that fit; UINT64_MAX: open */
    uint64_t next;    /* element to write */
    uint64_t written; /* elements up to the last one written */
};

static void initialiser_put(struct ptx_parser *p, struct image *image,
                            uint64_t bits, const char *at) {
    if (image->next >= image->limit)
        ptx_fail(p, at, "more initial values than '%s' has elements",
                 image->variable->name);
    uint64_t bytes = image->shape->element_bytes;
    uint64_t end = (image->next + 1) * bytes;
    if (end > PTX_ARENA_LIMIT)
        ptx_fail(p, at, "initial values beyond %zu MiB", PTX_ARENA_LIMIT >> 20);
    ptx_list_reserve_bytes(p, &p->image, end);
    uint8_t *to = (uint8_t *)p->image.items + image->next * bytes;
    for (uint64_t i = 0; i < bytes && i < 8; i++)
        to[i] = (uint8_t)(bits >> (8 * i));
    image->next++;
    if (image->next > image->written) image->written = image->next;
}

static uint64_t float_bits(double value) {
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

/* What a constant becomes in a variable of this type. */
static uint64_t convert(struct ptx_value v, enum ptx_type type) {
    if (type == PTX_F32)
        return v.kind == PTX_TOKEN_FLOAT32 ? v.bits
                                           : float_bits(ptx_value_double(v));
    if (type == PTX_F64 && v.kind != PTX_TOKEN_FLOAT64) {
        double value = ptx_value_double(v);
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    return v.bits;
}

/* A symbol with "+4" or "-4" after it. */
static void parse_address(struct ptx_parser *p, struct ptx_relocation *r) {
    struct ptx_token token = p->token;
    bool is_generic = token.kind == PTX_TOKEN_WORD &&
                      strcmp(token.name->text, "generic") == 0;
    ptx_expect(p, PTX_TOKEN_WORD, "an initial value");
    if (is_generic && ptx_accept(p, '(')) {
        r->generic = true;
        token = p->token;
        ptx_expect_word(p, "a symbol");
        if (p->token.kind == '+' || p->token.kind == '-')
            r->addend += ptx_parse_integer_expression(p);
        ptx_expect(p, ')', "')'");
    }
    r->symbol = token.name->text;
    if (ptx_accept(p, '[')) { /* "&a[2]" in bytes as nvcc never writes it */
        r->addend += ptx_parse_integer_expression(p);
        ptx_expect(p, ']', "']'");
    }
    if (p->token.kind == '+' || p->token.kind == '-')
        r->addend += ptx_parse_integer_expression(p);
    ptx_check_symbol(p, token.name, token.start);
}

static void add_relocation(struct ptx_parser *p, struct image *image,
                           struct ptx_relocation relocation, const char *at) {
    unsigned bytes = (unsigned)image->shape->element_bytes;
    relocation.offset = (size_t)(image->next * bytes);
    relocation.bytes = bytes < 8 ? bytes : 8;
    initialiser_put(p, image, 0, at);
    struct ptx_relocation *added =
        ptx_list_add(p, &p->relocations, sizeof *added);
    *added = relocation;
}

/* "0xff00(x)": one byte of an address, for structures that are not aligned. */
static void parse_masked(struct ptx_parser *p, struct image *image,
                         uint64_t mask, const char *at) {
    struct ptx_relocation relocation = {.masked = true};
    while (relocation.shift < 64 && mask != (uint64_t)0xff << relocation.shift)
        relocation.shift += 8;
    if (relocation.shift == 64)
        ptx_fail(p, at, "a mask must select one byte of an address");
    ptx_expect(p, '(', "'('");
    parse_address(p, &relocation);
    ptx_expect(p, ')', "')'");
    add_relocation(p, image, relocation, at);
}

static bool is_word(const struct ptx_parser *p, const char *text) {
    return p->token.kind == PTX_TOKEN_WORD &&
           strcmp(p->token.name->text, text) == 0;
}

static void parse_value(struct ptx_parser *p, struct image *image) {
    const char *at = p->token.start;
    if (is_word(p, "mask")) {
        ptx_next(p);
        ptx_expect(p, '(', "'('");
        uint64_t mask = (uint64_t)ptx_parse_integer_expression(p);
        ptx_expect(p, ')', "')'");
        parse_masked(p, image, mask, at);
    } else if (p->token.kind == PTX_TOKEN_WORD && !is_word(p, "WARP_SZ")) {
        struct ptx_relocation relocation = {0};
        parse_address(p, &relocation);
        add_relocation(p, image, relocation, at);
    } else {
        struct ptx_value v = ptx_parse_expression(p);
        if (v.kind == PTX_TOKEN_INTEGER && p->token.kind == '(')
            parse_masked(p, image, v.bits, at);
        else
            initialiser_put(p, image, convert(v, image->variable->type), at);
    }
}

/* Elements in one item of a brace at this depth. */
static uint64_t row_elements(const struct ptx_shape *shape, unsigned depth) {
    uint64_t n = 1;
    for (unsigned i = depth; i < shape->n_dims; i++) n *= shape->dims[i];
    return n;
}

static void parse_braces(struct ptx_parser *p, struct image *image,
                         unsigned depth) {
    const char *at = p->token.start;
    if (depth >= image->shape->n_dims)
        ptx_fail(p, at, "more braces than '%s' has dimensions",
                 image->variable->name);
    bool is_open = depth == 0 && image->shape->is_open;
    uint64_t first = image->next, row = row_elements(image->shape, depth);
    uint64_t outer_limit = image->limit;
    if (!is_open && row && (first % row || first + row > outer_limit))
        ptx_fail(p, at, "these braces do not begin at a row of '%s'",
                 image->variable->name);
    if (first > PTX_MAX_VARIABLE_BYTES)
        ptx_fail(p, at, "this variable exceeds 2^40 bytes");
    image->limit = is_open ? UINT64_MAX : first + row;
    ptx_next(p);
    while (p->token.kind != '}') {
        if (p->token.kind == '{')
            parse_braces(p, image, depth + 1);
        else
            parse_value(p, image);
        if (!ptx_accept(p, ',')) break;
    }
    ptx_expect(p, '}', "'}'");
    image->limit = outer_limit;
    if (!is_open) image->next = first + row;
}

static void close_open_array(struct ptx_parser *p, const struct image *image,
                             const char *at) {
    uint64_t row = row_elements(image->shape, 1);
    uint64_t n = image->next > image->written ? image->next : image->written;
    if (!row) ptx_fail(p, at, "an array of empty rows");
    n = (n + row - 1) / row;
    image->shape->dims[0] = n;
    image->variable->bytes = n * row * image->shape->element_bytes;
}

void ptx_parse_initialiser(struct ptx_parser *p, struct ptx_variable *variable,
                           struct ptx_shape *shape) {
    const char *at = p->token.start;
    struct image image = {.variable = variable, .shape = shape};
    image.limit = shape->is_open ? UINT64_MAX : row_elements(shape, 0);
    p->image.n = 0;
    p->relocations.n = 0;
    if (variable->space != PTX_GLOBAL && variable->space != PTX_CONST)
        ptx_fail(p, at,
                 "only .global and .const variables have initial "
                 "values");
    if (p->token.kind == '{')
        parse_braces(p, &image, 0);
    else
        parse_value(p, &image);
    if (shape->is_open) close_open_array(p, &image, at);
    assert(image.written * shape->element_bytes <= variable->bytes);
    if (image.written) {
        uint8_t *data = ptx_take(p, variable->bytes);
        memcpy(data, p->image.items,
               (size_t)(image.written * shape->element_bytes));
        variable->data = data;
    }
    uint32_t n;
    variable->relocations =
        ptx_list_take(p, &p->relocations, sizeof(struct ptx_relocation), &n);
    variable->n_relocations = n;
}
