#!/bin/sh
# SPDX-License-Identifier: MIT
#
# runtime-calls.sh [--fix]: docs/runtime-calls.md is made from the list of calls in grader/vgpu/protocol/calls.def. Says
# whether the page is in step with it, or writes the page.
set -eu
cd "$(dirname "$0")/.."
page=docs/runtime-calls.md calls=grader/vgpu/protocol/calls.def

make_page() {
    cat <<'END'
<!-- SPDX-License-Identifier: MIT -->
<!-- Made by tools/runtime-calls.sh --fix from grader/vgpu/protocol/calls.def: edit that. -->
# Runtime calls of the virtual GPU

The functions of CUDA 13.0's `libcudart.so.13`. Every one of them is there, so that a program that
names it starts. **yes**: does what CUDA's does, in order and at once; what differs is in
[vgpu-limits.md](vgpu-limits.md). **refused**: returns `cudaErrorNotSupported`, says its name on
stderr, and is an `unsupported` finding of the report. Variants for per-thread default streams
(`_ptsz`, `_ptds`) are as the call itself and not listed.

END
    # A call belongs to the first group whose pattern it fits.
    sed -n 's/^X(\([^,]*\), \(.*\))$/\1 \2/p' "$calls" | awk '
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
        }
        {
            base = $1
            sub(/_pts[zd]$|_ptds$/, "", base)
            if (base != $1) { variant[base] = variant[base] $2; next }
            for (g = 1; $1 !~ patterns[g]; g++) {}
            count[g]++
            row[g] = row[g] sprintf("| `%s` | %s |\n", $1, $2 == "IMPLEMENTED" ? "yes" : "refused")
            state[$1] = $2
            total++
            if ($2 == "IMPLEMENTED") yes[g]++
            if ($2 == "IMPLEMENTED") all_yes++
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
if [ "${1:-}" = --fix ]; then
    cp "$made" "$page"
    exit 0
fi
diff -u "$page" "$made" && exit 0
echo "$page is not what calls.def says: tools/runtime-calls.sh --fix writes it"
exit 1
