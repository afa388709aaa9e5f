#!/bin/bash
# SPDX-License-Identifier: MIT
#
# install.sh: the step Install of action.yml: an environment of Python of its own in
# $RUNNER_TEMP with the wheel, and with nvcc; both go into the PATH of later steps.
set -euo pipefail
place=${RUNNER_TEMP:?}/vgpu
mkdir -p "$place"
wheel=$VGPU_WHEEL
case $wheel in
http://*)
    echo "::error::a wheel is fetched by https only: $wheel"
    exit 2
    ;;
https://*)
    file=$place/$(basename "${wheel%%[?#]*}")
    curl -fsSL --proto =https --retry 3 -o "$file" "$wheel"
    wheel=$file
    ;;
esac
if [ -n "$VGPU_SHA256" ]; then
    echo "$VGPU_SHA256  $wheel" | sha256sum -c --quiet || {
        echo "::error::$wheel is not the file that was meant: its SHA-256 is another one"
        exit 2
    }
fi
python3 -m venv "$place/environment"
packages=("$wheel")
if [ -n "$VGPU_NVCC" ]; then
    major=${VGPU_NVCC%%.*}
    minor=${VGPU_NVCC%.*}
    packages+=("nvidia-cuda-nvcc==$VGPU_NVCC")
    # What goes with it, of the same CUDA.
    for part in nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl; do
        packages+=("$part==$minor.*")
    done
fi
"$place/environment/bin/pip" install -q --disable-pip-version-check "${packages[@]}"
# Of the environment's commands only ours: it is not to hide the job's own Python.
mkdir -p "$place/bin"
ln -sf "$place/environment/bin/vgpu" "$place/bin/vgpu"
echo "$place/bin" >>"$GITHUB_PATH"
if [ -n "$VGPU_NVCC" ]; then
    cuda=$(echo "$place"/environment/lib/python3*/site-packages/nvidia/cu"$major")
    # NVIDIA's packages have no lib64, and no libcudart.so without a number.
    [ -e "$cuda/lib64" ] || ln -s lib "$cuda/lib64"
    [ -e "$cuda/lib/libcudart.so" ] || ln -s "libcudart.so.$major" "$cuda/lib/libcudart.so"
    echo "$cuda/bin" >>"$GITHUB_PATH"
    echo "CUDA_HOME=$cuda" >>"$GITHUB_ENV"
fi
"$place/bin/vgpu" --version
