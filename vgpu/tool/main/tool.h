/* SPDX-License-Identifier: MIT
 *
 * tool.h: what the files of the program `vgpu` share. main.c reads the command
 * line (options.c), looks at the program (program.c), runs it against a device
 * (run.c) and writes a report (report_text.c, report_json.c), or prints the PTX
 * in it (dump.c).
 */
#pragma once

#include "vgpu.h"

#include <stdio.h>
#include <sys/types.h>

enum {
    TOOL_FAILED = 2,    /* wrong usage, or the run could not be set up */
    TOOL_FINDINGS = 86, /* the program ran, and checks saw something, or could
                           not look at everything */
    TOOL_SIGNALLED = 128,
    TOOL_TEXT = 1024 /* of a place */
};

struct tool_options {
    struct vgpu_options device;
    bool wants_profile, wants_json, wants_clock;
    const char *timeline;                /* file name; NULL: none */
    const char *kernel;                  /* profile of this one; NULL: all */
    size_t top;                          /* lines in its table; 0: usual */
    uint64_t n_gpus;                     /* 0: as the profile says */
    const char *schedule, *memory_model; /* as given, for the report */
    const char *output;                  /* file name; NULL: stderr */
    bool wants_dump;                     /* of PTX, instead of a run */
    struct vgpu_dump dump;
    char *trace_words; /* of the selection of a trace; freed by main */
    size_t n_traced;   /* how often something was printed for it */
    char **program;    /* argv of the program; NULL: none */
};

typedef enum { TOOL_GO, TOOL_DONE, TOOL_USAGE } tool_next;
/* DONE: help, version or a list was printed. USAGE: said on stderr. */
tool_next tool_parse(int argc, char **argv, struct tool_options *);

/* The program's path, searched on PATH like a shell does, checked to be
 * something that can run and be served. NULL: said on stderr why not. The
 * caller frees it. */
char *tool_find_program(const char *name);
/* Prints the PTX in a file: a program, a library, an object file, a fatbin or
 * PTX. Returns the exit status. */
int tool_dump(const char *name, struct vgpu_dump *);
/* The bytes of a 64-bit ELF file's section, or NULL; *size is how many. */
const void *tool_elf_section(const void *file, size_t bytes, const char *name,
                             size_t *size);

/* CUDA's other libraries that the program is linked with or has opened, with
 * commas; NULL: none. opened: their paths, a line each (cuda/sizes/opened.c);
 * those in the folder are ours. The caller frees it. */
char *tool_other_libraries(const char *path, const char *opened,
                           const char *folder);
/* The program is linked with an allocator other than the C library's. */
bool tool_has_allocator(const char *path);
/* What this machine lends a device, in bytes: most of its memory, or of what
 * the control group allows. */
uint64_t tool_machine_memory(void);
/* The folder of our libcudart.so.13 and .12, from where this tool lies. NULL:
 * said. The caller frees it. */
char *tool_client_folder(void);

struct tool_result {
    int status;       /* as of waitpid */
    bool was_stopped; /* by a signal to the tool */
    bool used_cuda;   /* anything came over the channel */
    char *opened;     /* paths of libraries, a line each; NULL: none. The caller
                         frees it */
};
/* The program while it runs. Its address is vgpu_options.user, so that a kernel
 * ends when the program it belongs to is killed. */
struct tool_watch {
    int signals; /* a signalfd; -1: none yet */
    pid_t child; /* 0: none yet */
    int status;  /* as of waitpid, when it has ended */
    bool has_ended, was_stopped;
    bool wants_sizes;  /* of the program's buffers (cuda/sizes) */
    bool wants_opened; /* which libraries it opens (cuda/sizes/opened.c) */
    int opened[2];     /* the pipe for that; -1: none */
};
bool tool_should_stop(void *watch); /* for vgpu_options.should_stop */
/* Runs it to its end. False: it could not be started; said on stderr. */
bool tool_run(vgpu_device *, struct tool_watch *, const char *path,
              const char *client_folder, char **argv, struct tool_result *);

struct tool_report {
    vgpu_device *device;
    const struct tool_options *options;
    const struct tool_result *result;
    int exit_code;
    const char *other_libraries; /* NULL: none */
    /* Places of calls, " (FILE:LINE)" or nothing: of what there was no room
     * for, of a copy of bytes that were written in part. */
    char refused[TOOL_TEXT], part_written[TOOL_TEXT];
    /* "FILE:LINE" or nothing: of vgpu_call_errors. */
    char call_errors[VGPU_MAX_CALL_ERRORS][TOOL_TEXT];
};
/* Finds the lines of the host's calls, where the program has them (-g): of
 * findings, and the report's. */
void tool_find_places(vgpu_device *, const char *path, struct tool_report *);
void tool_report_text(FILE *, const struct tool_report *);
bool tool_report_json(FILE *, const struct tool_report *); /* false: memory */

/* "vgpu: " and a line on stderr. */
__attribute__((format(printf, 1, 2))) void tool_say(const char *format, ...);
