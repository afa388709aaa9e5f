# SPDX-License-Identifier: MIT
"""libraries_test.py ROOT BUILD: whatever the build puts beside `vgpu` is installed and
is in both wheels, and nothing else; the installed program and the wheels' do with it
what samples.py asks for."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import samples

BUILD = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def libraries(folder):
    """Links, which wheels have not and no program looks for, are left out."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")
            if path.is_file() and not path.is_symlink()}


class Libraries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp()).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.work)
        subprocess.run(["cmake", "--install", BUILD, "--component", "scanlab", "--prefix",
                        cls.work / "installed"], check=True, stdout=subprocess.DEVNULL)
        cls.home = cls.work / "installed/lib/scanlab"
        subprocess.run([ROOT / "wheel/make.py", cls.work / "out", "--programs", cls.home,
                        "naive"], check=True, capture_output=True,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        cls.homes = {"installed": cls.home}
        for path in sorted((cls.work / "out").glob("*.whl")):
            name = path.name.split("-")[0]
            to = cls.work / f"unpacked-{name}"
            with zipfile.ZipFile(path) as wheel:
                wheel.extractall(to)
                for item in wheel.infolist(): # as pip does it
                    (to / item.filename).chmod(item.external_attr >> 16 & 0o777)
            cls.homes[f"wheel {name}"] = to / name / "home"

    def test_lists(self):
        built = libraries(BUILD / "lib/vgpu")
        self.assertGreater(len(built), 2)
        for name, home in self.homes.items():
            self.assertEqual(libraries(home / "lib/vgpu"), built, name)

    def test_samples(self):
        nvcc = (BUILD / "nvcc-path").read_text().strip()
        for name, home in self.homes.items():
            folder = self.work / f"samples-{name.replace(' ', '-')}"
            folder.mkdir()
            self.assertEqual(samples.check(home / "bin/vgpu", nvcc, folder), [], name)


if __name__ == "__main__":
    unittest.main()
