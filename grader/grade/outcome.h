/* SPDX-License-Identifier: MIT
 *
 * outcome.h: what came out of one case, or kept a check from being run: plain
 * data, filled by judge/, put into words by words.h. What a pointer points to
 * is the outcome's own, but for parts of a lab, which outlives it.
 */
#pragma once

#include <vgpu.h>

#include "diagnosis.h"
#include "lab.h"
#include "runnable.h"
#include "source_view.h"
#include "steps.h"
#include "wire.h"

enum {
    OUTCOME_NAME = 64,
    OUTCOME_FACTS = 4,
    OUTCOME_LINES = 16,
    OUTCOME_COSTLY = 2,
    OUTCOME_MAKERS = 3,
    OUTCOME_LINEAGE = 16,
    OUTCOME_BESIDE = 4,
    OUTCOME_COPIES = 2,
    PLACE_CALLERS = 3
};

/* One case: what the function was called with. */
struct tried {
    const struct lab_function *function; /* NULL: there was no case */
    size_t n;
    struct parameters parameters;
    char schedule[OUTCOME_NAME];     /* "random:123"; virtual GPU */
    char memory_model[OUTCOME_NAME]; /* "weak:123", "": the usual one */
    char clock[OUTCOME_NAME];        /* profile of model time, "": none */
    uint64_t seed;
    enum wire_device device;
};

/* Where in the submission. */
struct place {
    char *file; /* base name; NULL: not known */
    unsigned line;
    /* As in struct vgpu_source: lines of the same file; 0: none. called: the
     * line that calls the inlined function in which `line` stands. index: the
     * line, in a function called on `line`, that computes the element's index.
     */
    unsigned called, index;
    unsigned outer[VGPU_OUTER];      /* the calls around it; 0: no more */
    unsigned callers[PLACE_CALLERS]; /* on the host: the lines of the calls that
                                        led to its function in this run */
    char *kernel;                    /* NULL: not in one */
    uint64_t launch, launches;       /* which of how many of that kernel in this
                                        call, from 1; 0: not known */
    bool has_thread;
    uint32_t block[3], thread[3];
};

/* What is known of a finding besides its kind. */
enum finding_reason {
    REASON_KIND, /* nothing */
#define X(NAME, cause) REASON_##NAME,
#include "finding_reasons.def"
#undef X
    N_REASONS
};

/* What else the virtual GPU found in the same case. */
struct also_found {
    vgpu_finding_kind kind;
    struct vgpu_message message;
    struct place place;
};

/* The virtual GPU's finding that explains most. */
struct finding {
    vgpu_finding_kind kind;
    enum finding_reason reason;
    struct vgpu_message message;
    uint64_t address;
    uint32_t bytes;
    uint64_t repeats;        /* further ones of this kind at this line */
    struct also_found *also; /* of other kinds or at other lines, those that
                                weigh most first */
    size_t n_also;
    uint64_t word;       /* deadlocks: what the polled word holds */
    uint32_t word_bytes; /* 0: not known */
    bool is_full;        /* deadlocks: blocks had no room to start */
    bool is_deaf;        /* budgets: a loop whose word is not read again */
    bool has_other;      /* races: the earlier access */
    bool in_one_warp;    /* this race and all others are between two lanes of
                        one warp */
    struct place other;
};

/* One counter beside its bound. */
struct bound_count {
    const struct lab_bound *bound;
    uint64_t count;
    bool holds, known; /* known: the bound could be computed */
    int64_t limit;
    int64_t zero;  /* from here on it earns nothing */
    double earned; /* 1 where it holds, 0 at `zero`, a straight line between */
};

/* Throughput beside a baseline's. */
struct ratio {
    const char *baseline; /* row of baselines.def */
    double asked, full;   /* the check's bound; from `full` on all points are
                         earned; 0: already at the bound */
    double low, median, high; /* quartiles and median of the turns' ratios */
    size_t turns;
    bool noisy; /* the quartiles lie on both sides of what is asked */
    bool on_gpu;
    /* On a GPU: medians in seconds of the submission, the baseline, the
     * baseline before the submission was started, and a function that does
     * nothing, then and before. */
    double ours, theirs, alone, empty, empty_alone;
};

/* Numbers of a case, whether it passed or not. */
struct measured {
    struct tried tried;
    struct formula_env env; /* the variables of the bounds */
    struct bound_count *bounds;
    size_t n_bounds;
    struct ratio *ratio; /* NULL: not timed */
};

/* Was more counted than the bound allows? */
bool bound_is_passed(const struct bound_count *);

/* Of a call with too many elements to record its steps: which line wrote the
 * first wrong element, and what its block had last read before by a volatile or
 * atomic load. */
struct writer {
    struct place place, read; /* no file: not known */
    uint64_t word;            /* that it read; */
    uint32_t word_bytes;      /* 0: none */
};

