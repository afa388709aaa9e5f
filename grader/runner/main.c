/* SPDX-License-Identifier: MIT
 *
 * scanlab-runner: runs a submission's functions for the judge. Started by
 * judge/forkserver.c with a socket as descriptor 3; useless by hand. From the
 * return of copies_serve on it is a runner, and the socket the judge's
 * process.c. How to read this: `kinds` is the table of requests; each answers
 * once. The order CONFIGURE, LOCK, LOAD, MAP, CALL... is checked only as far as
 * memory safety needs; the judge keeps it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner.h"
#include "trampolines.h"
#include "watch.h"

enum { MOST_TRIES = 100, MUTE = 3 };

struct map {
    unsigned char *base;
    size_t bytes;
};

struct runner {
    struct wire_configure configure;
    bool locked;
    int file; /* the library; -1: none */
    void *library, *function;
    struct map in, out;
    struct gpu *gpu;
    struct lockdown_filter filter;
    int fds[2]; /* came with the message at hand; -1: none */
};

/* What cannot be said ends the runner: the judge would wait for it in vain. */
void runner_say(const struct wire_message *message) {
    struct wire_message m = *message;
    m.magic = WIRE_MAGIC;
    for (int tries = 0;
         send(WIRE_CONTROL_FD, &m, sizeof m, MSG_NOSIGNAL) < 0;) {
        if (errno == EINTR) continue;
        if (tries++ == MOST_TRIES) _exit(MUTE);
    }
}

void runner_short(int error) {
    const struct wire_message m = {.kind = WIRE_SHORT, .status = error};
    int before = errno;
    runner_say(&m);
    errno = before;
}

__attribute__((format(printf, 2, 3))) static void
say_failed(const struct wire_message *request, const char *format, ...) {
    struct wire_message m = {.kind = WIRE_FAILED,
                             .sequence = request->sequence};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m.u.text, sizeof m.u.text, format, arguments);
    va_end(arguments);
    runner_say(&m);
}

static void answer_call(const struct wire_message *request, int64_t status,
                        uint64_t value, uint64_t value2, bool failed) {
    struct wire_message m = {.kind = WIRE_ANSWER,
                             .sequence = request->sequence,
                             .status = status,
                             .value = value,
                             .value2 = value2,
                             .failed = failed};
    runner_say(&m);
}

static void runner_answer(const struct wire_message *request, int64_t status,
                          uint64_t value, uint64_t value2) {
    answer_call(request, status, value, value2, false);
}

/* ---- bytes of an element, by signature and buffer ---- */

enum {
#define X(name, type, words) BYTES_##name = (words) * sizeof(int32_t),
#include "types.def"
#undef X
};
static const struct widths widths[] = {
#define X(name, in, in2, out, out2, takes, types, arguments, text)             \
    {BYTES_##in, BYTES_##in2, BYTES_##out, BYTES_##out2},
#include "signatures.def"
#undef X
};

/* Has it its arrays in parts? */
static bool signature_has_parts(uint32_t signature) {
#define NOTHING     0u
#define TAKES(name) (1u << PARAMETER_##name)
    static const unsigned takes[] = {
#define X(name, in, in2, out, out2, takes, types, arguments, text) takes,
#include "signatures.def"
#undef X
    };
    return takes[signature] & TAKES(devices);
#undef NOTHING
#undef TAKES
}

/* ---- requests ---- */

/* Room for 256 threads of a C lab within its limit on memory: what a thread's
 * stack and a heap of its own usually reserve is more than that. */
static void small_threads(void) {
    enum { STACK = 1 << 20 };
    pthread_attr_t how;
    if (pthread_attr_init(&how) != 0) return;
    if (pthread_attr_setstacksize(&how, STACK) == 0)
        pthread_setattr_default_np(&how);
    pthread_attr_destroy(&how);
    mallopt(M_ARENA_MAX, 1);
}

static void on_configure(struct runner *r, const struct wire_message *m) {
    r->configure = m->u.configure;
    r->configure.client[WIRE_TEXT_BYTES - 1] = '\0';
    if (r->configure.device > WIRE_GPU) {
        say_failed(m, "no such device");
        return;
    }
    if (r->configure.device == WIRE_HOST) small_threads();
    runner_answer(m, 0, 0, 0);
}

static int find_range(struct dl_phdr_info *info, size_t size, void *data) {
    const struct link_map *map = data;
    (void)size;
    if (info->dlpi_addr != map->l_addr ||
        strcmp(info->dlpi_name, map->l_name) != 0)
        return 0;
    uintptr_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && end < p->p_vaddr + p->p_memsz)
            end = p->p_vaddr + p->p_memsz;
    }
    signals_library(info->dlpi_addr, info->dlpi_addr + end);
    return 1;
}

