/* SPDX-License-Identifier: MIT
 *
 * declare.c: variables, parameters and registers (PTX ISA 5.2 to 5.4).
 *
 * How to read this: a declaration is a space, attributes and a type (a "head"),
 * then one or more declarators: name, dimensions, initialiser. Parameters are
 * declarations without initialiser in parentheses.
 */
#include "parser.h"

struct head {
    enum ptx_space space;
    enum ptx_type type;
    uint32_t vector, align;
    bool is_managed;
};

void ptx_skip_parentheses(struct ptx_parser *p) {
    const char *at = p->token.start;
    unsigned depth = 0;
    do {
        if (p->token.kind == PTX_TOKEN_END)
            ptx_fail(p, at, "this parenthesis is not closed");
        if (p->token.kind == '(') depth++;
        if (p->token.kind == ')') depth--;
        ptx_next(p);
    } while (depth);
}

void ptx_skip_to_semicolon(struct ptx_parser *p) {
    while (p->token.kind != ';') {
        if (p->token.kind == PTX_TOKEN_END) ptx_fail_expected(p, "';'");
        ptx_next(p);
    }
    ptx_next(p);
}

/* ".attribute(.managed)", ".attribute(.unified(1, 2), .managed)" */
static void parse_attribute(struct ptx_parser *p, struct head *head) {
    ptx_next(p);
    if (p->token.kind != '(') ptx_fail_expected(p, "'('");
    ptx_next(p);
    do {
        if (ptx_is_keyword(p, PTX_KEY_MANAGED)) head->is_managed = true;
        if (p->token.kind != PTX_TOKEN_DOT_WORD)
            ptx_fail_expected(p, "an attribute");
        ptx_next(p);
        if (p->token.kind == '(') ptx_skip_parentheses(p);
    } while (ptx_accept(p, ','));
    ptx_expect(p, ')', "')'");
}

static uint32_t parse_align(struct ptx_parser *p) {
    ptx_next(p);
    const char *at = p->token.start;
    uint64_t align = ptx_expect_integer(p, 1 << 20, "an alignment");
    if (!align || (align & (align - 1)))
        ptx_fail(p, at, "an alignment must be a power of two");
    return (uint32_t)align;
}

/* ".ptr", ".ptr.global.align 8": what a pointer points to is advice. */
static void parse_pointer(struct ptx_parser *p) {
    ptx_next(p);
    while (ptx_is_keyword(p, PTX_KEY_SPACE)) ptx_next(p);
    if (ptx_is_keyword(p, PTX_KEY_ALIGN)) parse_align(p);
}

static bool parse_head_word(struct ptx_parser *p, struct head *head) {
    if (p->token.kind != PTX_TOKEN_DOT_WORD) return false;
    const struct ptx_name *word = p->token.name;
    switch (word->keyword) {
    case PTX_KEY_ALIGN: head->align = parse_align(p); return true;
    case PTX_KEY_ATTRIBUTE: parse_attribute(p, head); return true;
    case PTX_KEY_PTR: parse_pointer(p); return true;
    case PTX_KEY_VECTOR: head->vector = word->value; break;
    case PTX_KEY_TYPE: head->type = (enum ptx_type)word->value; break;
    default: return false;
    }
    ptx_next(p);
    return true;
}

static struct head parse_head(struct ptx_parser *p) {
    struct head head = {.vector = 1};
    if (ptx_is_keyword(p, PTX_KEY_REG))
        head.space = PTX_REG;
    else if (ptx_is_keyword(p, PTX_KEY_SPACE))
        head.space = (enum ptx_space)p->token.name->value;
    else
        ptx_fail_expected(p, "a state space");
    ptx_next(p);
    if (head.space == PTX_CONST && ptx_accept(p, '[')) { /* a bank, PTX 2 */
        ptx_expect_integer(p, 10, "a constant bank");
        ptx_expect(p, ']', "']'");
    }
    while (parse_head_word(p, &head)) continue;
    if (head.type == PTX_NONE) ptx_fail_expected(p, "a type");
    if (head.type == PTX_PRED && head.space != PTX_REG)
        ptx_fail(p, p->token.start, "predicates live in registers only");
    return head;
}

static uint64_t multiply(struct ptx_parser *p, const char *at, uint64_t a,
                         uint64_t b) {
    if (b && a > PTX_MAX_VARIABLE_BYTES / b)
        ptx_fail(p, at, "this variable exceeds 2^40 bytes");
    return a * b;
}

static void parse_dims(struct ptx_parser *p, struct ptx_shape *shape) {
    while (p->token.kind == '[') {
        const char *at = p->token.start;
        if (shape->n_dims == PTX_MAX_DIMS)
            ptx_fail(p, at, "more than %d dimensions", PTX_MAX_DIMS);
        ptx_next(p);
        uint64_t size = 0;
        if (p->token.kind == ']' && shape->n_dims == 0) {
            shape->is_open = true;
        } else {
            int64_t given = ptx_parse_integer_expression(p);
            if (given < 0) ptx_fail(p, at, "a negative dimension");
            size = (uint64_t)given;
        }
        ptx_expect(p, ']', "']'");
        shape->dims[shape->n_dims++] = size;
    }
}

