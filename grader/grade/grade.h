/* SPDX-License-Identifier: MIT
 *
 * grade.h: the result of grading: plain data, filled by judge/, printed by
 * report/. The grade owns all strings except those of labs.
 */
#pragma once

#include "lab_state.h"
#include "outcome.h"
#include "source_view.h"
#include "standing.h"

enum check_status { STATUS_PASS, STATUS_FAIL, STATUS_SKIP };

/* What a group of a check's sizes earned. */
struct group_result {
    const struct lab_group *group;
    bool ran, failed;   /* ran: some of its cases were wanted */
    double earned;      /* of its points, 0 to 1 */
    struct tried tried; /* the first case that failed */
};

struct check_result {
    const struct lab_check *check;
    enum check_status status;
    enum visibility shown; /* to students, when it was graded */
    int score;             /* 0..check->points; a bonus adds to score alone */
    bool ran; /* on the device; else decided without running anything */
    enum wire_device device;
    struct outcome outcome;      /* why it failed or was skipped */
    struct measured measured;    /* of the failed case, or else of the last */
    struct group_result *groups; /* those that ran; NULL: none did */
    size_t n_groups;
    size_t *sizes; /* that ran, smallest first; NULL: none did */
    size_t n_sizes;
    const struct lab_check *charged_by; /* the check that takes its points for
                                           the slip that failed this one; this
                                           one loses a point, or none where many
                                           have lost one. Or NULL */
    double seconds; /* wall clock, not part of reproducible JSON */
};

/* What coming late costs. */
struct lateness {
    int64_t late_s;   /* behind the time it was due; 0: in time */
    unsigned percent; /* of its points */
    int lost;         /* points, of which fractions are not taken */
};

struct lab_result {
    const struct lab *lab;
    int score, max_score; /* without what was lost */
    struct lateness late;
    enum lab_state state;
    char *build_error; /* why nothing ran: the compiler's message, or what is
                          odd about the source; NULL: built */
    char *warnings;    /* the compiler's, of what built; NULL: none */
    char *output;      /* what the submission printed, shortened; NULL */
    struct check_result *checks;
    size_t n_checks;
};

/* What a reader should know of the real GPU's part. */
enum gpu_note {
    GPU_NO_NOTE,
    GPU_AS_ROOT,  /* the submission ran on it as root */
    GPU_LEFT_OUT, /* there is one that this submission must not use */
    N_GPU_NOTES
};

/* Small repairs that were tried, as counted: in no report. */
struct repairs_tried {
    unsigned tries, runs, builds; /* runs: of cases */
    unsigned late;                /* of these: ended because they were slow */
    uint64_t warp_instructions;
    uint64_t which; /* a digest of what was tried, in its order */
};

struct grade {
    char *points; /* which rules made them: lab_points_version */
    uint64_t seed;
    int arch;          /* PTX that was asked for; 0: the usual one */
    char *submission;  /* folder as given */
    char *program;     /* "build/bin/scanlab", for commands to copy */
    char *labs_folder; /* as given; NULL: the usual one */
    char *course;      /* the folder laid over the labs; NULL: none */
    char *profile;     /* of the virtual GPU; NULL: a real one alone judged */
    char *gpu;         /* "NVIDIA H200"; NULL: none took part */
    enum gpu_note gpu_note;
    struct standing walls_of_build, walls_of_run;
    int score, max_score;
    uint64_t most_hints; /* that other programs show of a check; 0: all */
    struct lab_result *labs;
    size_t n_labs;
    struct source_text *sources; /* those that a place names */
    size_t n_sources;
    struct repairs_tried repairs;
    double seconds;
};

/* The part of the score that bonus checks earned; what comes late loses a part
 * of it, too. */
int lab_bonus(const struct lab_result *);
int grade_bonus(const struct grade *);
/* Takes the points off. Once for each lab. */
void lab_result_late(struct lab_result *, int64_t late_s, unsigned percent);
/* Do all checks except bonuses have all their points, and was all handed in in
 * time? A bonus does not make up for lost points. */
bool grade_is_full(const struct grade *);
/* Did the check fail because the submission still has the stub's function? */
bool check_is_todo(const struct check_result *);
/* What a check that was skipped waits for in the end: its parent, or what that
 * waits for; NULL: it was not skipped for that. */
const struct check_result *check_waits_for(const struct lab_result *,
                                           const struct check_result *);
/* The first failure, or else the first TODO. (What the compiler says of a lab
 * is shown in any case.) */
const struct check_result *grade_first_failure(const struct grade *);
void check_result_free(struct check_result *);
/* Frees everything a grade owns; labs and checks it points to are the caller's.
 * NULL: nothing to do. */
void grade_free(struct grade *);
