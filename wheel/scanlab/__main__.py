# SPDX-License-Identifier: MIT
import sys

from .start import scanlab

sys.exit(scanlab())
