#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines of each room of vgpu/, grader/ and tests/ in revisions of the repository.

    tools/lines.py d4e30e6 e68fd5e HEAD
    tools/lines.py --added e68fd5e..HEAD    what each commit added, less what it removed

The last column: lines of the last revision in files that the one before it did not have, under
whatever name. A room is a folder that has files of its own. Corpora of bytes (tests/fuzz/corpus)
are no lines.
"""
import collections
import subprocess
import sys

FOLDERS = ["vgpu", "grader", "tests", ":!**/tests/fuzz/corpus", ":!tests/fuzz/corpus"]
DEEP = ("vgpu/core/", "vgpu/observers/", "vgpu/cuda/", "vgpu/tool/", "grader/judge/gpu/")  # rooms within rooms


def git(*words, text=None):
    return subprocess.run(["git", *words], input=text, check=True, capture_output=True).stdout


def room(path):
    depth = 3 if path.startswith(DEEP) else 2
    parts = path.split("/")
    return "/".join(parts[:min(depth, len(parts) - 1)])


def new_files(before, after):
    rows = git("diff", "-M30%", "--diff-filter=A", "--name-only", "-z", before, after, "--",
               *FOLDERS)
    return set(rows.decode().split("\0"))


def lines_of(revision, only=None):
    """Lines by room; of these files only."""
    rows = git("ls-tree", "-r", "-z", revision, "vgpu", "grader", "tests").decode().split("\0")
    files = [row.split("\t") for row in rows if row]
    files = [(head.split()[2], path) for head, path in files
             if "tests/fuzz/corpus/" not in path and (only is None or path in only)]
    blobs = git("cat-file", "--batch", text="".join(b + "\n" for b, _ in files).encode())
    at, counts = 0, collections.Counter()
    for _, path in files:
        end = blobs.index(b"\n", at)
        size = int(blobs[at:end].split()[2])
        counts[room(path)] += blobs[end + 1:end + 1 + size].count(b"\n")
        at = end + size + 2
    return counts


def table(revisions):
    columns = [lines_of(r) for r in revisions]
    heads = [r[:9] for r in revisions]
    if len(revisions) > 1:
        columns.append(lines_of(revisions[-1], new_files(*revisions[-2:])))
        heads.append("new files")
    rooms = sorted(set().union(*columns))
    print(f"{'room':28}" + "".join(f"{head:>10}" for head in heads))
    for name in rooms:
        print(f"{name:28}" + "".join(f"{c[name]:10}" for c in columns))
    for part in "vgpu", "grader", "tests", "":
        sums = [sum(n for r, n in c.items() if r.startswith(part)) for c in columns]
        print(f"{part or 'all':28}" + "".join(f"{n:10}" for n in sums))
    print("of the first" + " " * 16 + "".join(f"{100 * n / sums[0]:9.1f}%" for n in sums))


def added(revisions):
    total = 0
    for line in git("log", "--reverse", "--format=%h %s", revisions).decode().splitlines():
        commit, subject = line.split(" ", 1)
        rows = git("show", "--numstat", "-M30%", "--format=", commit, "--", *FOLDERS).decode()
        net = sum(int(r.split()[0]) - int(r.split()[1]) for r in rows.splitlines() if r[0] != "-")
        total += net
        print(f"{commit} {net:+6} {subject}")
    print(f"{total:+15} in all")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--added":
        added(sys.argv[2])
    elif len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        table(sys.argv[1:])
    else:
        sys.exit(__doc__)
