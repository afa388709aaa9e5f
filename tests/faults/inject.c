/* SPDX-License-Identifier: MIT
 *
 * inject.c: runs a command, and lets the k-th system call of a kind fail that a
 * program makes which the command starts:
 *
 *   inject [OPTION VALUE]... -- COMMAND WORD...
 *     -p PROGRAM   the last part of its name, such as cc1; any: of all together
 *     -c KIND      a kind of calls.def, or thread; any: all kinds together
 *     -k NUMBER    of the call, from 1 on; 0: none, they are counted
 *     -e ERROR     such as ENOSPC; KILL: the program is killed there;
 *                  SLOW: all that was started stands still for a while
 *     -a 1         all from the k-th on
 *     -o FILE      what was counted, a line each: PROGRAM KIND NUMBER;
 *                  and "injected" and where, if the call came
 *
 * How it works: a filter of system calls makes those of calls.def stop for a
 * tracer (seccomp(2), ptrace(2)), this process, which follows each child. A
 * call is let fail by making it none and setting its result. So a program meets
 * what the kernel would say, whatever it is linked to and however it was
 * started, and inside its walls. The exit status is the command's; 125: the
 * injector itself could not.
 */
#define _GNU_SOURCE 1 /* process_vm_readv */
#include <errno.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CANNOT = 125,
    MOST_TASKS = 4096,
    MOST_COUNTS = 1024,
    NAME_BYTES = 32,
    SLOW_MS = 1500
};

