# SPDX-License-Identifier: MIT
"""gpu_test.py: kits/gpu.sh lets one at a time have the GPU, in whatever number they come;
a kill gives it back; a wait may have an end; with a partition Slurm is asked."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

GPU = pathlib.Path(__file__).resolve().parents[2] / "kits/gpu.sh"


def check(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def main():
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        given = {**os.environ, "SCANLAB_GPU_LOCK": str(work / "lock")}
        given.pop("SCANLAB_PARTITION", None)
        log = work / "log"
        one = f"echo begin >>{log}; sleep 0.1; echo end >>{log}"
        several = [subprocess.Popen([GPU, "sh", "-c", one], env=given) for _ in range(6)]
        check(all(child.wait() == 0 for child in several), "one of six failed")
        check(log.read_text() == "begin\nend\n" * 6, "two had the GPU at once")
        check(subprocess.run([GPU, "sh", "-c", "exit 7"], env=given,
                             check=False).returncode == 7, "another exit status")
        holder = subprocess.Popen([GPU, "sleep", "60"], env=given)
        for _ in range(200):
            waits = subprocess.run([GPU, "true"], env={**given, "SCANLAB_WAIT": "0.2"},
                                   check=False).returncode
            if waits == 75:
                break
            time.sleep(0.05)  # it has not begun yet
        check(waits == 75, "the wait has no end")
        holder.kill()
        holder.wait()
        check(subprocess.run([GPU, "true"], env=given, check=False, timeout=60).returncode == 0,
              "who was killed keeps the GPU")
        (work / "srun").write_text('#!/bin/sh\necho "$@"\n')
        (work / "srun").chmod(0o755)
        said = subprocess.run([GPU, "scanlab", "grade", "a b"], text=True, capture_output=True,
                              check=False, env={**given, "SCANLAB_PARTITION": "gpu",
                                                "PATH": f"{work}:{os.environ['PATH']}"}).stdout
        check(said == "--partition=gpu --gres=gpu:1 --ntasks=1 --exclusive scanlab grade a b\n",
              f"Slurm is asked otherwise: {said}")


if __name__ == "__main__":
    main()
