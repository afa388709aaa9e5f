#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mounts.py SCANLAB OUT: what is mounted within a submission is not read (its server
might never answer, and what it holds is somebody else's), nor is a second name of
another's file, and it is said; a submission that lies on a mount of its own is graded
as elsewhere, and one in folders, and one that is a copy of links (cp -l)."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

SCANLAB, OUT = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
ROOT = pathlib.Path(os.environ["SCANLAB_ROOT"]).resolve()
IN_A_NAMESPACE = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
INCLUDE = '#define SOLUTION\n#include "parts/more.h"\n'
WHERE = {  # how it is mounted: whether it is read
    "mkdir parts && echo 'int more;' >parts/more.h": True,
    "mkdir parts && mount -t tmpfs none parts && echo 'int more;' >parts/more.h": False,
    "mkdir parts other && echo 'int more;' >other/more.h && mount --bind other parts": False,
    "mkdir parts && : >parts/more.h && echo 'int more;' >x && mount --bind x parts/more.h":
        False,
    "mkdir other && echo 'int more;' >other/more.h && ln -s other parts": False,
    "mkdir other && echo 'int more;' >other/more.h && cp -lR other parts": True,
}
# Only root can make it: somebody's folder with a link to a file of root's.
ANOTHERS = {f"mkdir other && echo 'int more;' >other/more.h && cp -lR other parts && "
            f"chown {owner} parts": owner == 0 for owner in (0, 65534)}
SAYS = {"mount": "another file system is mounted there",
        "chown 65534": "a second name of somebody else's file"}


def graded(prepare, within):
    """The build error of what is prepared in a fresh folder; "": it was graded."""
    shutil.rmtree(OUT, ignore_errors=True)
    (OUT / "in").mkdir(parents=True)
    source = (ROOT / "reference/cpu_scan.c").read_text(encoding="utf-8")
    (OUT / "cpu_scan.c").write_text(INCLUDE + source, encoding="utf-8")
    done = subprocess.run(
        [*IN_A_NAMESPACE, "sh", "-ec", f"""cd {OUT}/in; {within}; cp ../cpu_scan.c .
         {prepare}; cd "$SCANLAB_ROOT"; exec "$@" """, "sh", SCANLAB, "grade", "cpu-scan",
         "--check", "inclusive", "-s", OUT / "in", "--report", f"json={OUT}/grade.json"],
        capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"FAILED: {prepare}: {done.stdout}{done.stderr}")
    lab = json.loads((OUT / "grade.json").read_text(encoding="utf-8"))["labs"][0]
    return "" if lab["score"] else f"{lab['build_error']} {done.stdout}"


def main():
    if subprocess.run([*IN_A_NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"],
                      capture_output=True, check=False).returncode:
        print("SKIP: no mount namespace is to be had here")
        return 77
    for within in ":", f"mount -t tmpfs none {OUT}/in; cd {OUT}/in":
        for prepare, is_read in (WHERE | (ANOTHERS if os.geteuid() == 0 else {})).items():
            said = graded(prepare, within)
            if (said == "") != is_read:
                sys.exit(f"FAILED: {within}; {prepare}: {said or 'it was read'}")
            for word, why in SAYS.items():
                if word in prepare and why not in said:
                    sys.exit(f"FAILED: {prepare}: it does not say why: {said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
