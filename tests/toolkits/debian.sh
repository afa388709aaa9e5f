#!/bin/sh
# SPDX-License-Identifier: MIT
#
# debian.sh VERSION FOLDER: nvcc of CUDA 12.4 (Debian 13's) or 12.5 (Debian
# experimental's) in FOLDER/bin, without installing anything: the programs from
# the package nvidia-cuda-toolkit (non-free, from the mirror that this machine's
# apt uses, signed by Debian), headers and runtime from NVIDIA's wheels, pinned in
# cuda-VERSION.txt. Of 12.6 and 12.9, whose nvcc is nowhere, all but the host half:
# 12.5's programs with their headers, their runtime and their compiler for devices
# (cicc.py). 77: it cannot be had here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=$1 folder=$2
[ ! -x "$folder/bin/nvcc" ] || exit 0
case $version in
12.4) suite=trixie programs=12.4 ;;
12.5 | 12.6 | 12.9) suite=experimental programs=12.5 ;;
*) echo "no suite of Debian is known that has CUDA $version" && exit 2 ;;
esac
skip() {
    echo "SKIP: $*"
    exit 77
}
keys=/usr/share/keyrings/debian-archive-keyring.gpg
command -v apt-get >/dev/null 2>&1 && [ -r $keys ] ||
    skip "CUDA $version comes from Debian, and this machine has no apt-get with Debian's keys"
mirror=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI)' |
    sed -n 's/^Debian main //p' | grep '/debian/$' | head -n 1)
[ -n "$mirror" ] || skip "apt knows no mirror of Debian here"
new=$folder.new.$$
trap 'rm -rf "$new"' EXIT
mkdir -p "$new/apt/lists/partial" "$new/apt/archives/partial" "$new/toolkit"
echo "deb [signed-by=$keys] $mirror $suite non-free" >"$new/apt/sources.list"
apt() {
    command apt-get -q -o Dir::Etc::SourceList="$new/apt/sources.list" \
        -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$new/apt/lists" \
        -o Dir::Cache="$new/apt" -o APT::Sandbox::User=root "$@"
}
# shellcheck disable=SC2015 # both have to go well
(cd "$new" && apt update && apt download nvidia-cuda-toolkit) >"$new/words" 2>&1 &&
    ls "$new"/nvidia-cuda-toolkit_"$programs".*.deb >/dev/null ||
    skip "nvidia-cuda-toolkit $programs of Debian $suite cannot be had: $(tail -n 1 "$new/words")"
dpkg-deb -x "$new"/nvidia-cuda-toolkit_"$programs".*.deb "$new/deb"
PIP_DISABLE_PIP_VERSION_CHECK=1 python3 -m pip install --require-hashes --no-deps --only-binary :all: \
    --target "$new/wheels" -r "$here/cuda-$version.txt" >"$new/words" 2>&1 || {
    ! grep -q 'DO NOT MATCH' "$new/words" || { cat "$new/words" && exit 1; }
    skip "NVIDIA's wheels cannot be had: $(tail -n 1 "$new/words")"
}
# The layout of an ordinary toolkit.
from=$new/deb/usr to=$new/toolkit wheels=$new/wheels/nvidia
mkdir -p "$to/bin" "$to/nvvm/bin"
for program in cudafe++ fatbinary ptxas nvlink bin2c; do cp "$from/bin/$program" "$to/bin/"; done
cp -r "$from/lib/nvidia-cuda-toolkit/bin/nvcc" "$from/lib/nvidia-cuda-toolkit/bin/crt" "$to/bin/"
cp "$from/lib/nvidia-cuda-toolkit/bin/cicc" "$to/nvvm/bin/"
cp -r "$wheels/cuda_nvcc/nvvm/libdevice" "$to/nvvm/"
cp -r "$wheels/cuda_runtime/include" "$wheels/cuda_runtime/lib" "$to/"
cp -r "$wheels"/cuda_nvcc/include/* "$to/include/"
if [ "$version" != "$programs" ]; then
    mv "$to/nvvm/bin/cicc" "$to/nvvm/bin/cicc-older"
    cp "$here/cicc.py" "$to/nvvm/bin/cicc"
    cp -r "$wheels/cuda_nvrtc/lib" "$to/nvrtc"
fi
ln -s libcudart.so.12 "$to/lib/libcudart.so"
ln -s lib "$to/lib64"
ar rc "$to/lib/libcudadevrt.a" # nvcc names it; no lab launches from a kernel
cat >"$to/bin/nvcc.profile" <<'END'
TOP = $(_HERE_)/..
CICC_PATH = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(CICC_PATH):$(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib"
END
rm -rf "$folder"
mv "$to" "$folder"
