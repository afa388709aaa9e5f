#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build.sh [-DOPTION...] PRESET TARGET [COMMAND...]: configures a preset of
# CMakePresets.json where that is needed, builds a target in it, and runs
# COMMAND, if there is one, in the folder $SCANLAB_FROM, if that is set. While it
# runs no other build.sh changes what was built. All that build.sh says goes to
# standard error, and where there is little to do it says nothing.
#
#   exit 2   it could not be built; else COMMAND's exit status, 0 without one
#
# BUILD/lock is held for writing by who builds and for reading by who runs a
# COMMAND; the kernel lets go of it when its holder ends, however it ends. A
# build.sh that COMMAND calls must not wait for the one that runs COMMAND; it
# runs what is built ($SCANLAB_BUILD_HELD names the folders held so).
set -eu
cd "$(dirname "$0")/.."

options=
while case ${1:-} in -D*) true ;; *) false ;; esac do
    options="$options $1"
    shift
done
preset=$1
target=$2
shift 2

build=build
[ "$preset" = default ] || build=build/$preset
log=build/build-$preset.log
mkdir -p "$build"

quietly() { # command...: what it prints is shown when it fails
    "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        echo "build: '$*' failed" >&2
        exit 2
    }
}

# An option given to one build is taken back by the next one without it.
[ "$preset" != default ] || options="-DVGPU_WERROR=OFF$options"
# What setup.sh has brought since may be what CMake did not find.
wanted="$options; $(cat build/setup-* 2>/dev/null | sort -u | cksum)"

is_configured() {
    [ -e "$build/build.ninja" ] &&
        [ "$(cat "$build/configured-with" 2>/dev/null)" = "$wanted" ]
}

# One line that is rewritten, on a terminal; the rest is shown when it fails.
show_progress() {
    if [ -t 2 ]; then
        awk -F '[][/]' '/^\[[0-9]+\/[0-9]+\]/ {
            printf "\rbuild: %d of %d", $2, $3; fflush() }
            END { printf "\r\033[K" }' >&2
    else
        cat >/dev/null
    fi
}

first_build() {
    status=$({ {
        cmake --build "$build" --target "$target" 2>&1 9>&-
        echo $? >&3
    } | tee "$log" | show_progress; } 3>&1)
    [ "$status" = 0 ] || {
        grep -v '^\[.*\] [A-Z][a-z]*ing ' "$log" >&2
        echo "build: it failed; all of its words are in $log" >&2
        exit 2
    }
    echo "build: done" >&2
}

build_target() {
    is_configured || {
        # shellcheck disable=SC2086 # several words
        quietly cmake --preset "$preset" $options
        echo "$wanted" >"$build/configured-with"
    }
    : >"$build/started"
    case $target in
    programs | all)
        if [ -e "$build/built-$target" ]; then
            quietly cmake --build "$build" --target "$target"
        else
            echo "build: building $build (the first time takes a minute or two)" >&2
            first_build
        fi
        [ "$target" != all ] || cp -p "$build/started" "$build/built-programs"
        mv "$build/started" "$build/built-$target"
        ;;
    *) cmake --build "$build" --target "$target" >&2 || exit 2 ;;
    esac
}

# Is the target built, and has no file changed since? What students write and
# documents are not built.
is_built() {
    is_configured && [ -e "$build/built-$target" ] &&
        [ -z "$(find CMake* */ \( -path build/ -o -path student/ \
            -o -path docs/ \) -prune -o \
            -cnewer "$build/built-$target" -print -quit)" ]
}

held=no
case ${SCANLAB_BUILD_HELD:-} in *":$PWD/$build:"*) held=yes ;; esac
exec 9>"$build/lock"
if [ ! -e CMakeLists.txt ]; then # from `make dist`, which built it
    [ "$preset $target" = "default programs" ] || {
        echo "build: this copy of ScanLab has its programs, and not what they are" \
            "made of: 'make grade', 'make watch' and 'make progress' work" >&2
        exit 2
    }
elif flock -n 9; then
    build_target
elif flock -n -s 9 && is_built; then
    :
elif [ "$held" = yes ]; then
    [ -e "$build/built-$target" ] || {
        echo "build: $target is not built, and what runs this command keeps $build as it is" >&2
        exit 2
    }
    echo "build: what runs this command keeps $build as it is; what changed since" \
        "it was built is not in it" >&2
else
    echo "build: waiting for another build in $build, or what runs there, to end" >&2
    flock 9
    build_target
fi
[ $# != 0 ] || exit 0
flock -s 9
export SCANLAB_BUILD_HELD="${SCANLAB_BUILD_HELD:-}:$PWD/$build:"
case $1 in
*/*)
    program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
    shift
    set -- "$program" "$@"
    ;;
esac
cd "${SCANLAB_FROM:-.}"
"$@" 9>&-
