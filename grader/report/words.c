/* SPDX-License-Identifier: MIT
 *
 * words.c: see words.h. Sentences of facts stand in contract/facts.def, those
 * of a wrong output in words_difference.c; here is what joins them.
 */
#include "words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "translate.h"

/* ---- a case ---- */

void words_case(struct text *t, const struct tried *c) {
    text_add(t, "n = %zu", c->n);
    for (enum parameter p = 0; p < N_PARAMETERS; p++) {
        char value[PARAMETER_TEXT];
        if (!signature_takes(c->function->signature, p)) continue;
        parameter_print(p, c->parameters.value[p], value, sizeof value);
        text_add(t, ", %s = %s", parameter_name(p), value);
    }
    if (*c->schedule && strcmp(c->schedule, "in-order") != 0)
        text_add(t, _(", schedule %s"), c->schedule);
    if (c->device == WIRE_VGPU && *c->memory_model)
        text_add(t, _(", memory model %s"), c->memory_model);
    if (*c->clock) text_add(t, _(", clock %s"), c->clock);
}

void words_place(struct text *t, const struct place *p) {
    if (p->file && p->line) {
        clean_add(t, p->file, -1);
        text_add(t, ":%u", p->line);
        if (p->called) text_add(t, _(", called in line %u"), p->called);
    } else if (p->kernel) {
        clean_add(t, p->kernel, -1);
    } else {
        return;
    }
    if (p->launches > 1)
        text_add(t, _(", launch %" PRIu64 " of %" PRIu64 " of its kernel"),
                 p->launch, p->launches);
    if (p->has_thread)
        text_add(t, _(", block (%u,%u,%u), thread (%u,%u,%u)"), p->block[0],
                 p->block[1], p->block[2], p->thread[0], p->thread[1],
                 p->thread[2]);
}

/* ---- what was measured ---- */

static void add_bound(struct text *t, const struct measured *m,
                      const struct bound_count *b) {
    char words[FORMULA_TEXT];
    formula_describe(b->bound->limit, &m->env, words);
    text_add(t, _("%s%s: %" PRIu64 ", bound %s %s"), t->size ? "\n" : "",
             vgpu_counter_name((vgpu_counter)b->bound->counter), b->count,
             formula_compare_sign(b->bound->compare), words);
}

const char *words_verdict(const struct bound_count *b) {
    if (b->holds) return _("holds");
    if (!b->known) return _("not known");
    return bound_is_passed(b) ? _("too high") : _("too low");
}

/* What stands before and behind the limit. */
static const struct {
    const char *before, *behind;
} asked_for[FORMULA_N_COMPARES] = {
    [FORMULA_LE] = {N_("allowed "), ""},
    [FORMULA_LT] = {N_("allowed are fewer than "), ""},
    [FORMULA_EQ] = {N_("allowed exactly "), ""},
    [FORMULA_GE] = {N_("at least "), N_(" are needed")},
    [FORMULA_GT] = {N_("more than "), N_(" are needed")},
};

static void add_broken_bound(struct text *t, const struct measured *m,
                             const struct bound_count *b) {
    const struct lab_bound *bound = b->bound;
    const char *name = vgpu_counter_name((vgpu_counter)bound->counter);
    char words[FORMULA_TEXT];
    int64_t limit;
    if (!b->known) {
        formula_eval(bound->limit, &m->env, &limit, words);
        text_add(t, _("the bound of %s cannot be computed: %s"), name, words);
        return;
    }
    formula_describe(bound->limit, &m->env, words);
    const char *behind = asked_for[bound->compare].behind;
    text_add(t, "%s: %" PRIu64 ", %s%" PRId64 "%s (%s %s)", name, b->count,
             _(asked_for[bound->compare].before), b->limit,
             *behind ? _(behind) : "", formula_compare_sign(bound->compare),
             words);
}

static void add_broken_bounds(struct text *t, const struct measured *m) {
    const char *between = "";
    for (size_t i = 0; i < m->n_bounds; i++) {
        if (m->bounds[i].holds) continue;
        text_add(t, "%s", between);
        add_broken_bound(t, m, &m->bounds[i]);
        between = "; ";
    }
}

