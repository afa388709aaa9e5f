# SPDX-License-Identifier: MIT
"""The attempts of one student, where a system's download has several."""
import dataclasses
import re


@dataclasses.dataclass
class Attempt:
    """One of those that a student has handed in."""
    pieces: list = dataclasses.field(default_factory=list)
    version: int = 0
    handed_in: str = ""
    late: bool = False
    notes: list = dataclasses.field(default_factory=list)

    def called(self):
        return self.handed_in or self.version


def plain_name(name):
    """Without what Canvas, browsers and people put behind the name of a file that they
    have handed in before: naive-1.cu, naive (1).cu."""
    stem, dot, ending = name.lower().removesuffix(".txt").rpartition(".")
    return re.sub(r"(-\d{1,9}| ?\(\d{1,9}\))$", "", stem) + dot + ending


def attempts_by_file(whole):
    """Canvas and PrairieLearn number files, and no attempts: one begins with a file whose
    name is there already, and has what was there before besides."""
    found, names = [], set()
    pieces = sorted(whole.pieces, key=lambda piece: piece.order)
    for at, piece in enumerate(pieces):
        if (name := plain_name(piece.name)) in names:
            found.append(Attempt(pieces[:at], late=pieces[at - 1].late))
            names.clear()
        names.add(name)
    return [*found, whole]
