# SPDX-License-Identifier: MIT
"""Which submissions have much in common: their tokens are compared, so that other
names, comments and layouts hide nothing (compared.py).

Each is read through descriptors (tools/class/tree.py), within bounds, without what
stands in the stub, because that is the same for all. Nothing looks into what was
read but compared.py, within scanlab-walls. Of whom something cannot be read or
takes too long, that is told, and the others are compared."""
import json
import os
import struct
import subprocess
import sys
import tempfile

import compared
import tree
import words
from walled import Fault, Walls

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_BYTES = 256 << 10   # of one submission in one lab; longer ones are named
MOST_TOKENS = 32 << 10   # of one, and of all of a lab together:
ALL_TOKENS = 4 << 20     # (in a class of 1000 each may have a lab's reference 8 times)
LEAST = 30               # percent of the shorter one's tokens
SAME = 90                # percent
EACH, MOST_LIKE = 200, 5  # of more submissions, each is told with those most like it
RUN = 30                 # tokens, of what counts as the same
BATCH_BYTES = 1 << 20    # that one process reads; one that is hostile alone once more
READ_S, COMPARE_S, MEMORY_MIB, MOST_ANSWER_MIB = 20, 600, 2048, 64
REFERENCE = "the reference"
HEADERS = (".h", ".cuh")


class Similar:
    def __init__(self, root, build):
        self.root, self.walls = root, Walls(build, False)
        self.program = os.path.join(HERE, "compared.py")

    # ---- within walls ----

    def walled(self, frames, words_of, seconds):
        """What compared.py writes; None: it ended otherwise than it should."""
        python = [os.path.realpath(sys.executable), "-I", "-B", self.program]
        command = self.walls.words(python, [], MOST_ANSWER_MIB, MEMORY_MIB, seconds)
        command[1:1] = ["-r", os.path.dirname(self.program)]
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
            for frame in frames:
                given.write(compared.framed(frame))
            given.seek(0)
            try:
                done = subprocess.run(
                    command + words_of, stdin=given, stdout=said,
                    stderr=subprocess.DEVNULL, env={"LC_ALL": "C.UTF-8"}, cwd="/",
                    check=False, timeout=30 * seconds)
            except subprocess.TimeoutExpired:  # it waits, or all others compute
                return None
            said.seek(0)
            return said.read(MOST_ANSWER_MIB << 20) if done.returncode == 0 else None

    def read(self, stub, texts):
        """The tokens of each text, or None where reading all of them failed."""
        said = self.walled([stub, *texts], ["tokens"], READ_S)
        if said is None:
            return None
        found, at = [], 0
        while len(said) - at >= 4:
            size, = struct.unpack_from(">I", said, at)
            found.append(said[at + 4:at + 4 + size])
            at += 4 + size
        return found if at == len(said) and len(found) == len(texts) else None

    def read_all(self, stub, texts):
        """{key: its tokens}, and {key: why there are none}, of {key: text}."""
        found, not_read, batch, size = {}, {}, [], 0
        for key, text in [*texts.items(), (None, b"")]:
            if batch and (key is None or size + len(text) > BATCH_BYTES):
                self.read_batch(stub, {k: texts[k] for k in batch}, found, not_read)
                batch, size = [], 0
            batch.append(key)
            size += len(text)
        return found, not_read

    def read_batch(self, stub, texts, found, not_read):
        tokens = self.read(stub, list(texts.values()))
        if tokens is not None:
            found.update(zip(texts, tokens))
        elif len(texts) > 1:
            for key, text in texts.items():
                self.read_batch(stub, {key: text}, found, not_read)
        elif self.read(stub, [b"int x;\n"]) is None:
            raise Fault(f"{self.program} does not work here")
        else:
            not_read[next(iter(texts))] = "reading it takes too long, or too much memory"

    def pairs(self, found):
        """[(percent, one, other)] of {name: tokens}, the most alike first."""
        names = sorted(found)
        most = MOST_LIKE if len(names) > EACH else len(names)
        said = self.walled([found[name] for name in names],
                           ["pairs", *map(str, (RUN, LEAST, most))], COMPARE_S)
        try:
            return [(percent, *sorted((names[one], names[other])))
                    for percent, one, other in json.loads(said or b"")
                    if LEAST <= percent <= 100 and 0 <= one < other]
        except (ValueError, TypeError, IndexError, RecursionError):
            raise Fault("comparing them takes too long, or too much memory") from None

    # ---- one lab ----

    def of_lab(self, taken, keys, source):
        """Pairs of one lab, the reference among them; and {key: why it is not
        compared}."""
        stub = self.own("student", source)
        texts, not_read = texts_of(taken, keys, source)
        reference = self.own("reference", source)
        if reference:
            texts[REFERENCE] = reference
        found, more = self.read_all(stub, texts)
        most = min(MOST_TOKENS, ALL_TOKENS // max(1, len(found)))
        more |= {key: f"more than {most} words and signs are its own"
                 for key, tokens in found.items() if len(tokens) > most}
        kept = {key: tokens for key, tokens in found.items() if len(tokens) <= most}
        return self.pairs(kept), not_read | more

    def own(self, folder, source):
        try:
            with open(os.path.join(self.root, folder, source), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""


def utf8(data):
    """As the grader reads it: UTF-16 where its mark says so."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data


def texts_of(taken, keys, source):
    """{key: what was handed in for a lab, with headers}, and {key: why not}."""
    found, not_read = {}, {}
    for key in keys:
        try:
            files, not_taken = tree.read_all(
                os.path.join(taken, key), lambda parts: parts == [source] or
                parts[-1].endswith(HEADERS), MOST_BYTES, MOST_BYTES)
        except FileNotFoundError:
            continue
        except OSError as why:
            if why.errno in tree.GRADERS:
                raise
            not_read[key] = words.line(f"it cannot be read: {why.strerror}")
            continue
        if not_taken and source in files.keys() | not_taken.keys():
            name, why = sorted(not_taken.items())[0]
            not_read[key] = words.line(f"{name}: {why}")
        elif source in files:
            found[key] = b"\n".join(map(utf8, [files.pop(source), *(
                files[name] for name in sorted(files))]))
    return found, not_read


def groups(pairs):
    """Those that are the same but for little, together: [names]; and the other pairs."""
    leads, rest = {}, []

    def lead(name):
        while leads.get(name, name) != name:
            leads[name] = leads.get(leads[name], leads[name])
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