static void add_gpu_ratio(struct text *t, const struct ratio *r) {
    text_add(
        t,
        _(": %.3f times the throughput of %s (quartiles %.3f and %.3f, %zu "
          "rounds); "),
        r->median, r->baseline, r->low, r->high, r->turns);
    if (r->full > 0)
        text_add(t, _("points grow from %g (none) to %g (all)"), r->asked,
                 r->full);
    else
        text_add(t, _("asked: %g"), r->asked);
    text_add(t,
             _(". Medians in ms: %.3f against %.3f (%.3f before the submission "
               "was started), of which %.3f (%.3f) are the way there and back "
               "and not counted"),
             1e3 * r->ours, 1e3 * r->theirs, 1e3 * r->alone, 1e3 * r->empty,
             1e3 * r->empty_alone);
}

static void words_ratio(struct text *t, const struct measured *m) {
    const struct ratio *r = m->ratio;
    words_case(t, &m->tried);
    if (r->on_gpu)
        add_gpu_ratio(t, r);
    else
        text_add(
            t,
            _(": %.2f times the throughput of %s (quartiles %.2f and %.2f, "
              "%zu pairs), asked: %g%s"),
            r->median, r->baseline, r->low, r->high, r->turns, r->asked,
            r->noisy ? _("; the machine is too busy to tell, so it passes")
                     : "");
}

char *words_detail(const struct check_result *r) {
    const struct measured *m = &r->measured;
    struct text t = {0};
    if (m->ratio) words_ratio(&t, m);
    for (size_t i = 0; i < m->n_bounds; i++) add_bound(&t, m, &m->bounds[i]);
    return t.bytes;
}

/* ---- what went wrong ---- */

static const char *const finding_reasons[N_REASONS] = {
#define X(NAME, cause) [REASON_##NAME] = cause,
#include "finding_reasons.def"
#undef X
};

/* Says nothing where nothing of the kind was noticed. */
static void add_floating(struct text *t, const struct outcome *o) {
    for (size_t i = 0; i < o->n_facts; i++)
        if (o->facts[i].row == FACT_FLOATING_INDEX) fact_cause(t, &o->facts[i]);
}

/* A launch that ends right before the first wrong element. */
static bool add_short(struct text *t, const struct outcome *o) {
    for (size_t i = 0; i < o->n_facts; i++)
        if (o->facts[i].row == FACT_SHORT_LAUNCH) fact_cause(t, &o->facts[i]);
    return t->size > 0;
}

static const char *cause_of(const struct outcome *o) {
    if (o->advice) return o->advice;
    const char *cause = o->finding->reason
                            ? finding_reasons[o->finding->reason]
                            : vgpu_finding_cause(o->finding->kind);
    return cause ? _(cause) : NULL;
}

/* What was found says which mistake it is; a change that happens to help may
 * not. */
static bool is_exact(const struct finding *f) {
    return f && (f->reason == REASON_SHARED_SHORT ||
                 f->reason == REASON_SIGN_WIDENED);
}

static void add_message(struct text *t, const struct vgpu_message *m,
                        const struct outcome *o) {
    const struct vgpu_wording wording = {translated, words_polled, o};
    struct text clean = {0};
    char *said = vgpu_message_text(m, &wording);
    clean_add(&clean, said ? said : "", -1);
    text_sentence(t, text_string(&clean));
    text_free(&clean);
    free(said);
}

static void add_finding(struct text *t, const struct outcome *o) {
    const struct finding *f = o->finding;
    struct text own = {0};
    add_message(&own, &f->message, o);
    if (f->repeats)
        text_add(&own, _(" The same %" PRIu64 " more times at this line."),
                 f->repeats);
    text_sentence(t, own.bytes);
    text_free(&own);
}