/* The virtual GPU's runtime, where the student's library needs one, loaded
 * while there are files. One that is not there is missed by the loader, which
 * says so. */
static void load_needs(const struct wire_configure *c, int fd) {
    char name[RUNTIME_BYTES], client[WIRE_TEXT_BYTES + 1 + RUNTIME_BYTES];
    if (c->device != WIRE_VGPU || !needs_runtime(fd, name)) return;
    snprintf(client, sizeof client, "%s/%s", c->client, name);
    dlopen(client, RTLD_NOW);
}

/* The loader gets the library's bytes from signals.c: nothing can be opened any
 * more. */
static void *load_locked(const char *path, int fd) {
    signals_file(path, fd);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    signals_file(NULL, -1);
    return library;
}

/* The runtime and the driver of a real GPU are trusted as the kernel is: they
 * are loaded, and have opened what they need, before the last wall. */
static bool lock_in(struct runner *r, int fd, const char *folder, char why[]) {
    bool on_gpu = r->configure.device == WIRE_GPU;
    if (on_gpu) filters_make(&r->filter, true);
    if (on_gpu && !(r->gpu = gpu_open(fd, why))) return false;
    return lockdown_rights(&r->configure, folder, why) &&
           (!on_gpu || gpu_begin(r->gpu, why)) &&
           lockdown_calls(&r->filter, why);
}

/* One that is gone is for the loader to miss, and for the judge to look for. */
static void on_lock(struct runner *r, const struct wire_message *m) {
    char folder[WIRE_TEXT_BYTES], why[WIRE_TEXT_BYTES] = "";
    const char *path = m->u.text;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    r->file = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (*path && r->file < 0 && errno != ENOENT && errno != EACCES) {
        say_failed(m, "cannot open %s: %s", path, strerror(errno));
        return;
    }
    load_needs(&r->configure, r->file);
    if (r->configure.device == WIRE_HOST && r->file >= 0 &&
        !watch_statics_read(r->file)) {
        say_failed(m, "cannot read %s: %s", path, strerror(errno));
        return;
    }
    if (chdir("/") != 0) {
        say_failed(m, "cannot leave the folder: %s", strerror(errno));
        return;
    }
    r->locked = lock_in(r, r->file, folder, why);
    if (r->locked)
        runner_answer(m, 0, 0, 0);
    else
        say_failed(m, "%s", why);
}

static bool open_library(struct runner *r, const struct wire_message *m,
                         const char *path) {
    if (!*path || r->library) return true;
    r->library = load_locked(path, r->file);
    if (r->file >= 0) close(r->file);
    r->file = -1;
    if (!r->library) {
        say_failed(m, "%s", dlerror());
        return false;
    }
    struct link_map *map;
    if (dlinfo(r->library, RTLD_DI_LINKMAP, &map) != 0) return true;
    dl_iterate_phdr(find_range, map);
    watch_statics_at(map->l_addr);
    return true;
}

/* value 0: the function is there; 1: the library has no such symbol. */
static void on_load(struct runner *r, const struct wire_message *m) {
    char symbol[WIRE_SYMBOL_BYTES];
    memcpy(symbol, m->symbol, sizeof symbol);
    symbol[sizeof symbol - 1] = '\0';
    if (!r->locked) {
        say_failed(m, "not locked in");
        return;
    }
    if (!open_library(r, m, m->u.text)) return;
    r->function = symbol[0] == '@' ? baseline_function(symbol)
                  : r->library     ? dlsym(r->library, symbol)
                                   : NULL;
    runner_answer(m, 0, r->function ? 0 : 1, 0);
}

