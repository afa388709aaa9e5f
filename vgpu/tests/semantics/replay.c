/* SPDX-License-Identifier: MIT
 *
 * replay.c: see replay.h.
 */
#include "replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

uint64_t replay_text_digest(const char *ptx) {
    return program_digest((const uint8_t *)ptx, strlen(ptx));
}

/* False: does not agree; said why. */
static bool holds(struct virtual_gpu *v, uint64_t seed, uint64_t k,
                  uint64_t text, uint64_t result) {
    const struct virtual_mode plain = {.checks = 0};
    char message[MACHINE_MESSAGE];
    struct program *p = program_make(seed, k, PROGRAM_PLAIN);
    char *ptx = program_text(p, NULL);
    struct program_shape s;
    program_get_shape(p, &s);
    uint8_t *memory = malloc(s.bytes);
    if (!memory) return false;
    program_fill(p, memory);
    bool ok = false;
    if (replay_text_digest(ptx) != text)
        printf("seed %" PRIu64 " program %" PRIu64
               ": the generator now makes another program; record again\n",
               seed, k);
    else if (!virtual_run(v, &plain, p, ptx, "k0", memory, s.bytes, message))
        printf("seed %" PRIu64 " program %" PRIu64 ": %s\n", seed, k, message);
    else if (program_digest(memory + s.result, s.bytes - s.result) != result)
        printf("seed %" PRIu64 " program %" PRIu64
               ": not what the hardware answered\n",
               seed, k);
    else
        ok = true;
    free(memory);
    free(ptx);
    program_free(p);
    return ok;
}

int replay(const char *path) {
    char line[256];
    unsigned n = 0, bad = 0;
    FILE *f = fopen(path, "r");
    struct virtual_gpu *v = virtual_open();
    if (!f || !v) {
        fprintf(stderr, "%s cannot be read\n", path);
        return 2;
    }
    while (fgets(line, sizeof line, f)) {
        if (*line == '#') continue;
        char *at = line;
        uint64_t seed = strtoull(at, &at, 10), k, text, result;
        for (int used; *at && *at != '\n'; at += used, n++) {
            if (sscanf(at, " %" SCNu64 " %" SCNx64 " %" SCNx64 "%n", &k, &text,
                       &result, &used) != 3) {
                fprintf(stderr, "%s: not an answer: %s", path, line);
                return 2;
            }
            bad += !holds(v, seed, k, text, result);
        }
    }
    fclose(f);
    virtual_close(v);
    printf("%u programs, %u differ from the hardware's answer\n", n, bad);
    return n == 0 ? 2 : bad != 0;
}
