/* SPDX-License-Identifier: MIT
 *
 * decode_operand.c: every operand becomes a register: constants and special
 * registers get one of their own, filled before the kernel runs.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"

char decode_class(enum ptx_type type) {
    if (type == PTX_PRED) return 'p';
    return ptx_type_bytes(type) >= 8 ? 'd' : 'w';
}

uint32_t decode_scratch(struct decoder *d, char class) {
    uint32_t at = d->next_register;
    d->next_register += class == 'p' ? 64 : class == 'd' ? 256 : 128;
    return at;
}

uint32_t decode_fill(struct decoder *d, struct fill want) {
    /* A kernel of very many constants may have one twice. */
    enum { LATEST = 4096 };
    struct function *f = d->function;
    for (uint32_t i = f->n_fills; i-- > 0 && f->n_fills - i <= LATEST;) {
        const struct fill *x = &f->fills[i];
        if (x->value == want.value && x->class == want.class &&
            x->kind == want.kind && x->bytes == want.bytes &&
            x->type == want.type && x->narrow == want.narrow)
            return x->at;
    }
    if (f->n_fills == d->n_fills_allocated) {
        uint32_t n = d->n_fills_allocated * 2 + 32;
        struct fill *t = realloc(f->fills, n * sizeof *t);
        if (!t) {
            decode_no_memory(d);
            return NO_REGISTER;
        }
        f->fills = t;
        d->n_fills_allocated = n;
    }
    want.at = decode_scratch(d, want.class);
    f->fills[f->n_fills++] = want;
    return want.at;
}

uint32_t decode_constant(struct decoder *d, char class, uint64_t value) {
    if (class != 'd') value &= 0xffffffffu;
    return decode_fill(d, (struct fill){.value = value, .class = class});
}

uint32_t decode_sink(struct decoder *d, char class) {
    int k = class == 'w' ? 0 : class == 'd' ? 1 : 2;
    if (d->sink[k] == NO_REGISTER) d->sink[k] = decode_scratch(d, class);
    return d->sink[k];
}

uint32_t decode_carry(struct decoder *d) {
    if (d->function->carry == NO_REGISTER)
        d->function->carry = decode_scratch(d, 'p');
    return d->function->carry;
}

/* class 0: no operand */
static const struct {
    char class;
    bool is_clock;
    uint8_t clock; /* enum clock_mode */
} specials[] = {
    {0, false, 0},
#define LANE(class, value)              {class, false, 0},
#define LAUNCH(class, value)            LANE(class, value)
#define BLOCK(class, value)             LANE(class, value)
#define CLOCK(class, value)             {0, true, value},
#define ABSENT(class, value)            {0, false, 0},
#define X(id, text, when, class, value) when(class, value)
#include "specials.def"
#undef X
#undef LANE
#undef LAUNCH
#undef BLOCK
#undef CLOCK
#undef ABSENT
};

bool decode_is_clock(const struct ptx_operand *o, uint8_t *mode) {
    if (o->kind != PTX_SPECIAL) return false;
    *mode = specials[o->special].clock;
    return specials[o->special].is_clock;
}

static uint32_t special(struct decoder *d, const struct ptx_operand *o) {
    char class = specials[o->special].class;
    if (!class) {
        decode_fail(d, "the virtual GPU does not have the register %s",
                    o->symbol);
        return NO_REGISTER;
    }
    uint32_t *at = &d->function->specials[o->special];
    if (*at == NO_REGISTER) *at = decode_scratch(d, class);
    return *at;
}

char decode_operand_class(struct decoder *d, const struct ptx_operand *o) {
    if (o->kind != PTX_REGISTER) return 0;
    return decode_class(d->ptx->registers[o->reg].type);
}

static uint64_t literal(const struct ptx_operand *o, enum ptx_type type) {
    uint64_t bits = (uint64_t)o->integer;
    if (type == PTX_F32 && o->kind == PTX_FLOAT64) {
        double x;
        memcpy(&x, &bits, 8);
        float y = (float)x;
        uint32_t b;
        memcpy(&b, &y, 4);
        return b;
    }
    if (type == PTX_F64 && o->kind == PTX_FLOAT32) {
        uint32_t b = (uint32_t)bits;
        float x;
        memcpy(&x, &b, 4);
        double y = x;
        memcpy(&bits, &y, 8);
        return bits;
    }
    /* 8- and 16-bit values live zero-extended */
    if (ptx_type_bytes(type) == 2) return bits & 0xffff;
    if (ptx_type_bytes(type) == 1) return bits & 0xff;
    return bits;
}

static bool is_choice(const struct decoder *d, const struct ptx_operand *o) {
    enum { MOST = 65536 };
    return d->program->choice && d->at && d->at->op == PTX_OP_mov &&
           o->kind == PTX_INTEGER && o->integer >= VGPU_EDIT_CHOICES &&
           o->integer < VGPU_EDIT_CHOICES + MOST;
}

uint32_t decode_operand(struct decoder *d, const struct ptx_operand *o,
                        char class, enum ptx_type type) {
    switch (o->kind) {
    case PTX_REGISTER: {
        char have = decode_operand_class(d, o);
        if (have != class) {
            decode_fail(d,
                        "register %s has the wrong size for this instruction",
                        d->ptx->registers[o->reg].name);
            return NO_REGISTER;
        }
        return d->register_at[o->reg];
    }
    case PTX_INTEGER:
    case PTX_FLOAT32:
    case PTX_FLOAT64: {
        uint64_t bits = is_choice(d, o) ? o->integer == d->program->choice
                                        : literal(o, type);
        return decode_constant(d, class,
                               class == 'p' ? (bits ? 0xffffffffu : 0) : bits);
    }
    case PTX_SPECIAL: return special(d, o);
    case PTX_SYMBOL: return decode_symbol(d, o, class);
    case PTX_SINK: return decode_sink(d, class);
    default: decode_fail(d, "operand of a kind not expected here");
    }
    return NO_REGISTER;
}
