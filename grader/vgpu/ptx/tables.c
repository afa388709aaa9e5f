/* SPDX-License-Identifier: MIT
 *
 * tables.c: what is known of opcodes and types without looking at a module.
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
    [PTX_NONE] = {"", 0},          [PTX_PRED] = {".pred", 0},
    [PTX_B8] = {".b8", 1},         [PTX_B16] = {".b16", 2},
    [PTX_B32] = {".b32", 4},       [PTX_B64] = {".b64", 8},
    [PTX_B128] = {".b128", 16},    [PTX_U8] = {".u8", 1},
    [PTX_U16] = {".u16", 2},       [PTX_U32] = {".u32", 4},
    [PTX_U64] = {".u64", 8},       [PTX_S8] = {".s8", 1},
    [PTX_S16] = {".s16", 2},       [PTX_S32] = {".s32", 4},
    [PTX_S64] = {".s64", 8},       [PTX_F16] = {".f16", 2},
    [PTX_F16X2] = {".f16x2", 4},   [PTX_BF16] = {".bf16", 2},
    [PTX_BF16X2] = {".bf16x2", 4}, [PTX_F32] = {".f32", 4},
    [PTX_F64] = {".f64", 8},
};

unsigned ptx_type_bytes(enum ptx_type type) {
    return type < sizeof types / sizeof *types ? types[type].bytes : 0;
}

const char *ptx_type_name(enum ptx_type type) {
    return type < sizeof types / sizeof *types ? types[type].name : "";
}
