/* SPDX-License-Identifier: MIT
 *
 * watch MOST_MIB COMMAND...: runs the command, prints its time and the largest
 * memory that it or a process it waited for had resident; exits as it does, but
 * with 3 when that was more than MOST_MIB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    struct rusage used;
    int status;
    if (argc < 3) return 2;
    double start = now();
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(2);
    }
    if (pid < 0 || wait4(pid, &status, 0, &used) != pid) return 2;
    long mib = used.ru_maxrss >> 10;
    printf("%.1f s, at most %ld MiB resident\n", now() - start, mib);
    if (!WIFEXITED(status)) {
        printf("ended by signal %d\n", WTERMSIG(status));
        return 2;
    }
    if (mib <= atol(argv[1])) return WEXITSTATUS(status);
    printf("more than the %s MiB that are allowed\n", argv[1]);
    return 3;
}
