/* SPDX-License-Identifier: MIT
 *
 * names.c: names and texts of what vgpu.h lists, and what is read from text:
 * for whoever talks about devices without having one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu.h"

struct status_row {
    const char *name;
    int cuda;
    const char *text;
};
static const struct status_row statuses[] = {
#define X(name, cuda, sticky, text) {#name, cuda, text},
#include "vgpu_status.def"
#undef X
};

const char *vgpu_status_name(vgpu_status s) {
    return (unsigned)s < VGPU_N_STATUS ? statuses[s].name : "?";
}

const char *vgpu_status_text(vgpu_status s) {
    return (unsigned)s < VGPU_N_STATUS ? statuses[s].text : "?";
}

int vgpu_status_cuda_error(vgpu_status s) {
    return (unsigned)s < VGPU_N_STATUS ? statuses[s].cuda : 999;
}

struct finding_row {
    const char *name, *cause;
    unsigned check;
    bool is_remark;
};
enum { IS_ERROR = false, IS_REMARK = true };
static const struct finding_row findings[] = {
#define KIND(name, json, check, sort, text, cause)                             \
    {json, cause, VGPU_CHECK_##check, IS_##sort},
#include "vgpu_findings.def"
};

const char *vgpu_finding_name(vgpu_finding_kind k) {
    return (unsigned)k < VGPU_N_FINDINGS ? findings[k].name : "?";
}

unsigned vgpu_finding_check(vgpu_finding_kind k) {
    return (unsigned)k < VGPU_N_FINDINGS ? findings[k].check : 0;
}

bool vgpu_finding_is_remark(vgpu_finding_kind k) {
    return (unsigned)k < VGPU_N_FINDINGS && findings[k].is_remark;
}

const char *vgpu_finding_cause(vgpu_finding_kind k) {
    return (unsigned)k < VGPU_N_FINDINGS ? findings[k].cause : NULL;
}

void vgpu_word_text(uint64_t word, char text[VGPU_WORD_TEXT]) {
    if (word <= UINT32_MAX)
        snprintf(text, VGPU_WORD_TEXT, "%llu", (unsigned long long)word);
    else /* a flag and a value, mostly */
        snprintf(text, VGPU_WORD_TEXT,
                 "0x%016llx (upper half %llu, lower half %d)",
                 (unsigned long long)word, (unsigned long long)(word >> 32),
                 (int)(uint32_t)word);
}

static const char *const clocks[][2] = {
#define CLOCK(name, text, ...) {#name, text},
#include "vgpu_clocks.def"
#undef CLOCK
};
enum { N_CLOCKS = sizeof clocks / sizeof *clocks };

const char *vgpu_clock_name(size_t n) {
    return n < N_CLOCKS ? clocks[n][0] : NULL;
}

const char *vgpu_clock_text(size_t n) {
    return n < N_CLOCKS ? clocks[n][1] : NULL;
}

/* pram:P: with P processors. */
static bool is_pram_of(const char *name) {
    if (strncmp(name, "pram:", 5)) return false;
    size_t digits = strspn(name + 5, "0123456789");
    return digits < 10 && !name[5 + digits] && strtoul(name + 5, NULL, 10);
}

bool vgpu_is_clock(const char *name) {
    for (size_t n = 0; n < N_CLOCKS; n++)
        if (!strcmp(clocks[n][0], name)) return true;
    return is_pram_of(name);
}

const char *vgpu_clock_device(const char *clock) {
    const struct vgpu_profile *profiles;
    size_t n = vgpu_profiles(&profiles);
    for (size_t k = 0; k < n; k++)
        if (!strcmp(profiles[k].name, clock)) return profiles[k].name;
    return NULL;
}

struct counter_row {
    const char *name, *text;
};
static const struct counter_row counters[] = {
#define X(name, json, scope, text) {json, text},
#include "vgpu_counters.def"
#undef X
};

const char *vgpu_counter_name(vgpu_counter c) {
    return (unsigned)c < VGPU_N_COUNTERS ? counters[c].name : "?";
}

const char *vgpu_counter_text(vgpu_counter c) {
    return (unsigned)c < VGPU_N_COUNTERS ? counters[c].text : "?";
}

int vgpu_counter_by_name(const char *name) {
    for (int k = 0; k < VGPU_N_COUNTERS; k++)
        if (!strcmp(counters[k].name, name)) return k;
    return -1;
}

