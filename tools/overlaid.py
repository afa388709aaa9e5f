# SPDX-License-Identifier: MIT
"""The hand-out of a course: what a folder lays over the labs (docs/course.md), but
nothing of checks that students are not to see. For release.py.

As grader/course/overlay.c lays a file over another, as text: keys replace those of
the same section, all entries of a key together, and other sections follow behind.
The instructor's own comments stay out, the labs' stay."""
import configparser
import re

HEADING = re.compile(r"\[([^\]]*)\]")
ENTRY = re.compile(r"([^\s=:;#\[][^=:]*)[=:]")
NOTE = re.compile(r"\s;.*")  # behind a value, as inih reads it
MOVES = "sizes inputs schedules bound clock function kind parent".split()
ROW = re.compile(r"\| `([\w-]+)` \| (.*) \|")


class Section:
    """[type name]: `parts` are (key or None, lines); None: comments, empty lines."""

    def __init__(self, heading, lines):
        self.heading, self.type, self.name = heading, None, ""
        if found := HEADING.match(heading):
            self.type, self.name = (*found[1].split(None, 1), "", "")[:2]
            self.name = self.name.rstrip()
        self.parts = []
        for line in lines:
            found = ENTRY.match(line)
            if found:
                self.parts.append((found[1].rstrip(), [line]))
            elif line[:1].isspace() and line.strip() and self.parts and self.parts[-1][0]:
                self.parts[-1][1].append(line)
            else:
                self.parts.append((None, [line]))

    def value(self, key):
        for name, lines in self.parts:
            if name == key:
                return NOTE.sub("", lines[0].split("=", 1)[-1]).strip()
        return None

    def without(self, *keys):
        self.parts = [part for part in self.parts if part[0] not in keys]

    def entries(self):
        """Without the instructor's comments."""
        return [(key, [NOTE.sub("", line) for line in lines
                       if not line.lstrip().startswith((";", "#"))])
                for key, lines in self.parts if key]

    def replace(self, over):
        entries = over.entries()
        self.without(*(key for key, _ in entries))
        end = len(self.parts)
        while end and self.parts[end - 1] == (None, [""]):
            end -= 1
        self.parts[end:end] = entries

    def text(self):
        return "\n".join([self.heading] * bool(self.heading) +
                         [line for _, lines in self.parts for line in lines])


def sections(text):
    heads, found = [("", [])], []
    for line in text.rstrip("\n").split("\n"):
        if HEADING.match(line):
            heads.append((line, []))
        else:
            heads[-1][1].append(line)
    for heading, lines in heads:
        found.append(Section(heading, lines))
    return found


def lay(base, over):
    """Sections of the two; those of `over` without comments."""
    laid = sections(base)
    own = {(s.type, s.name): s for s in laid if s.type}
    for section in sections(over):
        if (section.type, section.name) in own:
            own[section.type, section.name].replace(section)
        elif section.type:
            section.heading = f"[{section.type} {section.name}]".replace(" ]", "]")
            section.parts = [*section.entries(), (None, [""])]
            if laid[-1].parts[-1:] != [(None, [""])]:
                laid[-1].parts.append((None, [""]))
            laid.append(section)
    return laid


def rules_of(course):
    rules = configparser.ConfigParser(strict=False, interpolation=None, delimiters="=",
                                      inline_comment_prefixes=(";",))
    rules.read(course / "course.ini", encoding="utf-8-sig")
    return rules


def is_offered(course, lab):
    return rules_of(course).get(f"lab {lab}", "offered", fallback="yes") != "no"


def usual_visibility(course, lab):
    """Of a lab's checks that do not say."""
    rules = rules_of(course)
    return rules.get(f"lab {lab}", "visibility", fallback=None) or \
        rules.get("course", "visibility", fallback="visible")


def for_students(laid, usual):
    """(sections, ids left out): no hidden check, and no function that only such
    ones call."""
    def hidden(section):
        return section.type == "check" and \
            (section.value("visibility") or usual) != "visible"
    out = [s.name for s in laid if hidden(s)]
    kept = [s for s in laid if not hidden(s)]
    called, before = ({w for s in some if s.type == "check"
                       for w in (s.value("function") or "").split()}
                      for some in (kept, laid))
    kept = [s for s in kept
            if not (s.type == "function" and s.name in before - called)]
    for section in kept:
        section.without("visibility")
    return kept, out


def text_of(laid):
    return "\n".join(s.text() for s in laid).strip("\n") + "\n"


def checks_of(laid):
    return {s.name: s for s in laid if s.type == "check"}


def mend_table(page, base, laid):
    """The handout's table of checks: points as they are now, no row of a check that
    is not handed out, one for each that is new."""
    checks, known = checks_of(laid), checks_of(sections(base))
    lines, last, columns = [], None, []
    for line in page.split("\n"):
        row = ROW.fullmatch(line)
        cells = row[2].split(" | ") if row else []
        at = next((i for i, cell in enumerate(cells) if cell.strip().isdecimal()), None)
        if not row or row[1] not in known or at is None:
            lines.append(line)
        elif row[1] in checks:
            cells[at] = checks[row[1]].value("points") or "0"
            lines.append(f"| `{row[1]}` | {' | '.join(cells)} |")
            last, columns = len(lines), [at, len(cells)]
    for name, section in checks.items() if last else ():
        if name not in known:
            cells = [""] * columns[1]
            cells[columns[0]] = section.value("points") or "0"
            cells[-1] = section.value("title") or ""
            lines.insert(last, f"| `{name}` | {' | '.join(cells)} |")
            last += 1
    return "\n".join(lines)


def changed(base, laid):
    """Ids of checks of which a handout may say what holds no longer."""
    was = checks_of(sections(base))
    return [name for name, s in checks_of(laid).items() if name in was and any(
        was[name].value(key) != s.value(key) for key in MOVES)]
