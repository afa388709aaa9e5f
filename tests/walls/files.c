/* SPDX-License-Identifier: MIT
 *
 * files OWN OTHER: run inside scanlab-walls, which lets it write the folder OWN
 * and not see the folder OTHER: what it may do with files works as everywhere,
 * the rest does not, by whatever name, also of threads that change a name while
 * the kernel, or who stands in for it, reads it. OTHER has a file "secret" and
 * a program "run". Prints what is wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;

static void expect(bool holds, const char *what) {
    if (holds) return;
    printf("FAILED: %s (%s)\n", what, strerror(errno));
    wrong++;
}
#define EXPECT(...) (errno = 0, expect(__VA_ARGS__, #__VA_ARGS__))

static bool fails(long result, int error) {
    return result == -1 && errno == error;
}

static bool refused(long result) {
    return result == -1 && (errno == EACCES || errno == ENOENT ||
                            errno == EROFS || errno == EXDEV);
}

static char *path_of(const char *folder, const char *name) {
    static char paths[8][PATH_MAX];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

static void own_files(const char *own) {
    char bytes[8] = "";
    EXPECT(chdir(own) == 0);
    int fd = open("a", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    EXPECT(fd > 2 && write(fd, "one", 3) == 3);
    EXPECT(fcntl(fd, F_GETFD) == FD_CLOEXEC && close(fd) == 0);
    EXPECT(fails(open("a", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST));
    EXPECT(fails(open("none", O_RDONLY), ENOENT));
    EXPECT(fails(open("a/b", O_RDONLY), ENOTDIR));
    EXPECT(fails(open(".", O_WRONLY), EISDIR));
    fd = open("a", O_WRONLY | O_APPEND);
    EXPECT(fcntl(fd, F_GETFD) == 0 && write(fd, "two", 3) == 3);
    close(fd);
    fd = open(path_of(own, "./a"), O_RDONLY);
    EXPECT(read(fd, bytes, 8) == 6 && memcmp(bytes, "onetwo", 6) == 0);
    EXPECT(write(fd, "x", 1) == -1 && close(fd) == 0);
    struct stat file;
    EXPECT(stat("a", &file) == 0 && (file.st_mode & 07777) == 0640);
    EXPECT(mkdir("d", 0700) == 0 && fails(mkdir("d", 0700), EEXIST));
    int folder = open("d", O_RDONLY | O_DIRECTORY);
    EXPECT(renameat(AT_FDCWD, "a", folder, "b") == 0);
    EXPECT(fails(open("a", O_RDONLY), ENOENT));
    EXPECT((fd = openat(folder, "b", O_RDWR | O_TRUNC)) > 2);
    EXPECT(read(fd, bytes, 8) == 0 && close(fd) == 0);
    EXPECT(unlinkat(folder, "b", 0) == 0 && close(folder) == 0);
    EXPECT(rename("d", "e") == 0 && unlinkat(AT_FDCWD, "e", AT_REMOVEDIR) == 0);
    EXPECT((fd = creat("c", 0600)) > 2 && close(fd) == 0 && unlink("c") == 0);
    EXPECT((fd = creat("g", 0600)) > 2 && close(fd) == 0);
    EXPECT((fd = creat("h", 0600)) > 2 && close(fd) == 0);
    EXPECT(fails(renameat2(AT_FDCWD, "g", AT_FDCWD, "h", RENAME_NOREPLACE),
                 EEXIST));
    EXPECT(renameat2(AT_FDCWD, "g", AT_FDCWD, "h", 0) == 0 && unlink("h") == 0);
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    EXPECT(fails(creat(name, 0600), ENAMETOOLONG));
    EXPECT((fd = creat(name + 1, 0600)) > 2 && close(fd) == 0);
    EXPECT(fails(rename(name, "a"), ENAMETOOLONG) && unlink(name + 1) == 0);
    EXPECT(mkdir("f//", 0700) == 0 && fails(unlink("f"), EISDIR));
    EXPECT(rmdir("f/") == 0 && fails(rmdir("f"), ENOENT));
}

/* Paths that no program means. */
static void odd_paths(void) {
    long page = sysconf(_SC_PAGESIZE);
    char *two = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(two + page, (size_t)page);
    strcpy(two + page - 10, "/dev/null");
    int fd = open(two + page - 10, O_RDONLY);
    EXPECT(fd > 2 && close(fd) == 0);
    memset(two, 'x', (size_t)page);
    EXPECT(fails(syscall(SYS_openat, AT_FDCWD, two + page - 1, O_RDONLY),
                 EFAULT) ||
           errno == ENAMETOOLONG);
    EXPECT(fails(syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY), EFAULT));
    EXPECT(fails(open("", O_RDONLY), ENOENT));
    char long_path[2 * PATH_MAX];
    memset(long_path, '/', sizeof long_path);
    long_path[sizeof long_path - 1] = '\0';
    EXPECT(fails(open(long_path, O_RDONLY), ENAMETOOLONG));
    EXPECT(fails(openat(77, "a", O_RDONLY), EBADF) || errno == ENOENT);
}

