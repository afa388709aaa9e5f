#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cache.py SCANLAB OUT

Grades that meet in one cache, and what lies there that should not: everyone gets
the grade of his own source, and nothing but entries is left."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import surroundings  # noqa: E402

SCANLAB, OUT = sys.argv[1:]
OUT = pathlib.Path(OUT).resolve()
ROOT = pathlib.Path(os.environ["SCANLAB_ROOT"])
RIGHT = "#define SOLUTION 1\n#line 1\n" + (ROOT / "reference/cpu_scan.c").read_text()
WRONG = RIGHT.replace("cpu_inclusive_scan(", "cpu_no_scan(")
# Entries of 700 KB each: two fill a cache of 1 MiB.
LARGE = "char large[700000] = {NUMBER};\n" + RIGHT
CACHE = OUT / "cache"
BUILDS = 2  # an entry each: lab 0 is built as it is, and with its accesses watched
ENTRY = "?" * 64  # a key: what is still being made has a shorter name
complaints = []


def start(name, source, *options, limit=(), env=None):
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "cpu_scan.c").write_text(source)
    return subprocess.Popen(
        [*limit, SCANLAB, "grade", "cpu-scan", "--check", "inclusive", "-s",
         str(folder), "--cache", str(CACHE), *options],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def end(what, grade, wanted, words=""):
    said = grade.communicate(timeout=120)[0]
    if grade.returncode != wanted or words not in said:
        complaints.append(f"{what}: exit status {grade.returncode}:\n{said}")


def entries():
    found = sorted(p.name for p in CACHE.iterdir())
    odd = [n for n in found if not re.fullmatch("[0-9a-f]{64}", n)]
    if odd:
        complaints.append(f"{odd} left in the cache")
    return found


def many_at_once():
    grades = [(start(f"same{i}", RIGHT), 0) for i in range(3)]
    grades += [(start(f"wrong{i}", WRONG), 1) for i in range(2)]
    for grade, wanted in grades:
        end("many at once", grade, wanted)
    if len(entries()) != 2 * BUILDS:
        complaints.append(f"two sources have the entries {entries()}")


def bounded_meanwhile():
    """What is being made or used is not removed by who makes room."""
    grades = [start(f"large{i}", LARGE.replace("NUMBER", str(i + 1)), "--cache-limit", "1")
              for i in range(4)]
    for grade in grades:
        end("a small cache", grade, 0)
    # Those that were in use then go now.
    end("the last", start("last", LARGE.replace("NUMBER", "9"), "--cache-limit",
                          "1"), 0)
    size = sum(p.stat().st_size for p in CACHE.glob("*/*"))
    if size > 2 << 20:
        complaints.append(f"the cache has {size} bytes")
    entries()


def planted():
    """An entry that is a link, a file, empty, cut short or of other bytes."""
    shutil.rmtree(CACHE)
    end("before", start("mine", RIGHT), 0)
    keys = entries()
    if len(keys) != BUILDS:
        complaints.append(f"one source has the entries {keys}")
    for key in keys:
        planted_as(key, keys)
    for left in "fresh.abcdef", "new.abcdef":
        (CACHE / left / "own").mkdir(parents=True)
        (CACHE / left / "own/x").symlink_to(OUT / "elsewhere")
    end("left by others", start("mine", RIGHT), 0)
    entries()


def planted_as(key, keys):
    elsewhere = OUT / "elsewhere"
    shutil.rmtree(elsewhere, ignore_errors=True)
    (CACHE / key).rename(elsewhere)
    before = sorted((p.name, p.read_bytes()) for p in elsewhere.iterdir())
    for what in "link", "file", "empty", "cut", "folder":
        if what == "link":
            (CACHE / key).symlink_to(elsewhere)
        elif what == "file":
            (CACHE / key).write_text("x")
        elif what == "cut": # as by a power cut
            shutil.copytree(elsewhere, CACHE / key)
            os.truncate(CACHE / key / "library.so", 4096)
        elif what == "folder":
            (CACHE / key / "library.so").mkdir(parents=True)
        else:
            (CACHE / key).mkdir()
        end(f"an entry that is a {what}", start("mine", RIGHT), 0)
        if (CACHE / key).is_symlink() or entries() != keys:
            complaints.append(f"an entry that is a {what} stays")
        shutil.rmtree(CACHE / key, ignore_errors=True)
        (CACHE / key).unlink(missing_ok=True)
    if before != sorted((p.name, p.read_bytes()) for p in elsewhere.iterdir()):
        complaints.append("what the link leads to was changed")
    shutil.copytree(elsewhere, CACHE / key)


def shared():
    """Two users name one folder: each is told, and neither reads the other's."""
    if os.getuid() != 0:
        print("two users: only root can be another: left out")
        return
    theirs = OUT / "theirs"
    theirs.mkdir(mode=0o755)
    surroundings.give(theirs, "nobody")
    for path in [CACHE, *CACHE.rglob("*")]:
        if path.is_dir() and path.stat().st_mode & 0o077:
            complaints.append(f"others may look into {path}")
    for where, folder in ("nobody", CACHE), ("plain", theirs):
        if not surroundings.reached(where, SCANLAB, OUT):
            print("another user cannot reach this folder: left out")
            continue
        done = subprocess.run(
            [SCANLAB, "grade", "cpu-scan", "--check", "inclusive", "-s",
             str(OUT / "mine"), "--cache", str(folder)], **surroundings.user(where),
            capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if (done.returncode != 2 or "name another one with --cache" not in
                done.stderr):
            complaints.append(f"another's cache: {done.returncode}: {done.stderr}")
    if list(theirs.iterdir()):
        complaints.append("something was written into another's cache")


def full_disk():
    """An error of the machine, not of the submission; nothing is left."""
    script = 'mount -t tmpfs -o size=160k,mode=700 none "$1" && shift && exec "$@"'
    grade = start("mine", RIGHT, limit=("unshare", "-m", "sh", "-c", script, "sh",
                                        str(CACHE)))
    said = grade.communicate(timeout=120)[0]
    if "unshare" in said or "mount:" in said:
        print("no file system of our own can be mounted: left out")
    elif grade.returncode != 2 or "No space left" not in said:
        complaints.append(f"a full disk: {grade.returncode}:\n{said}")


def gone(what, wanted, words, paths=1):
    """Once so many paths that fit are there, the folder that they are in goes."""
    def goes(folder, pattern, grade):
        for _ in range(600):
            if len(list(folder.glob(pattern))) >= paths or grade.poll() is not None:
                break
            time.sleep(0.02)
        folder.rename(OUT / "gone")
        end(what, grade, wanted, words)
        shutil.rmtree(OUT / "gone")
    return goes


def vanishes():
    """What the machine takes away is no zero; what was read may go."""
    slow = "#include <unistd.h>\n__attribute__((constructor)) static void slow(void)\n{\n    usleep(300000);\n}\n" + RIGHT
    long = ("#define A(x) x+x+x+x+x+x+x+x+x+x\n#define B(x) A(A(A(A(A(x)))))\n"
            "const int large = " + "+".join(["B(1)"] * 9) + ";\n" + RIGHT)
    shutil.rmtree(CACHE)
    CACHE.mkdir(mode=0o700)
    gone("libraries", 2, "library.so, which was there before", BUILDS)(
        CACHE, ENTRY + "/library.so", start("slow", slow))
    CACHE.mkdir(mode=0o700)
    gone("where it is compiled", 2, "No such file")(
        CACHE, "*/own/cpu_scan.c", start("long", long))
    CACHE.mkdir(mode=0o700)
    gone("a submission that was read", 0, "Total")(
        OUT / "slow", f"../cache/{ENTRY}/library.so", start("slow", slow))
    # nvidia-smi is asked after the folder was found and before it is read.
    tools = OUT / "tools"
    tools.mkdir()
    (tools / "nvidia-smi").write_text(f"#!/bin/sh\nmv '{OUT}/left' '{OUT}/gone'\n")
    (tools / "nvidia-smi").chmod(0o755)
    end("a submission that is not read yet", start(
        "left", RIGHT, env=os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}),
        2, "left: No such file")


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    CACHE.mkdir(parents=True, mode=0o700)
    many_at_once()
    bounded_meanwhile()
    planted()
    shared()
    full_disk()
    vanishes()
    for line in complaints:
        print("FAILED:", line)
    sys.exit(bool(complaints))


main()