static const struct {
    const char *name;
    unsigned bit;
} checks[] = {
    {"memcheck", VGPU_CHECK_MEMCHECK},   {"initcheck", VGPU_CHECK_INITCHECK},
    {"racecheck", VGPU_CHECK_RACECHECK}, {"synccheck", VGPU_CHECK_SYNCCHECK},
    {"leakcheck", VGPU_CHECK_LEAKCHECK}, {"ordercheck", VGPU_CHECK_ORDERCHECK}};

const char *vgpu_check_name(unsigned bit) {
    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++)
        if (checks[k].bit == bit) return checks[k].name;
    return "always";
}

unsigned vgpu_check_by_name(const char *name) {
    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++)
        if (!strcmp(checks[k].name, name)) return checks[k].bit;
    return 0;
}

/* "word" or "word:SEED". */
static bool seeded(const char *text, const char *word, uint64_t *seed) {
    size_t n = strlen(word);
    if (strncmp(text, word, n)) return false;
    if (!text[n]) return true;
    if (text[n] != ':' || !text[n + 1]) return false;
    char *end;
    uint64_t v = strtoull(text + n + 1, &end, 0);
    if (*end) return false;
    *seed = v;
    return true;
}

bool vgpu_parse_schedule(const char *text, struct vgpu_options *o) {
    uint64_t seed = 0;
    if (!strcmp(text, "in-order")) {
        o->schedule = VGPU_IN_ORDER;
    } else if (!strcmp(text, "reverse")) {
        o->schedule = VGPU_REVERSE;
    } else if (seeded(text, "random", &seed)) {
        o->schedule = VGPU_RANDOM;
        o->schedule_seed = seed;
    } else {
        return false;
    }
    return true;
}

bool vgpu_parse_memory_model(const char *text, struct vgpu_options *o) {
    uint64_t seed = 0;
    if (!strcmp(text, "sc")) {
        o->memory_model = VGPU_MEMORY_SC;
    } else if (seeded(text, "weak", &seed)) {
        o->memory_model = VGPU_MEMORY_WEAK;
        o->memory_seed = seed;
    } else {
        return false;
    }
    return true;
}

bool vgpu_parse_async(const char *text, struct vgpu_options *o) {
    uint64_t seed = 0;
    if (!strcmp(text, "in-order"))
        o->async = VGPU_ASYNC_IN_ORDER;
    else if (!strcmp(text, "late"))
        o->async = VGPU_ASYNC_LATE;
    else if (seeded(text, "random", &seed))
        o->async = VGPU_ASYNC_RANDOM;
    else
        return false;
    o->async_seed = seed;
    return true;
}

bool vgpu_parse_contents(const char *text, struct vgpu_options *o) {
    uint64_t seed = 0;
    if (!strcmp(text, "zeros"))
        o->contents = VGPU_CONTENTS_ZEROS;
    else if (seeded(text, "left", &seed))
        o->contents = VGPU_CONTENTS_LEFT;
    else if (seeded(text, "random", &seed))
        o->contents = VGPU_CONTENTS_RANDOM;
    else
        return false;
    o->contents_seed = seed;
    return true;
}

static const struct vgpu_profile profiles[] = {
#define X(name, capability, sms, warps, blocks, registers, smem, block_smem,   \
          optin, banks, lanes, mib, gpus, text)                                \
    {#name, text,       capability, sms,   warps, blocks, registers,           \
     smem,  block_smem, optin,      banks, lanes, mib,    gpus},
#include "vgpu_profiles.def"
#undef X
};

size_t vgpu_profiles(const struct vgpu_profile **list) {
    *list = profiles;
    return sizeof profiles / sizeof *profiles;
}

/* ---- causes ---- */

static const struct cause_row {
    const char *name, *words, *text;
} causes[] = {
#define X(name, json, words, text) {json, words, text},
#include "vgpu_causes.def"
#undef X
};

const char *vgpu_cause_name(vgpu_cause c) {
    return (unsigned)c < VGPU_N_CAUSES ? causes[c].name : "?";
}

const char *vgpu_cause_words(vgpu_cause c) {
    return (unsigned)c < VGPU_N_CAUSES ? causes[c].words : "?";
}

const char *vgpu_cause_text(vgpu_cause c) {
    return (unsigned)c < VGPU_N_CAUSES ? causes[c].text : "?";
}

/* ---- limits ---- */

static const struct limit_row {
    const char *name, *words;
} limits[] = {
#define X(name, json, words) {json, words},
#include "vgpu_limits.def"
#undef X
};

const char *vgpu_limit_name(vgpu_limit l) {
    return (unsigned)l < VGPU_N_LIMITS ? limits[l].name : "?";
}

const char *vgpu_limit_words(vgpu_limit l) {
    return (unsigned)l < VGPU_N_LIMITS ? limits[l].words : "?";
}