/* Each stands in a sentence of its own, those that weigh most first. */
static void add_others(struct text *t, const struct outcome *o) {
    const struct finding *f = o->finding;
    for (size_t i = 0; f && i < f->n_also; i++) {
        const struct also_found *a = &f->also[i];
        const struct place line = {.file = a->place.file,
                                   .line = a->place.line,
                                   .kernel = a->place.kernel};
        struct text where = {0}, said = {0};
        words_place(&where, &line);
        add_message(&said, &a->message, o);
        if (where.size)
            text_add(t, _(" Also found, at %s: %s"), text_string(&where),
                     text_string(&said));
        else
            text_add(t, _(" Also found: %s"), text_string(&said));
        text_free(&where);
        text_free(&said);
    }
}

/* A shape that has no cause says less than what the element contains. */
static void add_difference(struct text *t, const struct diagnosis *d) {
    struct text cause = {0};
    if (d->cause_fits) fact_cause(&cause, &d->shape);
    void (*const sentences[])(struct text *, const struct diagnosis *) = {
        words_first, cause.size ? words_shape : words_contents,
        cause.size ? words_contents : words_shape};
    text_free(&cause);
    for (int i = 0; i < 3; i++) {
        struct text one = {0};
        sentences[i](&one, d);
        if (i == 0 && !one.size) text_add(&one, _("the output is wrong"));
        text_sentence(t, one.bytes);
        text_free(&one);
    }
}

static void add_refused(struct text *t, uint64_t refused, bool more) {
    const char *between =
        more ? _(" The program tried to ") : _("The program tried to ");
    for (size_t i = 0; i < WIRE_N_REFUSALS; i++) {
        if (!(refused >> i & 1)) continue;
        text_add(t, "%s%s", between, refusal_words(i));
        between = _(", to ");
    }
    text_add(t, _("; a submission may not, the call was refused."));
}

static bool names_case(const struct outcome *o) {
    return o->tried.function && !o->unnamed && o->kind != OUTCOME_RATIO;
}

void words_outcome(struct text *t, const struct outcome *o,
                   const struct measured *m) {
    struct text said = {0};
    if (o->kind == OUTCOME_NONE) return;
    if (names_case(o)) {
        words_case(t, &o->tried);
        text_add(t, o->difference || o->finding ? ":" : ": ");
    }
    if (o->finding) add_finding(t, o);
    if (o->difference) add_difference(t, o->difference);
    words_status_got(t, o);
    if (o->kind == OUTCOME_BOUND) add_broken_bounds(t, m);
    if (o->kind == OUTCOME_RATIO) words_ratio(t, m);
    for (size_t i = 0; i < o->n_facts; i++) {
        /* Facts that are sentences begin with the point of what is before;
         * others go on with it. */
        size_t end = said.size;
        fact_words(&said, &o->facts[i]);
        if (end && said.bytes[end - 1] == '.' &&
            (said.bytes[end] == '.' || said.bytes[end] == ';')) {
            memmove(&said.bytes[end - 1], &said.bytes[end],
                    said.size - end + 1);
            said.size--;
        }
    }
    if (o->refused) add_refused(&said, o->refused, said.size > 0 || o->finding);
    bool is_sentence =
        said.size && said.bytes[0] >= 'A' && said.bytes[0] <= 'Z';
    if (o->n_facts && (o->finding || (o->difference && is_sentence)))
        text_add(t, " ");
    text_add(t, "%s", text_string(&said));
    text_free(&said);
    add_others(t, o);
}

