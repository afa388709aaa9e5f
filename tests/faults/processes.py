#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""processes.py SCANLAB OUT

Grades right and wrong sources where hardly a process may be started: by `ulimit
-u` of a plain user, by a control group of root's; and where parts of the compiler
are missing. What is right has its points or there is no grade (status 2 and a
sentence); what is wrong never has them. No control group is left behind."""
import os
import pathlib
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("SCANLAB_ROOT", pathlib.Path(__file__).parents[2]))
sys.path[1:1] = [str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/tools")]
import asked  # noqa: E402
import surroundings  # noqa: E402

SCANLAB, OUT = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
ALL = asked.everything()
LIMITS = (60, 20, 12, 10, 9, 8, 7, 6, 5, 4, 3) if ALL else (60, 9, 7, 5)
# lab, check, file
CHECKS = [("cpu-scan", "threads-in-place", "cpu_scan.c"),
          ("naive", "full-range", "naive.cu"),
          ("cpu-scan", "threads-many", "cpu_scan.c"),
          ("cpu-scan", "errors-threads", "cpu_scan.c")]
complaints = []


def fresh(name, where="plain"):
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    surroundings.give(folder, where)
    return folder


def hand_in(wrong):
    folder = fresh("wrong" if wrong else "right")
    for _, _, file in CHECKS:
        text = "#define SOLUTION 1\n" + (ROOT / "reference" / file).read_text("utf-8")
        if wrong:  # every addition is another one
            text = text.replace('#include "scanlab.h"',
                                '#include "scanlab.h"\n#define scan_add(a, b) ((a) ^ (b))')
        (folder / file).write_text(text, "utf-8")
    return folder


def grade(folder, check, cache, where="plain", before=(), path=None, limit=None):
    """Status and what was said."""
    def narrow():
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
    lab, name, _ = check
    environment = os.environ | {"SCANLAB_ROOT": str(ROOT), "HOME": str(cache)}
    if path is not None:
        environment["PATH"] = path
    done = subprocess.run(
        [*before, SCANLAB, "grade", lab, "--check", name, "--submission", folder,
         "--device", "vgpu", "--cache", cache], env=environment, text=True,
        capture_output=True, errors="replace", timeout=120, check=False,
        preexec_fn=narrow if limit else None, **surroundings.user(where))
    said = [row for row in done.stderr.splitlines() if row.strip()]
    return done.returncode, said[-1] if said else ""


def look(what, got, is_wrong):
    status, said = got
    if status == 2 and said.startswith("scanlab: ") and len(said) > 20:
        return
    if status != (1 if is_wrong else 0):
        complaints.append(f"{what}: status {status}: {said}")


# ---- few processes ----

def checks():
    nvcc = (SCANLAB.parents[1] / "nvcc-path").exists() or shutil.which("nvcc")
    return [c for c in (CHECKS if ALL else CHECKS[:3]) if nvcc or not c[2].endswith(".cu")]


def try_limits(where):
    for is_wrong in False, True:
        folder = hand_in(is_wrong)
        warm = fresh(f"warm-{where}", where)
        for check in checks():
            status, said = grade(folder, check, warm, where)
            if status != (1 if is_wrong else 0):
                complaints.append(f"{check} without a limit: status {status}: {said}")
            for limit in LIMITS if not is_wrong else LIMITS[::3]:
                look(f"{check[1]}, ulimit -u {limit}, wrong: {is_wrong}",
                     grade(folder, check, warm, where, limit=limit), is_wrong)
    for limit in LIMITS[::2]:  # compilers start more
        cold = fresh(f"cold-{where}", where)
        look(f"compiles, ulimit -u {limit}",
             grade(hand_in(False), CHECKS[0], cold, where, limit=limit), False)


def own_group():
    """Where a control group with pids.max can be made, or None."""
    for place in pathlib.Path("/sys/fs/cgroup"), pathlib.Path("/sys/fs/cgroup/pids"):
        group = place / "scanlab-test"
        try:
            group.mkdir(exist_ok=True)
            if (group / "pids.max").exists():
                return group
            group.rmdir()
        except OSError:
            pass
    return None


def try_group(group):
    folder, warm = hand_in(False), fresh("warm-group")
    enter = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    for check in checks():
        grade(folder, check, warm)
        for limit in LIMITS:
            (group / "pids.max").write_text(str(limit))
            look(f"{check[1]}, pids.max {limit}", grade(folder, check, warm, before=enter),
                 False)
    (group / "pids.max").write_text("max")
    left = [str(p) for p in group.glob("scanlab.*")]
    if left:
        complaints.append(f"left behind: {left}")
    group.rmdir()


# ---- no compiler ----

def try_compilers():
    """What stands in for a compiler, or none; each time as if for the first time."""
    real = shutil.which("cc")
    for name, text in {
            "none": None, "ends": "exit 1", "is killed": "kill -9 $$",
            "no linker": f'exec {real} -fuse-ld=missing "$@"',
            "no assembler": f'exec {real} -no-integrated-as -B/nowhere -wrapper /nowhere "$@"',
            "says no": 'echo "error: no" >&2; exit 1'}.items():
        place = fresh("compiler")
        path = str(place)
        if text:
            (place / "cc").write_text(f"#!/bin/sh\n{text}\n")
            (place / "cc").chmod(0o755)
        got = grade(hand_in(False), CHECKS[0], fresh("cold"), path=path)
        if got[0] != 2 or len(got[1]) < 20:
            complaints.append(f"compiler `{name}`: {got}")


def main():
    where = "nobody" if os.getuid() == 0 else "plain"
    OUT.mkdir(parents=True, exist_ok=True)
    OUT.chmod(0o755)
    skipped = []
    if surroundings.reached(where, SCANLAB, ROOT / "labs"):
        try_limits(where)
    else:
        skipped.append("another user cannot reach this build")
    if group := own_group():
        try_group(group)
    else:
        skipped.append("nobody here may make a control group with pids.max")
    try_compilers()
    print("\n".join(complaints))
    for why in skipped:
        print(f"SKIP: {why}; the others of this file ran")
    sys.exit(1 if complaints else 77 if skipped else 0)


if __name__ == "__main__":
    main()
