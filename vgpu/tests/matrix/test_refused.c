/* SPDX-License-Identifier: MIT
 *
 * test_refused.c: forms that no GPU has are refused, too, and so are fragments
 * of a wrong size: no PTX is believed.
 */
#include <stdio.h>

#include "products.h"
#include "unit.h"

#define TWO   "{%a0,%a1}"
#define FOUR  "{%a0,%a1,%a2,%a3}"
#define MMA   "mma.sync.aligned."
#define NO    "no matrix product of this shape"
#define COUNT "a fragment has"

TEST(types_that_do_not_go_together_are_refused) {
    static const char *const forms[] = {"m16n8k16.row.col.f32.f16.bf16.f32",
                                        "m16n8k16.row.col.f32.s8.s8.f32",
                                        "m16n8k16.row.col.s32.f16.f16.s32",
                                        "m16n8k16.row.col.f32.f16.f16.f16",
                                        "m16n8k8.row.col.f32.f32.f32.f32",
                                        "m16n8k32.row.col.s32.s8.s4.s32",
                                        "m16n8k4.row.col.f32.f16.f16.f32",
                                        "m17n8k16.row.col.f32.f16.f16.f32"};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        char body[256];
        snprintf(body, sizeof body, "%s%s %s", MMA, forms[k],
                 FOUR "," FOUR "," TWO "," FOUR ";");
        products_refused(body, NO);
    }
}

TEST(fragments_of_another_size_are_refused) {
    products_refused(MMA "m16n8k16.row.col.f32.f16.f16.f32 " FOUR "," TWO
                         "," TWO "," FOUR ";",
                     COUNT);
    products_refused(MMA "m16n8k16.row.col.f32.f16.f16.f32 " TWO "," FOUR
                         "," TWO "," FOUR ";",
                     COUNT);
    products_refused("ldmatrix.sync.aligned.m8n8.x4.shared.b16 " TWO ", [%r1];",
                     COUNT);
    products_refused(
        "wmma.load.a.sync.aligned.row.m16n16k16.f16 " FOUR ", [%p0];", COUNT);
}

TEST(other_words_are_refused) {
    products_refused(MMA "m16n8k16.row.row.f32.f16.f16.f32 " FOUR "," FOUR
                         "," TWO "," FOUR ";",
                     ".row.col only");
    products_refused(MMA "m16n8k16.row.col.satfinite.f32.f16.f16.f32 " FOUR
                         "," FOUR "," TWO "," FOUR ";",
                     "for integers only");
    products_refused(MMA "m16n8k16.row.col.relu.f32.f16.f16.f32 " FOUR "," FOUR
                         "," TWO "," FOUR ";",
                     "'.relu'");
    products_refused(
        "ldmatrix.sync.aligned.m8n8.x8.shared.b16 " FOUR ", [%r1];", "'.x8'");
    products_refused("ldmatrix.sync.aligned.m8n16.x2.shared.b16 " TWO
                     ", [%r1];",
                     "m8n8 with");
    products_refused("wmma.load.a.sync.aligned.col.m8n8k32.s4 {%a0}, [%p0];",
                     "along k only");
    products_refused("wmma.store.a.sync.aligned.row.m16n16k16.f16 [%p0], " FOUR
                     ";",
                     "are expected");
    products_refused(
        "wmma.load.a.sync.aligned.row.m16n16k16.f32 " FOUR ", [%p0];", NO);
}

UNIT_MAIN(NULL, NULL)
