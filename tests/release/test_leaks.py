# SPDX-License-Identifier: MIT
"""test_leaks.py ROOT: solutions that are planted are found, whatever they are
wrapped in; stubs, trivial lines and other code are no leaks."""
import html
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "tools"))
import leaks  # noqa: E402

SECRET = leaks.secrets(ROOT / "reference")
STEP = """    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    dst[i] = i < offset ? src[i] : scan_add(src[i - offset], src[i]);
"""
WRAPPED = {
    "as it is": STEP,
    "a comment": "/* Try:\n" + "".join(f" * {s}\n" for s in STEP.splitlines()) + " */",
    "line comments": "".join(f"// {s}\n" for s in STEP.splitlines()),
    "a diff": "".join(f"+{s}\n" for s in STEP.splitlines()),
    "one line": " ".join(STEP.split()),
    "a word per line": "\n".join(STEP.split()),
    "a string in JSON": json.dumps({"hint": STEP}),
    "HTML": "<pre>" + html.escape(STEP) + "</pre>",
    "a long line alone": STEP.splitlines()[2],
}


class Leaks(unittest.TestCase):
    def test_planted_ones_are_found(self):
        for how, text in WRAPPED.items():
            with self.subTest(how):
                found = leaks.leaks_in(f"before\n{text}\nafter\n", SECRET)
                self.assertEqual(found[0][1][0], "naive.cu")
                self.assertIn("scan_add", " ".join(found[0][2]))

    def test_in_files_of_any_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a/notes.txt", "picture.png", ".hidden", "no-type"):
                path = pathlib.Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(b"\xff\xfe\n" + STEP.encode())
            found = list(leaks.search(folder, SECRET))
            self.assertEqual([leak.path for leak in found],
                             [".hidden", "a/notes.txt", "no-type", "picture.png"])
            self.assertEqual({leak.line for leak in found}, {2})

    def test_of_every_source(self):
        for path in sorted((ROOT / "reference").iterdir()):
            with self.subTest(path.name):
                found = leaks.leaks_in(path.read_text(), SECRET)
                self.assertTrue(found)
                self.assertIn(path.name, {source for _, (source, _), _ in found})

    def test_what_is_no_leak(self):
        for path in (ROOT / "student").glob("[a-z]*.c*"):
            self.assertEqual(leaks.leaks_in(path.read_text(), SECRET), [])
        for line in STEP.splitlines()[:2]:
            self.assertEqual(leaks.leaks_in(line, SECRET), [])
        other = "for (int row = 0; row < rows; row++) print(table[row], width, 7);\n"
        self.assertEqual(leaks.leaks_in(other * 9, SECRET), [])


class Split(unittest.TestCase):
    def test_stubs_are_those_of_student(self):
        for path in (ROOT / "student").glob("[a-z]*.c*"):
            text = (ROOT / "reference" / path.name).read_text()
            self.assertEqual(leaks.split(text)[1], path.read_text(), path.name)

    def test_conditions_inside(self):
        solution, stub = leaks.split("a\n#ifdef SOLUTION\nb\n#if X\nc\n#else\nd\n"
                                     "#endif\n#else\ne\n#if Y\nf\n#endif\n#endif\ng")
        self.assertEqual(solution.split(), "b #if X c #else d #endif".split())
        self.assertEqual(stub, "a\ne\n#if Y\nf\n#endif\ng")


if __name__ == "__main__":
    unittest.main()
