# SPDX-License-Identifier: MIT
"""What compare-builds runs with both builds: see list_cases.

A case has steps, a step is a command. In its words stand @BUILD@, the build
folder; @REPORT@, a file that the command writes; @PROGRAM@, the program of the
case, which is compiled when it is needed; @TESTS@, the virtual GPU's tests in the
build's checkout: its conform reads its own files.
"""
import configparser
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from compiler import compile_once, digest, folder_digest

SEEDS = (1, 9223372036854775807)


def gencodes(names):
    """compute_75: its PTX; sm_75: code for it."""
    words = []
    for name in names:
        number = name.partition("_")[2]
        words += ["-gencode", f"arch=compute_{number},code={name}"]
    return words


@dataclass
class Case:
    name: str
    steps: dict  # label: words of the command
    inputs: str = ""  # digest of what the commands read
    program: object = None
    loose: bool = False  # two runs of one build may differ


def tests_of_vgpu(root):
    """In checkouts before 2026-11-28 they stand among the others."""
    below = root / "vgpu/tests"
    return below if (below / "bugs").is_dir() else root / "tests"


class Program:
    """A CUDA program, compiled at first use. Its sources lie beside it, so that
    reports that show lines find them whatever becomes of the checkout."""

    def __init__(self, cache, nvcc, tests, source, flags, usual_arch=True):
        self.cache, self.nvcc, self.flags = cache, nvcc, flags
        self.usual = gencodes(["compute_75"]) if usual_arch else []
        self.source = source.relative_to(tests)
        self.tests = tests
        folder = source.parent
        read = [source, *tests.glob("bugs/*.h"), *folder.glob("*.h"),
                *folder.glob("parts/*")]
        self.read = sorted({path for path in read if path.is_file()})
        self.inputs = digest(source.name, *flags,
                             *(path.read_bytes() for path in self.read))

    def path(self):
        place = Path(self.cache, "programs", self.inputs)
        program = place / "program"
        if program.exists():
            return program
        for path in self.read:
            copy = place / path.relative_to(self.tests)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        source = place / self.source
        bugs = os.path.relpath(place / "bugs", source.parent)  # check.h
        words = ["-cudart", "shared", "-lineinfo", *self.usual,
                 *self.flags, "-I", bugs, "-o", "program.new", source.name]
        status, _, err = compile_once(
            Path(self.cache, "compiled"), self.nvcc, words, source.parent,
            [path.read_bytes() for path in self.read])
        if status:
            raise RuntimeError(f"{self.source} does not compile\n{err}")
        (source.parent / "program.new").replace(program)
        return program


