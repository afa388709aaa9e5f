/* SPDX-License-Identifier: MIT
 *
 * counts_table.c: see counts_table.h.
 */
#include "counts_table.h"

#include <inttypes.h>
#include <lines.h>
#include <stdio.h>
#include <string.h>

/* The meaning of a counter, in as many lines as it takes beside the numbers. */
static void print_meaning(const char *text) {
    enum { INDENT = 51, ROOM = LINES_WIDTH - INDENT };
    while (strlen(text) > ROOM) {
        int cut = ROOM;
        while (cut > 0 && text[cut] != ' ') cut--;
        if (cut == 0) break;
        printf("%.*s\n%*s", cut, text, INDENT, "");
        text += cut + 1;
    }
    puts(text);
}

void counts_print(const uint64_t counts[VGPU_N_COUNTERS], size_t n,
                  const char *clock) {
    printf("\n  %-23s%13s%12s  %s\n", "counter", "count",
           n ? "per element" : "", "what it counts");
    for (int c = 0; c < VGPU_N_COUNTERS; c++) {
        if (!counts[c]) continue;
        printf("  %-23s%13" PRIu64, vgpu_counter_name((vgpu_counter)c),
               counts[c]);
        if (n)
            printf("%12.3f  ", (double)counts[c] / (double)n);
        else
            printf("%14s", "");
        print_meaning(vgpu_counter_text((vgpu_counter)c));
    }
    if (clock)
        printf("  model_ns and model_cycles are model time on the profile %s: "
               "no GPU's time\n",
               clock);
}
