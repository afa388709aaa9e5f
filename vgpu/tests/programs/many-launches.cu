/* SPDX-License-Identifier: MIT
 *
 * many-launches.cu: more launches than are kept one by one: the report says how
 * many it leaves out, in text and in JSON.
 */
//: expect: prints right
#include "cases.h"

__global__ void small(unsigned *out) {
    if (threadIdx.x == 0) *out = 1;
}

//: case: left-out-text
//: run: --check none
//: expect: says 5 launches are left out of the lists of launches and kernels
//: case: left-out-json
//: run: --check none --format json
//: expect: says "launches": 5,
int main() {
    buffer<unsigned> out(1);
    for (int i = 0; i < 4096 + 5; i++) small<<<1, 32>>>(out);
    puts(out.host()[0] == 1 ? "right" : "wrong");
}
