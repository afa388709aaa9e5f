/* SPDX-License-Identifier: MIT
 *
 * coverage.c: see coverage.h. An instruction starts a line, or follows a guard.
 */
#include "coverage.h"
#include "ptx.h"

#include <stdbool.h>
#include <string.h>

enum { SLOTS = 32768, LONGEST = 64 };
static struct {
    char form[LONGEST];
    unsigned long n;
} seen[SLOTS];

static void count(const char *form, size_t n) {
    if (!n || n >= LONGEST) return;
    unsigned h = 2166136261u;
    for (size_t k = 0; k < n; k++) h = (h ^ (unsigned char)form[k]) * 16777619u;
    for (h %= SLOTS; *seen[h].form; h = (h + 1) % SLOTS)
        if (!strncmp(seen[h].form, form, n) && !seen[h].form[n]) break;
    memcpy(seen[h].form, form, n);
    seen[h].n++;
}

static int opcode_of(const char *form) {
    size_t n = strcspn(form, ". ;\n");
    for (int k = 0; k < PTX_N_OPS; k++)
        if (strlen(ptx_op_name(k)) == n && !strncmp(ptx_op_name(k), form, n))
            return k;
    return -1;
}

void coverage_count(const char *ptx) {
    for (const char *at = ptx; *at;) {
        const char *s = at + strspn(at, " ");
        if (*s == '@') {
            s += strcspn(s, " ");
            s += strspn(s, " ");
        }
        size_t n = strcspn(s, " ;\n{");
        if (opcode_of(s) >= 0) count(s, n);
        at += strcspn(at, "\n");
        if (*at) at++;
    }
}

void coverage_report(FILE *f) {
    unsigned forms = 0;
    fprintf(f, "%-12s %6s %10s %8s  %s\n", "opcode", "forms", "generated",
            "rarest", "rarest form");
    for (int k = 0; k < PTX_N_OPS; k++) {
        unsigned n = 0, least = 0;
        unsigned long all = 0;
        for (unsigned s = 0; s < SLOTS; s++) {
            if (!*seen[s].form || opcode_of(seen[s].form) != k) continue;
            if (!n++ || seen[s].n < seen[least].n) least = s;
            all += seen[s].n;
        }
        forms += n;
        if (n)
            fprintf(f, "%-12s %6u %10lu %8lu  %s\n", ptx_op_name(k), n, all,
                    seen[least].n, seen[least].form);
    }
    fprintf(f, "%u forms\nnever:", forms);
    for (int k = 0; k < PTX_N_OPS; k++) {
        bool some = false;
        for (unsigned s = 0; s < SLOTS && !some; s++)
            some = *seen[s].form && opcode_of(seen[s].form) == k;
        if (!some && ptx_op_family(k) != PTX_FAMILY_MADE)
            fprintf(f, " %s", ptx_op_name(k));
    }
    fprintf(f, "\n");
}
