/* SPDX-License-Identifier: MIT
 *
 * module.c: ptx_parse, and the directives of a module (PTX ISA 11).
 *
 * How to read this: ptx_parse copies the text (so that it ends in NUL), parses
 * directive by directive, then settles what had to wait: symbols used before
 * their declaration, aliases, source lines. An error jumps back to it.
 */
#include "parser.h"

#include <stdlib.h>
#include <string.h>

struct alias {
    struct ptx_name *name, *target;
    const char *at;
};

void ptx_check_symbol(struct ptx_parser *p, struct ptx_name *name,
                      const char *at) {
    if (name->variable || name->function) return;
    struct ptx_pending *pending = ptx_list_add(p, &p->forward, sizeof *pending);
    pending->name = name;
    pending->at = at;
}

static int parse_decimal(const char **c) {
    int value = 0;
    while (**c >= '0' && **c <= '9' && value < 100000)
        value = value * 10 + *(*c)++ - '0';
    return value;
}

/* What a newer one adds is not known here, nor what it changes. */
enum { NEWEST_MAJOR = 9, NEWEST_MINOR = 5 };

/* "9.0" is lexed as a real number; its text tells the two parts. */
static void parse_version(struct ptx_parser *p) {
    ptx_next(p);
    const char *c = p->token.start, *at = c;
    ptx_expect(p, PTX_TOKEN_FLOAT64, "a version such as 9.0");
    p->module->version_major = parse_decimal(&c);
    if (*c == '.') c++;
    p->module->version_minor = parse_decimal(&c);
    int version = p->module->version_major * 100 + p->module->version_minor;
    if (version > NEWEST_MAJOR * 100 + NEWEST_MINOR)
        ptx_fail(p, at,
                 "PTX %d.%d is newer than the virtual GPU knows (%d.%d, of "
                 "nvcc 13.5): compile with an nvcc up to 13.5",
                 p->module->version_major, p->module->version_minor,
                 NEWEST_MAJOR, NEWEST_MINOR);
}

/* ".target sm_90a, debug" */
static void parse_target(struct ptx_parser *p) {
    do {
        ptx_next(p);
        const char *text = ptx_expect_word(p, "a target")->text;
        if (strncmp(text, "sm_", 3) != 0) continue;
        text += 3;
        p->module->target_sm = parse_decimal(&text);
    } while (p->token.kind == ',');
}

static void parse_address_size(struct ptx_parser *p) {
    ptx_next(p);
    const char *at = p->token.start;
    uint64_t bits = ptx_expect_integer(p, 64, "an address size");
    if (bits != 64) ptx_fail(p, at, "only 64-bit addresses are supported");
    p->module->address_size = (int)bits;
}

static void parse_alias(struct ptx_parser *p) {
    ptx_next(p);
    struct alias alias = {.at = p->token.start};
    alias.name = ptx_expect_word(p, "a name");
    ptx_expect(p, ',', "','");
    alias.target = ptx_expect_word(p, "a function");
    ptx_expect(p, ';', "';'");
    struct alias *added = ptx_list_add(p, &p->aliases, sizeof *added);
    *added = alias;
}

static struct ptx_linkage parse_linkage(struct ptx_parser *p) {
    struct ptx_linkage linkage = {0};
    for (;; ptx_next(p)) {
        if (ptx_is_keyword(p, PTX_KEY_EXTERN))
            linkage.is_extern = true;
        else if (ptx_is_keyword(p, PTX_KEY_VISIBLE))
            linkage.is_visible = true;
        else if (ptx_is_keyword(p, PTX_KEY_WEAK))
            linkage.is_weak = true;
        else if (ptx_is_keyword(p, PTX_KEY_COMMON))
            linkage.is_common = true;
        else
            return linkage;
    }
}

static void parse_declaration(struct ptx_parser *p) {
    struct ptx_linkage linkage = parse_linkage(p);
    if (ptx_is_keyword(p, PTX_KEY_ENTRY))
        ptx_parse_function(p, &linkage, true);
    else if (ptx_is_keyword(p, PTX_KEY_FUNC))
        ptx_parse_function(p, &linkage, false);
    else if (ptx_is_keyword(p, PTX_KEY_SPACE))
        ptx_parse_module_variables(p, &linkage);
    else
        ptx_fail_expected(p, "a directive");
}

static void parse_directive(struct ptx_parser *p) {
    if (ptx_accept(p, ';')) return;
    if (p->token.kind != PTX_TOKEN_DOT_WORD)
        ptx_fail_expected(p, "a directive");
    switch (p->token.name->keyword) {
    case PTX_KEY_VERSION: parse_version(p); break;
    case PTX_KEY_TARGET: parse_target(p); break;
    case PTX_KEY_ADDRESS_SIZE: parse_address_size(p); break;
    case PTX_KEY_FILE: ptx_parse_file(p); break;
    case PTX_KEY_SECTION: ptx_parse_section(p); break;
    case PTX_KEY_LOC: ptx_parse_loc(p); break;
    case PTX_KEY_PRAGMA: ptx_skip_to_semicolon(p); break;
    case PTX_KEY_ALIAS: parse_alias(p); break;
    default: parse_declaration(p);
    }
}

static void settle_forward(struct ptx_parser *p) {
    const struct ptx_pending *pending = p->forward.items;
    for (size_t i = 0; i < p->forward.n; i++) {
        const struct ptx_name *name = pending[i].name;
        if (!name->variable && !name->function)
            ptx_fail(p, pending[i].at, "undefined symbol '%s'", name->text);
    }
}

