/* SPDX-License-Identifier: MIT
 *
 * single.c: see single.h. The case belongs to a check made up for it: the first
 * correct one of the function, without its bounds and special circumstances.
 */
#include "single.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "inputs.h"
#include "compile.h"
#include "host.h"
#include "profile.h"
#include "reruns.h"
#include "run_case.h"
#include "step_view.h"
#include "fact_words.h"

static struct lab_check plain_check(const struct single_options *o) {
    struct lab_check check = {.kind = CHECK_CORRECT,
                              .function = o->function,
                              .inputs = INPUT_random,
                              .parent = -1,
                              .repeat = 1,
                              .vgpu_checks = VGPU_CHECK_MEMCHECK};
    for (size_t i = 0; i < o->lab->n_checks; i++) {
        const struct lab_check *c = &o->lab->checks[i];
        if (o->check ? c != o->check
                     : c->function != o->function || c->kind != CHECK_CORRECT)
            continue;
        check.inputs = c->inputs;
        check.profile = c->profile;
        break;
    }
    if (o->look) check.inputs = step_view_inputs(check.inputs);
    return check;
}

/* A device that was asked for: no other takes its place. */
static const char *asked_for(const struct single_options *o) {
    if (!o->profile && o->clock) return vgpu_clock_device(o->clock);
    return o->profile;
}

static void run_compiled(const struct single_options *o,
                         const struct host *host, const char *library,
                         struct case_result *out) {
    const struct lab_check check = plain_check(o);
    const struct case_spec spec = {
        .environment = &host->environment,
        .lab = o->lab,
        .check = &check,
        .profile = asked_for(o),
        .library = library,
        .n = o->n,
        .inputs = check.inputs,
        .schedule = o->schedule ? o->schedule : "in-order",
        .clock = o->clock,
        .why = o->why,
        .timeline = o->timeline,
        .parameters = o->parameters,
        .seed = o->seed,
        .device = o->lab->language == LAB_C ? WIRE_HOST : WIRE_VGPU,
        .trace = o->trace,
        .alone = o->alone,
        .inspect = o->inspect,
        .user = o->user,
        .look = o->look,
        .memory_model = o->memory_model,
        .more_checks =
            o->checks |
            (o->look ? VGPU_CHECK_ALL & ~(unsigned)VGPU_CHECK_LEAKCHECK : 0)};
    case_run(&spec, out);
    reruns_look(&spec, out);
}

static bool compile_and_run(const struct single_options *o,
                            const struct host *host, struct case_result *out,
                            struct unbuilt *unbuilt, char error[]) {
    const struct compile_settings settings = {
        .walled = &host->walled,
        .slowness = host->environment.slowness,
        .root = host->root,
        .submission = o->submission,
        .build_folder = host->build_folder,
        .is_reference = o->is_reference,
        .arch = o->arch};
    struct lab *lab = (struct lab *)o->lab;
    struct compiled compiled = {0};
    if (!compile_labs(&settings, &lab, 1, &compiled, error)) return false;
    if (compiled.error)
        *unbuilt =
            (struct unbuilt){compiled.state ? compiled.state : LAB_NOT_COMPILED,
                             text_format("%s", compiled.error)};
    else
        run_compiled(o, host, compiled.library, out);
    compile_free(&compiled, 1);
    if (out->verdict != CASE_ENVIRONMENT) return true;
    snprintf(error, JUDGE_ERROR_BYTES, "%s",
             out->trouble ? out->trouble : "out of memory");
    case_result_free(out);
    return false;
}

static bool device_fits(const struct single_options *o, char error[]) {
    const struct lab_check check = plain_check(o);
    struct fact why;
    const char *asked = asked_for(o);
    if (!asked) asked = profile_name(check.profile, o->arch);
    if (o->lab->language != LAB_CUDA || !profile_too_old(asked, o->arch, &why))
        return true;
    struct text t = {0};
    fact_words(&t, &why);
    snprintf(error, JUDGE_ERROR_BYTES, "lab %s: %s", o->lab->id,
             text_string(&t));
    text_free(&t);
    fact_free(&why);
    return false;
}

bool judge_single(const struct single_options *o, struct case_result *out,
                  struct unbuilt *unbuilt, char error[JUDGE_ERROR_BYTES]) {
    struct host host;
    *out = (struct case_result){.verdict = CASE_FAIL};
    *unbuilt = (struct unbuilt){0};
    DIR *folder = opendir(o->submission);
    if (!folder) {
        snprintf(error, JUDGE_ERROR_BYTES,
                 "cannot open the submission's folder %s: %s", o->submission,
                 strerror(errno));
        return false;
    }
    closedir(folder);
    /* As in judge_grade: what we start shall not read or trace us. */
    int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    bool ok = host_open(&host, o->root, o->build_folder, false, error);
    host.environment.arch = o->arch;
    ok = ok && device_fits(o, error) &&
         compile_and_run(o, &host, out, unbuilt, error);
    host_free(&host);
    if (dumpable == 1) prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    return ok;
}
