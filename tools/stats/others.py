# SPDX-License-Identifier: MIT
"""Copies of what was graded for other programs that look for similar sources: JPlag and
MOSS take the same folders. Whoever's it is has a code in place of a name, because MOSS is a
server of strangers; codes.csv, for you, says whose.

    LAB/submissions/CODE/naive.cu    of each who handed it in
    LAB/base/naive.cu                what everybody was given"""
import csv
import io
import os
import re
import shutil

import words
from ledger import write_whole

MOST_BYTES = 4 << 20


def read(path):
    """A file that scanlab class has written; None where there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with open(fd, "rb") as file:
        return file.read(MOST_BYTES)


def write(out, folder, stub_folder, keys, sources):
    """sources: {lab: file}. The commands that compare, as sentences."""
    shutil.rmtree(out, ignore_errors=True)
    table, said = io.StringIO(newline=""), []
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(["code", "submission"])
    rows.writerows([words.digest("similar", key)[:12], words.cell(key)] for key in sorted(keys))
    for lab, source in sources.items():
        name = re.sub(r"[^\w-]", "_", lab)
        ending, many = os.path.splitext(source)[1], 0
        for key in sorted(keys):
            data = read(os.path.join(folder, "taken", key, source))
            if data is None:
                continue
            to = os.path.join(out, name, "submissions", words.digest("similar", key)[:12])
            os.makedirs(to, 0o700)
            write_whole(os.path.join(to, source), data)
            many += 1
        stub = read(os.path.join(stub_folder, source))
        if stub is not None and many:
            os.makedirs(os.path.join(out, name, "base"), 0o700)
            write_whole(os.path.join(out, name, "base", source), stub)
        if many > 1:
            said += [f"java -jar jplag.jar -l c -p {ending[1:]} -bc {name}/base {name}/submissions",
                     f"moss -l c -d -b {name}/base/{source} {name}/submissions/*/{source}"]
    os.makedirs(out, 0o700, exist_ok=True)
    write_whole(os.path.join(out, "codes.csv"), table.getvalue())
    return said
