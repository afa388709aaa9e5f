# SPDX-License-Identifier: MIT
"""notebook_test.py ROOT BUILD: the handouts of labs 0 and 1 as notebooks, run by nbclient
with the wheel installed: a stub is a TODO, a solution full marks, each with its page;
`%scanlab trace` shows one. nightly."""
import json
import pathlib
import subprocess
import sys
import tempfile

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


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        wheel = fresh.build(ROOT, work / "out")["scanlab"]
        commands = fresh.environment(work / "env", wheel, "nbclient", "ipykernel")
        env = fresh.variables(work / "env", commands)
        made = fresh.run([ROOT / "wheel/notebooks.py", work / "books", "cpu-scan", "naive"])
        assert made.returncode == 0, made.stdout
        stub, solved = (work / "books" / name for name in ("00-cpu-scan.ipynb", "01-naive.ipynb"))
        book = json.loads(solved.read_text())
        solution = subprocess.run(["unifdef", "-DSOLUTION", ROOT / "reference/naive.cu"],
                                  text=True, capture_output=True, check=False).stdout
        [cell] = [one for one in book["cells"] if "".join(one["source"]).startswith("%%scanlab")]
        cell["source"] = "%%scanlab naive\n" + solution
        book["cells"].append({**cell, "id": "trace", "source": "%scanlab trace naive -n 4"})
        solved.write_text(json.dumps(book))
        done = fresh.run([commands / "python", "-c", EXECUTE, stub, solved], env=env,
                         cwd=work / "books")
        assert done.returncode == 0, done.stdout
        stub, solved = (json.loads(path.read_text()) for path in (stub, solved))
        [(text, page)] = outputs(stub, "%%scanlab")
        assert "TODO  inclusive" in text and "%scanlab hint cpu-scan" in text, text
        assert page.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts"' in page, page[:300]
        [(text, _)] = outputs(stub, "%scanlab hint")
        assert "hint 1 of" in text, text
        [(text, page)] = outputs(solved, "%%scanlab")
        assert "100/100" in text and page.startswith("<iframe"), text
        [(text, page)] = outputs(solved, "%scanlab trace")
        assert page.startswith("<iframe srcdoc="), text
        print("a stub, a solution and its steps, each with its page")


if __name__ == "__main__":
    main()
