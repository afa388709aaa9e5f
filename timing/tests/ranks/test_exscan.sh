#!/bin/sh
# SPDX-License-Identifier: MIT
# test_exscan.sh PROGRAM MPIEXEC: right over 1 to 5 ranks, more than there are
# elements, too; without MPI_Exscan it has to be wrong.
set -u
program=$1 mpiexec=${2:-mpirun}
command -v "$mpiexec" >/dev/null || { echo "SKIP: no mpirun"; exit 77; }
# Open MPI's own: several ranks on a core, as root, in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
failed=0
ranks() { # RANKS WORDS...
    count=$1
    shift
    timeout 60 "$mpiexec" -n "$count" "$program" --runs 3 "$@" 2>&1
}
for case in "1 1000003" "2 65536" "4 1000003" "5 999" "3 2" "4 0"; do
    # shellcheck disable=SC2086 # two words
    set -- $case
    said=$(ranks "$1" -n "$2")
    status=$?
    echo "$said" | grep '^[a-z#]'
    if [ $status != 0 ] || ! echo "$said" | grep -q "^# 0 of $2 elements are wrong"; then
        echo "not ok: $2 elements over $1 ranks, status $status"
        failed=1
    fi
done
said=$(ranks 3 -n 30000 --cores --forget)
if [ $? = 0 ] || ! echo "$said" | grep -q '^# 20000 of 30000 elements are wrong'; then
    echo "not ok: nobody noticed that MPI_Exscan was missing: $said"
    failed=1
fi
exit $failed
