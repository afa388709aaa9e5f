#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bare_test.py ROOT BUILD [SUITE...]: the wheel on distributions from nothing
(debootstrap, minbase) that have Python with pip and nothing else: as a plain user,
`scanlab grade` ends with status 2 and says how to get a compiler; with g++ it grades a
stub and a reference. Prints what it took and how large things are: the table of
docs/machines.md. Needs root and, the first time, archives; roots are kept in
BUILD/bare, 0.5 GB each. nightly, Debian; SUITE of `SUITES` takes others.

    UBUNTU_MIRROR, UBUNTU_KEYRING    where jammy and noble come from
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import fresh

ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
DEBIAN = "http://deb.debian.org/debian"
UBUNTU = os.environ.get("UBUNTU_MIRROR", "http://archive.ubuntu.com/ubuntu")
SUITES = {"bookworm": DEBIAN, "trixie": DEBIAN, "jammy": UBUNTU, "noble": UBUNTU}
PYTHON = "python3,python3-venv,python3-pip,ca-certificates"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# A new root, not chroot(2)'s, in which no namespace of users can be made.
ENTER = """set -e
mount --bind "$1" "$1"; cd "$1"; mkdir -p mnt/old mnt/given
mount --bind -o ro "$2" mnt/given
mount -t proc proc proc; mount --rbind /sys sys; mount --rbind /dev dev
pivot_root . mnt/old; cd /; umount -l /mnt/old
shift 2
exec "$@"
"""
# As the user `student`, who has a home and nothing else.
INSTALL = """set -e
cd; rm -rf environment course .cache
python3 -m venv environment && . environment/bin/activate
now() { date +%s%N; }
start=$(now)
pip install -q --disable-pip-version-check --no-index --find-links /mnt/given/compiler \
    /mnt/given/scanlab-*.whl
installed=$(now)
scanlab new course >/dev/null && cd course
status=0; scanlab grade naive --seed 1 >first 2>&1 || status=$?
verdict=$(now)
echo "status $status"
echo "= pip install $(( (installed - start) / 1000000 )) ms, to the first verdict \
$(( (verdict - start) / 1000000 )) ms, load $(cut -d' ' -f1 /proc/loadavg)"
echo "= the environment $(du -sm ~/environment | cut -f1) MB"
cat first
mkdir -p solved && cp /mnt/given/naive.cu solved/
scanlab grade naive --seed 1 -v -s solved || :
"""


def root_of(suite):
    place = BUILD / "bare" / suite
    if place.exists():
        return place
    if not shutil.which("debootstrap"):
        print("SKIP: no debootstrap (Debian: debootstrap)")
        sys.exit(fresh.SKIPPED)
    part = place.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.parent.mkdir(parents=True, exist_ok=True)
    words = ["debootstrap", "--variant=minbase", f"--include={PYTHON}"]
    if SUITES[suite] == UBUNTU:
        words += ["--components=main,universe"]
        if os.environ.get("UBUNTU_KEYRING"):
            words += [f"--keyring={os.environ['UBUNTU_KEYRING']}"]
    words += [suite, part, SUITES[suite]]
    if SUITES[suite] == UBUNTU:
        words.append("gutsy") # the script of all later ones; debootstrap may know them not
    done = fresh.run(words)
    if done.returncode:
        print(f"SKIP: not fetched: {done.stdout[-600:]}")
        sys.exit(fresh.SKIPPED)
    for package in (part / "var/cache/apt/archives").glob("*.deb"):
        package.unlink()
    fresh.run(["chroot", part, "useradd", "-m", "student"])
    part.rename(place)
    return place


def inside(root, given, *words, user=True):
    who = ["setpriv", "--reuid=student", "--regid=student", "--clear-groups"] if user else []
    home = "/home/student" if user else "/root"
    return fresh.run(
        ["unshare", "-m", "--propagation", "private", "sh", "-c", ENTER, "sh", root, given,
         *who, "env", "-i", f"PATH={PATH}", f"HOME={home}", "DEBIAN_FRONTEND=noninteractive",
         *words], stdin=subprocess.DEVNULL)


def megabytes(folder):
    return subprocess.run(["du", "-smx", folder], text=True, capture_output=True,
                          check=False).stdout.split("\t")[0]


def expect(done, *words):
    missing = [word for word in words if word not in done.stdout]
    if missing:
        sys.exit(f"missing: {missing}\n{done.stdout}")


def walls(said):
    """What the report with -v says of them."""
    lines = said.splitlines()
    first = [k for k, line in enumerate(lines) if line.startswith("Walls")]
    return "\n".join(f"  {line.strip()}" for line in lines[first[0]:first[0] + 8]) \
        if first else "  no word about walls"


def try_in(suite, given, work):
    kept = root_of(suite)
    root = work / suite
    subprocess.run(["cp", "-a", "--reflink=auto", kept, root], check=True)
    shutil.copy("/etc/resolv.conf", root / "etc")
    said = inside(root, given, "sh", "-c", "python3 --version; ldd --version | head -n 1")
    print(f"{suite}: {' '.join(said.stdout.split(chr(10)))}, {megabytes(root)} MB", flush=True)
    done = inside(root, given, "sh", "-c", INSTALL)
    expect(done, "status 2", "gcc and g++ are missing here: sudo apt-get install g++)")
    if (root / "usr/bin/gcc").exists():
        sys.exit(f"{suite} has a gcc from the beginning")
    done = inside(root, given, "sh", "-c", "apt-get -q update && apt-get -q install -y "
                  "--no-install-recommends g++ && apt-get clean", user=False)
    if done.returncode:
        print(f"SKIP: not fetched: {done.stdout[-600:]}")
        sys.exit(fresh.SKIPPED)
    print(f"  with g++ {megabytes(root)} MB")
    done = inside(root, given, "sh", "-c", INSTALL)
    expect(done, "status 1", "TODO  tiny", "100/100")
    print("".join(f"  {line[2:]}\n" for line in done.stdout.splitlines() if line[:2] == "= "),
          walls(done.stdout), sep="", flush=True)
    print(f"  everything then {megabytes(root)} MB")
    shutil.rmtree(root)


def give(given):
    shutil.copy(fresh.build(ROOT, given / "out")["scanlab"], given)
    fresh.fetched([sys.executable, "-m", "pip", "download", "-q", "--no-deps",
                   "--require-hashes", "-d", given / "compiler", "-r",
                   ROOT / "tools/cuda-wheels.txt"])
    solution = fresh.run(["unifdef", "-DSOLUTION", ROOT / "reference/naive.cu"])
    (given / "naive.cu").write_text(solution.stdout)
    for path in [given, *given.rglob("*")]:
        path.chmod(0o755)
    sizes = {path.name.split("-")[0]: path.stat().st_size for path in given.rglob("*.whl")}
    print(f"the wheel {sizes.pop('scanlab') / 1e6:.1f} MB, the compiler's "
          f"{sum(sizes.values()) / 1e6:.1f} MB")


def main():
    tried = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
    if os.geteuid() != 0 or tried.returncode:
        print("SKIP: not root, or no mount namespace is to be had here")
        sys.exit(fresh.SKIPPED)
    (BUILD / "bare").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD / "bare") as folder:
        work = pathlib.Path(folder).resolve()
        given = work / "given"
        given.mkdir()
        give(given)
        for suite in sys.argv[3:] or ("bookworm", "trixie"):
            try_in(suite, given, work)


if __name__ == "__main__":
    main()
