# SPDX-License-Identifier: MIT
"""The fixture `vgpu` of pytest: `vgpu(["./program"], check="all")` runs a program as
vgpu.run does, and fails the test with every finding, unless findings="allowed"."""
import pytest

from . import run


@pytest.fixture(name="vgpu")
def vgpu_fixture():
    def checked(command, findings="fail", **options):
        report = run(command, **options)
        if findings == "fail" and (report.findings or report.incomplete):
            pytest.fail(f"{command[0]} on the virtual GPU:\n{report}"
                        + "".join(f"\nincomplete: {one}" for one in report.incomplete),
                        pytrace=False)
        return report
    return checked
