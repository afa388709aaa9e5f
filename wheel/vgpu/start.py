# SPDX-License-Identifier: MIT
"""What pip makes the command vgpu of: it becomes the program."""
import os
import sys

from .report import PROGRAM


def vgpu():
    os.execv(PROGRAM, ["vgpu", *sys.argv[1:]])
