/* SPDX-License-Identifier: MIT
 *
 * event.c: reads the trace's lines (docs/debugging.md, "A trace of
 * instructions").
 */
#include <stdlib.h>
#include <string.h>

#include "event.h"

static struct event *add(struct events *all) {
    if (all->n == all->room) {
        all->room = all->room ? 2 * all->room : 256;
        all->list = realloc(all->list, all->room * sizeof *all->list);
        if (!all->list) exit(2);
    }
    struct event *e = &all->list[all->n++];
    *e = (struct event){
        .launch = all->launch, .block = all->block, .warp = all->warp};
    return e;
}

/* "launch 1, k, block (1,0,0), warp 0": words in between are skipped. */
static bool read_head(struct events *all, const char *line) {
    const char *block = strstr(line, "block (");
    const char *warp = strstr(line, "warp ");
    if (!block || !warp) return false;
    all->launch = (uint32_t)strtoul(line + strlen("launch "), NULL, 10);
    all->block = (uint32_t)strtoul(block + strlen("block ("), NULL, 10);
    all->warp = (uint32_t)strtoul(warp + strlen("warp "), NULL, 10);
    return true;
}

/* "  races.cu:1003   st.global.u32 [%ad], %x;    lanes 0x00000001" */
static bool read_insn(struct events *all, const char *line) {
    const char *place = strstr(line, "races.cu:");
    const char *lanes = strstr(line, " lanes 0x");
    if (!place || !lanes) return false;
    unsigned long at = strtoul(place + strlen("races.cu:"), NULL, 10);
    if (at < FIRST_LINE || at >= FIRST_LINE + MOST_OPS) return false;
    struct event *e = add(all);
    e->op = (uint32_t)at - FIRST_LINE;
    e->lanes = (uint32_t)strtoul(lanes + strlen(" lanes "), NULL, 16);
    return true;
}

/* Values of a register behind " = ": one for all, "a b .. z", or each. */
static const char *read_values(const char *at, uint32_t lanes,
                               uint64_t to[LANES]) {
    uint64_t values[LANES];
    uint32_t n = 0, k = 0;
    bool even = false;
    while (n < LANES && *at && *at != '\n' && *at != '%') {
        char *end;
        values[n] = (uint64_t)strtoll(at, &end, 0);
        if (end == at) break;
        n++;
        for (at = end; *at == ' ';) at++;
        if (!strncmp(at, ".. ", 3)) even = true, at += 3;
    }
    for (uint32_t m = lanes; m; m &= m - 1, k++)
        to[__builtin_ctz(m)] = n == 1 ? values[0]
                               : even ? values[0] + k * (values[1] - values[0])
                                      : values[k];
    return at;
}

/* "    reads   %ad = 0x200000001000  %x = 65537" */
static bool read_registers(struct event *e, const char *line, bool writes) {
    uint64_t other[LANES];
    const char *at = line;
    while ((at = strchr(at, '%'))) {
        const char *name = at + 1, *value = strstr(at, " = ");
        if (!value) return false;
        at = value + strlen(" = ");
        if (!strncmp(at, "lanes ", 6)) {
            uint32_t lanes = (uint32_t)strtoul(at + 6, NULL, 16);
            if (writes) e->truths = lanes;
            continue;
        }
        uint64_t *to = !strncmp(name, "ad ", 3)   ? e->address
                       : !strncmp(name, "sr ", 3) ? e->source
                       : !strncmp(name, "mb ", 3) ? e->mbarrier
                       : !strncmp(name, "ye ", 3) ? e->second
                       : writes                   ? e->out
                       : !strncmp(name, "c ", 2)  ? e->compare
                                                  : other;
        at = read_values(at, e->lanes, to);
    }
    return true;
}

void events_add(struct events *all, const char *text, size_t bytes) {
    char *copy = strndup(text, bytes);
    bool good = copy != NULL;
    size_t before = all->n;
    for (char *line = copy, *end; good && line && *line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        struct event *e = all->n > before ? &all->list[all->n - 1] : NULL;
        if (!strncmp(line, "launch ", 7))
            good = read_head(all, line);
        else if (!strncmp(line, "    reads ", 10))
            good = e && read_registers(e, line, false);
        else if (!strncmp(line, "    writes ", 11))
            good = e && read_registers(e, line, true);
        else
            good = read_insn(all, line);
    }
    all->strange |= !good;
    free(copy);
}

void events_free(struct events *all) {
    free(all->list);
    *all = (struct events){.n = 0};
}
