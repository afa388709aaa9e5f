#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""german_whole.py SCANLAB OUT [LAB]: under courses/german no report and no trace says an
English sentence.

The catalogue first: every sentence of tools/catalogue.py has its German, and each
literal of a room that makes reports is in it. Then wrong submissions of all labs are
graded and traced, on a push those of USUAL, with SCANLAB_TEST=all every mutant; of LAB alone where there is no nvcc. Of
what is said (text, page, JSON's sentences) the texts of the labs are taken out, which
are the course's own and for labs 2 to 8 English; what is left holds no sentence of
the catalogue and none of WORDS."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / name) for name in ("tests/tools", "tools", "vgpu/tests/tools")]
import asked  # noqa: E402
import catalogue  # noqa: E402
import graded  # noqa: E402
import page_data  # noqa: E402

MUTANTS = ROOT / "tests/mutants"
USUAL = """
cpu-scan/inclusive-reads-one-more cpu-scan/inclusive-signed-sum
cpu-scan/exclusive-writes-one-more cpu-scan/compact-keeps-positive
cpu-scan/compact-drops-last cpu-scan/sums-leaked cpu-scan/serial-threads
cpu-scan/chunk-sum-is-static cpu-scan/no-aggregates cpu-scan/one-pass-reads-again
cpu-scan/status-words-unchecked cpu-scan/saturating-sum cpu-scan/inclusive-from-the-end
naive/in-place naive/copies-too-much naive/block-local naive/clears-where-nothing-is
work-efficient/no-guard work-efficient/scratch-leaked work-efficient/fill-unchecked
work-efficient/leaves-not-cleared bank-conflicts/barrier-for-some
bank-conflicts/always-plain shared-tiled/one-level chained/ordinary-load
chained/waits-for-itself lookback/value-then-flag lookback/stops-at-aggregate
sam/never-announces applications/sorts-signed applications/staged-returns-early
""".split()
# Words of English that no German sentence has, no name of ours, and no variable of
# the submissions.
WORDS = re.compile(r"(?<![\w./-])(?:[Tt]he|[Oo]f|[Aa]nd|[Ww]hich|[Tt]hat|with|is|are|"
                   r"were|[Tt]his|not|by|from|[Ii]t|has|have|[Ee]very|[Ee]ach|than|must|"
                   r"should|does)(?![\w./(-])")
TEXTS = ("title", "cause", "hint", "serial", "deadlock", "unwritten")
SAID = "message", "cause", "about", "lost", "where"


def flat(text):
    return " ".join(text.split())


def lab_texts():
    """What the labs themselves say, the longest first."""
    found = set()
    for folder in "labs", "courses/german":
        for path in (ROOT / folder).glob("*/lab.ini"):
            for entry in re.finditer(r"^(\w+) = (.*(?:\n[ \t]+.*)*)", path.read_text(), re.M):
                if entry[1] in TEXTS:
                    found.add(flat(entry[2]))
    return sorted(found, key=len, reverse=True)


def patterns():
    """Of each sentence its parts between values that are three words or more."""
    found = {}
    for said, german in catalogue.entries(ROOT / "grader/po/de.po"):
        for part in re.split(r"%[-+.*0-9]*(?:<PRI\w+>|[a-z]+)|[{}<>]|\\.", said):
            part = flat(part)
            if len(re.findall(r"[A-Za-z]{2,}", part)) > 2 and part not in flat(german):
                found[part] = said
    return found


def without_quotes(text):
    """The text without lines of sources, programs and compilers, and commands."""
    return "\n".join(line for line in text.splitlines() if not re.search(
        r"^\s*(?:>\s*)?\d*\s*\| |scanlab (?:grade|hint|trace)", line))


class Reader:
    def __init__(self):
        self.parts, self.texts, self.complaints = patterns(), lab_texts(), []
        self.n = 0

    def read(self, name, text):
        said = flat(without_quotes(text))
        for own in self.texts:
            said = said.replace(own, " ")
        self.n += len(said)
        for part, whole in self.parts.items():
            if part in said:
                self.complaints.append(f"{name}: {whole!r}")
        for word in WORDS.finditer(said):
            near = said[max(0, word.start() - 50):word.end() + 50]
            self.complaints.append(f"{name}: {word[0]!r} in {near!r}")


def sentences(grade):
    """JSON's: a finding's own text is data."""
    for lab in grade["labs"]:
        for check in lab["checks"]:
            yield from (check[key] for key in SAID if check.get(key))


def of_page(page):
    """The page's words but for its sources."""
    data = page_data.data(page)

    def cut(value):
        if isinstance(value, dict):
            return {k: cut(v) for k, v in value.items()
                    if k not in ("outcome", "source", "lines", "reproduce", "hints",
                                 "groups")}
        return [cut(v) for v in value] if isinstance(value, list) else value
    return "\n".join([*page_data.texts(cut(data)), page_data.without_scripts(page)])


def scanlab(program, *words):
    done = subprocess.run([program, *map(str, words)], cwd=ROOT, text=True,
                          capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{words}: {done.returncode}\n{done.stderr}")
    return done.stdout


def look(program, name, out, reader):
    """The first check that fails; its trace, where it is CUDA's."""
    case = graded.Graded(program, MUTANTS / f"{name}.patch", out)
    checks = [e.check for e in case.expected if e.status == "fail"]
    if not checks or checks[0] in ("build", "*"):
        return False
    lab, submission = case.labs[0], case.submission()
    common = (lab, "--submission", submission, "--course", "courses/german",
              "--check", checks[0])
    text = scanlab(program, "grade", *common, "--device", "vgpu", "--seed", "1",
                   "--report", "text=-", "--report", f"json={out}/json",
                   "--report", f"html={out}/html")
    reader.read(f"{name}, text", text)
    grade = json.loads((out / "json").read_text())
    reader.read(f"{name}, JSON", "\n".join(sentences(grade)))
    reader.read(f"{name}, page", of_page((out / "html").read_text()))
    if case.course[lab].source.endswith(".cu"):
        reader.read(f"{name}, trace", scanlab(program, "trace", *common))
    return True


def main():
    program, out = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    lab = "".join(sys.argv[3:])
    if not shutil.which("msgfmt"):
        print("SKIP: no msgfmt, so no translations (Debian: gettext)")
        return 77
    # The catalogue.
    lacking = list(catalogue.lacking(ROOT / "grader/po/de.po"))
    lacking += list(catalogue.bare_literals()) + list(catalogue.bare_python())
    if lacking:
        sys.exit("\n".join(lacking))
    # What is said.
    names = USUAL
    if asked.everything():
        names = sorted(f"{p.parent.name}/{p.stem}" for p in MUTANTS.glob("*/*.patch")
                       if not p.stem.startswith("honest-"))
    only = asked.value("only")
    reader, looked = Reader(), 0
    for name in names:
        if only and only not in name or lab and not name.startswith(lab + "/"):
            continue
        folder = out / name.replace("/", "-")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        looked += look(program, name, folder, reader)
        shutil.rmtree(folder)
    if reader.complaints:
        sys.exit("\n".join(dict.fromkeys(reader.complaints)))
    if not looked or not reader.n:
        sys.exit("nothing was read")
    print(f"German: {looked} submissions, {reader.n} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
