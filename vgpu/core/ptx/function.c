/* SPDX-License-Identifier: MIT
 *
 * function.c: .entry, .func, prototypes and target lists (PTX ISA 11.1, 11.2,
 * 11.4).
 */
#include "parser.h"

#include <stdio.h>
#include <string.h>

/* ".maxntid 128, 1, 1": missing dimensions are 1. */
static void parse_dims(struct ptx_parser *p, uint32_t dims[3]) {
    ptx_next(p);
    for (int i = 0; i < 3; i++) dims[i] = 1;
    int i = 0;
    do {
        uint64_t n = ptx_expect_integer(p, UINT32_MAX, "a number of threads");
        if (i < 3) dims[i++] = (uint32_t)n;
    } while (ptx_accept(p, ','));
}

static void parse_count(struct ptx_parser *p, uint32_t *count) {
    ptx_next(p);
    *count = (uint32_t)ptx_expect_integer(p, UINT32_MAX, "a number");
}

static void skip_numbers(struct ptx_parser *p) {
    ptx_next(p);
    if (p->token.kind != PTX_TOKEN_INTEGER) return;
    do ptx_expect_integer(p, UINT64_MAX, "a number");
    while (ptx_accept(p, ','));
}

/* value: as the keyword's row in keywords.def says. */
static void parse_cluster(struct ptx_parser *p, struct ptx_function *f,
                          uint32_t value) {
    enum { FLAG, MOST, CLUSTERS, SIZE };
    switch (value) {
    case SIZE: parse_dims(p, f->cluster); break;
    case MOST: parse_count(p, &f->max_cluster); break;
    default:
        if (value == FLAG) f->explicit_cluster = true;
        if (value == CLUSTERS) f->blocks_are_clusters = true;
        ptx_next(p);
    }
}

/* Directives between head and body. ABI hints are skipped. */
static void parse_directives(struct ptx_parser *p, struct ptx_function *f) {
    while (p->token.kind == PTX_TOKEN_DOT_WORD) {
        switch (p->token.name->keyword) {
        case PTX_KEY_MAXNTID: parse_dims(p, f->max_threads); break;
        case PTX_KEY_REQNTID: parse_dims(p, f->required_threads); break;
        case PTX_KEY_MINNCTAPERSM: parse_count(p, &f->min_blocks); break;
        case PTX_KEY_MAXNREG: parse_count(p, &f->max_registers); break;
        case PTX_KEY_CLUSTER:
            parse_cluster(p, f, (uint32_t)p->token.name->value);
            break;
        case PTX_KEY_IGNORED:
        case PTX_KEY_MAXNCTAPERSM: skip_numbers(p); break;
        case PTX_KEY_PRAGMA: ptx_skip_to_semicolon(p); break;
        case PTX_KEY_NORETURN:
            f->is_noreturn = true;
            ptx_next(p);
            break;
        case PTX_KEY_ATTRIBUTE:
            ptx_next(p);
            if (p->token.kind != '(') ptx_fail_expected(p, "'('");
            ptx_skip_parentheses(p);
            break;
        default: ptx_fail_expected(p, "a function directive");
        }
    }
}