static const struct row {
    const char *kind;
    int call;
} rows[] = {
#define X(kind, call) {#kind, SCMP_SYS(call)},
#include "calls.def"
#undef X
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static const struct {
    const char *name;
    int number;
} errors[] = {
#define E(name)                                                                \
    { #name, name }
    E(EAGAIN), E(ENOMEM), E(EMFILE), E(ENFILE), E(ENOSPC),
    E(EIO),    E(EINTR),  E(ENOSYS), E(EPERM),  E(EACCES),
#undef E
};

struct task {
    pid_t pid;
    char program[NAME_BYTES];
};

struct tracer {
    const char *program, *kind, *file;
    unsigned long k, seen;
    bool all, kills, slow;
    int error;
    char **command;
    pid_t first;
    int status; /* of the command; -1: it has not ended */
    struct task tasks[MOST_TASKS];
    size_t n_tasks;
    struct count {
        char program[NAME_BYTES];
        const char *kind;
        unsigned long n;
    } counts[MOST_COUNTS];
    size_t n_counts;
    char place[160]; /* where it was injected; "": nowhere */
};

static int fail(const char *what) {
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    return CANNOT;
}

/* ---- its words ---- */

static bool set_error(struct tracer *t, const char *name) {
    t->kills = strcmp(name, "KILL") == 0;
    t->slow = strcmp(name, "SLOW") == 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(errors[i].name, name) == 0) t->error = errors[i].number;
    return t->kills || t->slow || t->error;
}

static bool read_words(struct tracer *t, char **word) {
    t->program = t->kind = "any";
    for (; *word && strcmp(*word, "--") != 0; word += 2) {
        if (**word != '-' || !word[1]) return false;
        switch ((*word)[1]) {
        case 'p': t->program = word[1]; break;
        case 'c': t->kind = word[1]; break;
        case 'k': t->k = strtoul(word[1], NULL, 10); break;
        case 'a': t->all = strcmp(word[1], "1") == 0; break;
        case 'o': t->file = word[1]; break;
        case 'e':
            if (!set_error(t, word[1])) return false;
            break;
        default: return false;
        }
    }
    t->command = *word ? word + 1 : word;
    return *t->command && (!t->k || t->kills || t->slow || t->error);
}

/* ---- the command ---- */

static bool is_wanted(const struct tracer *t, const char *kind) {
    return t->k == 0 || strcmp(t->kind, "any") == 0 ||
           strcmp(t->kind, kind) == 0 ||
           (strcmp(t->kind, "thread") == 0 && strcmp(kind, "process") == 0);
}

static bool filter(const struct tracer *t) {
    scmp_filter_ctx made = seccomp_init(SCMP_ACT_ALLOW);
    int error =
        made ? seccomp_attr_set(made, SCMP_FLTATR_CTL_NNP, geteuid() != 0)
             : -ENOMEM;
    for (size_t i = 0; i < N_ROWS && !error; i++)
        if (rows[i].call >= 0 && is_wanted(t, rows[i].kind))
            error = seccomp_rule_add_array(made, SCMP_ACT_TRACE(i),
                                           rows[i].call, 0, NULL);
    if (!error) error = seccomp_load(made);
    errno = -error;
    return !error;
}

/* Waits for the tracer first. */
static int run(const struct tracer *t, int go) {
    char byte;
    if (read(go, &byte, 1) != 1) return fail("read");
    close(go);
    if (!filter(t)) return fail("seccomp");
    execvp(t->command[0], t->command);
    return fail(t->command[0]);
}

static bool begin(struct tracer *t) {
    enum {
        HOW = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
              PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL
    };
    int go[2];
    if (pipe(go) != 0) return false;
    t->first = fork();
    if (t->first == 0) {
        close(go[1]);
        _exit(run(t, go[0]));
    }
    close(go[0]);
    bool ok = t->first > 0 && ptrace(PTRACE_SEIZE, t->first, 0, HOW) == 0 &&
              write(go[1], "", 1) == 1;
    close(go[1]);
    return ok;
}

/* ---- who is what ---- */

static struct task *task_of(struct tracer *t, pid_t pid) {
    for (size_t i = t->n_tasks; i-- > 0;)
        if (t->tasks[i].pid == pid) return &t->tasks[i];
    struct task *new = &t->tasks[t->n_tasks];
    if (t->n_tasks + 1 < MOST_TASKS) t->n_tasks++;
    *new = (struct task){.pid = pid, .program = "?"};
    return new;
}

static void forget(struct tracer *t, pid_t pid) {
    for (size_t i = 0; i < t->n_tasks; i++)
        if (t->tasks[i].pid == pid) {
            t->tasks[i] = t->tasks[--t->n_tasks];
            return;
        }
}

static void name_program(struct task *task) {
    char path[64], name[1024];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)task->pid);
    ssize_t size = readlink(path, name, sizeof name - 1);
    name[size > 0 ? size : 0] = '\0';
    const char *slash = strrchr(name, '/');
    snprintf(task->program, sizeof task->program, "%.*s", NAME_BYTES - 1,
             slash ? slash + 1 : name);
}

/* A child is what its parent is until it executes something. */
static void note_child(struct tracer *t, pid_t parent) {
    unsigned long child = 0;
    ptrace(PTRACE_GETEVENTMSG, parent, 0, &child);
    char program[NAME_BYTES];
    memcpy(program, task_of(t, parent)->program, sizeof program);
    memcpy(task_of(t, (pid_t)child)->program, program, sizeof program);
}

static unsigned long count(struct tracer *t, const char *program,
                           const char *kind) {
    for (size_t i = 0; i < t->n_counts; i++)
        if (strcmp(t->counts[i].program, program) == 0 &&
            t->counts[i].kind == kind)
            return ++t->counts[i].n;
    if (t->n_counts == MOST_COUNTS) return 0;
    struct count *new = &t->counts[t->n_counts++];
    snprintf(new->program, sizeof new->program, "%s", program);
    new->kind = kind;
    return new->n = 1;
}

/* ---- a call ---- */

static bool is_thread(pid_t pid, const struct user_regs_struct *r) {
    uint64_t flags = r->rdi;
    struct iovec here = {&flags, sizeof flags}, there = {(void *)r->rdi, 8};
    if (r->orig_rax == SYS_clone3 &&
        process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)sizeof flags)
        return false;
    return (r->orig_rax == SYS_clone || r->orig_rax == SYS_clone3) &&
           flags & CLONE_THREAD;
}

