#!/bin/sh
# SPDX-License-Identifier: MIT
#
# grade.sh VERSION BUILD NM: nvcc of that version (an installed one, one that
# tools/setup.sh fetches, or what there is of it: debian.sh) compiles all references, which get all
# points with it; its header has the types of vgpu/cuda/client/client_layout.h,
# its runtime library no name that ours lacks. 77: it cannot be had here.
set -u
version=$1 build=$2 nm=$3 major=${1%%.*}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
own=$build/toolkits/$version # a set-up of its own
mkdir -p "$own"
if [ "$major" = 12 ]; then
    sh "$here/debian.sh" "$version" "$own/cuda-$version" || exit
    export SCANLAB_NVCC="$own/cuda-$version/bin/nvcc"
fi
case $version in
12.6 | 12.9) says=12.5 ;;
*) says=$version ;;
esac
words=$(SCANLAB_BUILD=$own SCANLAB_APT=0 SCANLAB_CUDA=$says "$root/tools/setup.sh" grade 2>&1)
status=$?
echo "$words"
if [ $status != 0 ]; then
    case $words in
    *"could not be fetched"*"DO NOT MATCH"* | *"DO NOT MATCH"*"could not be fetched"*) exit 1 ;;
    *"could not be fetched"*) echo "SKIP: CUDA $version cannot be fetched here" && exit 77 ;;
    *) exit 1 ;;
    esac
fi
read -r nvcc <"$own/nvcc-path"
"$nvcc" --version | grep -q "release $says," || { echo "$nvcc is not CUDA $says" && exit 1; }
export SCANLAB_NVCC="$nvcc"

failed=0
top=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
gcc -std=gnu17 -fsyntax-only -I"$root/vgpu/cuda/client" -isystem "$top/include" \
    "$root/vgpu/tests/runtime/layout_check.c" || { echo "types differ" && failed=1; }
sh "$root/vgpu/tests/runtime/names.sh" "$nm" "$root/vgpu/cuda/protocol/calls.def" \
    "$build/lib/vgpu/libcudart.so.$major" "$major" "$top/lib/libcudart.so.$major" || failed=1
cp "$here/program.cu" "$own/" &&
    "$nvcc" -cudart shared -arch=compute_75 -o "$own/program" "$own/program.cu" &&
    said=$("$build/bin/vgpu" "$own/program") && echo "$said" &&
    [ "$said" = "CUDA $major, 7.5, 32 lanes: 496" ] || { echo "program.cu says something else" && failed=1; }
"$nvcc" -arch=compute_75 -ptx -o "$own/program.ptx" "$own/program.cu" &&
    grep "release $version," "$own/program.ptx" && grep '^\.version' "$own/program.ptx" ||
    { echo "its PTX is not CUDA $version's" && failed=1; }
grade=$("$build/bin/scanlab" grade --submission "$root/reference" --device vgpu --seed 20 2>&1)
echo "$grade" | grep -E '^(Lab|Total)'
points=$(echo "$grade" | sed -n 's/^Total .*  \([0-9]\)/\1/p')
[ "$points" = "900/900 + 10 bonus" ] ||
    { echo "$grade" && echo "the references have $points points, not all" && failed=1; }
exit $failed
