/* SPDX-License-Identifier: MIT
 *
 * begin.c: see begin.h.
 */
#include "begin.h"

#include <string.h>

void begin_file(FILE *f, const char *version, const char *target) {
    fprintf(f, ".version %s\n.target %s\n.address_size 64\n", version, target);
}

static void write_parameter(FILE *f, const struct case_param *p, unsigned k) {
    fputs(k ? ", .param " : ".param ", f);
    if (p->is_buffer)
        fprintf(f, ".u64 p_%s", p->name);
    else if (p->count > 1)
        fprintf(f, ".align %u .b8 p_%u[%zu]", p->type->bytes, k,
                case_param_bytes(p));
    else if (*p->name)
        fprintf(f, ".%s p_%s", p->type->name, p->name);
    else
        fprintf(f, ".%s p_%u", p->type->name, k);
}

bool begin_kernel(FILE *f, const struct conformance_case *c,
                  const char *first) {
    int name = (int)strcspn(first, " ");
    fprintf(f, ".visible .entry %.*s(", name, first);
    for (unsigned k = 0; k < c->n_params; k++)
        write_parameter(f, &c->params[k], k);
    fprintf(f,
            ")%s\n{\n    .reg .pred %%p<10>;\n    .reg .b16 %%h<10>;\n"
            "    .reg .b32 %%r<60>, %%i, %%t;\n    .reg .b64 %%d<40>",
            first + name);
    for (unsigned k = 0; k < c->n_params; k++)
        if (c->params[k].is_buffer)
            fprintf(f, ", %%to_%s, %%to_%s_0", c->params[k].name,
                    c->params[k].name);
    fputs(";\n    .reg .f32 %f<20>;\n    .reg .f64 %g<20>;\n"
          "    mov.u32 %i, %ctaid.x;\n    mov.u32 %t, %ntid.x;\n"
          "    mul.lo.u32 %i, %i, %t;\n    mov.u32 %t, %tid.x;\n"
          "    add.u32 %i, %i, %t;\n",
          f);
    for (unsigned k = 0; k < c->n_params; k++) {
        const char *name_k = c->params[k].name;
        if (!c->params[k].is_buffer) continue;
        fprintf(f,
                "    ld.param.u64 %%to_%s_0, [p_%s];\n"
                "    cvta.to.global.u64 %%to_%s_0, %%to_%s_0;\n"
                "    mad.wide.u32 %%to_%s, %%i, %u, %%to_%s_0;\n",
                name_k, name_k, name_k, name_k, name_k,
                c->params[k].type->bytes, name_k);
    }
    return !ferror(f);
}
