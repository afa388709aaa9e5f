# SPDX-License-Identifier: MIT
"""What the nightly tests share: the wheel of this machine, built by the cross compiler,
in a fresh environment with NVIDIA's compiler. Exit status 77 where one of them cannot
be fetched.

    SCANLAB_WHEELS=FOLDER    these wheels, such as a release's, instead of a build
"""
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
NOT_FETCHED = re.compile(r"could not be fetched|could not fetch it|No matching distribution|"
                         r"Connection|Temporary failure|timed out|Max retries", re.I)


def run(words, **options):
    return subprocess.run([str(word) for word in words], text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          **options)


def fetched(words, **options):
    """What `run` says of a command that may fetch something."""
    done = run(words, **options)
    if done.returncode == 0:
        return done.stdout
    if NOT_FETCHED.search(done.stdout):
        print(f"SKIP: not fetched: {done.stdout[-600:]}")
        sys.exit(SKIPPED)
    sys.exit(f"{words[0]} failed:\n{done.stdout}")


def build(root, out, *words, **options):
    """{name of a wheel: its path}"""
    given = os.environ.get("SCANLAB_WHEELS")
    if given:
        paths = pathlib.Path(given).resolve().glob(f"*_{os.uname().machine}.whl")
        return {path.name.split("-")[0]: path for path in paths}
    fetched([root / "wheel/make.py", out, "--machine", os.uname().machine, *words], **options)
    return {path.name.split("-")[0]: path for path in pathlib.Path(out).glob("*.whl")}


def environment(place, *wheels):
    """A fresh one; pip fetches what the wheels need. The folder of its commands."""
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    fetched([place / "bin/pip", "install", "-q", "--disable-pip-version-check", *wheels])
    return place / "bin"


def variables(place, commands):
    """As of a user who has nothing else."""
    kept = {name: value for name, value in os.environ.items()
            if not re.match(r"SCANLAB_|XDG_|PYTHON|CUDA|VIRTUAL_ENV|MAKE", name)}
    [nvcc] = place.glob("lib/python*/site-packages/nvidia/cu*/bin/nvcc")
    return {**kept, "PATH": f"{commands}:/usr/bin:/bin", "HOME": str(place),
            "SCANLAB_NVCC": str(nvcc)}