static void on_give(struct runner *r, const struct wire_message *m) {
    char symbol[WIRE_SYMBOL_BYTES];
    memcpy(symbol, m->symbol, sizeof symbol);
    symbol[sizeof symbol - 1] = '\0';
    bool given = r->library &&
                 given_begin(r->library, symbol, (enum wire_given)m->value);
    runner_answer(m, 0, given, 0);
}

static bool map_fd(struct map *map, int fd, uint64_t bytes, int protection) {
    if (map->base) munmap(map->base, map->bytes);
    *map = (struct map){0};
    void *base =
        mmap(NULL, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (base == MAP_FAILED) return false;
    map->base = base;
    map->bytes = bytes;
    return true;
}

/* First and last page of each map are walls. */
static void on_map(struct runner *r, const struct wire_message *m) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    bool ok = r->fds[0] >= 0 && r->fds[1] >= 0 && m->value >= 2 * page &&
              m->value2 >= 2 * page &&
              map_fd(&r->in, r->fds[0], m->value, PROT_READ) &&
              map_fd(&r->out, r->fds[1], m->value2, PROT_READ | PROT_WRITE);
    const struct map *maps[] = {&r->in, &r->out};
    for (int i = 0; ok && i < 2; i++)
        ok = mprotect(maps[i]->base, page, PROT_NONE) == 0 &&
             mprotect(maps[i]->base + maps[i]->bytes - page, page, PROT_NONE) ==
                 0;
    if (ok)
        runner_answer(m, 0, (uintptr_t)r->in.base, (uintptr_t)r->out.base);
    else
        say_failed(m, "cannot map the buffers: %s", strerror(errno));
}

static void on_share(struct runner *r, const struct wire_message *m) {
    char why[WIRE_TEXT_BYTES] = "no GPU was asked for";
    if (r->gpu && gpu_share(r->gpu, &m->u.share, why))
        runner_answer(m, 0, 0, 0);
    else
        say_failed(m, "%s", why);
}

static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address;
}

/* Threads that share a core are interrupted anywhere, and while one rests the
 * others go on: what they leave half done shows. */
