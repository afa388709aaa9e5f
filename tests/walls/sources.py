#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What attacks.py hands in: attacks on the build, and their honest twins."""
import json
import os
import pathlib
import stat
import subprocess
import sys

ROOT = pathlib.Path(os.environ["SCANLAB_ROOT"])
ALICE = pathlib.Path(sys.argv[4]).resolve() / "alice"
RIGHT = "#define SOLUTION 1\n#line 1\n" + (ROOT / "reference/cpu_scan.c").read_text()

# ---- submissions: name -> files, or a function that fills the folder ----

def as_asm(text):
    """Top-level assembly."""
    return "\n".join("__asm__(%s);" % json.dumps(line + "\n")
                     for line in text.splitlines()) + "\n"


def lto(folder):
    """Sections that make the linker's plugin run the assembler with options of
    ours: a listing that overwrites another's file."""
    made = subprocess.run(
        ["gcc", "-flto", "-S", "-o", "-", "-x", "c", "-",
         "-Xassembler", f"-aln={ALICE}/cpu_scan.c"],
        input=b"int evil(void) { return 1; }\n", capture_output=True, check=True)
    (folder / "cpu_scan.c").write_text(RIGHT + as_asm(made.stdout.decode() + '.text\n'))


def linked_source(folder):
    (folder / "cpu_scan.c").symlink_to("../alice/cpu_scan.c")


def linked_header(folder):
    (folder / "x.h").symlink_to("../alice/secret.h")
    (folder / "cpu_scan.c").write_text('#include "x.h"\n' + RIGHT)


def linked_to_input(folder):
    (folder / "x.h").symlink_to("/proc/self/fd/0")
    (folder / "cpu_scan.c").write_text('#include "x.h"\n' + RIGHT)


def fifo(folder):
    os.mkfifo(folder / "x.h")
    (folder / "cpu_scan.c").write_text('#include "x.h"\n' + RIGHT)


def many(folder):
    for i in range(1100):
        (folder / f"h{i}.h").write_text("")
    (folder / "cpu_scan.c").write_text(RIGHT)


def sparse(folder):
    with open(folder / "x.h", "wb") as file:
        file.truncate(5 << 30)
    (folder / "cpu_scan.c").write_text('#include "x.h"\n' + RIGHT)


def names(folder):
    """Nothing of these is included: they must not matter."""
    for name in ("-o.h", "@x.h", "$(touch x).h", "a'b\".h", "n\nl.h",
                 "\u202egnp.h", "x.h.gch", "n" * 250 + ".h",
                 # as options, response files, and what a compiler looks for
                 "-o.c", "@args.c", "--options-file.c", "cpu_scan.c -o evil.c", "specs",
                 "-include x.h", "nvcc.profile", "collect-ld", "as", "ld", "cc1",
                 "liblto_plugin.so", "crt1.o", "libc.so", "libm.a", "x.pch", "module.map"):
        (folder / name).write_text("#error was read\n")
    (folder / "x.h").write_text("")
    (folder / "cpu_scan.c").write_text('#include "x.h"\n' + RIGHT)


def precompiled(folder):
    """GCC looks into a folder x.h.gch for any precompiled form of x.h."""
    (folder / "x.h.gch").mkdir()
    for at, text in (("x.h", "#error read as text\n"), ("p.h", "")):
        (folder / at).write_text(text)
    subprocess.run(
        ["gcc", "-std=c17", "-O2", "-g", "-fPIC", "-pthread", "-Wall",
         "-fno-lto", "-D_GNU_SOURCE", "-x", "c-header", "p.h", "-o",
         "x.h.gch/p.h"], cwd=folder, check=True)
    (folder / "cpu_scan.c").write_text('#include "x.h"\n' + RIGHT)


def socket_header(folder):
    os.mknod(folder / "x.h", stat.S_IFSOCK | 0o600)
    (folder / "cpu_scan.c").write_text('#include "x.h"\n' + RIGHT)


def folder_header(folder):
    (folder / "x.h").mkdir()
    (folder / "cpu_scan.c").write_text('#include "x.h"\n' + RIGHT)


def linked_folder(folder):
    (folder / "in").symlink_to("../alice")
    (folder / "cpu_scan.c").write_text('#include "in/secret.h"\n' + RIGHT)


def including(path):
    return f'#include "{path}"\n' + RIGHT


def embedding(path):
    return RIGHT + as_asm(f'.pushsection .rodata\n.incbin "{path}"\n'
                          '.popsection')


def fifo_elsewhere(folder):
    """That nobody writes: who opens it waits."""
    pipe = ALICE.parent / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
        pipe.chmod(0o666)
    (folder / "cpu_scan.c").write_text(embedding(pipe))


