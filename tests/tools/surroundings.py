# SPDX-License-Identifier: MIT
"""Machines that a grade may run on, as one that is there can play them.

A name is words with "-" between them, each at most once:
  plain       as it is
  nobody      another user than root, who owns nothing
  landlock    a kernel without Landlock (tests/walls/without.c)
  namespaces  a container, whose filter lets nobody make name spaces
  both        neither Landlock nor name spaces
  files       nor a supervisor of calls: no wall around files at all
  user        in a user namespace without a network, where we are root"""
import os
import subprocess

NOBODY = 65534


def inside(where, without):
    """The words before a command that runs there."""
    words = where.split("-")
    command = ["unshare", "-r", "-n"] if "user" in words else []
    for missing in "landlock", "namespaces", "both", "files":
        if missing in words:
            command += [without, missing]
    return command


def user(where):
    """Arguments of subprocess.run; only root can be another."""
    if "nobody" not in where.split("-") or os.getuid() != 0:
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def reached(where, program, folder):
    """Whether who runs there may use both: a home folder is its owner's."""
    return subprocess.run(["test", "-x", program, "-a", "-r", folder],
                          **user(where)).returncode == 0


def give(path, where):
    """The folder to the user that runs there."""
    if user(where):
        os.chown(path, NOBODY, NOBODY)
