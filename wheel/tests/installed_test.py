# SPDX-License-Identifier: MIT
"""installed_test.py ROOT BUILD: the wheel in a fresh environment: `scanlab new`, the
stubs, and all references, whose grade is the one of the clone's programs, byte for
byte, but for seconds, what lab 0 measured, and how commands are spelled. Both use the
nvcc of NVIDIA's wheels, in which nothing was changed. nightly."""
import json
import pathlib
import subprocess
import sys
import tempfile

import fresh

ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:])
SEED = "20"


def solve(folder):
    """The references as a student would hand them in; the labs know no SOLUTION."""
    folder.mkdir()
    for path in sorted((ROOT / "reference").glob("*.c*")):
        done = subprocess.run(["unifdef", "-DSOLUTION", path], text=True, check=False,
                              capture_output=True)
        (folder / path.name).write_text(done.stdout)


def grade(program, folder, env, out, where):
    done = fresh.run([program, "grade", "--submission", folder, "--called", "handed-in",
                      "--device", "vgpu", "--seed", SEED, "-f", "json", "-o", out],
                     env=env, cwd=where)
    if done.returncode not in (0, 1):
        sys.exit(f"{program} grade ended with {done.returncode}:\n{done.stdout}")
    return json.loads(out.read_text())


def same(value):
    """Without what a clock has measured, and with commands spelled alike."""
    if isinstance(value, dict):
        return {name: same(part) for name, part in value.items()
                if name not in ("seconds", "median", "low", "high", "turns", "noisy")}
    if isinstance(value, list):
        return [same(part) for part in value]
    if isinstance(value, str) and " --check " in value:
        return "scanlab" + value[value.index(" "):] if "scanlab" in value.split(" ")[0] \
            else value
    return value


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        wheel = fresh.build(ROOT, work / "out")["scanlab"]
        commands = fresh.environment(work / "env", wheel)
        env = fresh.variables(work / "env", commands)
        course = work / "course"
        done = fresh.run([commands / "scanlab", "new", course], env=env)
        assert done.returncode == 0, done.stdout
        done = fresh.run([commands / "scanlab", "grade", "naive"], env=env, cwd=course)
        assert done.returncode == 1 and "TODO  tiny" in done.stdout, done.stdout
        assert "site-packages" not in done.stdout, done.stdout
        done = fresh.run([commands / "scanlab", "grade", "naive"], cwd=course,
                         env={**env, "PATH": str(commands), "SCANLAB_NVCC": "/nowhere"})
        print(done.stdout)
        assert done.returncode in (1, 2), done.stdout # 1: an nvcc in /usr/local/cuda

        solve(work / "solved")
        theirs = grade(commands / "scanlab", work / "solved", env, work / "wheel.json", course)
        ours = grade(BUILD / "bin/scanlab", work / "solved", env, work / "clone.json", ROOT)
        labs = list((ROOT / "labs").glob("*/lab.ini"))
        assert len(ours["labs"]) == len(labs), len(ours["labs"])
        assert ours["score"] >= 100 * len(labs), ours["score"]
        a, b = (json.dumps(same(one), indent=1) for one in (ours, theirs))
        if a != b:
            for at, (left, right) in enumerate(zip(a.splitlines(), b.splitlines())):
                if left != right:
                    sys.exit(f"line {at}: the clone says {left}, the wheel {right}")
            sys.exit("one is longer")
        [home] = (work / "env").glob("lib/python*/site-packages/scanlab/home")
        written = [path for path in home.rglob("*") if path.name in ("cache", "submissions")]
        assert not written, written
        print(f"{ours['score']} of {ours['max_score']} points by both")


if __name__ == "__main__":
    main()
