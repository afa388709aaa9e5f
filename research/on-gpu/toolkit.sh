# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced: the CUDA toolkit's programs are found, and its runtime, which
# programs name, too: it lies beside nvcc.
command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
for folder in lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib; do
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$toolkit/$folder
done
export PATH LD_LIBRARY_PATH