void words_usual_cause(struct text *t, const struct outcome *o) {
    bool is_stray =
        o->finding && o->finding->kind == VGPU_FINDING_OUT_OF_BOUNDS;
    /* What was tried tells more than what numbers look like. */
    if (o->difference && !o->finding && add_short(t, o)) return;
    if (is_exact(o->finding)) text_add(t, "%s", cause_of(o));
    if (t->size) return;
    bool unset = o->finding && o->finding->kind == VGPU_FINDING_UNINITIALISED;
    if (unset && words_elsewhere(t, o)) return;
    if (o->repair) fact_cause(t, &o->repair->said);
    if (t->size) words_elsewhere_too(t, o);
    if (t->size) return;
    if (is_stray && o->finding->reason == REASON_KIND) add_floating(t, o);
    if (t->size) return;
    if (o->finding) {
        const char *cause = cause_of(o);
        if (cause) text_add(t, "%s", cause);
    } else if (o->kind == OUTCOME_BOUND && o->advice) {
        text_add(t, "%s", o->advice);
    } else if (o->difference && o->steps && o->steps->answer_in &&
               o->difference->state == FIRST_NOT_WRITTEN &&
               o->difference->count == o->difference->compared) {
        text_add(t, "%s",
                 _("The answer is complete, but in another array: the last "
                   "step writes there, or nothing copies it into out."));
    } else if (o->difference && o->difference->cause_fits) {
        fact_cause(t, &o->difference->shape);
    } else if (!o->difference && o->n_facts) {
        for (size_t i = 0; i < o->n_facts && !t->size; i++)
            fact_cause(t, &o->facts[i]);
    }
    if (!t->size && o->difference) add_floating(t, o);
    if (!t->size && o->difference) words_elsewhere(t, o);
}

/* ---- of a check ---- */

char *words_message(const struct check_result *r) {
    struct text t = {0};
    words_outcome(&t, &r->outcome, &r->measured);
    return t.bytes ? t.bytes : text_format("%s", "");
}

char *words_where(const struct check_result *r) {
    struct text t = {0};
    const struct finding *f = r->outcome.finding;
    words_place(&t, &r->outcome.place);
    if (f && f->has_other && t.size) {
        text_add(&t, _("; and "));
        words_place(&t, &f->other);
    }
    return t.bytes;
}

char *words_cause(const struct check_result *r) {
    struct text t = {0};
    if (r->status != STATUS_FAIL || !r->ran || check_is_todo(r)) return NULL;
    words_usual_cause(&t, &r->outcome);
    return t.bytes;
}

bool words_knows(const struct check_result *r) {
    char *cause = words_cause(r);
    bool known = cause != NULL;
    free(cause);
    return known || (r->outcome.finding &&
                     r->outcome.finding->kind != VGPU_FINDING_DEADLOCK);
}

/* What is known to be wrong says more than what the check is about. */
char *words_about(const struct check_result *r) {
    const struct outcome *o = &r->outcome;
    bool knows_only_that =
        o->kind == OUTCOME_BOUND || o->kind == OUTCOME_RATIO ||
        (o->difference && !o->finding) ||
        (o->finding && o->finding->kind == VGPU_FINDING_DEADLOCK) ||
        (o->finding && o->finding->reason == REASON_EMPTY_LAUNCH &&
         o->tried.n) ||
        (o->n_facts && (o->facts[0].row == FACT_SAME_TWICE ||
                        o->facts[0].row == FACT_SAME_SCHEDULE));
    char *cause = words_cause(r);
    bool known = cause != NULL;
    free(cause);
    if (r->status != STATUS_FAIL || !r->ran || known || !knows_only_that ||
        !r->check->cause)
        return NULL;
    return text_format(_("This check: %s"), r->check->cause);
}

char *words_cut(char *message) {
    char *rest = NULL;
    for (char *at = message; at && (at = strstr(at, ". ")) != NULL; at++) {
        if ((at[2] < 'A' || at[2] > 'Z') && strncmp(at + 2, "out[", 4) != 0)
            continue;
        at[1] = rest ? '\n' : '\0';
        if (!rest) rest = at + 2;
        at++;
    }
    return rest;
}

const char *words_read(const struct check_result *r) {
    const char *read = r->check->read;
    return r->status == STATUS_FAIL && r->ran && read && *read ? read : NULL;
}

static void add_case_options(struct text *t, const struct check_result *r) {
    const struct tried *c = &r->outcome.tried;
    text_add(t, " -n %zu", c->n);
    if (r->device == WIRE_VGPU && strcmp(c->schedule, "in-order") != 0)
        text_add(t, " --schedule %s", c->schedule);
    for (enum parameter p = 0; p < N_PARAMETERS; p++) {
        char value[PARAMETER_TEXT];
        if (!r->check->parameters[p].n || r->check->refused) continue;
        parameter_print(p, c->parameters.value[p], value, sizeof value);
        text_add(t, " --set %s=%s", parameter_name(p), value);
    }
}

