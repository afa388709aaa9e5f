// SPDX-License-Identifier: MIT
//: what: what the checks say of textures and surfaces, and that right programs are silent
//: case: right right
//: expect: line sum 90
//: expect: says no findings
//: case: unwritten unwritten
//: run:
//: expect: finding uninitialised-read at fetch "that nothing has written"
//: case: own-writes own
//: run: --racecheck
//: expect: finding read-only-cache at again "through the read-only cache"
//: case: two-blocks race
//: run: --racecheck
//: expect: finding global-race at put
//: case: destroyed destroyed
//: run:
//: expect: finding out-of-bounds at fetch "texture object 0x1 is not there"
//: case: other-kind kind
//: run:
//: expect: finding out-of-bounds at fetch "it was never created, or is destroyed, or is of the other kind"
//: case: freed freed
//: run:
//: expect: finding use-after-free at fetch
//: case: past-the-end past
//: run:
//: expect: finding out-of-bounds at put "a surface at byte 16 of row 0 of slice 0: it has 16 bytes in a row, 4 rows, 1 slice"
//: case: mipmaps mipmaps
//: run:
//: expect: prints 801
//: expect: finding unsupported at - "cudaMallocMipmappedArray is not supported"
//: case: no-such-settings settings
//: run:
//: expect: line filter cudaErrorInvalidFilterSetting, fraction cudaErrorInvalidNormSetting, three cudaErrorInvalidChannelDescriptor
//: expect: says no findings
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { W = 4, H = 4 };

__global__ void sum(cudaTextureObject_t t, int *out)
{
    int s = 0;
    for (int k = 0; k < 10; k++) s += (int)tex2D<float>(t, (float)(k % W), (float)(k / W)); // BUG fetch
    *out = s;
}
__global__ void fill(cudaSurfaceObject_t s)
{
    surf2Dwrite<float>((float)(threadIdx.x + W * threadIdx.y) * 2, s, (int)threadIdx.x * 4, (int)threadIdx.y);
}
__global__ void both(cudaSurfaceObject_t s, cudaTextureObject_t t, int *out)
{
    surf2Dwrite<float>(1.0f, s, (int)threadIdx.x * 4, 0);
    __syncthreads();
    out[threadIdx.x] = (int)tex2D<float>(t, (float)((threadIdx.x + 1) % W), 0.0f); // BUG again
}
__global__ void same(cudaSurfaceObject_t s, int x)
{
    surf2Dwrite<float>((float)blockIdx.x, s, x, 0); // BUG put
}

static cudaTextureDesc usual()
{
    cudaTextureDesc d;
    memset(&d, 0, sizeof d);
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    return d;
}

static void settings()
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<int>(), three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindSigned);
    cudaArray_t a, b;
    cudaResourceDesc r;
    cudaTextureDesc t = usual();
    cudaTextureObject_t o;
    cudaMallocArray(&a, &d, W, H);
    memset(&r, 0, sizeof r);
    r.res.array.array = a;
    t.filterMode = cudaFilterModeLinear;
    const char *filter = cudaGetErrorName(cudaCreateTextureObject(&o, &r, &t, NULL));
    t.filterMode = cudaFilterModePoint;
    t.readMode = cudaReadModeNormalizedFloat;
    const char *fraction = cudaGetErrorName(cudaCreateTextureObject(&o, &r, &t, NULL));
    printf("filter %s, fraction %s, three %s\n", filter, fraction, cudaGetErrorName(cudaMallocArray(&b, &three, W, H)));
    cudaFreeArray(a);
}

int main(int, char **argv)
{
    const char *what = argv[1];
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    cudaMipmappedArray_t m;
    cudaResourceDesc r;
    cudaTextureDesc t = usual();
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    int *out, h = 0;
    if (!strcmp(what, "settings")) {
        settings();
        return 0;
    }
    cudaMalloc(&out, 4 * W);
    cudaMallocArray(&a, &d, W, H, cudaArraySurfaceLoadStore);
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaCreateTextureObject(&texture, &r, &t, NULL);
    cudaCreateSurfaceObject(&surface, &r);
    if (strcmp(what, "unwritten")) fill<<<1, dim3(W, H)>>>(surface);
    if (!strcmp(what, "own")) both<<<1, W>>>(surface, texture, out);
    if (!strcmp(what, "race")) same<<<2, 1>>>(surface, 0);
    if (!strcmp(what, "past")) same<<<1, 1>>>(surface, 16);
    if (!strcmp(what, "mipmaps"))
        printf("%d\n", (int)cudaMallocMipmappedArray(&m, &d, make_cudaExtent(W, H, 0), 2));
    if (!strcmp(what, "destroyed")) cudaDestroyTextureObject(texture);
    if (!strcmp(what, "freed")) cudaFreeArray(a);
    sum<<<1, 1>>>(strcmp(what, "kind") ? texture : surface, out);
    cudaMemcpy(&h, out, 4, cudaMemcpyDeviceToHost);
    printf("sum %d\n", h);
    if (strcmp(what, "right")) return 0;
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(a);
    cudaFree(out);
    return 0;
}
