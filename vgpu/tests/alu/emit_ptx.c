/* SPDX-License-Identifier: MIT
 *
 * emit_ptx.c: writes PTX with one kernel for each form of the ALU table to
 * standard output, without the forms named in the files given. ptxas then says
 * which forms are not PTX.
 */
#include <stdbool.h>
#include <string.h>

#include "form_ptx.h"
#include "rows.h"

enum { MAX_SKIPPED = 8192, LONGEST = 128 };

int main(int argc, char **argv) {
    static char skipped[MAX_SKIPPED][LONGEST];
    int n_skipped = 0;
    for (int k = 1; k < argc; k++) {
        FILE *f = fopen(argv[k], "r");
        if (!f) return 1;
        while (n_skipped < MAX_SKIPPED &&
               fgets(skipped[n_skipped], LONGEST, f)) {
            skipped[n_skipped][strcspn(skipped[n_skipped], "\n")] = 0;
            n_skipped++;
        }
        fclose(f);
    }
    const struct alu_table *t = alu_tables_select(0);
    const struct alu_row *row;
    if (!t) return 1;
    fputs(FORM_PTX_HEADER, stdout);
    for (unsigned k = 0; (row = row_at(t, k)) != NULL; k++) {
        bool skip = false;
        for (int j = 0; j < n_skipped && !skip; j++)
            skip = !strcmp(skipped[j], row->form);
        if (!skip) form_ptx(stdout, row, k, 0x96);
    }
    return 0;
}
