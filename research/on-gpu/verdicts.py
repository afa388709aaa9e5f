#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Verdicts of two devices side by side: verdicts.py VGPU-FOLDER GPU-FOLDER

Both hold grades as JSON (scanlab grade --format json), of the same name for the
same submission. Prints one line per submission and, per check, both verdicts
where they differ. "skip" on the GPU is what cannot be judged there.
"""
import json
import pathlib
import sys


def grades(folder):
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            found[path.stem] = json.loads(path.read_text())
        except ValueError:
            found[path.stem] = None
    return found


def checks(grade):
    return {
        f"{lab['id']}/{check['id']}": check
        for lab in grade["labs"]
        for check in lab["checks"]
    }


def describe(check):
    text = check["status"]
    if check["message"]:
        text += ": " + " ".join(check["message"].split())[:150]
    return text


def main():
    ours, theirs = grades(sys.argv[1]), grades(sys.argv[2])
    same = differ = missing = 0
    for name in sorted(set(ours) | set(theirs)):
        a, b = ours.get(name), theirs.get(name)
        if not a or not b:
            missing += 1
            where = "vgpu" if not a else "gpu"
            error = pathlib.Path(sys.argv[1 if not a else 2], name + ".err")
            why = error.read_text()[-300:] if error.exists() else ""
            print(f"{name}: no grade on {where} {why.strip()}")
            continue
        a, b = checks(a), checks(b)
        row, notes = [], []
        for key in a:
            x, y = a[key]["status"], b[key]["status"] if key in b else "none"
            row.append(x if x == y else f"{x}|{y}")
            if x == y:
                same += 1
                continue
            differ += 1
            notes.append(f"    {key}\n        vgpu {describe(a[key])}")
            if key in b:
                notes.append(f"        gpu  {describe(b[key])}")
        print(f"{name}: {' '.join(row)}")
        for note in notes:
            print(note)
    print(f"\n{same} verdicts the same, {differ} differ, "
          f"{missing} submissions without a grade")


if __name__ == "__main__":
    main()
