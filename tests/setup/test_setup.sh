#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/setup.sh on made-up machines: a folder of programs is all of PATH, the
# table of needs is a short one, nvcc, pip, apt-get and id are stand-ins.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"

needs='grade | command compiler | compiler-package | compiles things
test | command tester | tester-package | tests things
wheels | command pip-stand-in | pip-package | fetches things
docs | command drawer | drawer-package | draws things
slides | tex letters.sty | letters-package | sets things'

# A machine with the ordinary programs and nothing to build with.
machine() {
    m=$scratch/$1
    mkdir -p "$m/repo/tools" "$m/repo/tests" "$m/repo/docs" "$m/repo/slides" "$m/bin"
    : >"$m/repo/docs/Doxyfile.in"
    cp "$root/tools/setup.sh" "$root"/tools/cuda-wheels*.txt \
        "$root/tools/packages-elsewhere.txt" "$m/repo/tools/"
    echo "$needs" >"$m/repo/tools/packages.txt"
    for program in sh sed cat cut sort tr cksum dirname mktemp rm mv mkdir \
        tail env ln chmod cp flock sleep; do
        ln -s "$(command -v $program)" "$m/bin/$program"
    done
    program id 'echo 1000'
    program compiler :
}

program() { # name text
    printf '#!/bin/sh\n%s\n' "$2" >"$m/bin/$1"
    chmod +x "$m/bin/$1"
}

nvcc_says() { # release
    echo "case \$1 in --version) echo 'Cuda tools, release $1, V$1.0' ;; esac"
}

# /usr/local/cuda of the machine the test runs on is not part of the story, and
# the test's own folder stands for Windows' drives.
hide="s|/usr/local/cuda|/nowhere/cuda|; s|/mnt/\\[a-z\\]/|$scratch/windows/|"

setup() {
    sed "$hide" "$m/repo/tools/setup.sh" >"$m/hidden.sh"
    cp "$m/hidden.sh" "$m/repo/tools/setup.sh"
    run env -i PATH="$m/bin" HOME="$m" "$@"
}

# Everything is there; the second time nvcc is not tried.
machine complete
program nvcc "echo \"\$*\" >>$m/calls; $(nvcc_says 13.0)"
setup "$m/repo/tools/setup.sh" grade
expect_status 0
expect "CUDA compiler: $m/bin/nvcc (13.0)"
run cat "$m/repo/build/nvcc-path"
expect "$m/bin/nvcc"
: >"$m/calls"
setup "$m/repo/tools/setup.sh" grade
expect_status 0
[ -z "$out" ] || object "the second run spoke"
run cat "$m/calls"
[ -z "$out" ] || object "the second run called nvcc"
# Packages that somebody else installs or removes are noticed; a goal that is
# met leaves its packages, for build.sh.
for turn in first second; do
    setup SCANLAB_APT=0 "$m/repo/tools/setup.sh" test
    expect_status 2
    expect "tester-package    tests things (command tester)"
    [ ! -e "$m/repo/build/setup-test" ] || object "tests are not set up, $turn"
    program tester :
    setup SCANLAB_APT=0 "$m/repo/tools/setup.sh" test
    expect_status 0
    grep -q '^command tester|tester-package$' "$m/repo/build/setup-test" ||
        object "tests are set up"
    rm "$m/bin/tester" "$m/repo/build/setup-test"
done
# The table grows.
echo 'grade | command linker | linker-package | links' \
    >>"$m/repo/tools/packages.txt"
setup "$m/repo/tools/setup.sh" grade
expect_status 2
expect "linker-package    links (command linker)"

# Another goal asks for its own things, with apt-get out of bounds.
machine forbidden
program nvcc "$(nvcc_says 13.2)"
program apt-get "touch $m/apt-was-called"
setup SCANLAB_APT=0 "$m/repo/tools/setup.sh" docs
expect_status 2
expect "drawer-package    draws things (command drawer)"
expect "sudo apt-get update && sudo apt-get install -y --no-install-recommends drawer-package"
[ ! -e "$m/apt-was-called" ] || object "apt-get was called"
# A file that LaTeX has to find is looked for by kpsewhich.
setup SCANLAB_APT=0 "$m/repo/tools/setup.sh" slides
expect_status 2
expect "letters-package   sets things (tex letters.sty)"
program kpsewhich '[ "$1" = letters.sty ]'
setup SCANLAB_APT=0 "$m/repo/tools/setup.sh" slides
expect_status 0
# Without root and without sudo it is out of bounds as well.
setup "$m/repo/tools/setup.sh" docs
expect_status 2
expect "paste this line"
[ ! -e "$m/apt-was-called" ] || object "apt-get was called"

