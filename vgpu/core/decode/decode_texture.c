/* SPDX-License-Identifier: MIT
 *
 * decode_texture.c: tex, tld4, suld, sust, txq, suq by handle: the unified mode
 * of texture and surface objects. References (.texref and so on) are refused,
 * and so is what needs mipmaps, cubes or several samples.
 *
 * operands.at: the destinations, or what a sust stores. The words of these
 * instructions occur nowhere else, so they are read here.
 */
#include <string.h>

#include "decode.h"
#include "texture_op.h"

struct words {
    bool level, packed, has_shape;
};

static bool texture_word(struct decoder *d, struct texture_op *op,
                         struct words *w, const char *word, size_t n) {
    static const struct {
        const char *text;
        uint8_t dims;
        bool is_layered;
    } shapes[] = {{"1d", 1, false},
                  {"2d", 2, false},
                  {"3d", 3, false},
                  {"a1d", 1, true},
                  {"a2d", 2, true}};
    static const char *const bounds[] = {"trap", "clamp", "zero"};
    static const char *const queries[] = {"width", "height", "depth",
                                          "array_size"};
    static const char *const components[] = {"r", "g", "b", "a"};
    static const char *const types[] = {"v2", "v4",  "f32", "s32", "u32",
                                        "b8", "b16", "b32", "b64"};
#define IS(x) (strlen(x) == n && memcmp(x, word, n) == 0)
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if (IS(shapes[k].text)) {
            op->dims = shapes[k].dims;
            op->is_layered = shapes[k].is_layered;
            return w->has_shape = true;
        }
    bool is_surface = d->at->op == PTX_OP_suld || d->at->op == PTX_OP_sust;
    for (uint8_t k = 0; is_surface && k < 3; k++)
        if (IS(bounds[k])) return op->bound = k, true;
    for (uint8_t k = 0; op->verb == TEXTURE_QUERY && k < 4; k++)
        if (IS(queries[k])) return op->query = k, true;
    for (uint8_t k = 0; d->at->op == PTX_OP_tld4 && k < 4; k++)
        if (IS(components[k])) return op->component = k, true;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (IS(types[k])) return true;
    if (IS("b") && is_surface) return true;
    if (IS("level") && op->verb == TEXTURE_FETCH) return w->level = true;
    return decode_fail(d, "the virtual GPU does not know '.%.*s' here", (int)n,
                       word);
#undef IS
}

static bool texture_words(struct decoder *d, struct texture_op *op,
                          struct words *w) {
    for (const char *at = strchr(d->at->form, '.'); at; at = strchr(at, '.')) {
        size_t n = strcspn(++at, ".");
        if (!texture_word(d, op, w, at, n)) return false;
    }
    return w->has_shape || op->verb == TEXTURE_QUERY ||
           decode_fail(d, "no geometry given");
}

/* "[%rd1, {%r1, %f1}]": the handle and the coordinates. */
static bool texture_place(struct decoder *d, struct texture_op *op,
                          const struct ptx_operand *o) {
    if (o->kind != PTX_ADDRESS || o->symbol || o->reg < 0 || o->integer)
        return decode_fail(d, "texture and surface references are not there "
                              "(CUDA 12 took them out): use objects");
    if (decode_class(d->ptx->registers[o->reg].type) != 'd')
        return decode_fail(d, "a handle has 64 bits");
    op->handle = d->register_at[o->reg];
    op->layer = op->at[0] = op->at[1] = op->at[2] = NO_REGISTER;
    if (op->verb == TEXTURE_QUERY) return o->n_items == 0;
    const struct ptx_operand *list = o->items;
    if (o->n_items != 1)
        return decode_fail(d, "a sampler of its own is not supported here");
    uint32_t n = list->kind == PTX_VECTOR ? list->n_items : 1;
    const struct ptx_operand *items =
        list->kind == PTX_VECTOR ? list->items : list;
    uint32_t first = op->is_layered ? 1 : 0;
    if (n < first + op->dims)
        return decode_fail(d, "too few coordinates are given");
    if (first) op->layer = decode_operand(d, &items[0], 'w', PTX_U32);
    enum ptx_type type = op->is_whole ? PTX_S32 : PTX_F32;
    for (uint32_t k = 0; k < op->dims; k++)
        op->at[k] = decode_operand(d, &items[first + k], 'w', type);
    return !d->failed;
}

