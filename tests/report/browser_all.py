#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""browser_all.py MUTANTS [LEAST]: one headless Chromium opens, in turn, every
report.html that the tests of the mutants left below MUTANTS when they graded
whole labs (tests/tools/graded.py, at night). None says anything on the console,
is wider than its window, or has another check open than the first that failed,
with its message and the lines that JSON has. Fewer than LEAST pages are a
failure; none at all: 77."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import webdriver  # noqa: E402

WIDTH = 900
SENTENCES = r"(?<=\.) (?=[A-Z]|out\[)|\n"
# Of what is open: id, words, and the lines of the source that are marked.
OPEN = """
return [document.documentElement.scrollWidth,
        [...document.querySelectorAll("details.check[open]")].map((e) => [
            e.id, e.innerText.replace(/\\s+/g, " "),
            [...e.querySelectorAll(".source .here, .source .there")]
                .map((line) => Number(line.dataset.line))])];
"""


def first_failure(grade):
    """The check that a report opens: the first failure, or else the first that
    is to do."""
    failed = [(lab, check) for lab in grade["labs"] for check in lab["checks"]
              if check["status"] == "fail" and not lab["build_error"]]
    todo = [c for c in failed if (c[1]["outcome"] or {}).get("kind")
            == "not-implemented"]
    return next((c for c in failed if c not in todo), (todo or [None])[0])


def complaints(browser, page):
    """What is wrong with a page, in words."""
    browser.open(page, WIDTH)
    width, opened = browser.run(OPEN)
    said = browser.console()
    if said:
        yield f"console: {said}"
    if width > WIDTH:
        yield f"{width} wide"
    grade = json.loads(page.with_name("grade.json").read_text())
    first = first_failure(grade)
    if not first:
        return
    lab, check = first
    wanted = f"{lab['id']}-{check['id']}"
    if [one[0] for one in opened] != [wanted]:
        yield f"open is {[one[0] for one in opened]}, not {wanted}"
        return
    _, words, marked = opened[0]
    for said in re.split(SENTENCES, check["message"]):
        if " ".join(said.split()) not in words:
            yield f"'{said}' is not in: {words[:200]}"
    missing = [line["line"] for line in check["source"]
               if line["line"] not in marked]
    if missing and "has reached its size" not in words:
        yield f"lines {missing} are not shown"


def main():
    folder, least = pathlib.Path(sys.argv[1]), int((sys.argv[2:] or ["1"])[0])
    pages = sorted(folder.glob("*/**/report.html"))
    if not pages:
        print("SKIP: the mutants' tests left no report: they do at night "
              "(SCANLAB_TEST=all)")
        return 77
    wrong, size = 0, 0
    try:
        with webdriver.Browser() as browser:
            for page in pages:
                size = max(size, page.stat().st_size)
                for complaint in complaints(browser, page):
                    wrong += 1
                    print(f"{page}: {complaint}")
    except webdriver.Missing as why:
        print(f"SKIP: {why}")
        return 77
    print(f"{len(pages)} reports opened, {wrong} complaints; the largest has "
          f"{size} bytes")
    return 1 if wrong or len(pages) < least else 0


if __name__ == "__main__":
    sys.exit(main())
