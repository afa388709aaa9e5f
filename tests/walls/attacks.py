#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attacks.py SCANLAB WITHOUT WHERE OUT

WHERE: plain, landlock, namespaces, both, files, user or user-landlock
(tests/tools/surroundings.py).

Hands in what tries to read, change or find out something at compile time, as a
C lab, and honest twins of it, on such a machine and, where this runs as root, as
another user too. Nothing may be gained: no point, no byte of a secret, no changed
file, no file or process left."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path[1:1] = [str(pathlib.Path(__file__).resolve().parents[2] / folder)
                 for folder in ("tests/tools", "vgpu/tests/tools")]
import asked  # noqa: E402
import surroundings  # noqa: E402
from sources import ALICE, ATTACKS, HARMLESS, HONEST, RIGHT

SCANLAB, WITHOUT, WHERE, OUT = sys.argv[1:]
OUT = pathlib.Path(OUT).resolve()
SECRET = "canary-5e1d2b"
NOBODY = surroundings.NOBODY
# Does a wall stand between a compiler and the files of others? Do they even
# seem not to be there?
FILES = WHERE != "files"
UNSEEN = WHERE in ("plain", "landlock", "user", "user-landlock")
INSIDE = surroundings.inside(WHERE, WITHOUT)
complaints = []


def complain(name, text):
    complaints.append(f"{WHERE}, {name}: {text}")


# ---- handing in ----

# On a machine that lacks something, the rest is the same, as nights show.
FEW = ("includes a secret", "embeds a secret", "includes the reference",
       "source is a link", "header is precompiled", "includes its messages",
       "options for the linker's plugin", "own headers")


def fill(folder, what):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if callable(what):
        what(folder)
        return
    for name, text in (what if isinstance(what, dict) else
                       {"cpu_scan.c": what}).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


# ---- grading ----

def as_user(uid):
    def become():
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    return become if uid else None


def grade(folder, uid, *options):
    """Exit status, all that is said, the grade."""
    place = OUT / f"as-{uid}"
    report = place / "grade.json"
    report.unlink(missing_ok=True)
    command = [SCANLAB, "grade", "cpu-scan", "--check", "inclusive",
               "--device", "vgpu", "-s",
               str(folder), "--seed", "1", "-v", "--cache", str(place / "cache"),
               *options, "--report", "text=-", "--report", f"json={report}"]
    command = [*INSIDE, *command]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, preexec_fn=as_user(uid),
                          stdin=subprocess.DEVNULL, timeout=120)
    said = (done.stdout + done.stderr).decode(errors="replace")
    text = report.read_text() if report.exists() else "{}"
    if time.monotonic() - begun > 60:
        complain(folder.name, "it took more than a minute")
    return done.returncode, said + text, json.loads(text)


