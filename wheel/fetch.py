# SPDX-License-Identifier: MIT
"""What wheels are built with, fetched once into build/wheel/ and held to its hash:
the cross compiler (zig.txt, by pip) and the libraries' sources (sources.txt, by
apt-get; or put there by hand, with the names of that table).
"""
import collections
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
SUITE = "trixie" # of sources.txt
Source = collections.namedtuple("Source", "package file folder licence text sha256")


class Trouble(Exception):
    """Why there is no wheel."""


def run(words, what, **options):
    """What it printed; Trouble with its words where it fails."""
    done = subprocess.run([str(word) for word in words], text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          **options)
    if done.returncode:
        raise Trouble(f"{what}:\n{done.stdout[-6000:]}")
    return done.stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sources():
    rows = (HERE / "sources.txt").read_text().splitlines()
    return [Source(*(word.strip() for word in row.split("|")))
            for row in rows if row and not row.startswith("#")]


# ---- the compiler ----

def zig(place):
    """The program zig."""
    program = place / "zig/ziglang/zig"
    pinned = HERE / "zig.txt"
    mark = place / "zig/from"
    if not (mark.exists() and mark.read_text() == digest(pinned)):
        shutil.rmtree(place / "zig", ignore_errors=True)
        run([sys.executable, "-m", "pip", "install", "-q", "--require-hashes", "--no-deps",
             "--only-binary", ":all:", "--target", place / "zig", "-r", pinned],
            "the cross compiler could not be fetched",
            env={**os.environ, "PIP_USER": "0", "PIP_ROOT_USER_ACTION": "ignore",
                 "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
        mark.write_text(digest(pinned))
    return program


# ---- the libraries' sources ----

def source_lists(folder):
    """This machine's lists of packages, as lists of sources of SUITE."""
    found = []
    for path in sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*.sources")):
        for block in re.split(r"\n\s*\n", path.read_text()):
            if re.search(r"^Types:.*\bdeb\b", block, re.M) and "security" not in block:
                block = re.sub(r"^Types:.*", "Types: deb-src", block, flags=re.M)
                block = re.sub(r"^Suites:.*", f"Suites: {SUITE}", block, flags=re.M)
                found.append(block.strip() + "\n\n")
    (folder / "sources.list.d/own.sources").write_text("".join(found))
    lines = []
    for path in [pathlib.Path("/etc/apt/sources.list"),
                 *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*.list"))]:
        for line in path.read_text().splitlines() if path.exists() else []:
            deb = re.match(r"deb( \[[^]]*\])? (\S+) (\S+) ", line)
            if deb and "security" not in line:
                lines.append(f"deb-src{deb[1] or ''} {deb[2]} {SUITE} main\n")
    (folder / "sources.list").write_text("".join(dict.fromkeys(lines)))


def apt_get(place, packages):
    """Into `place`, with lists of its own: nothing of the system's changes. Whether
    it failed does not count, but what is there then (hashes)."""
    own = place / "apt"
    shutil.rmtree(own, ignore_errors=True)
    for name in ("sources.list.d", "lists/partial", "cache/archives/partial"):
        (own / name).mkdir(parents=True)
    source_lists(own)
    words = ["apt-get", "-q", "-o", f"Dir::Etc::SourceList={own}/sources.list",
             "-o", f"Dir::Etc::SourceParts={own}/sources.list.d",
             "-o", f"Dir::State::Lists={own}/lists", "-o", f"Dir::Cache={own}/cache"]
    said = ""
    for more in (["update"], ["source", "--download-only", *packages]):
        done = subprocess.run(words + more, cwd=place, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        said += done.stdout
    shutil.rmtree(own, ignore_errors=True)
    return said


def library_sources(place):
    """The folder of the unpacked sources."""
    archives, unpacked = place / "sources", place / "unpacked"
    archives.mkdir(parents=True, exist_ok=True)
    wanted = sources()
    missing = [one for one in wanted if not (archives / one.file).exists()]
    said = ""
    if missing and shutil.which("apt-get"):
        said = apt_get(archives, [one.package for one in missing])
    for one in wanted:
        path = archives / one.file
        if not path.exists():
            raise Trouble(f"{path} is missing: apt-get could not fetch it, or is not "
                          f"here; put it there by hand\n{said[-3000:]}")
        if digest(path) != one.sha256:
            raise Trouble(f"{path} is not what wheel/sources.txt says (SHA-256 "
                          f"{digest(path)})")
    mark = unpacked / "from"
    if not (mark.exists() and mark.read_text() == digest(HERE / "sources.txt")):
        shutil.rmtree(unpacked, ignore_errors=True)
        unpacked.mkdir()
        for one in wanted:
            with tarfile.open(archives / one.file) as tar:
                if hasattr(tarfile, "data_filter"):
                    tar.extractall(unpacked, filter="data")
                else: # an older Python; the hash was right
                    tar.extractall(unpacked)
        mark.write_text(digest(HERE / "sources.txt"))
    return unpacked
