# SPDX-License-Identifier: MIT
"""twice_test.py ROOT BUILD: two copies of the repository, in folders of different
names, build the same wheels, bit for bit: no path, no date, no order of files gets in.
The cross compiler and sources are fetched once, what it compiles is compiled twice.
nightly."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import fresh

ROOT = pathlib.Path(sys.argv[1]).resolve()


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        fresh.build(ROOT, work / "first") # fetches
        copy = work / "another-name/scanlab"
        subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{ROOT}", copy], check=True)
        files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others",
                                "--exclude-standard"], cwd=ROOT, check=True,
                               capture_output=True, text=True).stdout
        for name in filter(None, files.split("\0")): # as it is now
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, copy / name)
        for name in ("zig", "sources"):
            shutil.copytree(ROOT / "build/wheel" / name, copy / "build/wheel" / name)
        epoch = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True,
                               capture_output=True, text=True).stdout.strip()
        env = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
        fresh.build(copy, work / "second", env=env)
        names = sorted(path.name for path in (work / "first").iterdir())
        assert len(names) == 2, names
        for name in names:
            same = (work / "first" / name).read_bytes() == (work / "second" / name).read_bytes()
            assert same, f"{name} differs"
            print(f"{name}: the same twice")


if __name__ == "__main__":
    main()
