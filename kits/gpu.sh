#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gpu.sh COMMAND...: runs a command that times on a real GPU when nobody else does. Whoever
# comes later waits. On one machine a lock is the queue; where SCANLAB_PARTITION names a
# partition of a Slurm that is there, Slurm is, and gives the command one GPU.
#
#   kits/gpu.sh scanlab grade chained -s ada --device gpu --fast
#   SCANLAB_PARTITION=gpu kits/gpu.sh scanlab class submissions/ --fast -j 1
#
#   SCANLAB_GPU_LOCK=FILE    the lock (/tmp/scanlab-gpu); users who share a GPU share it
#   SCANLAB_WAIT=S       gives up after so many seconds, with exit status 75 (never)
set -eu
[ $# -gt 0 ] || { sed -n '4,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
if [ -n "${SCANLAB_PARTITION:-}" ]; then
    exec srun --partition="$SCANLAB_PARTITION" --gres=gpu:1 --ntasks=1 --exclusive "$@"
fi
lock=${SCANLAB_GPU_LOCK:-/tmp/scanlab-gpu}
# One that everybody may lock, and nobody has to be able to write.
[ -e "$lock" ] || (umask 022 && set -C && : >"$lock") 2>/dev/null || true
exec 9<"$lock"
flock ${SCANLAB_WAIT:+-w "$SCANLAB_WAIT"} -E 75 9
exec "$@" # keeps the lock until it has ended
