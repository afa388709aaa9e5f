# SPDX-License-Identifier: MIT
"""Which nvcc compiles: an installed toolkit's, else that of NVIDIA's wheels."""
import os
import pathlib
import re
import shutil
import subprocess

OLDEST, NEWEST = (12, 0), (13, 5) # that ScanLab knows (docs/machines.md)


def installed():
    """Where the program scanlab looks, too."""
    home = os.environ.get("CUDA_HOME")
    for path in (shutil.which("nvcc"), home and f"{home}/bin/nvcc",
                 "/usr/local/cuda/bin/nvcc"):
        if path and os.access(path, os.X_OK):
            return path
    return None


def version_of(nvcc):
    """(13, 0); None where it does not say."""
    try:
        said = subprocess.run([nvcc, "--version"], text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"release (\d+)\.(\d+),", said)
    return (int(found[1]), int(found[2])) if found else None


def of_wheels():
    """The nvcc that pip installed beside ScanLab; None: there is none."""
    try:
        import nvidia # a folder that many packages share
    except ImportError:
        return None
    for folder in nvidia.__path__:
        for toolkit in sorted(pathlib.Path(folder).glob("cu[0-9]*"), reverse=True):
            nvcc = toolkit / "bin/nvcc"
            if os.access(nvcc, os.X_OK):
                return str(nvcc)
    return None


def choose():
    """What $SCANLAB_NVCC is to be where nobody has set it; None: the program finds
    its own, or says that there is none."""
    path = installed()
    if path:
        version = version_of(path)
        if version and OLDEST <= version <= NEWEST:
            return path
    return of_wheels() or path
