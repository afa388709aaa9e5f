# SPDX-License-Identifier: MIT
"""A Slurm of one machine and one user: munged, slurmctld and slurmd of the
system's packages, in a folder of their own, on ports that were free. Nothing of
the system's own Slurm, if there is one, is used or touched."""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

PROGRAMS = "munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo"
SBIN = "/usr/sbin:/sbin:"
CONF = """
ClusterName=scanlab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
MailProg=/bin/true
ReturnToService=2
KillWait=2
MinJobAge=10
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=65536 Gres=gpu:1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Programs that are not installed."""
    return [p for p in PROGRAMS if not shutil.which(p, path=SBIN + os.environ["PATH"])]


def free_ports(n):
    held = [socket.socket() for _ in range(n)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Slurm:
    def __init__(self, cpus=2):
        # Names of sockets are short.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-"))
        for name in "munge", "state", "spool":
            (self.folder / name).mkdir(0o755)
        self.folder.chmod(0o755)
        self.children = []
        host = socket.gethostname().split(".")[0]
        # A GPU that Slurm counts; there need be none.
        (self.folder / "gres.conf").write_text("Name=gpu File=/dev/null\n")
        conf = self.folder / "slurm.conf"
        conf.write_text(CONF.format(host=host, folder=self.folder, cpus=cpus,
                                    ports=free_ports(2), user="root" if os.getuid() == 0
                                    else os.environ.get("USER") or os.getlogin()))
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith(("SLURM", "SBATCH"))} | {
                                "SLURM_CONF": str(conf),
                                "PATH": SBIN + os.environ["PATH"]}
        try:
            self.begin()
        except BaseException:
            self.end()
            raise

    def start(self, *words):
        with open(self.folder / (words[0] + ".said"), "ab") as said:
            child = subprocess.Popen(words, env=self.environment, stdout=said,
                                     stderr=said, stdin=subprocess.DEVNULL)
        self.children.append(child)
        return child

    def say(self, *words):
        return subprocess.run(words, env=self.environment, text=True, check=False,
                              capture_output=True).stdout

    def begin(self):
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.start("munged", "--foreground", "--force", "--key-file", key, "--socket",
                   self.folder / "munge/socket", "--pid-file", self.folder / "munge/pid",
                   "--log-file", self.folder / "munge/log", "--seed-file",
                   self.folder / "munge/seed")
        self.until(lambda: (self.folder / "munge/socket").exists(), "munged")
        self.controller = self.start("slurmctld", "-D", "-c")
        self.daemon = self.start("slurmd", "-D")
        self.until(lambda: self.say("sinfo", "-h", "-o", "%T").strip() == "idle", "slurmd")

    def until(self, holds, what):
        latest = time.monotonic() + 60
        while not holds():
            if time.monotonic() > latest or any(c.poll() is not None for c in self.children):
                raise RuntimeError(f"{what} did not begin: " + "".join(
                    path.read_text(errors="replace")[-2000:]
                    for path in [*self.folder.glob("*.said"), *self.folder.glob("*.log"),
                                 *self.folder.glob("munge/log")]))
            time.sleep(0.1)

    def end(self):
        for child in reversed(self.children):
            child.terminate()
        for child in self.children:
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