def state():
    return {path: (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(ALICE.iterdir())}


def expect(name, what, uid, full):
    folder = OUT / "mine"
    fill(folder, what)
    status, said, _ = grade(folder, uid)
    if status != (0 if full else 1):
        complain(name, f"uid {uid}: exit status {status}:\n{said}")
    if SECRET in said:
        complain(name, f"uid {uid}: the secret was told:\n{said}")
    left = [p.name for p in (OUT / f"as-{uid}/cache").glob("*.*")]
    if left:
        complain(name, f"{left} left in the cache")


def oracle(uid):
    """Is a file there? The grade must not tell."""
    told = set()
    for path in (ALICE / "secret.h", ALICE / "missing.h"):
        fill(OUT / "mine", f'#if __has_include("{path}")\n#error there\n#endif\n'
             + RIGHT)
        status, said, _ = grade(OUT / "mine", uid)
        told.add(status)
    if UNSEEN and told != {0}:
        complain("looks whether a file is there", f"{told}:\n{said}")


def environment(uid):
    """What the grader's environment says to compilers is not for these."""
    fill(OUT / "mine", "#include <secret.h>\n" + RIGHT)
    for name in "CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "LD_PRELOAD":
        os.environ[name] = str(ALICE) + ("/" if "EXEC" in name else "")
        status, said, _ = grade(OUT / "mine", uid)
        del os.environ[name]
        if status != 1 or "secret.h: No such file" not in said:
            complain(name, f"exit status {status}:\n{said}")


def planted(uid):
    """A cache that another user can write is not used."""
    place = OUT / f"as-{uid}/cache"
    fill(OUT / "mine", RIGHT)
    place.chmod(0o777)
    status, said, _ = grade(OUT / "mine", uid)
    place.chmod(0o700)
    if status != 2 or "others can write there" not in said:
        complain("a cache for all", f"exit status {status}:\n{said}")
    # What an entry holds is only taken under the key of the same bytes.
    mine, entries = grade(OUT / "mine", uid), sorted(place.iterdir())
    fill(OUT / "mine", RIGHT.replace("cpu_inclusive_scan(", "cpu_no_scan("))
    other = grade(OUT / "mine", uid)
    if mine[0] != 0 or other[0] != 1 or not entries:
        complain("another's entry", f"{mine[0]}, {other[0]}:\n{other[1]}")


def command_of(pid):
    """b"" when it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return b""


def begun_at(pid):
    """When it was started: numbers are given again, and a busy machine goes round them."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def started_by(pid):
    """What a process has started, and so on: (number, when) -> its first word."""
    found = {}
    try:
        for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            for child in path.read_text().split():
                found |= {(child, begun_at(child)): command_of(child), **started_by(child)}
    except OSError:
        pass  # it has ended meanwhile
    return found


def wait_until(what, seconds):
    """True as soon as it is so, be it for a moment."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.01)
    return what()


def ended(uid, name, source, child, how):
    """A grade that is ended in the middle, when it has started what is named
    `child`: nothing that it started lives on, and no file is left, at the
    latest when the next grade has ended. how: whom to send which signal."""
    fill(OUT / "mine", source)
    cache = OUT / f"as-{uid}/cache"
    report = OUT / f"as-{uid}/ended.json"
    grading = [SCANLAB, "grade", "cpu-scan", "--check", "inclusive", "-s",
               str(OUT / "mine"), "--cache", str(cache), "-o", str(report)]
    whom, number = how
    if whom == "make":  # which starts it as the Makefile does
        grading = ["sh", "-c", 'SCANLAB_WITH=$$ "$@"; :', "sh", *grading]
    begun = subprocess.Popen(grading, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL,
                             preexec_fn=as_user(uid))
    seen = {}

    def is_there():
        seen.update(started_by(begun.pid))
        return any(word.endswith(child) for word in seen.values())

    def lives():
        return {pid: word for (pid, when), word in seen.items()
                if command_of(pid) and begun_at(pid) == when}

    def gone():
        return not lives()

    if not wait_until(is_there, 60):
        complain(name, f"no {child} was seen")
    begun.send_signal(number)
    begun.wait()
    if not wait_until(gone, 20):
        complain(name, f"of {seen} is left after 20 s: {lives()}")
    if begun.returncode != -number:
        complain(name, f"exit status {begun.returncode}")
    if (whom, number) == ("judge", signal.SIGKILL):
        fill(OUT / "mine", RIGHT)
        status, said, _ = grade(OUT / "mine", uid)
        report.unlink(missing_ok=True)
        for path in report.parent.glob(report.name + ".*"):
            path.unlink()
        if status != 0:
            complain(name, f"the next grade: {status}\n{said}")
    left = [str(p) for p in (*cache.glob("*.*"),
                             *report.parent.glob("ended.json*"))]
    if left:
        complain(name, f"{left} left")


def all_ended(uid):
    # 2^150 headers, without a word.
    slow = {"cpu_scan.c": '#include "a.h"\n',
            "a.h": "#if __INCLUDE_LEVEL__ < 150\n" + '#include "a.h"\n' * 2 +
                   "#endif\n"}
    endless = ("__attribute__((constructor)) static void loop(void) {\n"
               "    for (volatile int i = 0;; i++) {}\n}\n" + RIGHT)
    for how in (("judge", signal.SIGTERM), ("judge", signal.SIGINT),
                ("judge", signal.SIGHUP), ("judge", signal.SIGKILL),
                ("make", signal.SIGKILL), ("make", signal.SIGTERM)):
        name = f"ends the {how[0]} by signal {how[1]:d}"
        ended(uid, name + ", compiling", slow, b"cc1", how)
    # What starts a compiler may not yet have asked to end with the judge.
    for turn in range(8):
        ended(uid, f"ends the judge as it starts, {turn}", slow, b"scanlab-walls",
              ("judge", signal.SIGKILL))
    ended(uid, "ends the judge, running", endless, b"scanlab-runner",
          ("judge", signal.SIGTERM))


def walls(uid):
    """The grade says which stand, and --require-walls refuses without."""
    fill(OUT / "mine", RIGHT)
    status, said, whole = grade(OUT / "mine", uid)
    build, run = whole["walls"]["build"], whole["walls"]["run"]
    if bool(build["files"]) != FILES or not run["files"]:
        complain("walls", f"files: {build}, {run}")
    if bool(build["unseen"]) != UNSEEN and not uid:
        complain("walls", f"unseen: {build}")
    if ("Walls are missing" in said) != (not build["files"]):
        complain("walls", f"the text is not as the grade: {said}")
    status, said, _ = grade(OUT / "mine", uid, "--require-walls")
    if status != (0 if build["files"] else 2):
        complain("--require-walls", f"exit status {status}: {said}")
    if status == 2 and "--require-walls: missing on this machine" not in said:
        complain("--require-walls", said)


def attack(uid):
    place = OUT / f"as-{uid}"
    place.mkdir()
    if uid:
        os.chown(place, uid, uid)
    every = (WHERE == "plain" and not uid) or asked.everything()
    chosen = None if every and FILES else FEW
    for group, full in (ATTACKS, False), (HARMLESS, True), (HONEST, True):
        for name, what in group.items():
            # Without any wall around files these three can read.
            reads = not FILES and name in FEW[:3]
            # Its input is /dev/null, which is there where other paths are.
            empty = not UNSEEN and name == "includes its input"
            if (chosen is None or name in chosen) and not reads:
                expect(name, what, uid, full or empty)
    oracle(uid)
    environment(uid)
    planted(uid)
    walls(uid)
    if WHERE == "plain":
        all_ended(uid)


def main():
    if INSIDE and subprocess.run([*INSIDE, "true"]).returncode != 0:
        print("SKIP: no user namespace can be made here")
        sys.exit(77)
    shutil.rmtree(OUT, ignore_errors=True)
    ALICE.mkdir(parents=True)
    (ALICE / "secret.h").write_text(f"int {SECRET.replace('-', '_')} = 1;\n"
                                    f"#error {SECRET}\n")
    (ALICE / "secret.h").chmod(0o600)
    (ALICE / "cpu_scan.c").write_text(RIGHT)
    before = state()
    attack(os.getuid())
    if os.getuid() == 0:
        # Another user's secrets are kept by their modes; his own by the walls.
        for path in [OUT, ALICE, *ALICE.iterdir()]:
            os.chown(path, NOBODY, NOBODY)
        reachable = subprocess.run(["test", "-x", SCANLAB, "-a", "-r", ALICE],
                                   preexec_fn=as_user(NOBODY)).returncode == 0
        if reachable:
            attack(NOBODY)
        else:
            print("another user cannot reach this folder: left out")
    if state() != before:
        complain("all", "another's files were changed")
    for line in complaints:
        print("FAILED:", line)
    sys.exit(bool(complaints))


main()