/* Name, dimensions and size; the initialiser is the caller's. */
static struct ptx_variable parse_declarator(struct ptx_parser *p,
                                            const struct head *head,
                                            struct ptx_shape *shape) {
    const char *at = p->token.start;
    struct ptx_name *name = ptx_expect_word(p, "a name");
    *shape = (struct ptx_shape){.element_bytes = ptx_type_bytes(head->type)};
    parse_dims(p, shape);
    uint32_t unit = (uint32_t)shape->element_bytes * head->vector;
    uint64_t bytes = unit, at_least = unit; /* a zero hides no overflow */
    for (unsigned i = 0; i < shape->n_dims; i++) {
        uint64_t size = shape->dims[i];
        at_least = multiply(p, at, at_least, size ? size : 1);
        bytes *= size;
    }
    if (head->vector > 1) shape->dims[shape->n_dims++] = head->vector;
    return (struct ptx_variable){.name = name->text,
                                 .space = head->space,
                                 .type = head->type,
                                 .align = head->align ? head->align : unit,
                                 .bytes = bytes,
                                 .is_managed = head->is_managed};
}

/* A definition takes the place of "extern", anything else is a clash. */
static void add_module_variable(struct ptx_parser *p, struct ptx_name *name,
                                const char *at,
                                const struct ptx_variable *variable) {
    if (name->function)
        ptx_fail(p, at, "'%s' is already a function", name->text);
    if (!name->variable) {
        struct ptx_variable *added =
            ptx_list_add(p, &p->variables, sizeof *added);
        *added = *variable;
        name->variable = (uint32_t)p->variables.n;
        return;
    }
    struct ptx_variable *old = p->variables.items;
    old += name->variable - 1;
    if (!old->is_extern && !variable->is_extern)
        ptx_fail(p, at, "'%s' is declared twice", name->text);
    if (old->is_extern) *old = *variable;
}

void ptx_parse_module_variables(struct ptx_parser *p,
                                const struct ptx_linkage *linkage) {
    struct head head = parse_head(p);
    do {
        struct ptx_token token = p->token;
        struct ptx_shape shape;
        struct ptx_variable variable = parse_declarator(p, &head, &shape);
        variable.is_extern = linkage->is_extern;
        variable.is_visible = linkage->is_visible;
        variable.is_weak = linkage->is_weak;
        variable.is_common = linkage->is_common;
        if (ptx_accept(p, '=')) ptx_parse_initialiser(p, &variable, &shape);
        add_module_variable(p, token.name, token.start, &variable);
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';', "';'");
}

void ptx_parse_body_variables(struct ptx_parser *p) {
    struct head head = parse_head(p);
    do {
        struct ptx_token token = p->token;
        struct ptx_shape shape;
        struct ptx_variable variable = parse_declarator(p, &head, &shape);
        struct ptx_binding *binding =
            ptx_bind(p, token.name, PTX_BIND_VARIABLE, token.start);
        variable.name = binding->symbol = ptx_unique(p, token.name);
        if (ptx_accept(p, '=')) ptx_parse_initialiser(p, &variable, &shape);
        struct ptx_variable *added =
            ptx_list_add(p, &p->body.variables, sizeof *added);
        *added = variable;
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';', "';'");
}

static void parse_register(struct ptx_parser *p, const struct head *head) {
    struct ptx_token token = p->token;
    struct ptx_name *name = ptx_expect_word(p, "a register");
    if (!ptx_accept(p, '<')) {
        ptx_bind_register(p, name, head->type, token.start);
        return;
    }
    uint64_t n = ptx_expect_integer(p, INT32_MAX, "a number of registers");
    ptx_expect(p, '>', "'>'");
    struct ptx_binding *range = ptx_bind(p, name, PTX_BIND_RANGE, token.start);
    range->index = (uint32_t)n;
    range->type = head->type;
}

void ptx_parse_registers(struct ptx_parser *p) {
    const char *at = p->token.start;
    struct head head = parse_head(p);
    if (head.vector > 1)
        ptx_fail(p, at,
                 "vector registers (.v%u) are not supported: declare "
                 "their elements",
                 head.vector);
    do parse_register(p, &head);
    while (ptx_accept(p, ','));
    ptx_expect(p, ';', "';'");
}

static void parse_param(struct ptx_parser *p, struct ptx_list *list) {
    struct head head = parse_head(p);
    if (head.space != PTX_PARAM && head.space != PTX_REG)
        ptx_fail(p, p->token.start, "a parameter must be .param or .reg");
    struct ptx_shape shape;
    struct ptx_variable variable = parse_declarator(p, &head, &shape);
    struct ptx_variable *added = ptx_list_add(p, list, sizeof *added);
    *added = variable;
}

struct ptx_variable *ptx_parse_params(struct ptx_parser *p, uint32_t *n) {
    struct ptx_list *list = &p->params;
    list->n = 0;
    ptx_expect(p, '(', "'('");
    if (p->token.kind != ')') {
        do parse_param(p, list);
        while (ptx_accept(p, ','));
    }
    ptx_expect(p, ')', "')'");
    return ptx_list_take(p, list, sizeof(struct ptx_variable), n);
}
