#!/bin/sh
# SPDX-License-Identifier: MIT
#
# runtime-calls.sh [--fix] [LIBRARY]: runtime-calls.md is made from the list of calls in
# vgpu/cuda/protocol/calls.def and from the library (../build/lib/vgpu/libcudart.so.13), where those that are refused
# are weak (client_refused.c). Says whether the page is in step with them, or writes the page.
set -eu
cd "$(dirname "$0")/.."
page=docs/runtime-calls.md calls=cuda/protocol/calls.def fix=
[ "${1:-}" != --fix ] || { fix=1 && shift; }
library=${1:-../build/lib/vgpu/libcudart.so.13}

make_page() {
    cat <<'END'
<!-- SPDX-License-Identifier: MIT -->
<!-- Made by runtime-calls.sh --fix from calls.def and the client's functions: edit those. -->
# Runtime calls of the virtual GPU

The functions of `libcudart.so.13` of CUDA 13.0 to 13.5, and, at the end, those that only CUDA 12's
`libcudart.so.12` has. Every one of them is there, so that a program that names it starts. **yes**:
does what CUDA's does, in order and at once; what differs is in [vgpu-limits.md](vgpu-limits.md).
**refused**: returns `cudaErrorNotSupported`, says its name on stderr, and is an `unsupported`
finding of the report. Variants for per-thread default streams (`_ptsz`, `_ptds`) are as the call
itself and not listed.

END
    # A call belongs to the first group whose pattern it fits.
    {
        nm -D --defined-only "${library%13}12"
        nm -D --defined-only "$library"
        sed -n -e 's/^X(\(.*\))$/\1/p' -e 's/^X12(\(.*\))$/\1 12/p' "$calls"
    } | awk '
        function group(title, pattern) { titles[++n] = title; patterns[n] = pattern }
        BEGIN {
            group("What nvcc calls", "^__cuda")
            group("Graphs", "^cuda(Graph[A-Z]|Graph$|StreamBeginCapture|StreamEndCapture|StreamUpdateCapture|" \
                  "UserObject|DeviceGetGraphMem|DeviceSetGraphMem|DeviceGraphMem)")
            group("Textures, surfaces, arrays", "Array|Texture|Surface|Mipmapped|ChannelDesc")
            group("Graphics", "EGL|cudaGL|VDPAU|Graphics")
            group("Other processes and devices", "External|cudaIpc|NvSci|Peer|P2P|ShareableHandle|PoolExport|PoolImport|RDMA")
            group("Streams", "^cudaStream|cudaLaunchHostFunc|cudaThreadExchange|StreamPriority")
            group("Events", "^cudaEvent")
            group("Kernels and launches", "^cuda(Func|Launch|GetFunc|GetKernel|KernelSet|Occupancy)")
            group("Libraries loaded at run time", "^cudaLibrary")
            group("Memory pools", "Pool")
            group("Memory", "^cuda(M|Free|Host|Pointer|GetSymbol)")
            group("Errors", "Error|^cudaLogs")
            group("The device", ".")
            group("CUDA 12 only", ".")
        }
        NF == 3 { sub(/@.*/, "", $3); yes_or_no[$3] = $2 == "T" ? "yes" : "refused" }
        NF <= 2 {
            base = $1
            sub(/_pts[zd]$|_ptds$/, "", base)
            if (base != $1) { variant[base] = variant[base] yes_or_no[$1]; next }
            for (g = NF == 2 ? n : 1; $1 !~ patterns[g]; g++) {}
            count[g]++
            row[g] = row[g] sprintf("| `%s` | %s |\n", $1, yes_or_no[$1])
            state[$1] = yes_or_no[$1]
            total++
            if (yes_or_no[$1] == "yes") yes[g]++
            if (yes_or_no[$1] == "yes") all_yes++
        }
        END {
            for (b in variant)
                if (variant[b] != state[b]) { print "calls.def: " b " and its variant differ" >"/dev/stderr"; exit 1 }
            printf "%d of %d calls are implemented.\n", all_yes, total
            for (g = 1; g <= n; g++)
                printf "\n## %s (%d of %d)\n\n| call | state |\n|---|---|\n%s", titles[g], yes[g], count[g], row[g]
        }'
}

made=$(mktemp)
trap 'rm -f "$made"' EXIT
make_page >"$made"
if [ "$fix" ]; then
    cp "$made" "$page"
    exit 0
fi
diff -u "$page" "$made" && exit 0
echo "$page is not what the library has: vgpu/docs/runtime-calls.sh --fix writes it"
exit 1
