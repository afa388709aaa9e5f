# SPDX-License-Identifier: MIT
"""action_test.py ROOT BUILD [fetch]: the steps of kits/vgpu-action, run as GitHub's
runner runs them, with the inputs of the example's workflow and a wheel from a file:
the right program passes; without its __syncwarp() the job fails, with the race, the
line and a summary; another SHA-256, an address without https and a program that is
not there fail, too. `fetch` (nightly): with the compiler that the action installs, and
with the public sample of example/public-sample.yml, whose races fail the job.

    PUBLIC_SAMPLE=FILE    the sample, instead of fetching it; also without `fetch`
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("SKIP: no PyYAML (Debian: python3-yaml)")
    sys.exit(77)

ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
FETCH = "fetch" in sys.argv[3:]
ACTION = ROOT / "kits/vgpu-action"
NOT_FETCHED = re.compile(r"No matching distribution|Connection|Temporary failure|timed out|"
                         r"Max retries|Could not resolve|curl: \(", re.I)
SAMPLE = os.environ.get("PUBLIC_SAMPLE")


def check(holds, what, said=""):
    if not holds:
        sys.exit(f"{what}\n{said}")


def wheel(work):
    subprocess.run(["cmake", "--install", BUILD, "--component", "scanlab", "--prefix",
                    work / "installed"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([ROOT / "wheel/make.py", work / "out", "--programs",
                    work / "installed/lib/scanlab", "naive"], check=True, capture_output=True,
                   env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
    [path] = (work / "out").glob("vgpu-*.whl")
    return path


class Job:
    """A job of one action: steps in a folder, with what a runner keeps between them."""

    def __init__(self, place):
        self.place = place
        for name in ("temp", "path", "env", "summary"):
            (place / name).mkdir(parents=True) if name == "temp" else (place / name).touch()
        self.said = ""

    def environment(self):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("VGPU_", "SCANLAB_", "PYTHON", "LD_"))}
        if FETCH: # no other nvcc
            env["PATH"] = "/usr/local/bin:/usr/bin:/bin"
            env.pop("CUDA_HOME", None)
        else:
            nvcc = (BUILD / "nvcc-path").read_text().strip()
            env["PATH"] = f"{pathlib.Path(nvcc).parent}:{env['PATH']}"
        for line in (self.place / "path").read_text().splitlines():
            env["PATH"] = f"{line}:{env['PATH']}"
        for line in (self.place / "env").read_text().splitlines():
            name, _, value = line.partition("=")
            env[name] = value
        return {**env, "GITHUB_ACTION_PATH": str(ACTION), "RUNNER_TEMP": str(self.place / "temp"),
                "GITHUB_PATH": str(self.place / "path"), "GITHUB_ENV": str(self.place / "env"),
                "GITHUB_STEP_SUMMARY": str(self.place / "summary")}

    def step(self, step, inputs):
        """Its exit status; 0 where its condition does not hold."""
        def filled(text):
            return re.sub(r"\$\{\{ *inputs\.(\w+) *\}\}", lambda m: inputs[m[1]], text)
        condition = re.fullmatch(r"inputs\.(\w+) != ''", step.get("if", "inputs.wheel != ''"))
        if not inputs[condition[1]]:
            return 0
        script = self.place / "script"
        script.write_text(filled(step["run"]))
        env = {**self.environment(),
               **{name: filled(value) for name, value in step.get("env", {}).items()}}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
                              cwd=ROOT, env=env,
                              text=True, errors="replace", stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said += done.stdout
        if FETCH and done.returncode and NOT_FETCHED.search(done.stdout):
            print(f"SKIP: not fetched: {done.stdout[-600:]}")
            sys.exit(77)
        return done.returncode


def run(place, **given):
    """(the job, the name of the step that failed or None)"""
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    inputs = {name: str(one.get("default", "")) for name, one in action["inputs"].items()}
    check(set(given) <= set(inputs), f"the action has no such input: {set(given) - set(inputs)}")
    job = Job(place)
    for step in action["runs"]["steps"]:
        check(step["shell"] == "bash", "a composite action's step names its shell")
        if job.step(step, {**inputs, **given}):
            return job, step["name"]
    return job, None


def inputs_of(workflow):
    """What a workflow of the example gives to the action."""
    example = yaml.safe_load((ACTION / "example" / workflow).read_text())
    [used] = [step["with"] for step in example["jobs"]["vgpu"]["steps"]
              if step["uses"].endswith("kits/vgpu-action")]
    return used


def public_sample(work, given):
    """Its second launch also sums words that nobody wrote, so its own check fails, too."""
    used = inputs_of("public-sample.yml")
    build = used["build"].replace("sumReduction.cu", f"{work}/sumReduction.cu") \
        .replace(f"device_function/{work}/", "device_function/") \
        .replace("-o sumReduction ", f"-o {work}/sumReduction ")
    check("curl " in build and "sha256sum -c" in build, "it is fetched and held to its sum", build)
    if SAMPLE:
        build = re.sub(r"^curl .*$", f"cp '{SAMPLE}' {work}/sumReduction.cu", build, flags=re.M)
    elif not FETCH:
        return
    try:
        job, failed = run(work / "public", **{**given, "build": build,
                                              "run": used["run"].replace("./", f"{work}/")})
    except SystemExit as end: # all else has passed
        check(end.code == 77, end.code)
        return
    check(failed == "Run" and len(re.findall(r"^\d+\. shared-race in kernel sum_reduction",
                                             job.said, re.M)) == 5,
          f"five lines of the public sample race: {failed} failed", job.said)
    print("the public sample: five lines race, and the job fails")


def main():
    used = inputs_of("workflow.yml")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        file = wheel(work)
        given = {**used, "wheel": str(file), "nvcc": used["nvcc"] if FETCH else "",
                 "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        # Not into the checkout.
        given["build"] = given["build"].replace("-o reduce", f"-o {work}/reduce")
        given["run"] = given["run"].replace("./reduce", f"{work}/reduce")
        job, failed = run(work / "right", **given)
        check(failed is None and "no findings" in job.said, f"right: {failed}", job.said)

        wrong = {**given, "build": given["build"].replace("-DRIGHT", "")}
        job, failed = run(work / "wrong", **wrong)
        summary = (work / "wrong/summary").read_text()
        check(failed == "Run", f"the race passed: {failed}", job.said)
        check("::error title=vgpu::" in job.said and "reduce.cu:22" in job.said, "no race",
              job.said)
        check("shared-race" in summary and "exit status 86" in summary, "no summary", summary)

        right = {**given, "build": ""}
        for name, step, changed in (
                ("hash", "Install", {"sha256": "0" * 64}),
                ("address", "Install", {"wheel": "http://localhost/vgpu.whl", "sha256": ""}),
                ("compile", "Build", {"build": "nvcc nowhere.cu"}),
                ("program", "Run", {"run": "\n./nowhere\ntrue\n"})):
            job, failed = run(work / name, **{**right, **changed})
            check(failed == step, f"{name}: {failed} failed", job.said)
            check(name == "compile" or "::error" in job.said, f"{name}: no error is shown",
                  job.said)
        summary = (work / "program/summary").read_text()
        check("`true`: exit status 0" in summary, "a program is left out behind one that failed",
              summary)
        public_sample(work, given)
    print("the action runs: right, wrong, and where it cannot")


if __name__ == "__main__":
    main()
