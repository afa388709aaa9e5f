#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpu.py SCANLAB WITHOUT OUT

The walls around a real GPU's process, on a machine that has one (77 and a loud
word elsewhere): the references have on it what they have, an honest submission
may ask of it all that CUDA has, a hostile one gains nothing, as root, as another
user, without Landlock. As root nothing is graded that is not root's."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys

SCANLAB, WITHOUT, OUT = sys.argv[1:]
OUT = pathlib.Path(OUT).resolve()
ROOT = pathlib.Path(os.environ["SCANLAB_ROOT"])
HERE = pathlib.Path(__file__).resolve().parent
NOBODY = 65534
IS_ROOT = os.getuid() == 0
complaints = []


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def grade(folder, *words, lab="naive", user=None, before=()):
    cache = OUT / f"cache-{user}-{len(before)}"
    cache.mkdir(exist_ok=True)
    if user:
        os.chown(cache, user, user)
    done = subprocess.run(
        [*before, SCANLAB, "grade", lab, "-s", str(folder), "--device", "gpu", "--cache", str(cache),
         "-v", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=560,
        user=user, group=user, extra_groups=[] if user else None)
    return done.returncode, done.stdout + done.stderr


def expect(name, result, status, *said, never=()):
    if result[0] != status or any(word not in result[1] for word in said) or \
            any(word in result[1] for word in never):
        complaints.append(f"{name}: exit status {result[0]}\n{result[1]}")


def fill(kind, owner=0):
    """A folder with that submission, owned by root or by another."""
    to = OUT / kind
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    text = (HERE / "gpu" / kind / "naive.cu").read_text()
    for word, value in NAMES.items():
        text = text.replace(word, value)
    (to / "naive.cu").write_text(text)
    for path in to, to / "naive.cu":
        os.chmod(path, 0o755)
        if IS_ROOT:
            os.chown(path, owner, owner)
    return to


def try_walls(where, user, before):
    tiny = "--check", "tiny"
    hostile = fill("hostile", user or 0)
    honest = fill("honest", user or 0)
    expect(f"{where}, honest", grade(honest, *tiny, user=user, before=before), 0, "host function",
           never=("FAILED",))
    expect(f"{where}, hostile", grade(hostile, *tiny, user=user, before=before), 1,
           "socket", "all was tried", never=("gained",))
    if (OUT / "plain").stat().st_mode & 0o7777 != 0o644 or other.poll() is not None:
        complaints.append(f"{where}: a file or a process of others was changed")


if not has_gpu():
    print("SKIP: nothing is shown, no real GPU here (nvidia-smi names none). What needs "
          "none of its walls is in walls.locked and walls.filters")
    sys.exit(77)

shutil.rmtree(OUT, ignore_errors=True)
OUT.mkdir(parents=True)
for name in "plain", "secret":
    (OUT / name).write_text("canary\n")
    os.chmod(OUT / name, 0o644)
listener = socket.socket(socket.AF_UNIX)
os.chdir(OUT)
listener.bind("socket")
os.chmod("socket", 0o777)
listener.listen(64)
other = subprocess.Popen(["sleep", "3600"])
NAMES = {"SOCKET": str(OUT / "socket")[:100], "PLAIN": str(OUT / "plain"),
         "SECRET": str(OUT / "secret"), "OTHER": str(other.pid)}
try:
    try_walls("plain", None, ())
    try_walls("without Landlock", None, (WITHOUT, "landlock"))
    if IS_ROOT:
        try_walls("another user", NOBODY, ())
        expect("as root, another's work", grade(fill("honest", NOBODY)), 2, "root's own work")
        expect("as root, one's own", grade(fill("honest"), "--check", "tiny"), 0, "as root")
    both = grade(fill("honest"), "--check", "tiny", before=(WITHOUT, "both"))
    expect("without both", both, 2, "--weaker-walls")
    expect("without both, asked for", grade(fill("honest"), "--check", "tiny", "--weaker-walls",
                                            before=(WITHOUT, "both")), 0, never=("FAILED",))
finally:
    other.kill()
    other.wait()
for line in complaints:
    print("FAILED:", line)
print(f"{len(complaints)} complaints")
sys.exit(bool(complaints))
