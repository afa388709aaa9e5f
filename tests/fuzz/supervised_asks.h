/* SPDX-License-Identifier: MIT
 *
 * supervised_asks.h: fuzz_supervise.c's input, bytes, as calls.
 */
#pragma once

/* Calls that nobody is asked about, but that change what a path means. */
enum extra {
    CLOSE,
    DUP,
    CHDIR,
    FCHDIR,
    UMASK,
    WRITE,
    TRUNCATE,
    CHANGE,
    HIDE,
    TIMER,
    FORK,
    N_EXTRA
};

struct ask {
    int form; /* of forms, or N(forms) + an extra */
    unsigned lane;
    uint64_t arguments[6];
};

/* What both processes see. */
struct shared {
    char paths[2 * MOST_ASKS][ROOM + GUARD]; /* whole pages */
    struct ask asks[MOST_ASKS];
    size_t n;
    atomic_int busy;
    char changing[PATH_MAX];
    char texts[2][PATH_MAX]; /* it changes between these */
};

static struct shared *shared;
static bool executes, races;

struct input {
    const uint8_t *at, *end;
};

static unsigned byte(struct input *in) {
    return in->at < in->end ? *in->at++ : 0;
}

static uint64_t bytes(struct input *in, int n) {
    uint64_t value = 0;
    while (n--) value = value << 8 | byte(in);
    return value;
}

/* Names as they stand in a path; most bytes are one of these, others letters.
 * The folder that a path begins in is own. */
static const char *const words[] = {
    "a",    "d",       "d/b",    "new",  "out",   "../over", "../tools/run",
    "..",   "/",       ".",      "d/n",  "own",   "over",    "../owner/secret",
    "/own", "/owner/", "secret", "run",  "tools", "../own",  "/proc/self/root",
    "b",    base,      "//",     "/..",  "n/m",   "",        "/dev/null",
    "cwd",  "/proc/",  "fd/",    "self", "none",  "fifo",    "../owner/run",
};

/* Few of them, or, from 200 on, many. */
static size_t read_text(struct input *in, char *to, size_t room) {
    size_t n = 0;
    unsigned tokens = byte(in);
    tokens = tokens < 200 ? 1 + tokens % 3 : tokens - 199;
    for (; tokens > 0 && in->at < in->end; tokens--) {
        unsigned next = byte(in);
        char letter[2] = {(char)next, '\0'};
        const char *word = next < 220 ? words[next % N(words)] : letter;
        size_t size = strlen(word);
        if (n + size >= room) break;
        memcpy(to + n, word, size);
        n += size;
    }
    to[n] = '\0';
    return n;
}

static uint64_t read_pointer(struct input *in, char *room) {
    enum { PLAIN, AT_END, ENDLESS, NONE, RAW, CHANGING, LONG, NOWHERE, KINDS };
    char text[PATH_MAX], *to = room;
    unsigned kind = byte(in);
    kind = kind < 200 ? PLAIN : kind % KINDS;
    if (kind == NONE) return 0;
    if (kind == RAW) return bytes(in, 8);
    if (kind == CHANGING) return (uint64_t)(uintptr_t)shared->changing;
    if (kind == NOWHERE) return (uint64_t)(uintptr_t)(room + ROOM);
    size_t n = read_text(in, text, sizeof text);
    if (kind == AT_END) to = room + ROOM - n - 1;
    if (kind == ENDLESS) to = room + ROOM - n;
    if (kind == LONG) {
        size_t filler = PATH_MAX + 300 - byte(in) * 17;
        memset(to, n ? text[n - 1] : '/', filler);
        memcpy(to, text, n < filler ? n : filler);
        to[filler] = '\0';
    } else {
        memcpy(to, text, n + (kind != ENDLESS));
    }
    return (uint64_t)(uintptr_t)to;
}

static uint64_t read_folder(struct input *in) {
    unsigned kind = byte(in);
    if (kind < 220) return (uint64_t)AT_FDCWD;
    return kind < 250 ? kind % (THEIRS_TO + 1) : bytes(in, 8);
}

/* Each of open's, or any number. */
static uint64_t read_flags(struct input *in) {
    static const unsigned of_open[] = {
        O_RDONLY,   O_WRONLY,    O_RDWR, O_CREAT,  O_EXCL,    O_TRUNC,
        O_NOFOLLOW, O_DIRECTORY, O_PATH, O_APPEND, O_CLOEXEC, O_TMPFILE};
    unsigned kind = byte(in);
    if (kind >= 200) return bytes(in, 4);
    return of_open[kind % N(of_open)] |
           of_open[kind / N(of_open) % N(of_open)] | (kind % 2 ? O_CREAT : 0);
}

static void read_ask(struct input *in, struct ask *ask,
                     char (*room)[ROOM + GUARD]) {
    uint64_t *a = ask->arguments;
    *ask = (struct ask){.form = (int)(byte(in) % (N(forms) + N_EXTRA))};
    ask->lane = byte(in) % LANES;
    if (ask->form >= (int)N(forms)) {
        int extra = ask->form - (int)N(forms);
        races = races || extra == CHANGE || extra == CHDIR || extra == FCHDIR;
        a[0] = byte(in);
        a[1] = bytes(in, 2);
        if (extra == CHDIR) a[2] = read_pointer(in, room[0]);
        return;
    }
    const struct form *f = &forms[ask->form];
    if (f->what == EXECUTE) executes = true;
    if (f->folder >= 0) a[f->folder] = read_folder(in);
    a[f->path] = read_pointer(in, room[0]);
    if (f->rest < 0) return;
    a[f->rest] = read_flags(in);
    if (f->what == MOVE) {
        if (f->folder >= 0) a[f->rest - 1] = read_folder(in);
        a[f->rest] = read_pointer(in, room[1]);
    }
    if (f->rest < 5) a[f->rest + 1] = bytes(in, 2);
}
