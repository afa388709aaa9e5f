#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""push.py objects: mutants of which one is moved between push and night, or gone."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MARK = "#: when: nightly\n"


def said(*arguments):
    done = subprocess.run([sys.executable, "-B", HERE / "push.py", *arguments],
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(folder, *must):
    status, text = said(folder)
    bad = [part for part in must if part not in text]
    if bad or (status == 0) != (not must):
        sys.exit(f"status {status}, it does not say {bad}:\n{text}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "mutants"
        shutil.copytree(HERE, folder)
        expect(folder)
        patches = [p for p in sorted(folder.glob("*/*.patch"))
                   if not p.name.startswith("honest-")]
        push = next(p for p in patches if MARK not in p.read_text())
        first, _, rest = (before := push.read_text()).partition("\n")
        push.write_text(f"{first}\n{MARK}{rest}")
        expect(folder, f"{push.parent.name}/{push.stem}: only nights show: ")
        said("--fix", folder)
        expect(folder)
        push.write_text(before)
        expect(folder)
        for night in patches[:-1:2]:
            night.write_text(night.read_text().replace(MARK, ""))
        expect(folder, "others decide the same, run --fix: ")
        for path in folder.glob("naive/*.patch"):
            if "expect: launches fail" in path.read_text():
                path.unlink()
        expect(folder, "naive: no mutant fails launches")


main()