# Root may install; sudo without a password may, too.
machine root
program nvcc "$(nvcc_says 13.0)"
program id 'echo 0'
program apt-get "echo \"\$*\" >>$m/calls
case \$* in *drawer-package*) cp $m/bin/compiler $m/bin/drawer ;; esac"
setup "$m/repo/tools/setup.sh" docs
expect_status 0
expect "installing them with apt-get"
run cat "$m/calls"
expect "update"
expect "install --no-install-recommends drawer-package"

machine sudo
program nvcc "$(nvcc_says 13.0)"
# shellcheck disable=SC2016 # for the stand-in to expand
program sudo 'shift; exec "$@"'
program true :
program apt-get "case \$* in *drawer-package*) cp $m/bin/compiler \
$m/bin/drawer ;; esac"
setup "$m/repo/tools/setup.sh" docs
expect_status 0

# Two at once: one installs, the other waits for it.
machine together
program nvcc "$(nvcc_says 13.0)"
program id 'echo 0'
program apt-get "echo \"\$*\" >>$m/calls; sleep 0.5
case \$* in *drawer-package*) cp $m/bin/compiler $m/bin/drawer ;; esac"
setup "$m/repo/tools/setup.sh" grade
here="env -i PATH=$m/bin HOME=$m $m/repo/tools/setup.sh docs"
$here >"$m/words" 2>&1 &
run $here
expect_status 0
expect_not "apt-get could not"
wait $! || object "the other failed"
run cat "$m/words" "$m/calls"
[ "$(grep -c '^-q' "$m/calls")" = 2 ] || object "apt-get was called twice"

# What is handed out to students: no tests/, and nothing is installed for them.
machine release
program nvcc "$(nvcc_says 13.0)"
rm -r "$m/repo/tests" "$m/repo/docs" "$m/repo/slides"
for goal in test/tests/ docs/docs/Doxyfile.in slides/slides/; do
    setup "$m/repo/tools/setup.sh" "${goal%%/*}"
    expect_status 2
    expect "this copy of ScanLab has no ${goal#*/}, as"
    expect "make ${goal%%/*}' needs the whole"
    expect_not tester
done
setup "$m/repo/tools/setup.sh" grade
expect_status 0

# apt-get fails: its words, and status 2.
machine no-network
program nvcc "$(nvcc_says 13.0)"
program id 'echo 0'
program apt-get 'echo "E: no route to host"; exit 100'
setup "$m/repo/tools/setup.sh" docs
expect_status 2
expect "E: no route to host"

# No apt-get at all.
machine elsewhere
program nvcc "$(nvcc_says 13.0)"
setup "$m/repo/tools/setup.sh" docs
expect_status 2
expect "with your package manager"
expect_not "sudo"
# Another manager: its names, unless one is not known.
program dnf "touch $m/was-called"
setup "$m/repo/tools/setup.sh" docs
expect_status 2
expect "with your package manager"
echo 'docs | command linker | libinih-dev | links' >>"$m/repo/tools/packages.txt"
program drawer :
for manager in "dnf install -y inih-devel" "zypper install -y libinih-devel" \
    "pacman -S --needed libinih"; do
    rm -f "$m/bin/dnf" "$m/bin/zypper"
    program "${manager%% *}" "touch $m/was-called"
    setup "$m/repo/tools/setup.sh" docs
    expect_status 2
    expect "sudo $manager"
done
echo 'docs | command linker | g++ | links' >>"$m/repo/tools/packages.txt"
setup "$m/repo/tools/setup.sh" docs
expect "sudo pacman -S --needed gcc libinih"
[ ! -e "$m/was-called" ] || object "a package manager was called"

