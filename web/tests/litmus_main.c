/* SPDX-License-Identifier: MIT
 *
 * litmus_main.c: `vgpu litmus` as a program of its own, for node.
 */
#include "litmus.h"

int main(int argc, char **argv) {
    return litmus_main(argc, argv);
}
