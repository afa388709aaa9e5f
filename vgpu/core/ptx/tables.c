/* SPDX-License-Identifier: MIT
 *
 * tables.c: what is known of opcodes, types and special registers without
 * looking at a module.
 */
#include "ptx.h"

static const struct {
    const char *name;
    enum ptx_family family;
} ops[PTX_N_OPS] = {
#define X(name, family) {#name, PTX_FAMILY_##family},
#include "opcodes.def"
#undef X
};

const char *ptx_op_name(enum ptx_op op) {
    return op < PTX_N_OPS ? ops[op].name : "?";
}

enum ptx_family ptx_op_family(enum ptx_op op) {
    return op < PTX_N_OPS ? ops[op].family : PTX_FAMILY_NONE;
}

static const struct {
    const char *name;
    unsigned bytes;
} types[] = {
    [PTX_NONE] = {"", 0},
#define X(id, text, bytes) {"." text, bytes},
#include "types.def"
#undef X
};

static const char *const sregs[] = {
    "",
#define X(id, text, when, class, value) "%" text,
#include "specials.def"
#undef X
};

const char *ptx_sreg_name(enum ptx_sreg s) {
    return sregs[s];
}

unsigned ptx_type_bytes(enum ptx_type type) {
    return type < sizeof types / sizeof *types ? types[type].bytes : 0;
}

const char *ptx_type_name(enum ptx_type type) {
    return type < sizeof types / sizeof *types ? types[type].name : "";
}
