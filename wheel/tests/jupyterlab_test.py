# SPDX-License-Identifier: MIT
"""jupyterlab_test.py ROOT BUILD [PICTURES]: the notebook of lab 1 in JupyterLab, in
headless Chromium: a race in the cell that `%%scanlab` grades has its report below it,
the page with its steps, whose scripts run; a hint is text. PICTURES, a folder, gets
what was seen. ENVIRONMENT=FOLDER: one that has the wheel and JupyterLab already.
nightly; 77: no browser, or not fetched."""
import json
import os
import pathlib
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import fresh

ROOT = pathlib.Path(sys.argv[1]).resolve()
PICTURES = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
sys.path.insert(0, str(ROOT / "tests/tools"))
import webdriver  # noqa: E402

SECONDS = 240 # of a busy machine
READY = """
const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
return context?.session?.kernel?.status === "idle" &&
    Boolean(document.querySelector(".jp-Notebook .jp-CodeCell"));
"""
RUN_ALL = 'window.jupyterapp.commands.execute("notebook:run-all-cells");'
IDLE = """
const context = window.jupyterapp.shell.currentWidget.sessionContext;
return context.session.kernel.status === "idle" &&
    Boolean(document.querySelector(".jp-OutputArea iframe"));
"""
FRAME = 'return document.querySelector(".jp-OutputArea iframe");'
OUTPUTS = """
return [...document.querySelectorAll(".jp-OutputArea-output")].map((e) => e.innerText);
"""


def in_place():
    """The reference, updated in place: tests/mutants/naive/in-place.patch."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "naive.cu"
        path.write_text((ROOT / "reference/naive.cu").read_text())
        subprocess.run(["patch", "-s", path, ROOT / "tests/mutants/naive/in-place.patch"],
                       check=True, capture_output=True)
        return subprocess.run(["unifdef", "-DSOLUTION", path], text=True, check=False,
                              capture_output=True).stdout


def notebook(place):
    """Short: the heading, the extension, a hint and the cell of the race."""
    done = fresh.run([ROOT / "wheel/notebooks.py", place, "naive"])
    assert done.returncode == 0, done.stdout
    path = place / "01-naive.ipynb"
    book = json.loads(path.read_text())
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    for cell in code:
        if "".join(cell["source"]).startswith("%%scanlab"):
            cell["source"] = "%%scanlab naive --seed 7\n" + in_place()
            cell["metadata"] = {"jupyter": {"source_hidden": True}} # to see what is below
    code.insert(1, {**code[0], "id": "hint", "source": "%scanlab hint naive"})
    book["cells"] = book["cells"][:1] + code[:1] + code[1:2] + \
        [cell for cell in code[2:] if "".join(cell["source"]).startswith("%%scanlab")]
    path.write_text(json.dumps(book))
    return path


def picture(browser, name):
    if PICTURES:
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / f"{name}.png").write_bytes(browser.picture(1200, 1500))


def look(browser, address):
    browser.devtools("Emulation.setDeviceMetricsOverride", width=1200, height=1500,
                     deviceScaleFactor=1, mobile=False)
    browser.call("POST", "/url", {"url": address})
    if not browser.until(READY, SECONDS):
        picture(browser, "not-ready")
        sys.exit("no notebook is shown, or it has no kernel")
    browser.run(RUN_ALL)
    if not browser.until(IDLE, SECONDS):
        picture(browser, "not-run")
        sys.exit(f"the cells do not end: {browser.run(OUTPUTS)}")
    said = "\n".join(browser.run(OUTPUTS))
    assert "hint 1 of" in said, said
    frame = browser.run(FRAME)
    browser.run("arguments[0].scrollIntoView({block: 'end'});", frame)
    time.sleep(1) # it is drawn
    picture(browser, "jupyterlab")
    browser.call("POST", "/frame", {"id": frame})
    text = browser.run("return document.body.innerText;")
    points = re.search(r"\b(\d+) of 100 points", text.replace("\n", " "))
    assert "race" in text and points and 0 < int(points[1]) < 100, text[:2000]
    # Its scripts run: a step of the replay is drawn by them.
    assert browser.run("return document.querySelectorAll('svg, canvas, table').length;"), text
    browser.call("POST", "/frame", {"id": None})


def serve(commands, env, folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    log = open(folder / "server.log", "w", encoding="utf-8")
    server = subprocess.Popen(
        [commands / "jupyter-lab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
         f"--port={port}", "--expose-app-in-browser", f"--ServerApp.root_dir={folder}",
         f"--IdentityProvider.token={token}"], env=env, stdout=log, stderr=log)
    base = f"http://127.0.0.1:{port}"
    for _ in range(SECONDS * 2):
        try:
            urllib.request.urlopen(f"{base}/api?token={token}", timeout=10).close()
            break
        except OSError:
            time.sleep(.5)
    return server, f"{base}/lab/tree/01-naive.ipynb?token={token}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        given = os.environ.get("ENVIRONMENT")
        if given:
            place = pathlib.Path(given).resolve()
            commands = place / "bin"
        else:
            place = work / "env"
            wheel = fresh.build(ROOT, work / "out")["scanlab"]
            commands = fresh.environment(place, wheel, "jupyterlab")
        env = {**fresh.variables(place, commands), "HOME": str(work)}
        (work / "books").mkdir()
        notebook(work / "books")
        server, address = serve(commands, env, work / "books")
        try:
            with webdriver.Browser() as browser:
                look(browser, address)
        except webdriver.Missing as why:
            print(f"SKIP: {why}")
            sys.exit(fresh.SKIPPED)
        finally:
            server.terminate()
            server.wait()
    print("JupyterLab shows the report of a race below its cell")


if __name__ == "__main__":
    main()
