# SPDX-License-Identifier: MIT
"""Who wants to be on the leaderboard: a CSV with the columns id and nickname.

Students wrote the nicknames, perhaps all of the file, by a questionnaire: no row
ends the others, and none shows a name that people take for somebody else's."""
import csv
import io
import unicodedata

import known
import words

MOST_NICKNAME, MOST_MARKS, MOST_BYTES, MOST_WRONG = 32, 2, 4 << 20, 100
# Cyrillic and Greek letters that look as Latin ones do, small.
ALIKE = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456"
    "\u0458\u0501\u051b\u051d\u04bb\u0475\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bc\u03bd"
    "\u03bf\u03c1\u03c4\u03c5\u03c7\u03b6\u0131\u0237",
    "abekmhopctyxsijdqwhvabenikuvoptuxzij")
SIMILAR = str.maketrans("01l5", "oiis")


def looks(name):
    """What people see of a name: without case, marks, order and signs; letters that
    look alike are one. Where that leaves nothing, as it is."""
    plain = unicodedata.normalize("NFKD", name[:1000]).casefold().translate(ALIKE)
    plain = "".join(c if c.isalnum() else "" if unicodedata.category(c) in (
        "Mn", "Me", "Mc", "Cf") else " " for c in plain.translate(SIMILAR))
    return " ".join(sorted(plain.split())) or name.strip().casefold()


def table(path):
    """(line, row) of each row. A cell may be as large as the file."""
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise known.Unusable(f"{path}: more than {MOST_BYTES >> 20} MiB")
    text = data.decode("utf-8-sig", "replace").replace("\0", "\ufffd")
    csv.field_size_limit(MOST_BYTES)
    rows = csv.DictReader(io.StringIO(text, newline=""))
    if not {"id", "nickname"} <= set(rows.fieldnames or ()):
        raise known.Unusable(f"{path}: the first row is not: id,nickname")
    for row in rows:
        yield rows.line_num, row


def read(path, students):
    """{key: nickname}, and what is wrong with rows that are not taken."""
    by_name, by_looks, taken, wrong = {}, {}, {}, []
    for s in students:
        for name in [s.key, *(part for person in s.names for part in person if part)]:
            by_name.setdefault(name.strip().casefold(), set()).add(s.key)
            by_looks.setdefault(looks(name), set()).add(s.key)
    seen = set()
    try:
        for line, row in table(path):
            why = take(row, by_name, by_looks, taken, seen)
            if why:
                wrong.append(f"{path}:{line}: {why}")
    except csv.Error as why:  # no row's: of the rest of the file
        wrong.append(f"{path}: the rest is not read: {why}")
    if len(wrong) > MOST_WRONG:
        wrong[MOST_WRONG:] = [f"{path}: and {len(wrong) - MOST_WRONG} more such rows"]
    return taken, wrong


def take(row, by_name, by_looks, taken, seen):
    """Why a row is not taken, or None."""
    who = by_name.get((row["id"] or "").strip().casefold(), set())
    given = (row["nickname"] or "").strip()
    nickname = words.line(given)
    if len(who) != 1:
        return "nobody who was graded is called so" if not who else "several are called so"
    if not nickname or len(nickname) > MOST_NICKNAME:
        return f"a nickname has 1 to {MOST_NICKNAME} characters"
    if marks(given) or nickname != given:
        return "a nickname is of letters, not of marks on them or of what nobody sees"
    key = next(iter(who))
    seems = looks(given)
    if by_looks.get(seems, set()) - who:
        return "this nickname is somebody else's name, or looks so"
    if key in taken or seems in seen:
        return "this one, or this nickname, stands there before"
    taken[key] = nickname
    seen.add(seems)
    return None


def marks(text):
    """True if so many marks stand on one character that they reach other rows."""
    run = 0
    for c in unicodedata.normalize("NFD", text[:1000]):
        run = run + 1 if unicodedata.category(c) in ("Mn", "Me") else 0
        if run > MOST_MARKS:
            return True
    return False
