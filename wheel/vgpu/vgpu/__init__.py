# SPDX-License-Identifier: MIT
"""The virtual GPU for Python: see vgpu.device."""
from .device import Array, Device, Error, Kernel, Module

__all__ = ["Array", "Device", "Error", "Kernel", "Module"]
