/* SPDX-License-Identifier: MIT
 *
 * sides.c: what must be told: a kernel of a program's own PTX that writes past
 * the end (argument "past"), a call that is not there ("refused"), a cubin
 * ("cubin"), a runtime of its own ("static"), an error of the driver that must
 * not become the runtime's
 * ("errors"); "right" does none of these.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry put(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .b32 %r<3>;\n.reg .b64 %d<3>;\n"
    "ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\n"
    "mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d0, %d0, %d1;\n"
    "st.global.u32 [%d0], %r0;\nret;\n}\n";

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "right";
    unsigned n = strcmp(what, "past") ? 9 : 10, h = 0;
    CUcontext context;
    CUmodule module, other;
    CUfunction put, none;
    CUdeviceptr p;
    cuInit(0);
    cuCtxCreate(&context, NULL, 0, 0);
    if (cuModuleLoadData(&module, ptx)) return 1;
    if (cuModuleGetFunction(&put, module, "put")) return 2;
    cuMemAlloc(&p, 40);
    void *arguments[] = {&p, &n};
    cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    CUresult result = cuCtxSynchronize();
    cuMemcpyDtoH(&h, p + 36, 4);
    printf("result %d, value %u\n", (int)result, h);
    if (!strcmp(what, "refused")) {
        CUgraph graph;
        printf("graph %d\n", (int)cuGraphCreate(&graph, 0));
    }
    if (!strcmp(what, "cubin")) {
        static char elf[64] = "\177ELF\2\1\1";
        printf("cubin %d\n", (int)cuModuleLoadData(&other, elf));
    }
    if (!strcmp(what, "static")) {
        /* What a runtime that is linked statically asks for first. */
        static const CUuuid id = {"\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a"
                                  "\x89\x87\xd9\x39\x12\xfd\x9d\xf9"};
        const void *table = &table;
        printf("table %d\n", (int)cuGetExportTable(&table, &id));
    }
    if (!strcmp(what, "errors")) {
        int error = (int)cuModuleGetFunction(&none, module, "nothing");
        printf("driver's %d, runtime's %d\n", error, (int)cudaGetLastError());
    }
    if (strcmp(what, "past")) {
        /* The runtime sees the driver's memory. */
        printf("runtime %d\n", (int)cudaMemset((void *)p, 0, 40));
        cuMemFree(p);
    }
    return 0;
}
