# SPDX-License-Identifier: MIT
"""Compiles the same program once: what was compiled before is taken from a cache
with its message and its exit status. The key is what the compiler reads: the
source, the headers of every -I folder, the words of the command. Where a folder
lies is no part of it, nor is -L: what is linked there is found again when the
program starts.
"""
import fcntl
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

HEADERS = (".h", ".cuh", ".hpp")


def digest(*parts):
    """The hexadecimal SHA-256 of texts and bytes."""
    h = hashlib.sha256()
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        h.update(b"%d:" % len(part) + part)
    return h.hexdigest()[:32]


def folder_digest(folder, wanted=lambda name: True):
    """Of the names and contents of the files in it."""
    parts = []
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and wanted(path.name):
            parts += [path.relative_to(folder), path.read_bytes()]
    return digest(*parts)


class Compilation:
    """A command with the paths taken out: they stand as @0@, @1@ ..."""

    def __init__(self, words, cwd):
        self.paths, self.outputs = [str(cwd)], []
        parts = []
        follows = ""
        for word in words:
            if follows == "-o":
                self.outputs.append(word)
            if word.startswith("-I"):
                parts.append(folder_digest(
                    word[2:], lambda name: name.endswith(HEADERS)))
                self.paths.append(word[2:])
            elif word.startswith("-L"):
                pass
            elif Path(cwd, word).is_file() and follows != "-o":
                parts += [Path(word).name, Path(cwd, word).read_bytes()]
            else:
                parts.append(word)
            follows = word
        self.parts = parts

    def without_paths(self, text):
        for i, path in enumerate(self.paths):
            text = text.replace(path, f"@{i}@")
        return text

    def with_paths(self, text):
        for i, path in enumerate(self.paths):
            text = text.replace(f"@{i}@", path)
        return text


def compile_into(place, c, nvcc, words, cwd):
    """Fills the folder `place` of the cache."""
    done = subprocess.run([nvcc, *words], cwd=cwd, capture_output=True,
                          text=True, errors="replace")
    place.mkdir(parents=True, exist_ok=True)
    for name in c.outputs:
        made = Path(cwd, name)
        if made.exists():
            shutil.copy2(made, place / made.name)
    (place / "done.json").write_text(json.dumps({
        "status": done.returncode,
        "stdout": c.without_paths(done.stdout),
        "stderr": c.without_paths(done.stderr)}))


def compile_once(cache, nvcc, words, cwd, more=()):
    """Compiles or copies; the exit status and what the compiler said. `more`:
    what else the compiler reads."""
    c = Compilation(words, cwd)
    place = Path(cache, digest(*c.parts, *more))
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "done.json").exists():
            compile_into(place, c, nvcc, words, cwd)
    done = json.loads((place / "done.json").read_text())
    for name in c.outputs:
        kept = place / Path(name).name
        if kept.exists():
            shutil.copy(kept, Path(cwd, name))
    return (done["status"], c.with_paths(done["stdout"]),
            c.with_paths(done["stderr"]))
