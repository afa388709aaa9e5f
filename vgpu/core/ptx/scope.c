/* SPDX-License-Identifier: MIT
 *
 * scope.c: what names mean inside a function body.
 *
 * How to read this: a name points to its innermost binding, that one to the
 * next further out; a scope keeps the list of its bindings and takes them back
 * when it closes, so that looking up is one step whatever the nesting. Labels
 * may be used before they stand: such uses wait in body.pending, and a closing
 * scope gives those it cannot answer to the scope around it.
 *
 * "%r<9>" declares without numbering: a register gets its number when it is
 * first used, so that a short text cannot ask for billions of them.
 */
#include "parser.h"

#include <stdio.h>
#include <string.h>

void ptx_scope_open(struct ptx_parser *p) {
    struct ptx_body *body = &p->body;
    if (body->n_scopes == PTX_MAX_SCOPES)
        ptx_fail(p, p->token.start, "scopes nested more than %d deep",
                 PTX_MAX_SCOPES);
    body->scopes[body->n_scopes++] = (struct ptx_scope){NULL, body->pending.n};
}

static struct ptx_binding *new_binding(struct ptx_parser *p) {
    struct ptx_binding *binding = p->body.spare;
    if (!binding) return ptx_take(p, sizeof *binding);
    p->body.spare = binding->sibling;
    *binding = (struct ptx_binding){0};
    return binding;
}

static struct ptx_binding *bind_in(struct ptx_parser *p, uint32_t scope,
                                   struct ptx_name *name,
                                   enum ptx_binding_kind kind) {
    struct ptx_scope *s = &p->body.scopes[scope];
    struct ptx_binding *binding = new_binding(p);
    binding->name = name;
    binding->kind = kind;
    binding->scope = scope;
    binding->outer = name->local;
    binding->sibling = s->bindings;
    name->local = s->bindings = binding;
    return binding;
}

struct ptx_binding *ptx_bind(struct ptx_parser *p, struct ptx_name *name,
                             enum ptx_binding_kind kind, const char *at) {
    uint32_t scope = p->body.n_scopes - 1;
    bool is_range = kind == PTX_BIND_RANGE;
    /* "%d<9>" leaves the name %d free. */
    for (struct ptx_binding *b = name->local; b && b->scope == scope;
         b = b->outer)
        if ((b->kind == PTX_BIND_RANGE) == is_range)
            ptx_fail(p, at, "'%s' is declared twice", name->text);
    if (kind == PTX_BIND_RANGE && scope > 0) p->body.n_inner_ranges++;
    return bind_in(p, scope, name, kind);
}

/* At function level the text's own name stays; an inner scope's name stays
 * unless it would hide another. Suffixes are tried until one is free. */
const char *ptx_unique(struct ptx_parser *p, struct ptx_name *name) {
    struct ptx_body *body = &p->body;
    bool is_inner = body->n_scopes > 1;
    if (name->owner != body->serial &&
        !(is_inner && (name->variable || name->function))) {
        name->owner = body->serial;
        return name->text;
    }
    for (;;) {
        char suffix[16];
        int n = snprintf(suffix, sizeof suffix, "$%u", ++body->n_renamed);
        char *text = ptx_take(p, name->length + (size_t)n + 1);
        memcpy(text, name->text, name->length);
        memcpy(text + name->length, suffix, (size_t)n + 1);
        struct ptx_name *other = ptx_intern(p, text, name->length + (size_t)n);
        if (other->owner == body->serial || other->variable || other->function)
            continue;
        other->owner = body->serial;
        return other->text;
    }
}

static uint32_t add_register(struct ptx_parser *p, struct ptx_name *name,
                             enum ptx_type type) {
    const char *unique = ptx_unique(p, name);
    struct ptx_register *r = ptx_list_add(p, &p->body.registers, sizeof *r);
    *r = (struct ptx_register){unique, type};
    return (uint32_t)p->body.registers.n - 1;
}

uint32_t ptx_bind_register(struct ptx_parser *p, struct ptx_name *name,
                           enum ptx_type type, const char *at) {
    struct ptx_binding *binding = ptx_bind(p, name, PTX_BIND_REGISTER, at);
    binding->type = type;
    return binding->index = add_register(p, name, type);
}

