#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_build.sh FOLDER: applies the patches of all recipes to a copy of this
# tree in FOLDER and builds what they add to. test_build.sh FOLDER RECIPE: does
# what the recipe's patch says it shows, in that build.
set -eu
cd "$(dirname "$0")/../.."
here=$PWD/tests/recipes folder=$1
if [ $# = 2 ]; then
    export SCANLAB_ROOT="$folder/tree"
    cd "$folder/build"
    sed -n 's/^shows: //p' "$here/$2.patch" | sh -eux
    exit
fi
# The copy is kept between runs: only what changed is built again.
mkdir -p "$folder/tree" "$folder/new"
tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$folder/new"
for patch in "$here"/*.patch; do patch -s -d "$folder/new" -p1 <"$patch"; done
(cd "$folder/tree" && find . -type f -not -path './build/*') | while read -r file; do
    [ -f "$folder/new/$file" ] || rm "$folder/tree/$file"
done
(cd "$folder/new" && find . -type f) | while read -r file; do
    cmp -s "$folder/new/$file" "$folder/tree/$file" || {
        mkdir -p "$(dirname "$folder/tree/$file")"
        cp -p "$folder/new/$file" "$folder/tree/$file"
        touch "$folder/tree/$file"
    }
done
rm -r "$folder/new"
mkdir -p "$folder/tree/build" # where CMake looks for the compiler of CUDA
[ ! -r build/nvcc-path ] || cp build/nvcc-path "$folder/tree/build/"
cmake -S "$folder/tree" -B "$folder/build" -G Ninja \
    -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=ON
# shellcheck disable=SC2046 # a list of targets
cmake --build "$folder/build" --target $(
    sed -n 's/^build: //p' "$here"/*.patch | tr ' ' '\n' | sort -u)
