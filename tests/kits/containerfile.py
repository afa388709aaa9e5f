# SPDX-License-Identifier: MIT
"""Runs a Containerfile without containers: each stage is a folder, which begins as
Debian's by debootstrap, and RUN a command in it by chroot, with Docker's
capabilities. Of the instructions it knows those that ours has; another is an error."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from play import BUILD, DOCKER, ROOT, skip_unless_root

# The network as this machine has it: names, and what pip is told.
ENTER = """set -e
cd "$1"
mount -t proc none proc
for name in null zero random urandom; do [ -e dev/$name ] || : >dev/$name; mount --bind /dev/$name dev/$name; done
[ -e etc/resolv.conf ] || : >etc/resolv.conf
mount --bind /etc/resolv.conf etc/resolv.conf
shift
exec "$@"
"""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CA = "/certificates-of-this-machine.crt"


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def debian():
    """Debian 12, once for all tests of a build folder."""
    skip_unless_root()
    place = BUILD / "tests/kits/debian-12"
    if place.exists():
        return place
    if not shutil.which("debootstrap"):
        skip("no debootstrap (Debian: debootstrap)")
    part = place.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    done = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", part, mirror()],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(part, ignore_errors=True)
        skip(f"debootstrap: {(done.stdout + done.stderr).strip().splitlines()[-1]}")
    part.rename(place)
    return place


def mirror():
    """That of this machine's apt."""
    said = subprocess.run(["apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)"],
                          capture_output=True, text=True, check=False).stdout
    found = re.search(r"^Debian (\S*/debian/)$", said, re.M)
    return found[1] if found else "http://deb.debian.org/debian"


def copy_of_debian(to):
    shutil.rmtree(to, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", debian(), to], check=True)
    return to


def run(stage, command, environment=None, cwd="/", **how):
    """In the stage, as Docker's root."""
    network = {k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")}
    certificates = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE")
    if certificates:
        shutil.copy(certificates, stage / CA.lstrip("/"))
        network.update(PIP_CERT=CA, SSL_CERT_FILE=CA)
    words = [f"{k}={v}" for k, v in {"PATH": PATH, "HOME": "/root", **network,
                                     **(environment or {})}.items()]
    (stage / cwd.lstrip("/")).mkdir(parents=True, exist_ok=True)
    bounds = "-all," + ",".join("+" + c for c in DOCKER.split())
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", ENTER, "sh", stage, "setpriv", "--bounding-set", bounds,
         "--inh-caps", "-all", "chroot", stage, "env", "-i", "-C", cwd, *words, *command],
        stdin=subprocess.DEVNULL, check=False, **how)


def instructions(text):
    """(name, rest), with lines joined that end in a backslash."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    for line in text.splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name.upper(), rest.strip()


class Build:
    def __init__(self, work, context):
        self.work, self.context = work, context
        self.stages, self.stage, self.environment, self.cwd = {}, None, {}, "/"

    def FROM(self, rest):
        image, _, name = rest.partition(" AS ")
        if not image.startswith("debian:12"):
            raise ValueError(f"FROM {image}: only debian:12 can be had here")
        self.stage = copy_of_debian(self.work / (name or "last"))
        self.stages[name] = self.stage
        self.environment, self.cwd = {}, "/"

    def ENV(self, rest):
        key, _, value = rest.partition("=")
        self.environment[key] = value

    def WORKDIR(self, rest):
        self.cwd = rest

    def RUN(self, rest):
        began = time.time()
        done = run(self.stage, ["sh", "-c", rest], self.environment, self.cwd,
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        print(f"{time.time() - began:6.0f} s, then {size_mib(self.stage)} MiB: RUN {rest[:60]}",
              flush=True)
        if done.returncode:
            sys.exit(f"FAILED: RUN {rest}: {done.returncode}\n{done.stdout[-6000:]}")

    def COPY(self, rest):
        words, root = rest.split(), self.context
        if words[0].startswith("--from="):
            root = self.stages[words.pop(0).partition("=")[2]]
        *sources, to = words
        target = self.stage / self.cwd.lstrip("/") / to if to[0] != "/" else \
            self.stage / to.lstrip("/")
        for source in sources:
            path = root / source.lstrip("/")
            if path.is_dir():
                shutil.copytree(path, target, symlinks=True, dirs_exist_ok=True)
            else:
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)

    def CMD(self, rest):
        json.loads(rest)

    def all(self, text):
        for name, rest in instructions(text):
            if name not in ("FROM", "ENV", "WORKDIR", "RUN", "COPY", "CMD"):
                raise ValueError(f"{name}: not one that is understood here")
            getattr(self, name)(rest)
        return self.stage


def size_mib(folder):
    said = subprocess.run(["du", "-sxm", folder], capture_output=True, text=True, check=False)
    return int(said.stdout.split()[0])


def containerfile():
    return (pathlib.Path(ROOT) / "kits/container/Containerfile").read_text()
