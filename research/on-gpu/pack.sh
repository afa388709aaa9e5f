#!/bin/bash
# SPDX-License-Identifier: MIT
# Packs a built ScanLab, with the libraries it needs, into one folder, for a
# machine with a GPU that lacks the development packages:
#
#   research/on-gpu/pack.sh [BUILD [PACK [PROGRAM...]]]     build, build/on-gpu
#
# The folder goes below the checkout there (build/on-gpu is ignored by git);
# then: bash research/on-gpu/all.sh OUT, or measure.sh. PACK is emptied first, but
# for what measure.sh prepare has compiled there (bench, shapes). PROGRAM: more
# to take along (bin/*on_gpu*, bin/ptx_referee and the programs of
# vgpu/tests/programs are taken anyway, where they are built).
# The environment of runner and walls is the judge's, clean: a wrapper adds the
# libraries.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
pack=${2:-$root/build/on-gpu}
case $pack in /*) ;; *) pack=$PWD/$pack ;; esac

mkdir -p "$pack"
find "$pack" -mindepth 1 -maxdepth 1 ! -name bench ! -name shapes \
    -exec rm -rf {} +
mkdir -p "$pack/bin" "$pack/libexec" "$pack/lib/needed" "$pack/programs"
cp "$build/bin/scanlab" "$build/bin/scanlab-bench" "$build/bin/vgpu" "$pack/bin/"
cp -P "$build"/lib/vgpu "$pack/lib/" -r
for name in scanlab-runner scanlab-walls; do
    cp "$build/libexec/$name" "$pack/libexec/$name.real"
done
for name in "${@:3}"; do cp "$name" "$pack/bin/"; done
# Referees of the instructions, where they are built.
for name in "$build"/bin/*on_gpu* "$build/bin/ptx_referee"; do
    [ -f "$name" ] && cp "$name" "$pack/bin/"
done
for name in "$build"/vgpu/tests/programs/*.program; do
    [ -f "$name" ] && cp "$name" "$pack/programs/$(basename "$name" .program)"
done
# All but the C library and the loader, which are the machine's own.
for program in "$pack"/bin/* "$pack"/libexec/*.real; do
    ldd "$program" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
done | sort -u |
    grep -v -E '/(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so' |
    while read -r library; do cp -L "$library" "$pack/lib/needed/"; done
for name in scanlab-runner scanlab-walls; do
    cat >"$pack/libexec/$name" <<'END'
#!/bin/sh
# Written by research/on-gpu/pack.sh. library-path: where the driver's libraries
# are, when only the caller's environment knows (research/on-gpu/grade.sh).
here=${0%/*}
more=
[ -r "$here/../library-path" ] && read -r more <"$here/../library-path"
LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$here/../lib/needed${more:+:$more}"
export LD_LIBRARY_PATH
exec "$here/${0##*/}.real" "$@"
END
    chmod +x "$pack/libexec/$name"
done
# What scanlab bench names in its CSV, where there is no git.
git -C "$root" describe --tags --always --dirty >"$pack/describe" 2>/dev/null ||
    rm -f "$pack/describe"
# Compiled already, if it was fetched: only that it was is asked for there.
[ ! -d "$pack/bench/cccl" ] ||
    find "$pack/bench/cccl" -mindepth 1 ! -name fetched -delete
if command -v strip >/dev/null; then
    strip --strip-debug "$pack"/bin/* "$pack"/libexec/*.real
fi
du -sh "$pack"