static void stay_on_one_core(void) {
    cpu_set_t one;
    int core = sched_getcpu();
    CPU_ZERO(&one);
    if (core < 0 || core >= CPU_SETSIZE) return;
    CPU_SET((size_t)core, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* An array of n words at this place of a map. */
static struct watch_array array_at(const struct map *m, uintptr_t at,
                                   size_t n) {
    uintptr_t base = (uintptr_t)m->base;
    return (struct watch_array){base, base + m->bytes, at,
                                at + n * sizeof(int32_t)};
}

static int64_t call_here(struct runner *r, const struct wire_call *c,
                         struct frame *frame) {
    if (c->watch)
        watch_begin(c, array_at(&r->in, (uintptr_t)r->in.base + c->in, c->n),
                    array_at(&r->out, (uintptr_t)frame->out, c->n));
    fails_begin(c->fail);
    heap_clears(c->clears);
    int64_t status = trampolines[c->signature](r->function, frame);
    watch_end();
    return status;
}

struct parts {
    const int32_t *in[WIRE_PARTS];
    int32_t *out[WIRE_PARTS];
    size_t n[WIRE_PARTS];
};

static void parts_of(const struct wire_call *c, struct parts *parts,
                     struct frame *frame) {
    for (size_t p = 0; p < c->n_parts && p < WIRE_PARTS; p++) {
        parts->in[p] = pointer((uintptr_t)c->parts[p].in);
        parts->out[p] = pointer((uintptr_t)c->parts[p].out);
        parts->n[p] = c->parts[p].n;
    }
    frame->part_in = parts->in;
    frame->part_out = parts->out;
    frame->part_n = parts->n;
}

static int current_device(const struct runner *r) {
    int (*get)(int *);
    int device = 0;
    *(void **)&get = r->library ? dlsym(r->library, "cudaGetDevice") : NULL;
    return get && get(&device) == 0 ? device : 0;
}

static void on_call(struct runner *r, const struct wire_message *m) {
    const struct wire_call *c = &m->u.call;
    char why[WIRE_TEXT_BYTES] = "";
    int64_t status = 0;
    if (!r->function || c->signature >= N_SIGNATURES) {
        say_failed(m, "nothing to call");
        return;
    }
    struct frame frame = {.n = c->n, .parameters = c->parameters};
    frame.n_out = SIZE_MAX; /* "not set" */
    bool on_device = r->configure.device == WIRE_VGPU;
    uintptr_t in = on_device ? 0 : (uintptr_t)r->in.base;
    uintptr_t out = on_device ? 0 : (uintptr_t)r->out.base;
    frame.out = pointer(out + c->out);
    frame.out2 = pointer(out + c->out2);
    frame.in = c->in_place ? frame.out : pointer(in + c->in);
    frame.in2 = pointer(in + c->in2);
    struct parts parts = {.n = {0}};
    if (c->n_parts) parts_of(c, &parts, &frame);
    if (signature_has_parts(c->signature) && !on_device) {
        say_failed(m, "arrays in parts lie on virtual GPUs only");
        return;
    }
    if (r->gpu && gpu_is_shared(r->gpu)) {
        if (!gpu_call_shared(r->gpu, trampolines[c->signature], r->function,
                             &frame, &status, why)) {
            say_failed(m, "%s", why);
            return;
        }
    } else if (r->configure.device == WIRE_GPU) {
        if (!gpu_call(r->gpu, trampolines[c->signature], r->function, &frame,
                      &widths[c->signature], c->in_place, &status, why)) {
            say_failed(m, "%s", why);
            return;
        }
    } else {
        if (c->one_core) stay_on_one_core();
        if (c->late && !c->in_place && c->n && !signals_late(frame.in)) {
            say_failed(m, "cannot hold the input back: %s", strerror(errno));
            return;
        }
        status = call_here(r, c, &frame);
    }
    fflush(stdout);
    uint64_t left = r->configure.device == WIRE_HOST ? heap_in_use()
                    : c->n_parts && on_device ? (uint64_t)current_device(r)
                                              : 0;
    answer_call(m, status, frame.n_out, left, fails_end());
}

static void (*const kinds[WIRE_N_KINDS])(struct runner *,
                                         const struct wire_message *) = {
    [WIRE_CONFIGURE] = on_configure, [WIRE_LOCK] = on_lock,
    [WIRE_LOAD] = on_load,           [WIRE_MAP] = on_map,
    [WIRE_GIVE] = on_give,           [WIRE_CALL] = on_call,
    [WIRE_SHARE] = on_share,
};

/* ---- the loop ---- */

static bool receive(struct runner *r, struct wire_message *m) {
    struct iovec part = {m, sizeof *m};
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    header.msg_control = control.bytes;
    header.msg_controllen = sizeof control.bytes;
    r->fds[0] = r->fds[1] = -1;
    ssize_t got;
    do got = recvmsg(WIRE_CONTROL_FD, &header, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got != sizeof *m || m->magic != WIRE_MAGIC) return false;
    struct cmsghdr *c = CMSG_FIRSTHDR(&header);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(r->fds, CMSG_DATA(c),
               c->cmsg_len == CMSG_LEN(2 * sizeof(int)) ? 2 * sizeof(int) : 0);
    return true;
}

int main(void) {
    struct runner r = {.file = -1, .fds = {-1, -1}};
    struct wire_message m;
    copies_serve(&r.filter);
    if (!signals_install()) return 2;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    while (receive(&r, &m)) {
        if (m.kind >= WIRE_N_KINDS || !kinds[m.kind]) break;
        kinds[m.kind](&r, &m);
        for (int i = 0; i < 2; i++)
            if (r.fds[i] >= 0) close(r.fds[i]);
    }
    _exit(0);
}
