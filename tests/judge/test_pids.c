/* SPDX-License-Identifier: MIT
 *
 * test_pids.c: a control group that holds a runner: what is in it starts as
 * many processes as it may and no more, what is not starts others, several
 * judges have one each, nothing is left, and what a killed judge left is
 * removed. Where no group can be made this is skipped; with SCANLAB_TEST=group
 * it then fails.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pids.h"
#include "unit.h"

enum { MOST = 3, WANTED = 6 };

/* A runner: when it is told to, it starts WANTED processes that wait, and says
 * how many it got. Who ends it ends them all, by their group. */
struct crowd {
    pid_t pid;
    int go, said;
};

static void be_crowd(int go, int said) {
    unsigned char n = 0;
    char byte;
    setpgid(0, 0);
    if (read(go, &byte, 1) != 1) _exit(1);
    for (; n < WANTED; n++) {
        pid_t child = fork();
        if (child < 0) break;
        if (child == 0) {
            pause();
            _exit(0);
        }
    }
    if (write(said, &n, 1) != 1) _exit(1);
    pause();
    _exit(0);
}

static struct crowd begin(void) {
    int go[2], said[2];
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(said), 0);
    struct crowd c = {fork(), go[1], said[0]};
    assert_true(c.pid >= 0);
    if (c.pid == 0) be_crowd(go[0], said[1]);
    close(go[0]);
    close(said[1]);
    setpgid(c.pid, c.pid);
    return c;
}

static int started(const struct crowd *c) {
    unsigned char n = 0;
    assert_int_equal(write(c->go, "", 1), 1);
    assert_int_equal(read(c->said, &n, 1), 1);
    return n;
}

static void end(struct crowd *c) {
    kill(-c->pid, SIGKILL);
    assert_int_equal(waitpid(c->pid, NULL, 0), c->pid);
    close(c->go);
    close(c->said);
}

static bool may_make(void) {
    struct pids p;
    struct crowd c = begin();
    bool made = pids_make(&p, c.pid, MOST);
    end(&c);
    pids_remove(&p);
    const char *asked = getenv("SCANLAB_TEST");
    if (!made && asked && strstr(asked, "group"))
        fail_msg("no control group with the controller pids can be made here");
    if (!made) printf("SKIP: nobody here may make a control group\n");
    return made;
}

static void test_most(void **state) {
    struct pids p[2];
    struct crowd in[2], outside = begin();
    struct stat s;
    char *folders[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        in[i] = begin();
        assert_true(pids_make(&p[i], in[i].pid, MOST));
        folders[i] = strdup(p[i].folder);
    }
    assert_int_equal(started(&outside), WANTED);
    for (int i = 0; i < 2; i++) assert_int_equal(started(&in[i]), MOST - 1);
    end(&outside);
    for (int i = 0; i < 2; i++) {
        end(&in[i]);
        pids_remove(&p[i]);
        assert_null(p[i].folder);
        assert_int_not_equal(stat(folders[i], &s), 0);
        free(folders[i]);
    }
}

/* Of a judge that is gone; not of one that lives. */
static void test_left(void **state) {
    struct pids p;
    struct stat s;
    char gone[4096], lives[4096];
    struct crowd c = begin(), dead = begin();
    (void)state;
    assert_true(pids_make(&p, c.pid, MOST));
    char *slash = strrchr(p.folder, '/');
    int size = (int)(slash - p.folder);
    snprintf(gone, sizeof gone, "%.*s/scanlab.%d.1", size, p.folder,
             (int)dead.pid);
    snprintf(lives, sizeof lives, "%.*s/scanlab.%d.1", size, p.folder,
             (int)getppid());
    end(&dead);
    assert_int_equal(mkdir(gone, 0755), 0);
    assert_int_equal(mkdir(lives, 0755), 0);
    end(&c);
    pids_remove(&p);
    c = begin();
    assert_true(pids_make(&p, c.pid, MOST));
    end(&c);
    pids_remove(&p);
    assert_int_not_equal(stat(gone, &s), 0);
    assert_int_equal(stat(lives, &s), 0);
    assert_int_equal(rmdir(lives), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_most),
                                       cmocka_unit_test(test_left)};
    if (!may_make()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