static enum ptx_builtin builtin_of(const struct ptx_name *name) {
    static const struct {
        const char *name;
        enum ptx_builtin builtin;
        bool begins; /* whatever follows */
    } rows[] = {
#define X(NAME, text) {"__cudaCDP2" text, BUILTIN_##NAME, false},
#include "device_calls.def"
#undef X
        {"vprintf", BUILTIN_PRINTF, false},
        {"__assertfail", BUILTIN_ASSERT, false},
        {"malloc", BUILTIN_MALLOC, false},
        {"free", BUILTIN_FREE, false},
        {"cudaLaunchDevice", BUILTIN_LAUNCH, true},
        {"__cudaCDP2", BUILTIN_LAUNCH, true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t n = strlen(rows[k].name);
        if (!strncmp(name->text, rows[k].name, n) &&
            (rows[k].begins || n == name->length))
            return rows[k].builtin;
    }
    return BUILTIN_NONE;
}

static void parse_head(struct ptx_parser *p, struct ptx_function *f,
                       struct ptx_token *name) {
    f->ptx_line = p->token.line;
    ptx_next(p);
    if (p->token.kind == PTX_TOKEN_DOT_WORD) parse_directives(p, f);
    if (!f->is_entry && p->token.kind == '(')
        f->returns = ptx_parse_params(p, &f->n_returns);
    *name = p->token;
    f->name = ptx_expect_word(p, "the name of a function")->text;
    f->builtin = builtin_of(name->name);
    if (p->token.kind == '(') f->params = ptx_parse_params(p, &f->n_params);
    parse_directives(p, f);
}

/* Index of the function; a second declaration adds nothing. */
static uint32_t function_enter(struct ptx_parser *p,
                               const struct ptx_token *token,
                               const struct ptx_function *f) {
    struct ptx_name *name = token->name;
    if (name->variable)
        ptx_fail(p, token->start, "'%s' is already a variable", name->text);
    if (!name->function) {
        struct ptx_function *added =
            ptx_list_add(p, &p->functions, sizeof *added);
        *added = *f;
        name->function = (uint32_t)p->functions.n;
        return name->function - 1;
    }
    struct ptx_function *old = p->functions.items;
    old += name->function - 1;
    if (p->token.kind == '{') {
        if (old->n_insns || old->has_body)
            ptx_fail(p, token->start, "'%s' is defined twice", name->text);
        *old = *f;
    }
    return name->function - 1;
}

void ptx_parse_function(struct ptx_parser *p, const struct ptx_linkage *linkage,
                        bool is_entry) {
    struct ptx_function f = {.is_entry = is_entry,
                             .is_extern = linkage->is_extern,
                             .is_visible = linkage->is_visible,
                             .is_weak = linkage->is_weak};
    struct ptx_token name;
    parse_head(p, &f, &name);
    f.has_body = p->token.kind == '{';
    uint32_t index = function_enter(p, &name, &f);
    if (f.has_body)
        ptx_parse_body(p, index);
    else
        ptx_expect(p, ';', "'{' or ';'");
}

/* A name for a table of the module: functions repeat theirs. */
static const char *name_table(struct ptx_parser *p, struct ptx_name *name) {
    struct ptx_name *unique = name;
    while (unique->is_table) {
        char suffix[16];
        int n = snprintf(suffix, sizeof suffix, "$%u", ++p->n_tables);
        char *text = ptx_take(p, name->length + (size_t)n + 1);
        memcpy(text, name->text, name->length);
        memcpy(text + name->length, suffix, (size_t)n + 1);
        unique = ptx_intern(p, text, name->length + (size_t)n);
    }
    unique->is_table = true;
    return unique->text;
}

static const char *bind_table(struct ptx_parser *p, struct ptx_name *label) {
    struct ptx_binding *binding =
        ptx_bind(p, label, PTX_BIND_TABLE, p->token.start);
    return binding->symbol = name_table(p, label);
}

void ptx_parse_prototype(struct ptx_parser *p, struct ptx_name *label) {
    struct ptx_prototype prototype = {.name = bind_table(p, label)};
    struct ptx_function head = {0};
    ptx_next(p);
    if (p->token.kind == '(')
        prototype.returns = ptx_parse_params(p, &prototype.n_returns);
    ptx_expect_word(p, "'_'");
    if (p->token.kind == '(')
        prototype.params = ptx_parse_params(p, &prototype.n_params);
    parse_directives(p, &head);
    ptx_expect(p, ';', "';'");
    struct ptx_prototype *added =
        ptx_list_add(p, &p->prototypes, sizeof *added);
    *added = prototype;
}

void ptx_parse_target_list(struct ptx_parser *p, struct ptx_name *label) {
    struct ptx_target_list list = {.name = bind_table(p, label)};
    bool is_branch = ptx_is_keyword(p, PTX_KEY_BRANCHTARGETS);
    uint32_t index = (uint32_t)p->target_lists.n;
    p->targets.n = 0;
    do {
        ptx_next(p); /* the directive, then commas */
        struct ptx_token token = p->token;
        const char **target = ptx_list_add(p, &p->targets, sizeof *target);
        *target = ptx_expect_word(p, "a label or function")->text;
        if (is_branch)
            ptx_add_pending(
                p, (struct ptx_pending){.name = token.name,
                                        .at = token.start,
                                        .kind = PTX_PENDING_TARGET,
                                        .must_be_label = true,
                                        .major = index,
                                        .minor = (uint32_t)p->targets.n - 1});
        else
            ptx_check_symbol(p, token.name, token.start);
    } while (p->token.kind == ',');
    ptx_expect(p, ';', "';'");
    list.symbols = ptx_list_take(p, &p->targets, sizeof(char *), &list.n);
    if (is_branch) {
        list.symbols = NULL;
        list.targets = ptx_take_array(p, list.n, sizeof *list.targets);
    }
    struct ptx_target_list *added =
        ptx_list_add(p, &p->target_lists, sizeof *added);
    *added = list;
}