/* The registers that are read or written beside memory. */
static bool texture_values(struct decoder *d, struct insn *out,
                           const struct ptx_operand *o, char class) {
    const struct ptx_operand *list = o->kind == PTX_VECTOR ? o->items : o;
    uint32_t n = o->kind == PTX_VECTOR ? o->n_items : 1;
    if (n != out->n_elements) return decode_fail(d, "wrong number of elements");
    for (uint32_t k = 0; k < n; k++) {
        out->operands.at[k] =
            decode_operand(d, &list[k], class, (enum ptx_type)out->type);
        if (list[k].kind == PTX_REGISTER &&
            ptx_type_bytes(d->ptx->registers[list[k].reg].type) == 2)
            out->mode = 1;
    }
    out->register_is_wide = class == 'd';
    return !d->failed;
}

static bool decode_surface(struct decoder *d, struct insn *out,
                           struct texture_op *op) {
    const struct ptx_insn *i = d->at;
    bool store = op->verb == SURFACE_STORE;
    op->is_whole = true;
    if (i->n_operands != 2) return decode_fail(d, "wrong number of operands");
    out->type = (uint8_t)ptx_type_at(i->typed, 0);
    out->bytes = (uint8_t)ptx_type_bytes(out->type);
    if (!out->bytes || i->typed->n_types != 1)
        return decode_fail(d, "type not supported here");
    if (out->bytes * out->n_elements > 16)
        return decode_fail(d, "more than 16 bytes per thread");
    return texture_values(d, out, &i->operands[store],
                          out->bytes == 8 ? 'd' : 'w') &&
           texture_place(d, op, &i->operands[!store]);
}

static bool decode_fetch(struct decoder *d, struct insn *out,
                         struct texture_op *op, const struct words *w) {
    const struct ptx_insn *i = d->at;
    enum ptx_type value = ptx_type_at(i->typed, 1),
                  place = ptx_type_at(i->typed, 0);
    if (i->typed->n_types != 2 || ptx_type_bytes(value) != 4 ||
        (place != PTX_S32 && place != PTX_F32))
        return decode_fail(d, "type not supported here");
    if (i->n_operands != (w->level ? 3u : 2u))
        return decode_fail(d, "offsets and comparisons are not supported here");
    op->is_whole = place == PTX_S32;
    out->type = (uint8_t)value;
    out->bytes = 4;
    return texture_values(d, out, &i->operands[0], 'w') &&
           texture_place(d, op, &i->operands[1]);
}

static bool decode_query(struct decoder *d, struct insn *out,
                         struct texture_op *op) {
    if (d->at->n_operands != 2)
        return decode_fail(d, "wrong number of operands");
    out->type = PTX_B32;
    out->bytes = 4;
    return texture_values(d, out, &d->at->operands[0], 'w') &&
           texture_place(d, op, &d->at->operands[1]);
}

bool decode_texture(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    struct words w = {0};
    if (!d->program->has_textures) return decode_none(d, out);
    struct texture_op *op = decode_extra(d, out, sizeof *op);
    if (!op) return false;
    op->verb = i->op == PTX_OP_tex    ? TEXTURE_FETCH
               : i->op == PTX_OP_tld4 ? TEXTURE_GATHER
               : i->op == PTX_OP_suld ? SURFACE_LOAD
               : i->op == PTX_OP_sust ? SURFACE_STORE
                                      : TEXTURE_QUERY;
    if (!texture_words(d, op, &w)) return false;
    bool reads = op->verb == TEXTURE_FETCH || op->verb == TEXTURE_GATHER;
    out->kind = KIND_TEXTURE;
    out->space = PTX_GLOBAL;
    out->read_only = reads;
    out->n_elements = i->typed->vector ? i->typed->vector : 1;
    if (op->verb == SURFACE_STORE)
        out->n_sources = out->n_elements;
    else
        out->n_destinations = out->n_elements;
    if (reads) return decode_fetch(d, out, op, &w);
    return op->verb == TEXTURE_QUERY ? decode_query(d, out, op)
                                     : decode_surface(d, out, op);
}
