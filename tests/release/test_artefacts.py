# SPDX-License-Identifier: MIT
"""test_artefacts.py ROOT SCANLAB [twice]: what tools/artefacts.py makes of a release:
notes of the changelog, sums, and a folder that is not there where it fails. `twice`
(nightly): `make artefacts`, whole (without the site where there is no emcc), in two
clones in folders of different names, the same bytes."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT, SCANLAB = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(ROOT / "tools"))
import artefacts  # noqa: E402

CHANGES = """# Changelog

## [Unreleased]

- A new thing.

## [1.2.0] - 2026-01-02

### For students

- Of 1.2.0.

## [1.1.0] - 2026-01-01

- Old.
"""


def check(holds, what):
    if not holds:
        sys.exit(f"{what}")


def sections():
    check(artefacts.section(CHANGES, "Unreleased") == "- A new thing.", "Unreleased")
    check(artefacts.section(CHANGES, "1.2.0") == "### For students\n\n- Of 1.2.0.", "1.2.0")
    check(artefacts.section(CHANGES, "1.1.0") == "- Old.", "the last one")
    check(artefacts.section(CHANGES, "1.0.0") == "", "none")


def make(root, out, *words):
    env = {**os.environ, "SCANLAB": str(SCANLAB), "SOURCE_DATE_EPOCH": "1700000000"}
    return subprocess.run([root / "tools/artefacts.py", out, *words], env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def read(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def sums_hold(files):
    lines = files["SHA256SUMS"].decode().splitlines()
    named = {line.split("  ")[1]: line.split("  ")[0] for line in lines}
    check(named == {name: hashlib.sha256(data).hexdigest() for name, data in files.items()
                    if name != "SHA256SUMS"}, "the sums are not those of the files")


def small(work):
    """Without what takes minutes."""
    without = "wheels", "sources", "dist", "hand-out", "site"
    done = make(ROOT, work / "out", "--without", *without)
    check(done.returncode == 0, done.stdout)
    files = read(work / "out")
    sums_hold(files)
    check({name.partition("-")[0] for name in files} ==
          {"CITATION.cff", "RELEASE", "SHA256SUMS", "scanlab"}, sorted(files))
    notes = files["RELEASE-NOTES.md"].decode()
    check(f"Not in here: {', '.join(without)}." in notes, notes)
    done = make(ROOT, work / "out", "--without", *without)
    check(done.returncode == 2 and "is there already" in done.stdout, done.stdout)


def made_in(root, out, *words):
    """What `make artefacts` makes in a fresh clone."""
    subprocess.run(["git", "clone", "-q", f"file://{ROOT}", root], check=True)
    subprocess.run(["git", "checkout", "-q", git("rev-parse", "HEAD")], cwd=root, check=True)
    for name in ("zig", "sources"): # fetched once
        if (ROOT / "build/wheel" / name).exists():
            shutil.copytree(ROOT / "build/wheel" / name, root / "build/wheel" / name)
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("MAKE", "SCANLAB", "SOURCE_DATE_EPOCH", "CMAKE_", "CCACHE_"))}
    done = subprocess.run(["make", "artefacts", f"OUT={out}", *words], cwd=root, text=True,
                          env={**env, "CCACHE_DISABLE": "1"}, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode and "could not be fetched" in done.stdout:
        print(f"SKIP: {done.stdout[-600:]}")
        sys.exit(77)
    check(done.returncode == 0, done.stdout[-6000:])
    shutil.rmtree(root)
    return read(out)


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, text=True, check=True,
                          capture_output=True).stdout.strip()


def twice(work):
    words = [] if shutil.which("emcc") else ["WITHOUT=site"]
    before = git("rev-parse", "HEAD")
    made = [made_in(work / name / "scanlab", work / name / "out", *words)
            for name in ("first", "with-another-name")]
    check(git("rev-parse", "HEAD") == before, "something was committed meanwhile")
    sums_hold(made[0])
    check(made[0].keys() == made[1].keys(), (made[0].keys(), made[1].keys()))
    check(len(made[0]) == 12 - len(words), sorted(made[0]))
    for name, data in sorted(made[0].items()):
        check(data == made[1][name], f"{name} differs")
        print(f"{name}: the same twice")


def main():
    sections()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        if sys.argv[3:] == ["twice"]:
            twice(work)
        else:
            small(work)


if __name__ == "__main__":
    main()