/* An alias shares everything of its function but the name. */
static void settle_aliases(struct ptx_parser *p) {
    const struct alias *aliases = p->aliases.items;
    struct ptx_function *functions = p->functions.items;
    for (size_t i = 0; i < p->aliases.n; i++) {
        const struct alias *a = &aliases[i];
        if (!a->name->function || !a->target->function)
            ptx_fail(p, a->at, "undefined function '%s'",
                     a->name->function ? a->target->text : a->name->text);
        struct ptx_function *f = &functions[a->name->function - 1];
        *f = functions[a->target->function - 1];
        f->name = a->name->text;
    }
}

static void parse_module(struct ptx_parser *p) {
    ptx_next(p);
    if (!ptx_is_keyword(p, PTX_KEY_VERSION))
        ptx_fail_expected(p, "'.version' (is this PTX?)");
    while (p->token.kind != PTX_TOKEN_END) parse_directive(p);
    settle_forward(p);
    settle_aliases(p);
    ptx_finish_locs(p);
    struct ptx_module *m = p->module;
    m->variables = ptx_list_take(p, &p->variables, sizeof(struct ptx_variable),
                                 &m->n_variables);
    m->functions = ptx_list_take(p, &p->functions, sizeof(struct ptx_function),
                                 &m->n_functions);
    m->prototypes = ptx_list_take(
        p, &p->prototypes, sizeof(struct ptx_prototype), &m->n_prototypes);
    m->target_lists =
        ptx_list_take(p, &p->target_lists, sizeof(struct ptx_target_list),
                      &m->n_target_lists);
}

static void free_lists(struct ptx_parser *p) {
    struct ptx_list *lists[] = {
        &p->variables,    &p->functions,     &p->prototypes,
        &p->target_lists, &p->locs,          &p->forward,
        &p->aliases,      &p->relocations,   &p->image,
        &p->operands,     &p->params,        &p->targets,
        &p->loc_details,  &p->loc_files,     &p->debug_bytes,
        &p->loc_slots,    &p->body.insns,    &p->body.registers,
        &p->body.pending, &p->body.variables};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->items);
}

/* The module and all that it owns live in one arena, the storage first. */
static struct ptx_storage *new_storage(size_t limit) {
    struct ptx_arena arena = {.spared = PTX_ARENA_LIMIT - limit};
    struct ptx_storage *s = ptx_arena_take(&arena, sizeof *s);
    if (!s) return NULL;
    s->arena = arena;
    if (ptx_names_init(s)) return s;
    ptx_names_free(&s->names);
    arena = s->arena;
    ptx_arena_free(&arena);
    return NULL;
}

static void free_storage(struct ptx_storage *s) {
    if (!s) return;
    ptx_names_free(&s->names);
    struct ptx_arena arena = s->arena; /* it holds itself */
    ptx_arena_free(&arena);
}

static struct ptx_module *module_run(struct ptx_parser *p) {
    if (setjmp(p->failed)) return NULL;
    p->module = ptx_take(p, sizeof *p->module);
    p->module->arena = p->storage;
    parse_module(p);
    return p->module;
}

struct ptx_module *ptx_parse(const char *text, size_t bytes,
                             struct ptx_error *error) {
    return ptx_parse_within(text, bytes, PTX_ARENA_LIMIT, error);
}

struct ptx_module *ptx_parse_within(const char *text, size_t bytes,
                                    uint64_t most, struct ptx_error *error) {
    size_t limit = most < PTX_ARENA_LIMIT ? (size_t)most : PTX_ARENA_LIMIT;
    *error = (struct ptx_error){.message = "no memory for the PTX module"};
    if (bytes >= limit) return NULL;
    char *copy = malloc(bytes + 1);
    struct ptx_parser *p = calloc(1, sizeof *p);
    struct ptx_storage *storage = new_storage(limit);
    struct ptx_module *module = NULL;
    if (copy && p && storage) {
        if (bytes) memcpy(copy, text, bytes);
        copy[bytes] = 0;
        p->error = error;
        p->text = p->at = copy;
        p->line = 1;
        p->storage = storage;
        p->limit = limit;
        module = module_run(p);
    }
    if (module)
        *error = (struct ptx_error){0};
    else
        free_storage(storage);
    if (p) free_lists(p);
    free(p);
    free(copy);
    return module;
}

void ptx_free(struct ptx_module *module) {
    while (module) {
        struct ptx_module *next = module->linked; /* it lies in its arena */
        free_storage(module->arena);
        module = next;
    }
}

size_t ptx_memory(const struct ptx_module *module) {
    size_t bytes = 0;
    for (; module; module = module->linked) {
        const struct ptx_storage *s = module->arena;
        bytes += s->arena.total + s->names.capacity * sizeof *s->names.slots;
    }
    return bytes;
}

static const struct ptx_name *find_name(const struct ptx_module *module,
                                        const char *name) {
    const struct ptx_storage *storage = module->arena;
    return ptx_name_find(&storage->names, name, strlen(name));
}

const char *ptx_find_name(const struct ptx_module *module, const char *name) {
    const struct ptx_name *found = find_name(module, name);
    return found ? found->text : NULL;
}

const struct ptx_function *ptx_find_function(const struct ptx_module *module,
                                             const char *name) {
    const struct ptx_name *found = find_name(module, name);
    if (!found || !found->function) return NULL;
    return &module->functions[found->function - 1];
}

const struct ptx_variable *ptx_find_variable(const struct ptx_module *module,
                                             const char *name) {
    const struct ptx_name *found = find_name(module, name);
    if (!found || !found->variable) return NULL;
    return &module->variables[found->variable - 1];
}
