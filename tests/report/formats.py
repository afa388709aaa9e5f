#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""formats.py FOLDER: the reports that test_formats.c left there are what their
readers document; a report with any field renamed is not; words of a submission
change nothing of their structure; no path of a server is in them."""
import json
import pathlib
import re
import shutil
import sys

# Debian's, also for another Python (tools/packages.txt, "pure").
sys.path.append("/usr/lib/python3/dist-packages")
try:
    from report_formats import READERS, Wrong, agrees, commands, names_count
except ImportError as why:
    print(f"SKIP: {why} (Debian: python3-jsonschema)")
    sys.exit(77)
if not shutil.which("xmllint"):
    print("SKIP: no xmllint (Debian: libxml2-utils)")
    sys.exit(77)

FOLDER = pathlib.Path(sys.argv[1])
SAMPLES = ["mixed", "todo", "full", "words", "honest", "hostile"]


def shape(name, text):
    """What must not depend on words of a submission."""
    if name == "github":
        return [(c, set(p), p.get("line")) for c, p, _ in commands(text)]
    if name == "junit":
        return re.findall(r"<[/\w-]+", text)
    if name == "markdown":
        ours = re.sub("(?s)<pre>.*?</pre>", "", text)
        return re.findall(r"(?m)<[/\w]+>|^#+ ", ours)
    return list(READERS[name](text).items())


def main():
    for name in READERS:
        for sample in SAMPLES:
            path = FOLDER / f"{sample}.{name}"
            agrees(path, json.loads((FOLDER / f"{sample}.json").read_text()))
            text = path.read_text()
            if re.search("secret|/srv", text) and sample not in ("hostile",):
                sys.exit(f"{path.name}: a path of the server")
            if sample == "mixed" and "Two buffers." not in text:
                sys.exit(f"{path.name}: no hint")
        shapes = [shape(name, (FOLDER / f"{s}.{name}").read_text())
                  for s in ("honest", "hostile")]
        if shapes[0] != shapes[1]:
            sys.exit(f"{name}: {shapes[0]} became {shapes[1]}")
        print(f"{name}: {names_count(FOLDER / f'mixed.{name}')} names matter")


if __name__ == "__main__":
    try:
        main()
    except Wrong as why:
        sys.exit(str(why))