# Under WSL: a word about folders on Windows' drives, once, and only there.
for kernel in 6.6.87.2-microsoft-standard-WSL2 6.1.0-18-amd64; do
    for where in windows home; do
        machine $where/$kernel
        program nvcc "$(nvcc_says 13.0)"
        program uname "echo $kernel"
        setup "$m/repo/tools/setup.sh" grade
        expect_status 0
        case $where/$kernel in
        windows/*microsoft*) expect "on a drive of Windows" ;;
        *) expect_not "on a drive of Windows" ;;
        esac
        setup "$m/repo/tools/setup.sh" grade
        expect_not "on a drive of Windows"
    done
done

# An old toolkit is explained, and the wheels are fetched, privately.
machine old
program nvcc "$(nvcc_says 11.8)"
program pip-stand-in :
program python3 "echo \"\$*\" >>$m/calls
while [ \"\$1\" != --target ]; do shift; done
mkdir -p \"\$2/nvidia/cu13/bin\" \"\$2/nvidia/cu13/lib\"
cp $m/new-nvcc \"\$2/nvidia/cu13/bin/nvcc\""
program ../new-nvcc "$(nvcc_says 13.0)"
setup "$m/repo/tools/setup.sh" grade
expect_status 0
expect "$m/bin/nvcc is CUDA 11.8; ScanLab knows 12.0 to 13.5"
expect "CUDA compiler: $m/repo/build/cuda/bin/nvcc (13.0)"
run cat "$m/calls"
expect "--require-hashes --no-deps"
run ls "$m/repo/build/cuda/lib/"
run readlink "$m/repo/build/cuda/lib/libcudart.so"
expect "libcudart.so.13"

# One of CUDA 12 is used, and nothing is fetched; one that is newer than what is
# known is not.
machine twelve
program nvcc "$(nvcc_says 12.4)"
setup "$m/repo/tools/setup.sh" grade
expect_status 0
expect "CUDA compiler: $m/bin/nvcc (12.4)"
program nvcc "$(nvcc_says 13.6)"
program pip-stand-in :
program python3 'echo "no such host"; exit 1'
rm "$m/repo/build/setup-nvcc"
setup "$m/repo/tools/setup.sh" grade
expect_status 2
expect "$m/bin/nvcc is CUDA 13.6; ScanLab knows 12.0 to 13.5"

# A version that was asked for: installed, pinned, or neither.
machine asked
program nvcc "$(nvcc_says 13.0)"
mkdir -p "$m/home/bin"
program ../home/bin/nvcc "$(nvcc_says 12.6)"
setup SCANLAB_CUDA=12.6 CUDA_HOME="$m/home" "$m/repo/tools/setup.sh" grade
expect_status 0
expect "CUDA compiler: $m/home/bin/nvcc (12.6)"
setup CUDA_HOME="$m/home" "$m/repo/tools/setup.sh" grade
expect "CUDA compiler: $m/bin/nvcc (13.0)"
setup SCANLAB_CUDA=12.9 CUDA_HOME="$m/home" "$m/repo/tools/setup.sh" grade
expect_status 2
expect "SCANLAB_CUDA=12.9: no nvcc of that version works here"
program pip-stand-in :
program python3 "echo \"\$*\" >>$m/calls
while [ \"\$1\" != --target ]; do shift; done
mkdir -p \"\$2/nvidia/cu13/bin\" \"\$2/nvidia/cu13/lib\"
cp $m/new-nvcc \"\$2/nvidia/cu13/bin/nvcc\""
program ../new-nvcc "$(nvcc_says 13.3)"
setup SCANLAB_CUDA=13.3 "$m/repo/tools/setup.sh" grade
expect_status 0
expect "CUDA compiler: $m/repo/build/cuda-13.3/bin/nvcc (13.3)"
run cat "$m/calls"
expect "cuda-wheels-13.3.txt"

# pip fails: status 2, and no half of a compiler stays.
machine no-pip-network
program pip-stand-in :
program python3 'echo "no such host"; exit 1'
setup "$m/repo/tools/setup.sh" grade
expect_status 2
expect "no such host"
run ls "$m/repo/build"
expect_not "cuda"

# What the user names is used or refused, never passed over.
machine named
program nvcc "$(nvcc_says 13.0)"
setup SCANLAB_NVCC=/nowhere/nvcc "$m/repo/tools/setup.sh" grade
expect_status 2
expect "SCANLAB_NVCC=/nowhere/nvcc cannot be used"

# A compiler that does not compile is not taken.
machine broken
program nvcc "$(nvcc_says 13.0)
[ \"\$1\" = --version ] || { echo 'cicc: not found'; exit 1; }"
program pip-stand-in :
program python3 'exit 1'
setup "$m/repo/tools/setup.sh" grade
expect_status 2
expect "cicc: not found"
expect "cannot compile and link a kernel"

setup "$m/repo/tools/setup.sh" nonsense
expect_status 2
expect "usage:"

# The real table is well-formed.
run awk -F'|' '/^#/ { next } NF != 4 || $2 !~ /^ (command|header|module|python|pure|tex) /' \
    "$root/tools/packages.txt"
[ -z "$out" ] || object "packages.txt has lines that setup.sh cannot read"
# And every package of `make grade` has its names elsewhere.
run awk -F' *[|] *' 'FILENAME ~ /elsewhere/ && NF == 4 { known[$1] }
    FILENAME !~ /elsewhere/ && /^(grade|serve|wheels) / && !($3 in known)' \
    "$root/tools/packages-elsewhere.txt" "$root/tools/packages.txt"
[ -z "$out" ] || object "packages-elsewhere.txt lacks a package"
finish
