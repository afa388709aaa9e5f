/* SPDX-License-Identifier: MIT
 *
 * lab.h: a lab as data, read from labs/NN-name/lab.ini. The file is the whole
 * contract between a lab and the grader: adding a lab needs no C.
 *
 *   [lab]
 *   id = naive              ; unique
 *   title = Naive scan (Hillis-Steele)
 *   source = naive.cu       ; one file in the submission folder;
 *                           ; .c: host C17, .cu: nvcc
 *   header = naive.h        ; in the lab folder, on the include path together
 *                           ; with labs/common
 *   time_limit_ms = 10000   ; per call; C labs: of a case's calls together
 *   memory_limit_mib = 512  ; runner's own memory; and the virtual GPU's, the
 *                           ; case's buffers included
 *   h2d_limit_bytes = 4096  ; host-device traffic allowed during one call
 *   d2h_limit_bytes = 4096  ; (cuda labs)
 *   parts = warp 32 tile 2048 ; names of parts of the array, and their sizes
 *   deadlock = ...          ; a sentence for reports: what to do when blocks
 *                           ; wait for others that cannot start
 *   unwritten = ...         ; a sentence: the usual reason here why a thread
 *                           ; reads shared memory that no thread ever stores
 *   repairs = yes           ; no: none are tried (docs/grade.md, Repairs)
 *   serial = ...            ; a sentence: what the lab asks for, when an answer
 *                           ; is right but takes too many steps in a row
 *   requires = cpu-scan     ; labs that should be done first (not
 *                           ; enforced; of one that is absent, a note)
 *
 *   [function inclusive]    ; an API function
 *   symbol = naive_inclusive_scan
 *   signature = scan        ; a row of contract/signatures.def
 *   oracle = inclusive_sum  ; a row of oracles.def
 *   rule = in + before      ; of the oracle rule: what the answer's element i
 *                           ; is (formula.h)
 *   rule2 = before2 + 1     ; the same of the second output, if there is one
 *   keep = less(in, pivot)  ; where the function says how many: only elements
 *                           ; for which this is not 0 are in the answer
 *   way = steps             ; its algorithm: a row of ways.def; the diagnosis
 *                           ; then knows the usual slips of that
 *   untimed = yes           ; only a part of a scan: scanlab bench omits it
 *   only_listed = yes       ; takes no n but the sizes of its checks
 *   status_word = flag:u32@32=NONE,READY value:i32@0 ; the fields of its status
 *                           ; words, if the stub fixes them: status_word.h
 *
 *   [check any-size]        ; order in the file is order of grading
 *   kind = correct          ; a row of check_kinds.def
 *   title = Any size
 *   points = 20
 *   parent = small          ; the check to look at first. Where it is of the
 *                           ; same function and earned nothing, this one would
 *                           ; say nothing new and is skipped
 *   function = inclusive
 *   sizes = edges 3: 0 1 2  ; groups of sizes: each has a name and so many
 *     many 12: 1000 2..64*256+1 ; of the points, which it earns by itself;
 *     zeros 5 of zeros: 8193 ; "of": its inputs, a row of inputs.def. Without
 *                           ; a group (sizes = 0 1 31) all points are theirs.
 *                           ; A size is a number, or the grade's seed draws
 *                           ; one: A..B, A..B*T+1 (a multiple of T, and 1),
 *                           ; 2^A..B-1 (a power of two, less 1)
 *   large = 2^26            ; sizes that grade --large adds to the last group
 *   inputs = random         ; a row of inputs.def
 *   in_place = no           ; yes: output is the input buffer
 *   late = no               ; yes, C labs: whoever reads the beginning of the
 *                           ; input first waits for 10 ms, and all threads
 *                           ; share one core
 *   refused = no            ; yes: every call must return an error; parameters
 *                           ; may have the numbers next to their range
 *   errors = no             ; yes: each call of the runtime fails once (of C
 *                           ; labs: each allocation, each start of a thread),
 *                           ; and the function returns an error and frees its
 *                           ; scratch. Compares no answers: its parent, of
 *                           ; the same function, must
 *   misalign = 0            ; elements by which buffers are shifted from
 *                           ; 256-byte alignment
 *   repeat = 1              ; calls on fresh inputs in one process; C labs:
 *                           ; from the second on all threads share one core,
 *                           ; and 13 and more calls show what is never freed
 *   threads = 1 2 3 8       ; a list for each parameter the function takes
 *                           ; (contract/parameters.def); all combinations run
 *   checks = memcheck initcheck ; clean: the virtual GPU's checks; C labs:
 *                           ; rows of contract/watches.def
 *   schedules = in-order reverse random ; every size runs under each;
 *                           ; "random" takes its seed from the grade's seed
 *   profile = gtx275        ; the virtual GPU's device profile
 *   clock = pram h200       ; bounds are counted under this profile of the
 *                           ; clock (lab-clock.md), on that device; without
 *                           ; it as `profile` says. Of a correct check: its
 *                           ; largest size runs once more, so bounded
 *   memory_model = weak     ; or sc; weak takes its seed from the grade's
 *   same = yes              ; repeats and schedules get the same input and must
 *                           ; leave the same bits
 *   bonus = yes             ; points on top of the lab's
 *   time_limit_ms = 2000    ; of its cases; usually the lab's
 *   bound = launches <= clog2(n) ; efficient, or correct with a clock:
 *                           ; one formula per line, indented
 *     data_ops <= n*clog2(n) zero 3*n*clog2(n) ; continuation lines; counters
 *                           ; by json name. All points up to the bound, none
 *                           ; from `zero` on, a straight line between; without
 *                           ; `zero`: from twice the bound on (>=: from half)
 *   ratio = serial >= 0.8   ; fast: throughput over a row of baselines.def,
 *                           ; measured in the same run. Of a CUDA lab: on a
 *                           ; real GPU and with grade --fast, else left out
 *   full = 1.0              ; the ratio that earns all points; from the bound
 *                           ; above (none) to there they grow linearly
 *   cause = Each launch must read one buffer and write the other.
 *   read = README.md#two-buffers ; one place to read
 *   hint = ...              ; repeated, in order: scanlab hint
 *   visibility = hidden     ; in an instructor's file only: rules.h
 *
 * An indented line continues the value above it. A blank and ';' begin a
 * comment. Formulas: formula.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formula.h"
#include "signature.h"
#include "status_word.h"

enum check_kind {
#define X(NAME, name, text) CHECK_##NAME,
#include "check_kinds.def"
#undef X
    N_CHECK_KINDS
};
const char *check_kind_name(enum check_kind);

/* Most elements of a case: its buffers stay within a grader's memory. */
enum { LAB_MAX_SIZE = 1 << 26 };
/* Of timed checks on a real GPU, whose arrays never leave it. */
enum { LAB_MAX_FAST_SIZE = 1 << 30 };