/* A small change of the program with which this case and all other cases of the
 * check pass (repairs.def). */
enum repair_kind {
#define X(NAME, edit, by, fits, fact) REPAIR_##NAME,
#include "repairs.def"
#undef X
    N_REPAIRS
};
struct repair {
    enum repair_kind kind;
    char *file;
    unsigned line;    /* 0: it is of no line */
    struct fact said; /* "with a barrier before line 24 this case passes" */
};

enum outcome_kind {
    OUTCOME_NONE,       /* nothing wrong */
    OUTCOME_FACT,       /* facts[0] says what */
    OUTCOME_REFUSED,    /* system calls that a submission may not make */
    OUTCOME_FINDING,    /* of the virtual GPU */
    OUTCOME_DIFFERENCE, /* a wrong output */
    OUTCOME_BOUND,      /* see measured */
    OUTCOME_RATIO       /* see measured */
};

/* For each line of the lab's source, bits: RAN_COULD: a launched kernel has an
 * instruction of this line; RAN_DID: one was executed. */
enum { RAN_COULD = 1, RAN_DID = 2, RAN_LINES = 4096 };
struct ran_lines {
    uint8_t *marks; /* of RAN_LINES lines, line 1 at [1]; NULL: not known */
};

/* Allocations that were made at one place and given back at one place. */
struct life {
    struct place made, freed; /* no file: not known */
    bool is_freed;
    uint64_t n, bytes; /* of all of them */
};
/* Of a call that left memory allocated: what it kept first. */
enum { OUTCOME_LIVES = 8 };
struct lives {
    struct life list[OUTCOME_LIVES];
    size_t n;
    uint64_t left_out; /* allocations of further places */
};

/* A line that is shown: spots.h. */
struct chosen_line {
    int kind; /* enum spot_kind */
    char *file;
    unsigned line;
    bool of_host;
};

struct outcome {
    enum outcome_kind kind;
    struct tried tried;
    bool unnamed; /* its sentence does not name the case */
    struct place place;
    struct place launched; /* of a first wrong element: the launch that made
                              it, or could have; no file: not known */
    struct place array;    /* of a finding: where the program asked for the
                              memory, or freed it first */
    struct fact facts[OUTCOME_FACTS]; /* each adds to the one before */
    size_t n_facts;
    uint64_t refused; /* bit per row of refusals.def, with any kind */
    struct finding *finding;
    struct place lineage[OUTCOME_LINEAGE]; /* of the first wrong element: lines
                                              that its value came through */
    bool joins_swapped; /* lineage[0] joins two values the wrong way round */
    uint32_t apart; /* bit k: lineage[k] is not one of the right element beside
                       it */
    struct place beside[OUTCOME_BESIDE]; /* of that one alone */
    struct place copies[OUTCOME_COPIES]; /* of the host, that it came through */
    struct place costly[OUTCOME_COSTLY]; /* of a count that is over its bound:
                                            where most came from */
    char *makers[OUTCOME_MAKERS]; /* the kernels that make most of it; NULL:
                                     none */
    bool launches_matter;         /* how they are launched makes it */
    bool grid_matters;            /* so few blocks make it */
    bool costly_waits;            /* costly[0] waits for another thread */
    const char *advice; /* the lab's, for this finding or what is right but
                           serial; NULL: none */
    struct diagnosis *difference;
    struct writer writer;
    struct source_view *hottest; /* lines, of a count that is over its bound;
                                    NULL: none */
    struct steps_view *steps; /* of the call, with small numbers; NULL: none */
    struct steps_view *banks; /* of a count of conflicts that is over its bound,
                                 with few elements; NULL: none */
    struct repair *repair;    /* NULL: none was found */
    struct steps_view *drawn; /* as steps, of a call with more elements, which
                                 pages alone show; NULL: none */
    struct runnable *runnable; /* for a page that runs it; NULL: none */
    struct lives *lives;       /* of memory that was kept; NULL: not known */
    struct ran_lines ran;      /* where elements are missing */
    bool are_chosen;           /* the lines that a report shows: */
    struct chosen_line chosen[OUTCOME_LINES];
    size_t n_chosen;
};

/* Adds the fact and owns it from now on; frees it when there are
 * OUTCOME_FACTS already. */
void outcome_add(struct outcome *, struct fact);
/* Takes over the finding of another outcome, with its place. */
void outcome_take_finding(struct outcome *, struct outcome *from);
/* Was the call out of time, or a kernel out of its budget? */
bool outcome_is_late(const struct outcome *);
/* Time ran out while the library was loaded, which is so in every case. */
bool outcome_loads_late(const struct outcome *);
void outcome_free(struct outcome *);
void measured_free(struct measured *);
