# SPDX-License-Identifier: MIT
"""A handout's page: its words, commands, and the numbers that want a check."""
import re

from formula import WORDS

UNITS = (r"(?:more |other |dependent |bank )?(?:messages?|launches|steps|instructions|additions|barriers|sectors"
         r"|passes|requests|bytes|conflicts|wavefronts|points|ns|µs|ms|MB|MiB|KiB|GiB|TB/s|%)\b")
# Numbers that nothing is to hold, and why.
EXEMPT = (
    # names of things: the number says which one
    r"\b(?:[Ll]abs?|[Ss]teps?|[Ss]ections?|Figures?|Algorithms?|[Qq]uestions?|chapters?|equations?|level|"
    r"tiles?|lanes?|threads?|blocks?|chunks?|elements?|rows?|nodes?|words?|slots?|orders?|warps?|round|stride|offset|"
    r"distances?|compute_|project|CIS|GTX|PPoPP|PLDI|since|chain) "
    r"\d[\d.]*(?:(?:,| and| to| or|–|, and) \d[\d.]*)*",
    r"\bH200|\bH100|\bCC \d\.\d",
    # the width of a type or of an access; arithmetic modulo 2^w
    r"\b(?:8|16|32|64|128)[ -]bits?\b", r"\bof (?:32|64|128)(?: bits)?(?: or \d of \d+)?\b",
    r"modulo 2\^\d+", r"u?int\d+(?:_t)?",
    # the machine: lanes of a warp, banks, bytes of a sector or of a register
    r"\b32 (?:different |neighbouring |status )?(?:lanes|banks|bytes|elements|numbers|neighbours|stores|sectors|words|"
    r"tiles|threads|of them|do|AGGREGATEs|count)\b", r"\b(?:4|8|16) bytes\b", r"\bin\[\d+\.*\d*\]", r"x\[\d+\]",
    r"\b2\^2[01]\b", r"\b2048²",
    # the size at which the text speaks; the formula beside it uses it
    r"\bn = [\d,^ ]+(?:[+-] \d+)?(?: to [\d^]+)?", r"\bk = \d+", r"\b[xy] = \d+",
)
TOKEN = re.compile(r"(?<![\w.,^(/-])\d+(?:,\d{3})*(?:\.\d+)?(?:\^\d+)?"
                   rf"|\b(?i:{'|'.join(list(WORDS)[2:])})\b(?=[ -]{UNITS})")
COMMAND = re.compile(r"(?:build/bin/)?(scanlab (?:run|trace|grade|profile|list|hint)\b.*"
                     r"|make (?:grade|plots|watch|progress)\b.*)")


class Page:
    def __init__(self, path):
        self.path, self.name = path, f"{path.parent.name}/{path.name}"
        self.folder = "labs/" if path.parent.parent.name == "labs" else ""
        self.raw = path.read_text()
        self.text, self.lines = self.flowing(self.raw)
        self.held = [False] * len(self.text)

    @staticmethod
    def flowing(raw):
        """The text with single blanks, and the line of each character."""
        text, lines, line = [], [], 1
        for char in raw:
            blank = char.isspace()
            if not (blank and text and text[-1] == " "):
                text.append(" " if blank else char)
                lines.append(line)
            line += char == "\n"
        return "".join(text), lines

    def line(self, at):
        return f"{self.folder}{self.name}:{self.lines[at]}"

    def hold(self, begin, end):
        self.held[begin:end] = [True] * (end - begin)

    def hold_all(self, pattern, flags=re.S):
        for match in re.finditer(pattern, self.text, flags):
            self.hold(*match.span())

    def exempt(self):
        """What other tests hold, or what is no claim."""
        for pattern in EXEMPT:
            self.hold_all(pattern, 0)
        self.hold_all(r"<!-- table .*?<!-- end of table -->")      # plots/tables.py
        self.hold_all(r"<!-- .*?-->|\]\([^)]*\)|``` c .*?```")     # remarks, links, code
        self.hold_all(r"## Questions .*?(?=## |$)")                # no claims: docs.answers
        self.hold_all(r"## Sources .*$")                           # titles
        self.hold_all(r"(?<!`)`[^`]+`(?!`)", 0)                    # code; commands are run
        self.hold_all(r"\| `[a-z0-9-]+` \| \d+ \|(?: `\w+` \|)? [^|]*\|", 0)  # rows() below
        self.hold_all(r"``` map .*?```")                           # kmodel.pictures
        self.hold_all(r"\| [\d ,a-z]+ \| `build/bin/scanlab ", 0)   # steps: docs.steps

    def unheld(self):
        """Numbers of two digits, fractions, and all with a unit, words too."""
        for match in TOKEN.finditer(self.text):
            number = match[0].rstrip(",.")
            after = self.text[match.end():match.end() + 24]
            unit = re.match(rf"[ -]{UNITS}", after)
            if not self.held[match.start()] and (len(number) > 1 or unit):
                yield match.start(), number, self.text[max(0, match.start() - 40):match.end() + 30]

    def rows(self):
        """Rows of the table of checks: line, check, what it asks."""
        for k, line in enumerate(self.raw.splitlines(), 1):
            match = re.match(r"\| `([a-z0-9-]+)` \| \d+ \| (.*) \|$", line)
            if match:
                yield k, match[1], match[2]

    def commands(self):
        """Each once: line, the command, and the lines shown below it."""
        for match in re.finditer(r"(?<!`)`([^`]+)`(?!`)", self.text):
            found = COMMAND.match(match[1])
            if found:
                yield self.lines[match.start()], found[1], []
        for block in re.finditer(r"(?ms)^```\w*\n(.*?)^```", self.raw):
            line = self.raw[:block.start()].count("\n") + 2
            yield from self.shown(line, block[1].splitlines())

    @staticmethod
    def shown(line, lines):
        at = None
        for k, text in enumerate(lines + ["$ "]):
            if not text.startswith("$ "):
                continue
            if at is not None:
                words = COMMAND.match(lines[at][2:].split("   ")[0])
                yield line + at, words[1] if words else lines[at][2:], lines[at + 1:k]
            at = k
