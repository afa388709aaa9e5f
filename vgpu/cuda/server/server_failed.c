/* SPDX-License-Identifier: MIT
 *
 * server_failed.c: passes on to the device which of the program's calls
 * answered an error. A call that a finding reports already is left out.
 */
#include "device_hooks.h"
#include "server.h"

static const char *server_failed_text(uint32_t error) {
    switch (error) {
#define X(name, value, text)                                                   \
    case value:                                                                \
        return text;
#include "errors.def"
#undef X
    default: return NULL;
    }
}

int server_FAILED(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_FAILED *r = &call->request.FAILED;
    if (r->call >= VGPU_N_CALLS) {
        server_violation(session, "no such call");
        return CUDA_INVALID_VALUE;
    }
    if (server_n_findings(session) != session->n_findings_then) return 0;
    vgpu_call_failed(session->device, vgpu_call_name((vgpu_call)r->call),
                     (int)r->error, server_failed_text(r->error), r->at);
    return 0;
}
