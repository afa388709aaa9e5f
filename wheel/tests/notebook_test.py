# SPDX-License-Identifier: MIT
"""notebook_test.py ROOT BUILD: the handouts of all labs as notebooks, run by nbclient
with the wheel installed: a stub is a TODO, a solution full marks, each with its page;
`%scanlab trace` shows one. nightly."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import fresh

ROOT = pathlib.Path(sys.argv[1]).resolve()
EXECUTE = """
import sys, nbformat, nbclient
for path in sys.argv[1:]:
    book = nbformat.read(path, 4)
    nbformat.validate(book)
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute()
    nbformat.write(book, path)
"""


def outputs(book, begin):
    """What the cells that begin so have shown: pairs of text and page."""
    for cell in book["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and text.startswith(begin):
            for one in cell["outputs"]:
                data = one.get("data", {})
                yield ("".join(data.get("text/plain", one.get("text", ""))),
                       "".join(data.get("text/html", "")))


def solve(path, to):
    """The notebook with the lab's solution in its cell; the lab."""
    book = json.loads(path.read_text())
    [cell] = [one for one in book["cells"] if "".join(one["source"]).startswith("%%scanlab")]
    lab = "".join(cell["source"]).split()[1]
    [source] = [one for one in (ROOT / "reference").glob(f"{lab.replace('-', '_')}.c*")]
    solution = subprocess.run(["unifdef", "-DSOLUTION", source], text=True, capture_output=True,
                              check=False).stdout
    cell["source"] = f"%%scanlab {lab}\n{solution}"
    if lab == "naive":
        book["cells"].append({**cell, "id": "trace", "source": "%scanlab trace naive -n 4"})
    to.write_text(json.dumps(book))
    return lab


def try_stub(path):
    book = json.loads(path.read_text())
    [(text, page)] = outputs(book, "%%scanlab")
    assert "TODO  " in text and "%scanlab hint " in text, text
    assert page.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts"' in page, page[:300]
    [(text, _)] = outputs(book, "%scanlab hint")
    assert "hint 1 of" in text, text


def try_solved(path, lab):
    book = json.loads(path.read_text())
    [(text, page)] = outputs(book, "%%scanlab")
    assert re.search(r"^Total .* 100/100( \+ \d+ bonus)?$", text, re.M), text
    assert page.startswith("<iframe"), page[:300]
    if lab == "naive":
        [(text, page)] = outputs(book, "%scanlab trace")
        assert page.startswith("<iframe srcdoc="), text


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        wheel = fresh.build(ROOT, work / "out")["scanlab"]
        commands = fresh.environment(work / "env", wheel, "nbclient", "ipykernel")
        env = fresh.variables(work / "env", commands)
        made = fresh.run([ROOT / "wheel/notebooks.py", work / "books"])
        assert made.returncode == 0, made.stdout
        stubs = sorted((work / "books").glob("*.ipynb"))
        assert len(stubs) == len(list((ROOT / "labs").glob("[0-9]*"))), stubs
        for stub in stubs:
            solved = work / "books" / f"solved-{stub.name}"
            lab = solve(stub, solved)
            start = time.monotonic()
            done = fresh.run([commands / "python", "-c", EXECUTE, stub, solved], env=env,
                             cwd=work / "books")
            assert done.returncode == 0, done.stdout
            try_stub(stub)
            try_solved(solved, lab)
            print(f"{lab}: a stub and a solution, each with its page, "
                  f"{time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
