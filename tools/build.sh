#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build.sh [-DOPTION...] PRESET TARGET...: configures a preset of
# CMakePresets.json where that is needed and builds targets in it. Everything it
# has to say goes to standard error, and where there is little to do, nothing.
set -eu
cd "$(dirname "$0")/.."

options=
while case ${1:-} in -D*) true ;; *) false ;; esac do
    options="$options $1"
    shift
done
preset=$1
shift

build=build
[ "$preset" = default ] || build=build/$preset
log=build/build-$preset.log

quietly() { # command...: what it prints is shown when it fails
    "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        echo "build: '$*' failed" >&2
        exit 2
    }
}

# An option given to one build is taken back by the next one without it.
[ "$preset" != default ] || options="-DSCANLAB_WERROR=OFF$options"
configured=$(cat "$build/configured-with" 2>/dev/null || echo never)
if [ ! -e "$build/build.ninja" ] || [ "$configured" != "$options" ]; then
    mkdir -p "$build"
    # shellcheck disable=SC2086 # several words
    quietly cmake --preset "$preset" $options
    echo "$options" >"$build/configured-with"
fi

case $1 in
programs | all)
    if [ -e "$build/built-$1" ]; then
        quietly cmake --build "$build" --target "$@"
        exit 0
    fi
    echo "build: building $build (the first time takes a minute or two)" >&2
    ;;
esac
cmake --build "$build" --target "$@" >&2 || exit 2
: >"$build/built-$1"
