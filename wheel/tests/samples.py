# SPDX-License-Identifier: MIT
"""What every `vgpu` must do with the libraries beside it, from wherever it was
installed: a program for each of them, right and wrong. A library that is missing
there would be passed over in silence.

    wrong = samples.check(vgpu, nvcc, folder)     a list of sentences; [] is right
"""
import os
import re
import subprocess

RUNTIME = r"""
#include <cstdio>
#include <cstdlib>
int main(int argc, char **) {
    size_t host = 100, copied = argc > 1 ? 104 : 100;
    char *h = (char *)malloc(host), *d;
    cudaMalloc(&d, 128);
    cudaMemset(d, 1, 128);
    cudaMemcpy(h, d, copied, cudaMemcpyDeviceToHost);
    printf("%d\n", h[99]);
    cudaFree(d);
    free(h);
}
"""
# The driver's functions as a program has them that brings no cuda.h.
DRIVER = r"""
#include <dlfcn.h>
#include <stdio.h>
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry fill(.param .u64 p)\n{\n"
    ".reg .b32 %r<2>;\n.reg .b64 %d<3>;\n"
    "ld.param.u64 %d0, [p];\nmov.u32 %r0, %tid.x;\n"
    "mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d0, %d0, %d1;\n"
    "st.global.u32 [%d0], %r0;\nret;\n}\n";
#define CALL(name, ...) \
    do { \
        int (*call)() = (int (*)())dlsym(library, name); \
        int result = call ? call(__VA_ARGS__) : -1; \
        if (result) { printf("%s: %d\n", name, result); return 1; } \
    } while (0)
int main(int argc, char **argv) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context, *module, *kernel;
    unsigned long long p;
    int h[32] = {0}, threads = argc > 1 ? 33 : 32;
    (void)argv;
    if (!library) { puts("no driver"); return 1; }
    CALL("cuInit", 0u);
    CALL("cuDevicePrimaryCtxRetain", &context, 0);
    CALL("cuCtxSetCurrent", context);
    CALL("cuModuleLoadData", &module, ptx);
    CALL("cuModuleGetFunction", &kernel, module, "fill");
    CALL("cuMemAlloc_v2", &p, sizeof h);
    void *arguments[] = {&p};
    CALL("cuLaunchKernel", kernel, 1u, 1u, 1u, (unsigned)threads, 1u, 1u, 0u, (void *)0,
         arguments, (void *)0);
    CALL("cuMemcpyDtoH_v2", h, p, sizeof h);
    printf("h[31] %d\n", h[31]);
    CALL("cuMemFree_v2", p);
    return 0;
}
"""
OPENS = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL, *link;
    int (*create)() = library ? (int (*)())dlsym(library, "nvJitLinkCreate") : NULL;
    if (!create) { puts("not opened"); return 1; }
    printf("result %d\n", create(&link, 0u, (void *)0));
    return 0;
}
"""
# Stands for a library of NVIDIA's: ours of that name, if there is one, takes its place.
THEIRS = "int nvJitLinkCreate(void) { return 77; }\n"


def build(nvcc, folder):
    for name, text in (("runtime.cu", RUNTIME), ("driver.c", DRIVER), ("opens.c", OPENS),
                       ("theirs.c", THEIRS)):
        (folder / name).write_text(text)
    lists = [[nvcc, "-cudart", "shared", "-arch=compute_75", "-o", "runtime", "runtime.cu"],
             *(["gcc", "-o", name, f"{name}.c", "-ldl"] for name in ("driver", "opens"))]
    for library in ("libcublas.so.13", "libnvJitLink.so.13", "libnvJitLink.so.12"):
        lists.append(["gcc", "-shared", "-fPIC", f"-Wl,-soname,{library}", "-o", library,
                      "theirs.c"])
    for words in lists:
        subprocess.run(words, cwd=folder, check=True)


def table(folder):
    """(words behind vgpu, exit status, what it says)"""
    return [
        (["--ordercheck", "./runtime"], 0, "no findings"),
        (["--ordercheck", "./runtime", "x"], 86, r"past its end \(100 bytes\)"),
        (["--check", "all", "./driver"], 0, r"(?s)h\[31\] 31.*no findings"),
        (["--check", "all", "./driver", "x"], 86, "out-of-bounds in kernel fill"),
        (["./opens", f"{folder}/libcublas.so.13"], 86, "not looked at: .*libcublas.so.13"),
        (["./opens", f"{folder}/libnvJitLink.so.13"], 0, r"result 0\b"),
        (["./opens", f"{folder}/libnvJitLink.so.12"], 0, r"result 0\b"),
    ]


def check(vgpu, nvcc, folder):
    build(nvcc, folder)
    env = {name: value for name, value in os.environ.items()
           if name not in ("LD_AUDIT", "LD_PRELOAD", "LD_LIBRARY_PATH")}
    wrong = []
    for words, status, says in table(folder):
        done = subprocess.run([vgpu, *words], cwd=folder, env=env, text=True, check=False,
                              errors="replace", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != status or not re.search(says, done.stdout):
            wrong.append(f"vgpu {' '.join(words)}: exit status {done.returncode}, not {status} "
                         f"with '{says}':\n{done.stdout}")
    return wrong
