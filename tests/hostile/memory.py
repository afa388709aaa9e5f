#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""memory.py SCANLAB OUT PROFILE

How much memory the judge takes at most, for each submission here that is made to
make it take much ("memory: 1024" in its header), on the usual virtual GPU ("teach") or on
one as large as an H200. All checks of the lab run, two at a time, as in a class's grade.
Fails above 1 GiB, and above 2 GiB for the large one; prints a table."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[2]
sys.path[1:1] = [str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/tools")]
import case  # noqa: E402
import graded  # noqa: E402
MOST_MIB = {"teach": 1024, "h200": 2048}
SCANLAB, OUT, PROFILE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]


def labs():
    """A copy; lab 1's checks have this device."""
    folder = OUT / "labs"
    shutil.copytree(ROOT / "labs", folder)
    ini, = folder.glob("*-naive/lab.ini")
    text = re.sub(r"(?m)^profile = .*\n", "", ini.read_text())
    ini.write_text(re.sub(r"(?m)^(\[check [^]]*\])$", rf"\1\nprofile = {PROFILE}",
                          text))
    return folder


def grade(source, folder):
    """Exit status, MiB of the largest process, seconds."""
    made = OUT / "submission"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    for header in source.parent.glob("*.h"):
        shutil.copy(header, made)
    shutil.copy(source, made / "naive.cu")
    begun = time.monotonic()
    started = subprocess.Popen(
        [SCANLAB, "grade", "naive", "--labs", folder, "--device", "vgpu", "-s",
         made, "--seed", "1", "-o", OUT / f"{source.stem}.txt"],
        env=os.environ | {"SCANLAB_CACHE": str(OUT / "cache")})
    _, status, used = os.wait4(started.pid, 0)
    return (os.waitstatus_to_exitcode(status), used.ru_maxrss >> 10,
            time.monotonic() - begun)


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    (OUT / "cache").mkdir(parents=True)
    (OUT / "cache").chmod(0o700)
    wrong, folder = [], labs()
    for source in sorted(HERE.parent.glob("naive.*.cu")):
        if ("honest" in source.name or
                "1024" not in case.read(source, graded.KEYS)[0].all("memory")):
            continue
        status, mib, seconds = grade(source, folder)
        print(f"{source.stem}, {PROFILE}: {mib} MiB, {seconds:.0f} s, "
              f"exit status {status}", flush=True)
        if status != 1 or mib > MOST_MIB[PROFILE]:
            wrong.append(source.stem)
    print("not as it must be:", wrong) if wrong else print("all below")
    return bool(wrong)


sys.exit(main())
