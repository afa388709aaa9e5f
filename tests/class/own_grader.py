# SPDX-License-Identifier: MIT
"""A program that grades in no time, for tests of what is around a grade: a
submission's points are the number of its characters. What a source says it does,
may be what scanlab does in a bad hour."""
import os

from classroom import BUILD, ROOT, put

GRADER = r"""#!/usr/bin/python3 -IS
import json, os, sys
given = dict(zip(sys.argv, sys.argv[1:]))
made = dict(w.split("=", 1) for w in sys.argv if w[:5] in ("text=", "html=", "json="))
here = os.path.realpath(sys.argv[0])
trial = "text" not in made
me = os.environ.get("OWN_GRADER_IS", str(os.getpid()))  # differs from run to run
source = os.path.join(given["-s"], "naive.cu")
said = "trial" if trial else open(source, errors="replace").read().strip()
with open(here + ".log", "a") as log:
    print(said, file=log)
if os.path.exists(here + ".fault"):
    words = open(here + ".fault").read().split("=")
    if said in words[0].split() or words[0] == "all":
        print("scanlab:", words[1].strip(), file=sys.stderr)
        sys.exit(2)
if said == "dies":
    os.kill(os.getpid(), 11)
if said[:6] == "faults":
    print(said[7:], file=sys.stderr)
    sys.exit(2)
bad = os.path.exists(here + ".broken") or said == "does not compile"
grade = {"schema": "scanlab/grade/v2", "seed": int(given.get("--seed", 0)), "score": len(said),
         "max_score": 100, "points": "2-1" if said == "newer" else "2-0",
         "device": "vgpu", "labs": [{
         "id": "naive", "title": "Naive", "score": len(said), "max_score": 100,
         "build_error": "bad" if bad else None, "checks": [
             {"id": kind, "kind": kind, "title": kind, "outcome": None,
              "measured": None, "status": "fail", "score": 0, "max_score": most,
              "message": said + (me if kind == "fast" else "")}
             for kind, most in (("correct", 9), ("fast", 0))]}]}
if said == "writes half a grade":
    grade["labs"][0].pop("checks")
for form, path in made.items():
    with open(path, "w") as file:
        if said == "writes a deep grade" and form == "json":
            file.write("[" * 100000)
        elif said != "writes no grade":
            file.write(json.dumps(grade) if form == "json" else said)
"""


def build(folder):
    """A build folder with that program, and the walls of ours."""
    put(folder / "bin/scanlab", GRADER)
    (folder / "bin/scanlab").chmod(0o755)
    (folder / "libexec").symlink_to(BUILD / "libexec")
    return folder


def words(built, where, out, *more):
    """What tools/class/main.py is given to grade a class by it."""
    return [f"folder={os.fspath(where)}", f"output={out}", f"build={built}",
            f"root={ROOT}", f"labs={ROOT}/labs/common", "lab=naive/naive.cu", "jobs=2",
            "seed=1", *more]
