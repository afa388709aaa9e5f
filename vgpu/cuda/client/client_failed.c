/* SPDX-License-Identifier: MIT
 *
 * client_failed.c: tells the device which of the program's calls answered an
 * error, and from which line, since the program may never look at the error. Of
 * each line the first call alone, and of the first lines alone.
 */
#include "client.h"

#include <string.h>

enum {
    TOLD = VGPU_MAX_CALL_ERRORS, /* lines */
    WALKS = 200                  /* calls whose line is looked for */
};

/* Guarded by the lock. */
static struct {
    uint64_t at[TOLD];
    size_t n, walks;
} failed;

static bool client_failed_is_told(uint64_t at) {
    for (size_t i = 0; i < failed.n; i++)
        if (failed.at[i] == at) return true;
    return false;
}

static uint32_t call_of(const char *name) {
    uint32_t call = 0;
    while (name && call < VGPU_N_CALLS &&
           strcmp(vgpu_call_name((vgpu_call)call), name) != 0)
        call++;
    return name ? call : VGPU_N_CALLS;
}

void client_failed(int error) {
    struct vgpu_request_FAILED say = {.error = (uint32_t)error};
    if (error == cudaErrorNotReady) return; /* an answer, no failure */
    client_lock();
    if (client_is_connected() && failed.n < TOLD && failed.walks < WALKS) {
        failed.walks++;
        client_callers(say.at, VGPU_CALLERS_MAX);
        say.call = call_of(client_called());
        if (say.at[0] && say.call < VGPU_N_CALLS &&
            !client_failed_is_told(say.at[0])) {
            failed.at[failed.n++] = say.at[0];
            client_ask(VGPU_REQUEST_FAILED, &say, NULL);
        }
    }
    client_unlock();
}
