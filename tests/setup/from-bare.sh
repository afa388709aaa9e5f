#!/bin/bash
# SPDX-License-Identifier: MIT
#
# from-bare.sh SUITE MIRROR FOLDER [SCRIPT]: a distribution from nothing (debootstrap,
# with SCRIPT of its scripts where it knows SUITE not), in it a clone of the commit
# that is checked out, make grade, the references, make test; what each step took,
# and sizes: the columns of docs/machines.md. As root; FOLDER, 4 GB, stays.
# JOBS: tests at a time. CERTIFICATES: a file for pip, where a proxy has its own.
# DEBOOTSTRAP: more of its options, such as --keyring=FILE.
set -u
suite=$1 mirror=$2 folder=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$(cd "$(dirname "$0")" && pwd)

# ---- inside ----------------------------------------------------------------

TIMEFORMAT='= %R s, processors %U + %S'
step() {
    echo "+ $*"
    time "$@"
    echo "= status $?, load $(cut -d' ' -f1-3 /proc/loadavg)"
}

size() { echo "= $(du -smx "$1" 2>/dev/null | cut -f1) MB: $1"; }

inside() {
    exec 2>&1
    # shellcheck source=/dev/null
    (. /etc/os-release && echo "$PRETTY_NAME")
    size /
    step apt-get -q update
    step apt-get -q install -y git make ca-certificates
    apt-get clean
    step git clone -q /mnt/source ~/scanlab
    size ~/scanlab
    cd ~/scanlab && git log --oneline -1 || exit 1
    step make grade
    apt-get clean
    size / && size build && size build/cuda
    g++ --version | head -n 1
    cmake --version | head -n 1
    python3 --version
    step make grade SUBMISSION=reference SEED=20
    step make test J="${JOBS:-2}"
    apt-get clean
    size /
}

# ---- outside ---------------------------------------------------------------

# A new root, not chroot(2)'s, in which no mount namespace can be made.
enter() {
    mount --bind "$folder" "$folder" && cd "$folder" || exit 1
    mount --bind -o ro "$source" mnt/source && mount -t proc proc proc || exit 1
    mount --rbind /sys sys && mount --rbind /dev dev || exit 1
    pivot_root . mnt/old && cd / && umount -l /mnt/old || exit 1
    exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
        DEBIAN_FRONTEND=noninteractive JOBS="${JOBS:-}" \
        ${CERTIFICATES:+PIP_CERT=/mnt/certificates} \
        bash /mnt/from-bare.sh inside - -
}

case $suite in
inside) inside ;;
enter) source=$mirror && enter ;;
*)
    components=main
    case $mirror in *ubuntu*) components=main,universe ;; esac
    # shellcheck disable=SC2086 # several options
    debootstrap --variant=minbase --components=$components ${DEBOOTSTRAP:-} \
        "$suite" "$folder" "$mirror" ${4:+"$4"} >&2 || exit 1
    rm -f "$folder"/var/cache/apt/archives/*.deb
    mkdir -p "$folder/mnt/source" "$folder/mnt/old" || exit 1
    cp /etc/resolv.conf "$folder/etc/" && cp "$0" "$folder/mnt/" || exit 1
    [ -z "${CERTIFICATES:-}" ] || cp "$CERTIFICATES" "$folder/mnt/certificates" || exit 1
    source=$(mktemp -d) && trap 'rm -rf "$source"' EXIT
    git clone -q --bare "$root" "$source" || exit 1
    unshare -m --propagation private bash "$here/from-bare.sh" enter "$source" "$folder"
    ;;
esac