/* A name as a shell reads it back; of one that is made to deceive the parts
 * that do so are taken out. */
static void add_shell_word(struct text *t, const char *option,
                           const char *name) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789_./+-=:,@%";
    char *clean = clean_name(name);
    text_add(t, " %s ", option);
    if (clean && *clean && !clean[strspn(clean, plain)]) {
        text_add(t, "%s", clean);
    } else if (clean) {
        text_add(t, "'");
        for (const char *at = clean; *at; at++)
            text_add(t, *at == '\'' ? "'\\''" : "%c", *at);
        text_add(t, "'");
    }
    free(clean);
}

const char *words_students_program(const struct grade *g) {
    return g->program && !strchr(g->program, '/') ? "scanlab"
                                                  : "build/bin/scanlab";
}

char *words_reproduce(const struct grade *g, const struct lab_result *l,
                      const struct check_result *r) {
    struct text t = {0};
    if (r->status != STATUS_FAIL) return NULL;
    text_add(&t, "%s grade %s --check %s --seed %" PRIu64, g->program,
             l->lab->id, r->check->id, g->seed);
    add_shell_word(&t, "--submission", g->submission);
    if (g->labs_folder) add_shell_word(&t, "--labs", g->labs_folder);
    if (g->course) add_shell_word(&t, "--course", g->course);
    if (g->arch) text_add(&t, " --arch %d", g->arch);
    if (lab_check_needs_gpu(l->lab, r->check))
        text_add(&t, " --fast");
    else if (r->device == WIRE_GPU)
        text_add(&t, " --device gpu");
    if (r->ran && !check_is_todo(r)) add_case_options(&t, r);
    return t.bytes;
}

char *words_trace(const struct grade *g, const struct lab_result *l,
                  const struct check_result *r) {
    struct text t = {0};
    text_add(&t, "%s trace %s --check %s", g->program, l->lab->id,
             r->check->id);
    add_shell_word(&t, "--submission", g->submission);
    if (g->labs_folder) add_shell_word(&t, "--labs", g->labs_folder);
    if (g->course) add_shell_word(&t, "--course", g->course);
    add_case_options(&t, r);
    return t.bytes;
}

const char *words_trust(const struct check_result *r) {
    if (!r->ran) return NULL;
    if (r->check->kind == CHECK_FAST && r->device != WIRE_GPU)
        return _(
            "timed by the judge's clock, in turns with the baseline; output "
            "checked after each call");
    if (r->check->kind == CHECK_FAST)
        return _(
            "on a real GPU, timed by the judge's clock from a change of the "
            "input, made by another process, to a look at the output by "
            "that process; in turns with the baseline, which goes the same "
            "way");
    if (r->device == WIRE_GPU)
        return _(
            "on a real GPU the submission shares a process with its device, "
            "and what it copies to the host is not counted; inputs, answers "
            "and comparison are the judge's");
    return NULL;
}

char *words_points(int score, int max_score, int bonus) {
    return bonus ? text_format(_("%d/%d + %d bonus"), score - bonus, max_score,
                               bonus)
                 : text_format("%d/%d", score, max_score);
}

char *words_device(const struct grade *g) {
    const char *notes[N_GPU_NOTES] = {
        [GPU_NO_NOTE] = "",
        [GPU_AS_ROOT] = _(", as root"),
        [GPU_LEFT_OUT] = _(", the real GPU left out"),
    };
    const char *note = notes[g->gpu_note];
    if (!g->profile)
        return text_format("gpu (%s)%s", g->gpu ? g->gpu : "", note);
    return g->gpu ? text_format(_("vgpu (%s) and gpu (%s)%s"), g->profile,
                                g->gpu, note)
                  : text_format("vgpu (%s)%s", g->profile, note);
}
