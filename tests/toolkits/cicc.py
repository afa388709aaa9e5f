#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cicc.py ARGUMENT...: in the place of a toolkit's cicc, next to which cicc-older is:
the PTX is made by the libnvrtc.so.12 of a newer toolkit, whose nvcc cannot be had,
from the same source. The older one makes what the host half needs of its kernels.

NVRTC takes no host code. So functions without a word before them are compiled for
the device, what they call of the runtime does nothing, and they are dropped from the
PTX. That needs relocatable code, in which shared variables of kernels are the
module's: they become their kernel's again."""
import ctypes
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
WIDTHS = {8: "char", 16: "short", 32: "int", 64: "long"}
HEADERS = {
    "stddef.h": "#pragma once\ntypedef unsigned long size_t;\ntypedef long ptrdiff_t;\n",
    "stdint.h": "#pragma once\n" + "".join(
        f"typedef signed {word} int{n}_t;\ntypedef unsigned {word} uint{n}_t;\n"
        f"#define INT{n}_MAX {2 ** (n - 1) - 1}\n#define INT{n}_MIN (-INT{n}_MAX - 1)\n"
        f"#define UINT{n}_MAX {2 ** n - 1}u\n" for n, word in WIDTHS.items()) +
        "typedef unsigned long uintptr_t;\n#define SIZE_MAX UINT64_MAX\n",
    "host.h": 'extern "C" __device__ int called_by_host(...);\n' + "".join(
        f"#define cuda{name}(...) (cudaError_t) called_by_host()\n" for name in
        "Malloc MallocAsync FreeAsync Memset MemsetAsync Memcpy MemcpyAsync "
        "OccupancyMaxActiveBlocksPerMultiprocessor".split()),
}


def option(name):
    return sys.argv[sys.argv.index(name) + 1]


def options(source):
    """NVRTC's words for those of cicc, and the folders that gcc found headers in."""
    words = [f"-arch={option('-arch')}", "-std=c++17", "-default-device", "-rdc=true",
             "-lineinfo", "-DSOLUTION", f"-I{TOP}/include"]
    preprocessed = next(word for word in sys.argv if word.endswith(".ii"))
    marks = re.findall(r'^# \d+ "([^"<]+)"', pathlib.Path(preprocessed).read_text(), re.M)
    folders = dict.fromkeys([source.parent, *(pathlib.Path(mark).resolve().parent for mark in marks)])
    return words + [f"-I{folder}" for folder in folders
                    if not folder.is_relative_to("/usr") and not folder.is_relative_to(TOP)]


def compiled(source, words):
    rtc = ctypes.CDLL(str(TOP / "nvrtc/libnvrtc.so.12"))
    program = ctypes.c_void_p()

    def strings(list_):
        return (ctypes.c_char_p * len(list_))(*(word.encode() for word in list_))

    def said(size, text):
        n = ctypes.c_size_t()
        size(program, ctypes.byref(n))
        buffer = ctypes.create_string_buffer(n.value)
        text(program, buffer)
        return buffer.value.decode()

    text = f'#include "host.h"\n#line 1 "{source.name}"\n{source.read_text()}'
    rtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), source.name.encode(),
                           len(HEADERS), strings(list(HEADERS.values())), strings(list(HEADERS)))
    if rtc.nvrtcCompileProgram(program, len(words), strings(words)):
        sys.exit(said(rtc.nvrtcGetProgramLogSize, rtc.nvrtcGetProgramLog))
    return said(rtc.nvrtcGetPTXSize, rtc.nvrtcGetPTX)


def items(ptx):
    """What stands at the top of a module, each with all its lines."""
    item, depth = "", 0
    for line in ptx.splitlines(keepends=True):
        bare = re.sub(r'"[^"]*"', "", line.split("//")[0])
        item += line
        depth += bare.count("{") - bare.count("}")
        if not depth and re.search(r"[;}]\s*$|^\.(version|target|address_size|file)", bare):
            yield item
            item = ""
    yield item


def name(item):
    found = re.search(r"\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)", item.split("{")[0])
    return found and found[1]


def words_of(body):
    return set(re.findall(r"[\w$]+", body))


def without_host(ptx):
    parts = list(items(ptx))
    kept = {name(part) for part in parts if re.search(r"\.entry\b", part.split("{")[0])}
    more = True
    while more:
        more = {name(called) for called in parts if name(called)} & set().union(
            *(words_of(part) for part in parts if name(part) in kept)) - kept
        kept |= more
    shared = {found[1]: part for part in parts if
              (found := re.search(r"^\.(?:weak |visible )?\.?shared.*?([\w$]+)\[?\d*\]?;", part, re.M))}
    result = ""
    for part in parts:
        if "{" in part and name(part) in kept:
            head, body = part.split("{", 1)
            own = [re.sub(r"\.(weak|visible) ", "", shared[word])
                   for word in shared if word in words_of(body)]
            result += head + "{\n" + "".join(own) + body
        elif name(part) in kept or not name(part) and part not in shared.values():
            result += part
    return result


def main():
    status = subprocess.call([HERE / "cicc-older", *sys.argv[1:]])
    if status:
        return status
    out, source = pathlib.Path(option("-o")), pathlib.Path(option("--orig_src_path_name"))
    entries = re.compile(r"\.entry\s+([\w$]+)")
    ptx = without_host(compiled(source, options(source)))
    if set(entries.findall(ptx)) != set(entries.findall(out.read_text())):
        return "cicc.py: not the same kernels"
    out.write_text(ptx)
    return 0


if __name__ == "__main__":
    sys.exit(main())
