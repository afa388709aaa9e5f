# SPDX-License-Identifier: MIT
"""The virtual GPU from Python. `run` runs a CUDA program, built with `nvcc -cudart
shared`, and tells what its kernels did:

    import vgpu
    report = vgpu.run(["./program", "1000"], check="all", clock="teach")
    assert report.findings == []
    assert report.counts["global_read_bytes"] <= 4000
    print(report.launches[0].kernel, report.launches[0].model_ns)

vgpu.Device loads PTX and launches its kernels one by one: see vgpu.device.
"""
from .device import Array, Device, Error, Kernel, Module
from .report import PROGRAM, Finding, Launch, NotRun, Report, run

__all__ = ["Array", "Device", "Error", "Finding", "Kernel", "Launch", "Module", "NotRun",
           "PROGRAM", "Report", "run"]