static void let_fail(struct tracer *t, pid_t pid, const char *kind,
                     struct user_regs_struct *r) {
    snprintf(t->place, sizeof t->place, "%s: %s %llu", task_of(t, pid)->program,
             kind, r->orig_rax);
    if (t->kills) {
        kill(pid, SIGKILL);
    } else if (t->slow) {
        usleep(SLOW_MS * 1000);
    } else {
        r->orig_rax = (unsigned long long)-1;
        r->rax = (unsigned long long)-t->error;
        ptrace(PTRACE_SETREGS, pid, 0, r);
    }
}

static void on_call(struct tracer *t, pid_t pid) {
    static const char thread[] = "thread";
    struct user_regs_struct r;
    unsigned long row = N_ROWS;
    if (ptrace(PTRACE_GETEVENTMSG, pid, 0, &row) != 0 || row >= N_ROWS ||
        ptrace(PTRACE_GETREGS, pid, 0, &r) != 0)
        return;
    const char *kind = rows[row].kind, *program = task_of(t, pid)->program;
    for (size_t i = 0; i < N_ROWS; i++) /* one pointer for each kind */
        if (strcmp(rows[i].kind, kind) == 0) {
            kind = rows[i].kind;
            break;
        }
    if (is_thread(pid, &r)) kind = thread;
    if (!t->k) {
        count(t, program, kind);
        return;
    }
    bool counts =
        (strcmp(t->program, "any") == 0 || strcmp(t->program, program) == 0) &&
        (strcmp(t->kind, "any") == 0 || strcmp(t->kind, kind) == 0);
    if (!counts) return;
    t->seen++;
    if (t->seen == t->k || (t->all && t->seen > t->k))
        let_fail(t, pid, kind, &r);
}

/* ---- the loop ---- */

static void on_stop(struct tracer *t, pid_t pid, int status) {
    int signal = WSTOPSIG(status), event = status >> 16;
    int pass = 0;
    switch (event) {
    case PTRACE_EVENT_SECCOMP: on_call(t, pid); break;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE: note_child(t, pid); break;
    case PTRACE_EVENT_EXEC: name_program(task_of(t, pid)); break;
    case PTRACE_EVENT_STOP:
        if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
            signal == SIGTTOU) {
            ptrace(PTRACE_LISTEN, pid, 0, 0);
            return;
        }
        break;
    default: pass = signal;
    }
    ptrace(PTRACE_CONT, pid, 0, (long)pass);
}

static void follow(struct tracer *t) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;)
        if (pid > 0 && WIFSTOPPED(status)) {
            on_stop(t, pid, status);
        } else if (pid > 0) {
            forget(t, pid);
            if (pid == t->first)
                t->status = WIFEXITED(status) ? WEXITSTATUS(status)
                                              : 128 + WTERMSIG(status);
        }
}

static bool tell(const struct tracer *t) {
    FILE *file = t->file ? fopen(t->file, "w") : NULL;
    if (!t->file) return true;
    if (!file) return false;
    for (size_t i = 0; i < t->n_counts; i++)
        fprintf(file, "%s %s %lu\n", t->counts[i].program, t->counts[i].kind,
                t->counts[i].n);
    if (*t->place) fprintf(file, "injected %s\n", t->place);
    return fclose(file) == 0;
}

int main(int argc, char **argv) {
    static struct tracer t = {.status = -1};
    if (argc < 2 || !read_words(&t, argv + 1)) {
        fputs("inject [OPTION VALUE]... -- COMMAND; see inject.c\n", stderr);
        return CANNOT;
    }
    if (!begin(&t)) return fail("trace");
    follow(&t);
    if (!tell(&t)) return fail(t.file);
    return t.status < 0 ? CANNOT : t.status;
}