/* The innermost range that "%r12" belongs to, or NULL. */
static struct ptx_binding *find_range(struct ptx_parser *p,
                                      const struct ptx_name *name) {
    struct ptx_binding *best = NULL;
    uint64_t number = 0, unit = 1;
    for (uint32_t n = name->length - 1; n > 0; n--) {
        char c = name->text[n];
        if (c < '0' || c > '9' || unit > 1000000000) break;
        number += (uint64_t)(c - '0') * unit;
        unit *= 10;
        if (c == '0' && n + 1 < name->length) continue; /* leading zero */
        struct ptx_name *stem =
            ptx_name_find(&p->storage->names, name->text, n);
        struct ptx_binding *b = stem ? stem->local : NULL;
        while (b && (b->kind != PTX_BIND_RANGE || number >= b->index))
            b = b->outer;
        if (b && (!best || b->scope > best->scope)) best = b;
    }
    return best;
}

struct ptx_binding *ptx_resolve(struct ptx_parser *p, struct ptx_name *name) {
    struct ptx_binding *found = name->local;
    while (found && found->kind == PTX_BIND_RANGE) found = found->outer;
    if (found && !p->body.n_inner_ranges) return found;
    struct ptx_binding *range = find_range(p, name);
    if (range && (!found || range->scope > found->scope)) {
        found = bind_in(p, range->scope, name, PTX_BIND_REGISTER);
        found->type = range->type;
        found->index = add_register(p, name, range->type);
    }
    return found;
}

void ptx_add_pending(struct ptx_parser *p, struct ptx_pending pending) {
    struct ptx_pending *added =
        ptx_list_add(p, &p->body.pending, sizeof pending);
    *added = pending;
}

static void scope_answer(struct ptx_parser *p,
                         const struct ptx_pending *pending,
                         const struct ptx_binding *binding) {
    if (pending->kind == PTX_PENDING_TARGET) {
        struct ptx_target_list *lists = p->target_lists.items;
        lists[pending->major].targets[pending->minor] = binding->index;
        return;
    }
    struct ptx_insn *insns = p->body.insns.items;
    struct ptx_operand *operand =
        &insns[pending->major].operands[pending->minor];
    if (binding->kind == PTX_BIND_LABEL) {
        if (operand->kind == PTX_ADDRESS)
            ptx_fail(p, pending->at, "the label '%s' is not an address",
                     pending->name->text);
        operand->kind = PTX_LABEL;
        operand->target = binding->index;
        operand->symbol = NULL;
    } else {
        operand->symbol = binding->symbol;
    }
}

static bool answers(const struct ptx_pending *pending,
                    const struct ptx_binding *binding, uint32_t scope) {
    if (!binding || binding->scope != scope) return false;
    return binding->kind == PTX_BIND_LABEL ||
           (binding->kind == PTX_BIND_TABLE && !pending->must_be_label);
}

/* What no scope could answer: a symbol of the module, perhaps a later one. */
static void leave_body(struct ptx_parser *p,
                       const struct ptx_pending *pending) {
    if (pending->must_be_label)
        ptx_fail(p, pending->at, "undefined label '%s'", pending->name->text);
    struct ptx_pending *forward = ptx_list_add(p, &p->forward, sizeof *forward);
    *forward = *pending;
}

void ptx_scope_close(struct ptx_parser *p) {
    struct ptx_body *body = &p->body;
    uint32_t scope = body->n_scopes - 1;
    struct ptx_scope *s = &body->scopes[scope];
    struct ptx_pending *pending = body->pending.items;
    size_t kept = s->first_pending;
    for (size_t i = s->first_pending; i < body->pending.n; i++) {
        const struct ptx_binding *binding = pending[i].name->local;
        if (answers(&pending[i], binding, scope))
            scope_answer(p, &pending[i], binding);
        else if (scope == 0)
            leave_body(p, &pending[i]);
        else
            pending[kept++] = pending[i];
    }
    body->pending.n = kept;
    while (s->bindings) {
        struct ptx_binding *binding = s->bindings;
        if (binding->kind == PTX_BIND_RANGE && scope > 0)
            body->n_inner_ranges--;
        s->bindings = binding->sibling;
        binding->name->local = binding->outer;
        binding->sibling = body->spare;
        body->spare = binding;
    }
    body->n_scopes--;
}
