# SPDX-License-Identifier: MIT
"""What the tests of `scanlab class` share."""
import csv
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCANLAB, OUT = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
BUILD = SCANLAB.parents[1]
TOOL = ROOT / "tools/class"
sys.dont_write_bytecode = True
sys.path[:0] = [str(TOOL), str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/tools")]


def fresh(*names):
    folder = OUT.joinpath(*names)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def put(path, data="int x;\n"):
    """A file; its folders are made."""
    os.makedirs(os.path.dirname(os.fsencode(path)), exist_ok=True)
    with open(os.fsencode(path), "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)


def zipped(files, path=None):
    """files: {name or ZipInfo: data}"""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    if path:
        put(path, out.getvalue())
    return out.getvalue()


def tarred(members, mode="w:gz", path=None):
    """members: (TarInfo or name, data)"""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for member, data in members:
            if isinstance(member, str):
                member = tarfile.TarInfo(member)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    if path:
        put(path, out.getvalue())
    return out.getvalue()


def scanlab_class(*words, **options):
    return subprocess.run([SCANLAB, "class", *words], text=True, errors="replace",
                          capture_output=True, timeout=500, **options)


def gradebook(out):
    """{submission: row}, of one student each."""
    with open(out / "gradebook.csv", encoding="utf-8", newline="") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


def takes_yaml(test):
    """Skips it where Python has no yaml."""
    done = subprocess.run(["python3", "-I", TOOL / "unpack.py", "yaml"], input="",
                          text=True, capture_output=True)
    if "apt-get install python3-yaml" in done.stdout:
        test.skipTest("no yaml for Python (Debian: python3-yaml)")


def main():
    """What is skipped is said, also where all others pass."""
    del sys.argv[1:3]
    done = unittest.main(verbosity=1, exit=False).result
    for test, why in done.skipped:
        print(f"SKIP: {why}; the others of this file ran ({test.id()})")
    sys.exit(not done.wasSuccessful() or (77 if done.skipped else 0))
