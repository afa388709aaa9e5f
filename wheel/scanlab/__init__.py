# SPDX-License-Identifier: MIT
"""ScanLab in a Python environment. `scanlab` and `python -m scanlab` run the
program; `%load_ext scanlab` brings it into a notebook."""
import pathlib

# What `make install` puts into lib/scanlab: programs, labs, tools.
HOME = pathlib.Path(__file__).resolve().parent / "home"


def load_ipython_extension(shell):
    from . import notebook
    notebook.load(shell)
