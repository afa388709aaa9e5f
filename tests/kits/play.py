# SPDX-License-Identifier: MIT
"""Plays the machine of a learning system: a root folder that has the system's own
programs, and of ScanLab what a kit has brought; Docker's capabilities; a filter of
calls; a limit on memory and processors.

The root folder is a mount namespace with a chroot in it. SKIP where we are not
root, or may not make one."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, WITHOUT = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/report", "tests/tools", "vgpu/tests/tools")]
sys.path.append("/usr/lib/python3/dist-packages")
try:
    import report_formats  # noqa: E402
except ImportError as why:
    print(f"SKIP: {why} (Debian: python3-jsonschema)")
    sys.exit(77)
SECRET = "the-hidden-check-of-week-seven"
# What Docker leaves to root in a container, by its documentation.
DOCKER = ("chown dac_override fsetid fowner mknod net_raw setgid setuid setfcap setpcap "
          "net_bind_service sys_chroot kill audit_write")
SYSTEM = "usr bin lib lib64 lib32 libx32 sbin etc".split()
ENTER = """set -e
mount -t tmpfs -o mode=755 none "$1"
cd "$1"
mkdir proc tmp dev root home; chmod 1777 tmp; mount -t proc none proc
for name in null zero urandom; do : >dev/$name; mount --bind /dev/$name dev/$name; done
mkdir -p sys/fs/cgroup; mount --rbind /sys/fs/cgroup sys/fs/cgroup
for name in $2; do
    if [ -L "/$name" ]; then cp -P "/$name" "$name"
    elif [ -d "/$name" ]; then mkdir "$name"; mount --rbind "/$name" "$name"; fi
done
for name in $4; do mkdir -p ".$(dirname "$name")"; mkdir -p ".$name"; mount --bind "$3$name" ".$name"; done
: >without; mount --bind "$5" without
shift 5
exec chroot . "$@"
"""


def skip_unless_root():
    tried = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
    if os.geteuid() != 0 or tried.returncode:
        print("SKIP: not root, or no mount namespace is to be had here")
        sys.exit(77)


class Limits:
    """Memory and processor time of all that runs in it (cgroup, version 1 or 2)."""

    def __init__(self, mib, cores):
        self.folders, top, name = [], pathlib.Path("/sys/fs/cgroup"), f"scanlab-kit-{os.getpid()}"
        two = (top / "cgroup.controllers").exists()
        values = {"memory": ("memory.max" if two else "memory.limit_in_bytes", mib << 20),
                  "cpu": ("cpu.max", f"{int(cores * 100000)} 100000") if two else
                  ("cpu.cfs_quota_us", int(cores * 100000))}
        for controller, (file, value) in values.items():
            folder = top / name if two else top / controller / name
            try:
                folder.mkdir(exist_ok=True)
                self.folders.append(folder)
                (folder / file).write_text(str(value))
            except OSError as why:
                print(f"note: no limit on {controller} here: {why}")

    def enter(self):
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    def most_mib(self):
        for folder in self.folders:
            for name in "memory.peak", "memory.max_usage_in_bytes":
                if (folder / name).exists():
                    return int((folder / name).read_text()) >> 20
        return None

    def killed(self):
        """How many processes the kernel has ended for lack of memory; None: not known."""
        for folder in self.folders:
            for name in "memory.events", "memory.oom_control":
                if (folder / name).exists():
                    lines = (folder / name).read_text().splitlines()
                    return next((int(line.split()[1]) for line in lines
                                 if line.startswith("oom_kill ")), None)
        return None

    def close(self):
        for folder in set(self.folders):
            folder.rmdir()


class Machine:
    """folders: those of the place that the system sees at its root, as /autograder."""

    def __init__(self, *folders):
        self.place = pathlib.Path(tempfile.mkdtemp())
        os.chmod(self.place, 0o755)
        self.folders = folders
        for folder in folders:
            (self.place / folder.lstrip("/")).mkdir(parents=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.place)

    def at(self, path):
        return self.place / path.lstrip("/")

    def install(self, prefix):
        """As `make install` does."""
        subprocess.run(["cmake", "--install", BUILD, "--strip", "--prefix", self.at(prefix)],
                       check=True, stdout=subprocess.DEVNULL)

    def run(self, *command, without=None, limits=None, user=None, cwd="/"):
        """without: what the kernel does not have or refuses (tests/walls/without.c)."""
        (self.place / "root").mkdir(exist_ok=True)
        words = ["unshare", "-m", "-n", "sh", "-c", ENTER, "sh", self.place / "root",
                 " ".join(SYSTEM), self.place, " ".join(self.folders), WITHOUT, "setpriv",
                 "--bounding-set", "-all," + ",".join("+" + c for c in DOCKER.split()),
                 "--inh-caps", "-all"]
        if user:
            words += ["--reuid", str(user), "--regid", str(user), "--clear-groups"]
        if without:
            words += ["/without", without]
        words += ["env", "-i", "-C", cwd, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/bin",
                  "HOME=/tmp", *command]
        return subprocess.run(words, capture_output=True, text=True, errors="replace",
                              check=False, timeout=600,
                              preexec_fn=limits.enter if limits else None)


def kit(name, out, *labs, course=None):
    subprocess.run([ROOT / "tools/kit.py", name, out, *labs], check=True,
                   stderr=subprocess.DEVNULL,
                   env={**os.environ, "COURSE": str(course or "")})


def make_course(folder, lab, parent):
    """One more check, whose name is SECRET and which nobody may see."""
    where = folder / lab
    where.mkdir(parents=True)
    (folder / "course.ini").write_text(f"[course]\nseed = 20\nseeds = student\n; {SECRET}\n"
                                       "[lab sam]\ndue = 2030-01-01T00:00Z\n")  # another lab
    (where / "lab.ini").write_text(
        f"[check {SECRET}]\nfunction = inclusive\nkind = correct\ntitle = {SECRET}\npoints = 7\nparent = {parent}\n"
        "sizes = 77\ninputs = random\nvisibility = hidden\n")
    return folder


def solution(source, to):
    """As a student hands it in."""
    text = (ROOT / "reference" / source).read_text()
    (to / source).write_text("#define SOLUTION\n" + text)


def check(holds, what, done=None):
    if holds:
        return
    print(f"FAILED: {what}")
    if done:
        print(f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}")
    sys.exit(1)


def report(system, path):
    """{check: points}, as the system's schema wants it."""
    text = path.read_text()
    return getattr(report_formats, system)(text), text


def gradescope_meta():
    return json.dumps({"id": 1, "created_at": "2026-11-01T14:22:32.365935-07:00",
                       "users": [{"email": "ann@example.edu", "id": 7, "name": "Ann"}],
                       "assignment": {"due_date": "2026-11-30T23:00:00.000000-07:00"},
                       "previous_submissions": []})
