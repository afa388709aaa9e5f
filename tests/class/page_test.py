# SPDX-License-Identifier: MIT
"""page_test.py SCANLAB OUT: the commands that docs/running-a-course.md gives for the
first hour run as they are printed, and make what the page says they make."""
import os
import re
import shutil
import subprocess
import unittest

import classroom
from classroom import BUILD, OUT, ROOT, fresh


def printed():
    """The lines of the page's first section, without what is said beside them."""
    page = (ROOT / "docs/running-a-course.md").read_text()
    section = page[page.index("## In an hour"):]
    section = section[:section.index("\n## ", 4)]
    return [row.split("  #")[0].strip() for row in re.findall(
        r"^    (\S.*)", section, re.M)]


class Page(unittest.TestCase):
    def test_commands(self):
        rows = printed()
        self.assertIn("make release OUT=hand-out", rows)
        self.assertIn("scanlab class submissions/", rows)
        where = fresh("page")
        for name, lab in ("ann", "naive.cu"), ("bo", "cpu_scan.c"):
            (where / "submissions" / name).mkdir(parents=True)
            shutil.copy(ROOT / "student" / lab, where / "submissions" / name)
        environment = os.environ | {"PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}",
                                    "SCANLAB_CACHE": str(fresh("cache"))}
        os.chmod(OUT / "cache", 0o700)
        for row in rows:
            if not row.startswith("scanlab "):
                continue
            done = subprocess.run(["sh", "-c", row], cwd=where, env=environment,
                                  text=True, capture_output=True, check=False)
            self.assertIn(done.returncode, (0, 1), f"{row}: {done.stderr}")
        for made in ("gradebook.csv", "gradebook.sqlite3", "whose.txt",
                     "feedback/ann/report.html", "taken/bo/cpu_scan.c", "stats/lecture.html",
                     "stats/staff.html"):
            self.assertTrue((where / "submissions.graded" / made).is_file(), made)


classroom.main()