class Cases:
    """Those of the checkout `root`."""

    def __init__(self, root, cache, nvcc):
        self.root, self.cache, self.nvcc = Path(root), Path(cache), nvcc
        self.tests = self.root / "tests"
        self.below = tests_of_vgpu(self.root)
        self.reference = self.root / "reference"
        self.fast = next((path for path in (self.root / "timing/fast",
                                            self.reference / "fast")
                          if path.is_dir()), None)
        self.labs = {}
        for ini in sorted(self.root.glob("labs/*/lab.ini")):
            parsed = configparser.ConfigParser(
                interpolation=None, strict=False, inline_comment_prefixes=";")
            parsed.read(ini)
            self.labs[parsed["lab"]["id"]] = parsed

    def copy_of(self, folder):
        """In the cache, where its path is the same for all checkouts."""
        key = folder_digest(folder)
        place = self.cache / "folders" / key / folder.name
        if not place.exists():
            shutil.copytree(folder, place)
        return place, key

    # ---- submissions ----

    def source_of(self, lab):
        return self.labs[lab]["lab"]["source"].strip()

    def submission(self, files, patch=None, patched=None):
        """A folder with `files` (name: path or text), one of them patched; the
        same content has the same folder."""
        place = self.cache / "submissions"
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place) as work:
            for name, content in files.items():
                if isinstance(content, Path):
                    shutil.copy(content, Path(work, name))
                else:
                    Path(work, name).write_text(content)
            if patch:
                subprocess.run(["patch", "--silent", "--no-backup-if-mismatch",
                                Path(work, patched), patch], check=True)
            for path in Path(work).glob("*.c*"):
                # Only the reference itself is compiled with SOLUTION defined.
                text = path.read_text()
                if "#ifdef SOLUTION" in text:
                    path.write_text("#define SOLUTION 1\n#line 1\n" + text)
            key = folder_digest(work)
            if not (place / key).exists():
                shutil.copytree(work, place / key)
        return place / key, key

    def files(self, folder, names=None):
        """Of `folder`: all, or those named and the headers."""
        return {path.name: path for path in sorted(folder.iterdir())
                if path.is_file() and (names is None or path.name in names or
                                       path.suffix in (".h", ".cuh"))}

    def grade(self, name, labs, files, seed=1, more=(), **patch):
        folder, key = self.submission(files, **patch)
        words = ["@BUILD@/bin/scanlab", "grade", *labs, *more, "--submission",
                 str(folder), "--seed", str(seed), "--device", "vgpu", "-v",
                 "--format", "json", "-o", "@REPORT@"]
        return Case(f"grade.{name}", {"grade": words}, key)

    def of_folder(self, kind, folder):
        """Its labs, one by one."""
        for lab in self.labs:
            if (folder / self.source_of(lab)).exists():
                for seed in SEEDS if kind == "reference" else SEEDS[:1]:
                    yield self.grade(f"{kind}.{lab}.{seed}", [lab],
                                     self.files(folder, [self.source_of(lab)]),
                                     seed)

    def mutants(self):
        for patch in sorted(self.tests.glob("mutants/*/*.patch")):
            lab = patch.parent.name
            source = self.source_of(lab)
            yield self.grade(f"mutant.{lab}.{patch.stem}", [lab],
                             self.files(self.reference, [source]),
                             patch=patch, patched=source)

    def single_files(self, kind, folder, beside=()):
        """<lab>.<name>.cu or .c: a whole submission in a file."""
        for path in sorted(self.tests.glob(f"{folder}/*.*.c*")):
            lab, name, _ = path.name.split(".")
            files = {self.source_of(lab): path, **{b.name: b for b in beside}}
            yield self.grade(f"{kind}.{lab}.{name}", [lab], files)

    def controls(self):
        three = ["cpu-scan", "naive", "work-efficient"]
        whole = self.files(self.reference)
        without = {n: p for n, p in whole.items() if n != "naive.cu"}
        yield self.grade("control.one-file-missing", three, without)
        broken = dict(whole)
        broken["cpu_scan.c"] = (whole["cpu_scan.c"].read_text() +
                                "this is not C;\n")
        yield self.grade("control.one-file-broken", three, broken)
        for patch in sorted(self.root.glob("timing/tests/fast/*.patch")):
            header = dict(re.findall(r"^#: (\w+): (.*)", patch.read_text(), re.M))
            for lab in header["labs"].split():
                yield self.grade(f"control.{lab}-{patch.stem}", [lab],
                                 self.files(self.fast), more=["--arch", "90"],
                                 patch=patch, patched=header["file"])

    def new_labs(self):
        labs, key = self.copy_of(self.tests / "newlab/labs")
        for name in ("right", "stub", "wrong"):
            case = self.grade(f"newlab.{name}", ["segments"],
                              self.files(self.tests / "newlab" / name),
                              more=["--labs", str(labs)])
            case.inputs = digest(case.inputs, key)
            yield case

    # ---- single calls: counts per source line ----

    def calls(self):
        for lab, ini in self.labs.items():
            folder, key = self.submission(
                self.files(self.reference, [self.source_of(lab)]))
            on_gpu = self.source_of(lab).endswith(".cu")
            for section in ini.sections():
                if not section.startswith("function "):
                    continue
                words = ["@BUILD@/bin/scanlab", "run", lab, "--function",
                         section.split()[1], "-n", "5000", "--seed", "7", "-s",
                         str(folder)]
                steps = {"run": words}
                for schedule in ("in-order", "random:3") if on_gpu else ():
                    steps[f"profile {schedule}"] = [
                        words[0], "profile", *words[2:], "--schedule", schedule]
                yield Case(f"call.{lab}.{section.split()[1]}", steps, key)

    # ---- programs under vgpu ----

    def program(self, source, flags=()):
        """With what its header lines say: "//: nvcc: flags", "//: arch: ...";
        in checkouts before 2026-11-22 "// nvcc: flags"."""
        text = source.read_text()
        found = re.findall(r"^//:? nvcc: *(.*)", text, re.M)
        arch = re.findall(r"^//: arch: *(.*)", text, re.M)
        tests = self.below if self.below in source.parents else self.tests
        return Program(self.cache, self.nvcc, tests, source,
                       [*gencodes(" ".join(arch).split()), *flags,
                        *(" ".join(found).split())], not arch)

    @staticmethod
    def cases_of(source):
        """(name, arguments, lines of options, may two runs differ) of each
        case; a file without cases is one."""
        text = source.read_text()
        parts = re.split(r"^//:? case:? +", text, flags=re.M)
        for part in parts[1:] or [source.stem + "\n"]:
            head, _, body = part.partition("\n")
            header = re.match(r"(?://(?:   |:).*\n)*", body)[0]
            lines = re.findall(r"^//(?:   vgpu|: run): *(.*)", header, re.M)
            yield (*head.split(maxsplit=1), "")[:2] + (
                [options.strip() for line in lines
                 for options in line.split("|")],
                bool(re.search(r"^//(   once:|: twice: no)", header, re.M)))

    @staticmethod
    def vgpu_steps(lines, arguments):
        """The options of the case as they are, and every check with a profile
        under several orders of blocks."""
        def step(label, *options):
            steps[label] = ["@BUILD@/bin/vgpu", *options, "-o", "@REPORT@",
                            "@PROGRAM@", *arguments]
        steps = {}
        for line in lines:
            for seed in ("1", "2") if "SEED" in line else ("",):
                options = line.replace("SEED", seed).split()
                step(" ".join(options), *options)
                step(" ".join(options) + " json", *options, "--profile",
                     "--format", "json")
        kept = re.findall(r"--(?:device|budget) \S+", " ".join(lines[:1]))
        kept = " ".join(kept).split()
        for schedule in ("in-order", "reverse", "random:1", "random:2"):
            step(f"all {schedule}", *kept, "--check", "all", "--profile",
                 "--schedule", schedule, "--format", "json")
        step("all weak:1", *kept, "--check", "all", "--profile", "--schedule",
             "random:3", "--memory-model", "weak:1", "--format", "json")
        step("none", *kept, "--check", "none", "--profile", "--format", "json")
        step("text", *kept, "--check", "all", "--profile")
        return steps

    def programs(self, folder):
        room = folder.split("/")[0]
        for source in sorted(self.below.glob(f"{folder}/*.cu")):
            program = self.program(source)
            for name, arguments, lines, loose in self.cases_of(source):
                yield Case(f"vgpu.{room}.{source.stem}.{name}",
                           self.vgpu_steps(lines, arguments.split()),
                           program.inputs, program, loose)

    # ---- recorded answers of hardware ----

    def recorded(self):
        count = ["@BUILD@/bin/vgpu", "--check", "none", "--device", "h200",
                 "--format", "json", "-o", "@REPORT@", "@PROGRAM@"]
        words = ["-std=c++17", "-O2"]
        labs = ["-DSOLUTION", f"-I{self.root}/labs/common",
                f"-I{self.root}/labs/01-naive",
                f"-I{self.root}/labs/02-work-efficient",
                str(self.reference / "naive.cu"),
                str(self.reference / "work_efficient.cu")]
        for name, flags, sizes in (("patterns", words, []),
                                   ("labs", words + labs, ["1024", "100000"])):
            program = self.program(self.tests / f"referee/{name}.cu", flags)
            yield Case(f"recorded.{name}", {"counts": [*count, *sizes]},
                       program.inputs, program)
        for folder in sorted(self.below.glob("conformance/*/")):
            if folder.name == "wrong":  # mistakes of cases, not the grader's
                continue
            _, key = self.copy_of(folder)
            files = sorted(f"@TESTS@/conformance/{folder.name}/{path.name}"
                           for path in folder.glob("*.ptx"))
            if files:
                yield Case(f"recorded.conformance.{folder.name}",
                           {"conform": ["@BUILD@/bin/conform", *files]}, key)
        answers = "semantics/h200.txt"
        for name, words in (("replay", ["replay", f"@TESTS@/{answers}"]),
                            ("check", ["check", "1", "0", "200"]),
                            ("newer", ["check", "2000", "0", "200"])):
            yield Case(f"recorded.programs.{name}",
                       {name: ["@BUILD@/bin/ptx_programs", *words]},
                       digest((self.below / answers).read_bytes()))
        for name in ("recorded", "hardware", "forms", "approximate"):
            yield Case(f"recorded.alu.{name}",
                       {name: [f"@BUILD@/bin/alu_{name}_test"]})

    def all(self):
        yield from self.recorded()
        yield from self.calls()
        yield from self.of_folder("stub", self.root / "student")
        yield from self.of_folder("reference", self.reference)
        yield from self.programs("bugs")
        yield from self.programs("profile/programs")
        yield from self.programs("programs")
        yield from self.new_labs()
        yield from self.single_files("cheat", "cheats")
        if self.fast:
            yield from self.of_folder("fast", self.fast)
            yield from self.controls()
        yield from self.mutants()
        yield from self.single_files(
            "hostile", "hostile", [self.tests / "hostile/channel.h"])
