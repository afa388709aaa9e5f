# SPDX-License-Identifier: MIT
"""Which submissions have much in common: Debian's sim_c (similarity-tester), which
compares tokens, so that other names, comments and layouts hide nothing.

It reads what strangers wrote: within scanlab-walls, files named by numbers, each
without what stands in the stub, because that is the same for all."""
import collections
import os
import re
import shutil
import subprocess

import words
from walled import Fault, Walls

MOST_BYTES = 256 << 10  # of one submission in one lab; longer ones are left out, and named
LEAST = 30              # percent of the shorter one's tokens
SAME = 90               # percent
EACH = 200              # submissions; of more, each is compared with what is most like it
RUN = 30                # tokens, of what counts as the same
MEMORY_MIB, SECONDS, MOST_OUTPUT_MIB = 2048, 120, 64
# sim_c's time grows with the cube of what repeats itself, such as a table of
# zeros in two submissions: a stretch of so many tokens is kept so many times.
STRETCH, TIMES = 12, 16
COMMENT = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*", re.S)
TOKEN = re.compile(rb'[A-Za-z_]\w*|\d[\w.]*|"(?:[^"\\\n]|\\.)*"|\S')
REFERENCE = "the reference"
ABSENT = "there is no sim_c, so nothing was compared (Debian and Ubuntu: " \
         "apt-get install similarity-tester)"


def plain(line):
    return re.sub(rb"\s+", b"", line)


def own_lines(data, stub):
    """What stands in no line of the stub."""
    return b"\n".join(row for row in data.splitlines() if plain(row) not in stub) + b"\n"


def unrepeated(data):
    """The tokens, without what repeats itself too often."""
    seen, kinds, kept = collections.Counter(), collections.deque(maxlen=STRETCH), []
    for token in TOKEN.findall(COMMENT.sub(b" ", data)):
        first = token[:1]
        kinds.append(b"x" if first.isalpha() or first == b"_" else b"0" if first.isdigit()
                     else first)
        stretch = b"".join(kinds)
        seen[stretch] += 1
        if seen[stretch] <= TIMES:
            kept.append(token)
    return b"\n".join(kept) + b"\n"


def read(path):
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        return file.read(MOST_BYTES + 1)


def texts(taken, keys, source, stub):
    """{key: what was handed in for a lab, with headers}; and who has too much."""
    found, large = {}, []
    for key in keys:
        top = os.path.join(taken, key)
        if not os.path.isfile(os.path.join(top, source)):
            continue
        parts, size = [], 0
        for folder, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names):
                if name == source and folder == top or name.endswith((".h", ".cuh")):
                    parts.append(read(os.path.join(folder, name)))
                    size += len(parts[-1])
        if size > MOST_BYTES:
            large.append(key)
        else:
            found[key] = unrepeated(own_lines(b"\n".join(parts), stub))
    return found, large


def groups(pairs):
    """Those that are the same but for little, together: [names]; and the other pairs."""
    leads, rest = {}, []

    def lead(name):
        while leads.get(name, name) != name:
            name = leads[name]
        return name
    for part, one, other in pairs:
        if part >= SAME:
            leads[max(lead(one), lead(other))] = min(lead(one), lead(other))
        else:
            rest.append((part, one, other))
    together = {}
    for name in sorted({name for part, *both in pairs if part >= SAME for name in both}):
        together.setdefault(lead(name), []).append(name)
    return sorted(together.values(), key=lambda names: (-len(names), names)), rest


class Similar:
    def __init__(self, root, build, scratch):
        self.root, self.scratch = root, scratch
        self.program = shutil.which("sim_c")
        self.walls = Walls(build, False) if self.program else None

    def walled(self, names):
        """What sim_c says of these files of the scratch folder."""
        command = self.walls.words(
            [self.program, "-p", *["-e"] * (len(names) <= EACH), "-T", "-r", str(RUN), "-t",
             "1", "-o", "pairs", "-i"],
            [self.scratch], MOST_OUTPUT_MIB, MEMORY_MIB, SECONDS)
        done = subprocess.run(command, input="\n".join(names) + "\n", text=True,
                              cwd=self.scratch, capture_output=True, check=False,
                              env={"LC_ALL": "C"})
        if done.returncode:
            raise Fault(f"sim_c ended with {done.returncode}: " +
                        words.line(done.stderr.strip()[-200:]))
        with open(os.path.join(self.scratch, "pairs"), encoding="utf-8",
                  errors="replace") as file:
            return file.read()

    def pairs(self, found):
        """[(percent, one, other)] of {name: text}, the most alike first."""
        names = sorted(found)
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch, 0o700)
        for n, name in enumerate(names):
            with open(os.path.join(self.scratch, str(n)), "wb") as file:
                file.write(found[name])
        try:
            said = self.walled([str(n) for n in range(len(names))]) if len(names) > 1 else ""
        finally:
            shutil.rmtree(self.scratch)
        best = {}
        for one, part, other in re.findall(
                r"^(\d+) consists for (\d+) % of (\d+) material", said, re.M):
            at = tuple(sorted((int(one), int(other))))
            best[at] = max(best.get(at, 0), int(part))
        return sorted(((part, names[a], names[b]) for (a, b), part in best.items()
                       if part >= LEAST), key=lambda p: (-p[0], p[1], p[2]))

    def of_lab(self, taken, keys, source):
        """Pairs of one lab, the reference among them; and who has too much to read."""
        stub = os.path.join(self.root, "student", source)
        lines = {plain(row) for row in read(stub).splitlines()} \
            if os.path.isfile(stub) else set()
        found, large = texts(taken, keys, source, lines)
        reference = os.path.join(self.root, "reference", source)
        if os.path.isfile(reference):
            found[REFERENCE] = unrepeated(own_lines(read(reference), lines))
        return self.pairs(found), large
