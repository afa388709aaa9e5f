#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile.py SCANLAB ROOT: submissions that attack whoever looks at their
steps, report or profile. Names reach a page, a picture, JSON and a terminal as
names; what a recording makes of little code stays small, in bytes and in
processor time; what a call does when it is made again costs no more than its
limits. Each attack beside its honest twin. Sizes and what is called again: at
night, with SCANLAB_TEST=all. Names have to be sent in PTX: nvcc
writes odd bytes of #line as digits."""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

SCANLAB, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path[1:1] = [str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/tools")]
import asked  # noqa: E402
import page_data  # noqa: E402
FORMATS = "txt", "svg", "json", "html"
SENT = """\
#include "images.h"
#include "naive.h"
cudaError_t naive_inclusive_scan(const int32_t *, int32_t *out, size_t n) {
    const struct {
        uint32_t kernel, cooperative, grid[3], block[3], cluster[4];
        uint64_t shared, out;
    } launch = {0, 0, {1, 1, 1}, {(unsigned)n, 1, 1}, {0}, 0, (uint64_t)out};
    struct ptx_text t = {0};
    if (!n) return cudaSuccess;
    text_head(&t);
    text_line(&t, ".file 1 \\"/a/");
    for (int i = 0; i < REPEATED; i++) text_line(&t, "%s", NAME);
    text_line(&t, "\\"\\n.visible .entry k(.param .u64 o)\\n{\\n"
                  ".reg .b32 %%r<2>;\\n.reg .b64 %%d<3>;\\n.loc 1 1 0\\n"
                  "ld.param.u64 %%d1, [o];\\nmov.u32 %%r1, %%tid.x;\\n");
    text_line(&t, "mul.wide.u32 %%d2, %%r1, 4;\\nadd.u64 %%d2, %%d1, %%d2;\\n");
    for (int i = 0; i < LINES; i++)
        text_line(&t, ".loc 1 %d 0\\nst.global.u32 [%%d2], %%r1;\\n", i + 2);
    text_line(&t, "ret;\\n}\\n");
    send_text(0, &t);
    request(LAUNCH, sizeof launch, &launch, sizeof launch);
    read_replies();
    return cudaSuccess;
}
"""
VARIABLES = """\
#include "images.h"
#include "naive.h"
cudaError_t naive_inclusive_scan(const int32_t *, int32_t *out, size_t n) {
    const struct {
        uint32_t kernel, cooperative, grid[3], block[3], cluster[4];
        uint64_t shared, out;
    } launch = {0, 0, {1, 1, 1}, {32, 1, 1}, {0}, 0, (uint64_t)out};
    struct ptx_text t = {0};
    if (!n) return cudaSuccess;
    text_head(&t);
    text_line(&t, ".visible .entry k(.param .u64 o)\\n{\\n.reg .b32 %%r<5>;\\n"
                  ".reg .b64 %%d<2>;\\n.reg .pred %%p<2>;\\n");
    for (int i = 0; i < 998; i++)
        text_line(&t, ".shared .align 4 .b8 v%d[4];\\n", i);
    text_line(&t, ".shared .align 4 .b8 big[44000];\\nld.param.u64 %%d1, [o];\\n"
                  "st.global.u32 [%%d1], 5;\\nmov.u32 %%r1, %%tid.x;\\n"
                  "and.b32 %%r2, %%r1, 1;\\nmul.lo.u32 %%r3, %%r2, 20000;\\n");
    text_line(&t, "mov.u32 %%r4, 0;\\nadd.u32 %%r3, %%r3, 100;\\nL:\\n"
                  "st.shared.u32 [%%r3], %%r1;\\nadd.u32 %%r4, %%r4, 1;\\n"
                  "setp.lt.u32 %%p1, %%r4, 1000;\\n@%%p1 bra L;\\nret;\\n}\\n");
    send_text(0, &t);
    request(LAUNCH, sizeof launch, &launch, sizeof launch);
    read_replies();
    return cudaSuccess;
}
"""
LAUNCHED = """\
#include "naive.h"
__global__ void k(const int32_t *in, int32_t *out, int32_t *x, size_t n) {
    %s
}
cudaError_t naive_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t *x;
    if (n == 0) return cudaSuccess;
    cudaMalloc(&x, 70000 * sizeof *x);
    cudaMemset(x, 1, 256);
    k<<<%s>>>(in, out, x, n);
    return cudaFree(x);
}
"""
OTHER = """\
cudaError_t naive_exclusive_scan(const int32_t *, int32_t *, size_t) {
    return cudaSuccess;
}
"""
failures = 0


def fail(text):
    global failures
    failures += 1
    print(f"FAILED: {text}")


def submit(code):
    pathlib.Path("sub").mkdir(exist_ok=True)
    code = code if isinstance(code, bytes) else code.encode()
    pathlib.Path("sub/naive.cu").write_bytes(code + OTHER.encode())
    for header in "images.h", "channel.h":
        text = (ROOT / "tests/hostile" / header).read_bytes()
        pathlib.Path("sub", header).write_bytes(text)


def sent(name, repeated=1, lines=1):
    submit(f'#define NAME "{name}"\nenum {{ REPEATED = {repeated}, '
           f'LINES = {lines} }};\n{SENT}')


def launched(body, how="1, 32"):
    submit(LAUNCHED % (body, how))


def run(what, *words, seconds=10, mib=400):
    """The command's status; it and each of its processes may have so many
    seconds of processor time, which no other process takes from them."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    done = subprocess.Popen([SCANLAB, *words, "--submission", "sub"], preexec_fn=limit,
                            stdout=open("out", "wb"), stderr=open("err", "wb"),
                            stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if used.ru_maxrss > mib << 10:
        fail(f"{what}: {used.ru_maxrss >> 10} MiB")
    if done.returncode not in (0, 1):
        fail(f"{what}: status {done.returncode}: {pathlib.Path('err').read_text()[:300]}")
    return done.returncode


def traced(what, most_bytes=32 << 20, **limits):
    """All formats, each read as what it is."""
    texts = {}
    for ending in FORMATS:
        name = f"steps.{ending}"
        pathlib.Path(name).unlink(missing_ok=True)
        run(f"{what}, {ending}", "trace", "naive", "-n", "8", "-o", name, **limits)
        if not os.path.exists(name):
            fail(f"{what}: no {name}")
            continue
        texts[ending] = read(what, name)
        if os.path.getsize(name) > most_bytes:
            fail(f"{what}: {os.path.getsize(name)} bytes of {ending}")
    try:
        tree.fromstring(texts["svg"])
        texts["json"] = json.loads(texts["json"])
    except (KeyError, ValueError, tree.ParseError) as error:
        fail(f"{what}: {error}")
    return texts


def read(what, name):
    try:
        text = pathlib.Path(name).read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError) as error:
        fail(f"{what}: {name} is no UTF-8: {error}")
        return ""
    odd = re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069"
                    "\ufdd0-\ufdef\ufffe\uffff]", text)
    if odd:
        fail(f"{what}: {odd[0]!r} came through into {name}")
    return text


def shows(what, texts, name, escaped=None):
    for ending in "txt", "svg", "html":
        text = texts.get(ending, "")
        text = page_data.said(text) if ending == "html" and text else text
        if (escaped if escaped and ending == "svg" else name) not in text:
            fail(f"{what}: no {name} in {ending}")


def names():
    sent(r"a\xc3\xa9\xe2\x82\xac.cu")
    shows("an honest name", traced("an honest name"), "aé€.cu:2")
    sent(r"\x1b]0;owned\x07\xff\x80\xc2\x9b\xe2\x80\xae\xe2\x81\xa6<b>&\r.cu")
    shows("an odd name", traced("an odd name"), "^[]0;owned^G?????<b>&^M.cu:2",
          "^[]0;owned^G?????&lt;b&gt;&amp;^M.cu:2")
    # No XML may have them, not even as entities.
    sent(r"x\xef\xbf\xbe\xef\xbf\xbf\xf0\x9f\xbf\xbf\xef\xb7\x90y.cu")
    shows("no characters", traced("no characters"), "x????y.cu:2")
    # It is cut after 60 bytes, which is within a character.
    sent("a" * 59 + r"\xc3\xa9" + '" "bbb.cu')
    shows("cut within a character", traced("cut within a character"), "a" * 59 + ":2")
    # Kept for each line once more, 8 GB; looked through for each line, hours.
    sent("x" * 100, repeated=40000, lines=2000)
    traced("a long name in every line", mib=200)
    run("a long name's report", "grade", "naive", "--report", "html=report.html", seconds=30)
    read("a long name's report", "report.html")


def sizes():
    # Each of 65536 writes is made of 64 cells.
    launched("int v = 0;\n#pragma unroll 1\nfor (int r = 0; r < 64; r++) v += x[r];\n"
             "#pragma unroll 1\nfor (int r = 0; r < 2000; r++) {\n"
             "x[64 + 32 * r + threadIdx.x] = v; if (r % 5 == 0) __syncthreads(); }\n"
             "if (threadIdx.x < n) out[threadIdx.x] = v;")
    traced("many sources", mib=200)
    # 390 steps, each with a row for every one of 160 blocks.
    launched("__shared__ int32_t s[8];\n#pragma unroll 1\nfor (int r = 0; r < 390; r++) {\n"
             "if (threadIdx.x == 0) s[r % 8] = in[0] + r; __syncthreads(); }\n"
             "if (blockIdx.x == 0 && threadIdx.x < n) out[threadIdx.x] = s[threadIdx.x % 8];",
             "160, 32")
    traced("many rows", mib=200)
    # Lanes store now to one of 998 variables of shared memory, now to a large one:
    # which it is was looked for in all bytes of all variables.
    submit(VARIABLES)
    steps = traced("many variables").get("json")
    found = {a["name"]: a["bytes"] for a in steps["arrays"]} if steps else {}
    if found.get("v25") != 4 or found.get("big", 0) // 16 != 44000 // 16:
        fail(f"many variables: {found}")
    # Twice itself, 31 times: so often is each input added.
    launched('int v = in[threadIdx.x % n], z = 0;\n#pragma unroll 1\nfor (int r = 0; r < 31; r++)'
             ' asm volatile("add.s32 %0, %0, %0;" : "+r"(v));\n'
             'asm volatile("sub.s32 %0, %0, %1;" : "+r"(z) : "r"(v));\n'
             'if (threadIdx.x < n) out[threadIdx.x] = z;')
    if " -2147483648 d_in[i]" not in traced("doubled").get("txt", ""):
        fail("doubled: not so often")


def again():
    """A wrong answer is explained by calls that are made again, the last of them
    with digits. Whoever waits for these gets the verdict that he had."""
    wrong = "if (threadIdx.x < n) out[threadIdx.x] = 1;"
    cheap = {}
    for what, body in ("honest", wrong), ("waits", "while (in[0] >= 0 && in[0] < 10 && "
                                          "((volatile int *)x)[1] != 7) x[2]++;\n" + wrong):
        launched(body)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(f"called again: {what}", "grade", "naive", "--seed", "1", "--report",
            "html=report.html", "--report", "json=report.json", seconds=60)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        checks = json.load(open("report.json"))["labs"][0]["checks"]
        cheap[what] = [(c["id"], c["status"], c["message"]) for c in checks]
        shown = page_data.data(read(what, "report.html"))["labs"][0]["checks"]
        steps = any(check["view"].get("trace") for check in shown)
        if steps != (what == "honest"):
            fail(f"called again: {what}: steps are {'there' if steps else 'missing'}")
        # One wrong case: two calls of at most 3 s and one of 2 s; nvcc.
        print(f"{what}: {used:.1f} s of processors")
        if used > 20:
            fail(f"called again: {what}: {used:.0f} s of processors")
    if cheap["honest"] != cheap["waits"]:
        fail(f"called again: another verdict: {cheap}")


def source():
    """The lines around a fault, as the page shows them."""
    launched("/* </pre><script>alert(1)</script> \x1b[31m \u202e <!-- ' \" & */ out[n + threadIdx.x] = 1;")
    path = pathlib.Path("sub/naive.cu")
    path.write_bytes(path.read_bytes().replace(b"alert", b"al\xff\xc0\x80ert"))
    run("a hostile line", "grade", "naive", "--report", "html=report.html")
    page = read("a hostile line", "report.html")
    excerpts = [check["view"].get("excerpts") or []
                for check in page_data.data(page)["labs"][0]["checks"]]
    if "</pre><script>al???ert(1)" not in "".join(page_data.texts(excerpts)):
        fail("a hostile line is not shown")
    if re.search("<script>al|<!-- '", page):
        fail("a line became markup")


def links():
    """A report takes a link's place, and leaves alone what it leads to."""
    launched("if (threadIdx.x < n) out[threadIdx.x] = 1;")
    pathlib.Path("another").write_text("another's\n")
    for what, target in ("a link", "another"), ("a link to nothing", "nowhere"):
        for name, words in (("report.html", ("grade", "naive", "--report", "html=report.html")),
                            ("steps.svg", ("trace", "naive", "-o", "steps.svg")),
                            ("time.json", ("run", "naive", "--clock=h200", "-n", "8",
                                           "--timeline", "time.json"))):
            pathlib.Path(name).unlink(missing_ok=True)
            os.symlink(target, name)
            run(what, *words)
            if os.path.islink(name) or not os.path.getsize(name):
                fail(f"{what}: {name} is not the report")
    if pathlib.Path("another").read_text() != "another's\n" or os.path.exists("nowhere"):
        fail("what a link leads to was changed")


os.environ["SCANLAB_ROOT"] = str(ROOT)
with tempfile.TemporaryDirectory() as world:
    os.chdir(world)
    for part in names, source, links:
        part()
    for part in sizes, again:  # most of the time
        if asked.everything():
            part()
        else:
            print(f"{part.__name__}: at night")
    os.chdir("/")
print(f"{failures} failures" if failures else "all right")
sys.exit(failures > 0)