static void others_files(const char *other) {
    const char *secret = path_of(other, "secret"), *to = path_of(other, "new");
    char link[PATH_MAX];
    EXPECT(refused(open(secret, O_RDONLY)));
    EXPECT(refused(open(secret, O_WRONLY | O_TRUNC)));
    EXPECT(refused(open(secret, O_RDWR | O_CREAT, 0600)));
    EXPECT(refused(creat(secret, 0600)));
    EXPECT(refused(open(to, O_WRONLY | O_CREAT, 0600)));
    EXPECT(refused(open(other, O_RDONLY | O_DIRECTORY)));
    EXPECT(refused(mkdir(to, 0700)) && refused(rmdir(other)));
    EXPECT(refused(unlink(secret)) && refused(rename(secret, "mine")));
    int fd = creat("mine", 0600);
    EXPECT(refused(rename("mine", to)) && refused(rename("mine", secret)));
    EXPECT(refused(renameat(AT_FDCWD, "mine", AT_FDCWD, to)));
    EXPECT(close(fd) == 0 && unlink("mine") == 0);
    snprintf(link, sizeof link, "../%s/secret", strrchr(other, '/') + 1);
    EXPECT(refused(open(link, O_RDONLY)));
    snprintf(link, sizeof link, "/proc/self/root%s", secret);
    EXPECT(refused(open(link, O_RDONLY)));
    EXPECT(refused(open("/proc/self/environ", O_RDONLY)));
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        execl(path_of(other, "run"), "run", (char *)NULL);
        _exit(refused(-1) ? 0 : 1);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

/* ---- a name that changes ---- */

static char changing[PATH_MAX];
static const char *names[2];
static atomic_bool over;

static void *change(void *unused) {
    size_t size = strlen(names[0]);
    for (int i = 0; !over; i++) memcpy(changing, names[i % 2], size);
    return unused;
}

/* Both have the same length: of OTHER's nothing is ever read or made. */
static void changing_names(const char *own, const char *other) {
    char mine[PATH_MAX], its[PATH_MAX], byte;
    pthread_t thread;
    size_t size = strlen(other) + sizeof "/secret" - 1;
    snprintf(its, sizeof its, "%s/secret", other);
    int n = snprintf(mine, sizeof mine, "%s/", own);
    while ((size_t)n < size) mine[n++] = 'm';
    mine[n] = '\0';
    names[0] = mine, names[1] = its;
    strcpy(changing, mine);
    int read_any = 0, opened = 0;
    EXPECT(pthread_create(&thread, NULL, change, NULL) == 0);
    /* On a busy machine the other thread may not run for long. */
    for (int i = 0; i < 4000 || (!opened && i < 4000000); i++) {
        if (i >= 4000) sched_yield();
        int fd = open(changing, O_RDWR | O_CREAT, 0600);
        if (fd < 0) continue;
        opened++;
        read_any += read(fd, &byte, 1) != 0;
        close(fd);
    }
    over = true;
    pthread_join(thread, NULL);
    EXPECT(read_any == 0 && opened > 0);
    EXPECT(unlink(mine) == 0);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    own_files(argv[1]);
    odd_paths();
    others_files(argv[2]);
    changing_names(argv[1], argv[2]);
    return wrong != 0;
}