/* What students see of a check (rules.h). */
enum visibility {
    VISIBILITY_UNSAID = -1,
    VISIBILITY_VISIBLE,
    VISIBILITY_AFTER_DEADLINE,
    VISIBILITY_HIDDEN,
    N_VISIBILITIES
};

enum way {
#define X(name, text) WAY_##name,
#include "ways.def"
#undef X
};

enum lab_language { LAB_C, LAB_CUDA };

struct lab_function {
    char *id, *symbol;
    int signature, oracle; /* rows of contract/signatures.def, oracles.def */
    int way;               /* enum way */
    bool untimed, only_listed;
    struct rule *rule;               /* NULL: the oracle wants none */
    struct status_word *status_word; /* NULL: not fixed */
};

struct lab_bound {
    char *text;  /* as written, without its zero mark */
    int counter; /* vgpu_counter */
    enum formula_compare compare;
    struct formula *limit;
    struct formula *zero; /* from here on no points; NULL: twice, or half */
};

/* A size as lab.ini has it: x, x * unit or (power) 2^x, plus `beside`, where
 * the seed draws x from least to most. */
struct lab_size {
    size_t least, most, unit;
    int beside;
    bool power, large;
    size_t group; /* index in groups */
};

/* Sizes that earn their part of a check's points together. */
struct lab_group {
    char *name; /* NULL: all sizes are one group */
    int points; /* of the sum of all groups' */
    int inputs; /* row of inputs.def; -1: the check's */
};

struct int_list {
    int *values;
    size_t n;
};

enum lab_memory { LAB_MEMORY_SC, LAB_MEMORY_WEAK };

