/* SPDX-License-Identifier: MIT
 *
 * message_json.c: what a finding says, as an object: "id", and the arguments of
 * its row of vgpu_findings.def under their names.
 */
#include "lines_json.h"

static json_t *row(const struct vgpu_message *, uint64_t id, size_t at);

static json_t *list(const struct vgpu_message *m, uint64_t n, size_t at) {
    json_t *parts = json_array();
    for (; n && at < m->n_values; n--, at = vgpu_value_end(m, at)) {
        const struct vgpu_value *v = &m->values[at];
        if (!v->is_absent)
            json_array_append_new(parts, row(m, v->number, at + 1));
    }
    return parts;
}

static json_t *message_json_number(enum vgpu_type type, uint64_t number) {
    const char *choice = vgpu_choice_name(type, number);
    if (choice) return json_string(choice);
    switch (type) {
    case VGPU_TYPE_FLAG: return json_boolean(number);
    case VGPU_TYPE_MASK:
        return json_sprintf("0x%08llx", (unsigned long long)number);
    case VGPU_TYPE_ADDRESS:
    case VGPU_TYPE_WORD:
        return json_sprintf("0x%llx", (unsigned long long)number);
    default: return seen_number(number);
    }
}

static json_t *message_json_value(const struct vgpu_message *m, size_t at) {
    const struct vgpu_value *v = &m->values[at];
    if (v->is_absent) return json_null();
    switch ((enum vgpu_type)v->type) {
    case VGPU_TYPE_PART: return row(m, v->number, at + 1);
    case VGPU_TYPE_LIST: return list(m, v->number, at + 1);
    case VGPU_TYPE_WORDS:
    case VGPU_TYPE_TEXT: return seen_text(m->text + v->number);
    case VGPU_TYPE_TRIPLE: return seen_triple(v->triple);
    case VGPU_TYPE_ROUGH:
    case VGPU_TYPE_MIB: return json_real(v->real);
    default: return message_json_number((enum vgpu_type)v->type, v->number);
    }
}

static json_t *row(const struct vgpu_message *m, uint64_t id, size_t at) {
    const struct vgpu_argument *arguments;
    size_t n = vgpu_arguments((vgpu_message_id)id, &arguments);
    char name[VGPU_MESSAGE_NAME];
    vgpu_message_name((vgpu_message_id)id, name);
    json_t *object = json_pack("{s:s}", "id", name);
    for (size_t k = 0; k < n && at < m->n_values; k++) {
        json_object_set_new(object, arguments[k].name,
                            message_json_value(m, at));
        at = vgpu_value_end(m, at);
    }
    return object;
}

json_t *lines_json_message(const struct vgpu_message *m) {
    return row(m, m->id, 0);
}