# Those that must not compile, or must fail by what they do.
ATTACKS = {
    "includes another's work": including("../alice/cpu_scan.c"),
    "includes a secret": including(ALICE / "secret.h"),
    "includes it by a macro":
        f'#define P <{ALICE}/secret.h>\n#include P\n' + RIGHT,
    "includes the reference":
        f'#define SOLUTION 1\n#include "{ROOT}/reference/cpu_scan.c"\n',
    "includes the reference, relatively":
        '#define SOLUTION 1\n#include "../../../reference/cpu_scan.c"\n',
    "includes no end": including("/dev/zero"),
    "includes its input": including("/dev/stdin"),
    "includes the environment": including("/proc/self/environ"),
    "includes its messages": including("/proc/self/fd/2"),
    "includes its output": including("/dev/fd/1"),
    "embeds a secret": embedding(ALICE / "secret.h"),
    "embeds the reference": embedding(ROOT / "reference/cpu_scan.c"),
    "fills a disk": RIGHT + as_asm(".data\n.fill 1<<30, 1, 1\n.text"),
    "fills memory": RIGHT + as_asm(".data\n.rept 1<<28\n.byte 1\n.endr\n.text"),
    "includes itself": "#include __FILE__\n" + RIGHT,
    "breaks the compiler": f"int q = {'(' * 300000}1{')' * 300000};\n" + RIGHT,
    "embeds the environment": embedding("/proc/self/environ"),
    "embeds no end": embedding("/dev/zero"),
    "embeds a terminal": embedding("/dev/tty"),
    "embeds its messages": embedding("/proc/self/fd/2"),
    "embeds a FIFO elsewhere": fifo_elsewhere,
    "takes a precompiled header by a pragma":
        f'#pragma GCC pch_preprocess "{ALICE}/secret.h"\n' + RIGHT,
    "assembles a secret": RIGHT + as_asm(f'.include "{ALICE}/secret.h"'),
    "assembles users": RIGHT + as_asm('.include "/etc/passwd"'),
    "asks when a secret changed":
        f'#pragma GCC dependency "{ALICE}/secret.h"\n' + RIGHT,
    "says its lines are a secret's":
        f'#line 2 "{ALICE}/secret.h"\n#error\n' + RIGHT,
    "warns in a secret's lines":
        f'#line 1 "{ALICE}/secret.h"\nstatic int x; wrong wrong;\n' + RIGHT,
    "takes another's symbol":
        RIGHT + as_asm(".symver cpu_inclusive_scan, memcpy@@GLIBC_2.14"),
    "three gigabytes of zeros": RIGHT + "char large[3ul << 30];\n",
    "ends while it is loaded": "#include <unistd.h>\n__attribute__((constructor))"
        " static void end(void) {\n    _exit(0);\n}\n" + RIGHT,
    "header is precompiled": precompiled,
    "header is a socket": socket_header,
    "header is a folder": folder_header,
    "folder is a link": linked_folder,
    "source is a link": linked_source,
    "source is a link to nothing":
        lambda folder: (folder / "cpu_scan.c").symlink_to("/nowhere/cpu_scan.c"),
    "header is a link": linked_header,
    "header is a link to the input": linked_to_input,
    "header is a FIFO": fifo,
    "header of 5 GiB": sparse,
    "1100 headers": many,
}
# Those that may compile, and gain nothing by it.
HARMLESS = {
    # Entries of the loader's table: a library that it would open.
    "names a library that it needs": RIGHT + """
__asm__(".section .dynamic,\\"aw\\"\\n.quad 1, 1, 29, 1\\n.previous");
""",
    "options for the linker's plugin": lto,
    "odd names": names,
    "another interpreter": RIGHT + "const char at[] __attribute__((section("
        '".interp"), used)) = "/tmp/x";\n',
    "a plugin by a pragma": '#pragma GCC plugin "x.so"\n' + RIGHT,
    "the next file of its name": "#include_next <cpu_scan.h>\n" + RIGHT,
}
HONEST = {
    "alone": RIGHT,
    "own headers": {"cpu_scan.c": '#include "mine.h"\n#include "in/more.inc"\n' +
                    RIGHT, "mine.h": "", "in/more.inc": '#include "b c.h"\n',
                    "in/b c.h": ""},
    "another source": {"cpu_scan.c": '#include "scan_all.c"\n',
                       "scan_all.c": RIGHT},
    "lines of a generator": '#line 7 "scan.l"\n' + RIGHT,
    "a folder that is called so": {"cpu_scan.c": '#include "x.h.gch/x.h"\n' +
                                   RIGHT, "x.h.gch/x.h": ""},
    "embeds its own": {"cpu_scan.c": embedding("table.inc"), "table.inc": "1,2"},
}
