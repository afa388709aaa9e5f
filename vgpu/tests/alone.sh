#!/bin/sh
# SPDX-License-Identifier: MIT
#
# alone.sh [--all] WORK [CMAKE OPTION...]: vgpu is built, tested and installed alone,
# from a copy of its folder under another name; the installed one is moved; then the
# example is built against it with find_package and with pkg-config, and prints
# what it should. WORK is made anew. Not optimised unless an option says so, which
# takes a third of the time. Tests labelled slow, unbuilt and nightly, and CUDA
# programs, are left out; with --all only those labelled nightly are.
set -eu
left_out='^(slow|nightly|unbuilt)$' nvcc=-DVGPU_NVCC=
[ "$1" != --all ] || { left_out='^nightly$' nvcc= && shift; }
vgpu=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
shift
rm -rf "$work/copy" "$work/build" "$work/first" "$work/installed" "$work/example"
cp -R "$vgpu" "$work/copy"
cmake -S "$work/copy" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_INSTALL_PREFIX="$work/first" $nvcc "$@" >/dev/null
cmake --build "$work/build" -- --quiet
ctest --test-dir "$work/build" --no-tests=error --output-on-failure -LE "$left_out" \
    >"$work/tests.txt" || { cat "$work/tests.txt" && exit 1; }
grep 'tests passed' "$work/tests.txt"
cmake --install "$work/build" >/dev/null
mv "$work/first" "$work/installed"
rm -rf "$work/copy"

same() { # NAME PROGRAM
    "$2" "$vgpu/examples/embed/double.ptx" >"$work/said.txt"
    diff "$vgpu/examples/embed/expected.txt" "$work/said.txt"
    echo "$1: as expected"
}
cmake -S "$vgpu/examples/embed" -B "$work/example" -G Ninja \
    -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
cmake --build "$work/example" -- --quiet
same find_package "$work/example/embed"
PKG_CONFIG_PATH=$(find "$work/installed" -name pkgconfig)
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc -std=gnu17 "$vgpu/examples/embed/main.c" -o "$work/example/embed-pc" \
    $(pkg-config --cflags --libs vgpu)
same pkg-config "$work/example/embed-pc"
"$work/installed/bin/vgpu" --version
