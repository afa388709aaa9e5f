#!/bin/bash
# SPDX-License-Identifier: MIT
# Packs a built ScanLab, with the libraries it needs, into one folder, for a
# machine with a GPU that lacks the development packages:
#
#   tools/on-gpu/pack.sh [BUILD [PACK [PROGRAM...]]]     build, build/on-gpu
#
# The folder goes below the checkout there (build/on-gpu is ignored by git);
# then: bash tools/on-gpu/all.sh OUT. PACK is emptied first. PROGRAM: more to
# take along (bin/*on_gpu* of the build are taken anyway).
# The runner's environment is the judge's, clean: a wrapper adds the libraries.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
pack=${2:-$root/build/on-gpu}
case $pack in /*) ;; *) pack=$PWD/$pack ;; esac

rm -rf "$pack"
mkdir -p "$pack/bin" "$pack/libexec" "$pack/lib/needed"
cp "$build/bin/scanlab" "$build/bin/vgpu" "$pack/bin/"
cp -P "$build"/lib/vgpu "$pack/lib/" -r
cp "$build/libexec/scanlab-runner" "$pack/libexec/scanlab-runner.real"
for name in "${@:3}"; do cp "$name" "$pack/bin/"; done
# Referees of the instructions, where they are built.
for name in "$build"/bin/*on_gpu*; do
    [ -f "$name" ] && cp "$name" "$pack/bin/"
done
# All but the C library and the loader, which are the machine's own.
for program in "$pack"/bin/* "$pack/libexec/scanlab-runner.real"; do
    ldd "$program" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
done | sort -u |
    grep -v -E '/(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so' |
    while read -r library; do cp -L "$library" "$pack/lib/needed/"; done
cat >"$pack/libexec/scanlab-runner" <<'END'
#!/bin/sh
# Written by tools/on-gpu/pack.sh. library-path: where the driver's libraries
# are, when only the caller's environment knows (tools/on-gpu/grade.sh).
here=${0%/*}
more=
[ -r "$here/../library-path" ] && read -r more <"$here/../library-path"
LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$here/../lib/needed${more:+:$more}"
export LD_LIBRARY_PATH
exec "$here/scanlab-runner.real" "$@"
END
chmod +x "$pack/libexec/scanlab-runner"
# What scanlab bench names in its CSV, where there is no git.
git -C "$root" describe --tags --always --dirty >"$pack/describe" 2>/dev/null ||
    rm -f "$pack/describe"
if command -v strip >/dev/null; then
    strip --strip-debug "$pack"/bin/* "$pack"/libexec/*.real
fi
du -sh "$pack"