struct lab_check {
    char *id, *title;
    enum check_kind kind;
    int points, parent;       /* parent: index in checks, -1: none */
    int function;             /* index in functions */
    struct lab_size *written; /* n_sizes of them, in the order of the file */
    size_t *sizes;            /* the numbers drawn by lab_draw */
    size_t n_sizes;
    struct lab_group *groups;
    size_t n_groups; /* at least 1 */
    int inputs;      /* row of inputs.def */
    bool in_place, late, refused, errors, same, bonus;
    size_t misalign, repeat;
    struct int_list parameters[N_PARAMETERS]; /* of those the function takes */
    unsigned vgpu_checks;
    unsigned watch; /* C labs: bits by enum wire_watch; 0: as it is */
    char **schedules;
    size_t n_schedules; /* empty: in-order */
    char *profile;      /* of the virtual GPU; NULL: its usual one */
    struct lab_clock {
        char *name, *device; /* its device profile, NULL: as `profile` */
    } clock;                 /* name NULL: bounds need no model time */
    int memory_model;        /* enum lab_memory */
    unsigned time_limit_ms;  /* 0: the lab's */
    struct lab_bound *bounds;
    size_t n_bounds;
    char *ratio_baseline;
    double ratio, full; /* full 0: all points at ratio */
    char *cause, *read;
    char **hints;
    size_t n_hints;
    int visibility; /* enum visibility */
    int line;       /* of its section in lab.ini */
};

/* The lab's name for so many neighbouring elements, such as a tile. */
struct lab_part {
    char name[16];
    size_t size;
};

struct lab {
    char *folder; /* "labs/01-naive" */
    /* The course's file that was read over lab.ini, NULL: none; its lines are
     * counted on from so many. */
    char *overlay;
    int overlay_from;
    char *id, *title, *source, *header, *deadlock, *unwritten, *serial;
    int number; /* from the folder's name */
    enum lab_language language;
    uint64_t digest; /* points_digest of lab.ini and the overlay */
    bool repairs;    /* small repairs are tried, and reports say what helped */
    unsigned time_limit_ms, memory_limit_mib;
    uint64_t h2d_limit_bytes, d2h_limit_bytes;
    struct lab_part *parts;
    size_t n_parts;
    char **requires; /* ids of labs to do first; not enforced */
    size_t n_requires;
    struct lab_function *functions;
    size_t n_functions;
    struct lab_check *checks;
    size_t n_checks;
};

struct lab_error {
    char message[512];
}; /* "labs/01-naive/lab.ini:17: unknown key 'piont' (did you mean 'points'?)"
    */

/* NULL on error. Everything is checked here: unknown keys, numbers out of
 * range, unknown counters, parents that come later. */
struct lab *lab_read(const char *folder, struct lab_error *);
void lab_free(struct lab *);
/* With what a folder of the course has for the lab laid over it (rules.h);
 * NULL: nothing. */
struct lab *lab_read_over(const char *folder, const char *course,
                          struct lab_error *);
/* Is the check timed on a real GPU? Such a check is part of a grade only when
 * that is asked for. */
bool lab_check_needs_gpu(const struct lab *, const struct lab_check *);
/* The points of all checks but bonus ones; timed: of those that need a real
 * GPU, too. */
int lab_points(const struct lab *, bool timed);
/* ---- sizes: lab_sizes.c ---- */
/* Draws the sizes of a grade with this seed. They depend on the seed alone, and
 * not on what else is graded. Before the first call they are those of seed 1.
 */
void lab_draw(struct lab *, uint64_t seed);
/* ---- the cases of a check: lab_cases.c ---- */
bool lab_check_has_size(const struct lab_check *, size_t n);
size_t lab_check_largest(const struct lab_check *);
/* The size of a call without -n: `usual`, or the largest size of the function's
 * checks if that is smaller. */
size_t lab_function_size(const struct lab *, int function, size_t usual);
/* "1, 31, 100 to 4096 (drawn)"; to be freed */
char *lab_check_sizes(const struct lab_check *);
/* May the check be run with this size? Checks whose verdict comes from answers
 * and findings take any size; bounds and ratios are derived only for the sizes
 * of their checks. */
bool lab_check_takes_size(const struct lab *, const struct lab_check *,
                          size_t n);
/* One value of each parameter; the last one changes fastest. */
size_t lab_check_combinations(const struct lab_check *);
void lab_check_combination(const struct lab_check *, size_t combination,
                           struct parameters *);
/* CUB's function for an oracle's result (cub_functions.def); NULL: none. */
const char *lab_cub_function(int oracle);
/* Reads all labs under a folder, sorted by number; ignores folders without a
 * lab.ini. false on error. */
bool labs_read(const char *folder, struct lab ***labs, size_t *n,
               struct lab_error *);
/* NULL: there is none with this id. */
const struct lab *labs_find(struct lab **, size_t n, const char *id);
void labs_free(struct lab **, size_t n);
/* "2-89abcdef": the version of the rules by which points are made, and a digest
 * of the labs' files with the course's. Grades of two versions are not to be
 * compared. To be freed. */
char *lab_points_version(struct lab *const *, size_t n);
