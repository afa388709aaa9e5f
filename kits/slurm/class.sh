#!/bin/sh
# SPDX-License-Identifier: MIT
#
# class.sh SUBMISSIONS [OPTION...]: grades a class on one node of a cluster, with as
# many grades at a time as the job has processors:
#
#     sbatch --cpus-per-task=64 kits/slurm/class.sh submissions/ -o graded
#
# A job that is killed, preempted or out of time goes on when it is started again,
# because `scanlab class` does; --requeue lets Slurm do so by itself. What is
# compiled goes to the node's own disk.
#SBATCH --job-name=scanlab
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --mem-per-cpu=1G
#SBATCH --open-mode=append
set -u
# Slurm runs a copy of this file; what is installed is found by SCANLAB or PATH.
scanlab=${SCANLAB:-scanlab}
SCANLAB_CACHE=$(mktemp -d) || exit 2
export SCANLAB_CACHE
trap 'rm -rf "$SCANLAB_CACHE"' EXIT
"$scanlab" class "$@" -j "${SLURM_CPUS_PER_TASK:-1}"
