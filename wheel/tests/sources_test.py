# SPDX-License-Identifier: MIT
"""sources_test.py ROOT BUILD [build]: the source distribution holds no solution
and no test, and all that its build reads; a planted solution is found. `build` (nightly):
twice the same bytes, and pip builds of it the wheel of `make wheel`, byte for byte."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import fresh

ROOT = pathlib.Path(sys.argv[1]).resolve()
ABSENT = re.compile(r"(^|/)(reference|tests|timing|research|slides|courses|kits|mutants|cheats|"
                    r"hidden[^/]*)(/|$)|\.patch$|answers\.md$")
PRESENT = """pyproject.toml PKG-INFO README.md LICENSE CMakeLists.txt wheel/backend.py wheel/make.py
wheel/date.txt wheel/pages/labs/01-naive/README.md wheel/pages/student/naive.cu
grader/CMakeLists.txt vgpu/CMakeLists.txt tools/class/main.py build/wheel/sources/lz4_1.10.0.orig.tar.gz
labs/01-naive/lab.ini labs/common/scanlab.h student/naive.cu grader/po/de.mo""".split()
ENV = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}


def check(holds, what):
    if not holds:
        sys.exit(what)


def make(out):
    fresh.fetched([ROOT / "wheel/sdist.py", out], env=ENV)
    [path] = out.glob("*.tar.gz")
    return path


def contents(path):
    with tarfile.open(path) as tar:
        names = [item.name.partition("/")[2] for item in tar if item.isfile()]
        check({item.mtime for item in tar} == {1700000000}, "dates differ")
    # Authors' archives have tests of their own.
    wrong = [name for name in names if ABSENT.search(name)]
    check(not wrong, f"in it: {wrong}")
    missing = [name for name in PRESENT if name not in names]
    check(not missing, f"not in it: {missing}")


def planted(work):
    """A copy of the program whose backend has a part of a solution."""
    copy = work / "planted"
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{ROOT}", copy], check=True)
    lines = (ROOT / "reference/naive.cu").read_text().splitlines()[20:60]
    page = copy / "wheel/backend.py"
    page.write_text(page.read_text() + "\n".join(lines))
    done = fresh.run([copy / "wheel/sdist.py", work / "none"], env=ENV)
    check(done.returncode == 2 and "wheel/backend.py" in done.stdout
          and "a solution, reference/naive.cu" in done.stdout, done.stdout)
    check(not list((work / "none").iterdir()), "it was written")


def built(work, path):
    again = make(work / "second")
    check(path.read_bytes() == again.read_bytes(), "two source distributions differ")
    ours = fresh.build(ROOT, work / "wheels", env=ENV)["scanlab"]
    fresh.fetched([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", work / "theirs",
                   path], env=ENV)
    [theirs] = (work / "theirs").glob("*.whl")
    check(theirs.name == ours.name, f"{theirs.name}, not {ours.name}")
    check(theirs.read_bytes() == ours.read_bytes(), f"{theirs.name} differs from the repository's")
    print(f"{theirs.name}: the same from the repository and from its source distribution")


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        path = make(work / "first")
        contents(path)
        planted(work)
        if sys.argv[3:] == ["build"]:
            built(work, path)
        shutil.rmtree(work / "first")


if __name__ == "__main__":
    main()
