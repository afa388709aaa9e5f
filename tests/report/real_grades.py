#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""real_grades.py SCANLAB OUT c|cuda: grades one submission for each kind of
outcome, looks at the numbers and holds every grade against the schema."""
import base64
import json
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
import page_data  # noqa: E402
from graded import handed_in  # noqa: E402

sys.path.append("/usr/lib/python3/dist-packages")
try:
    import report_formats  # noqa: E402
except ImportError as why:
    print(f"SKIP: {why} (Debian: python3-jsonschema)")
    sys.exit(77)
SCANLAB, OUT = sys.argv[1], pathlib.Path(sys.argv[2])


def folder(name, source, patch=None, more=""):
    """A submission of one file."""
    where = OUT / name
    where.mkdir(parents=True)
    target = where / ("cpu_scan.c" if name.startswith("c-") else "naive.cu")
    shutil.copy(ROOT / source, target)
    if patch:
        subprocess.run(["patch", "--silent", target, ROOT / patch], check=True)
    handed_in(where)
    with target.open("a") as file:
        file.write(more)
    return where


def grade(lab, where, *options):
    path = OUT / f"{where.name}.json"
    subprocess.run([SCANLAB, "grade", lab, *options, "--submission", where,
                    "--seed", "1", "--device", "vgpu", "--format", "json", "-v",
                    "-o", path, "--leaderboard", "--report",
                    f"html={path.with_suffix('.html')}",
                    *(word for name in report_formats.READERS for word in
                      ("--report", f"{name}={path.with_suffix('.' + name)}"))],
                   cwd=ROOT, check=False)
    for name in report_formats.READERS:
        report = path.with_suffix("." + name)
        report_formats.agrees(report, json.loads(path.read_text()))
        if str(ROOT) in report.read_text():
            sys.exit(f"{report}: a path of this machine")
    return path


def outcomes(path):
    """Those of the checks that did not pass, by kind."""
    whole = json.loads(path.read_text())
    return {check["outcome"]["kind"]: check
            for lab in whole["labs"] for check in lab["checks"]
            if check["outcome"]}


def same(name, got, wanted):
    if got != wanted:
        sys.exit(f"{name}: {got}, expected {wanted}")


def in_c():
    right = "reference/cpu_scan.c"
    cases = {
        "c-right": (right, None, ""),
        "c-stub": ("student/cpu_scan.c", None, ""),
        "c-broken": (right, None, "this is not C;\n"),
        "c-wrong": (right, "tests/mutants/cpu-scan/"
                    "inclusive-leaves-itself-out.patch", ""),
        "c-forks": ("tests/cheats/cpu-scan.forks.c", None, ""),
        "c-crashes": ("tests/cheats/cpu-scan.stack-overflow.c", None, ""),
        "c-writes": ("tests/cheats/cpu-scan.writes-past-the-end.c", None, ""),
    }
    only = {"c-right": "speed-threads", "c-wrong": "inclusive"}
    paths = {name: grade("cpu-scan", folder(name, *what),
                         *(["--check", only[name]] if name in only else []))
             for name, what in cases.items()}
    found = {name: outcomes(path) for name, path in paths.items()}
    # Beside other work its threads may be slow: a check without points.
    same("right", set(found["c-right"]) - {"ratio"}, set())
    check = json.loads(paths["c-right"].read_text())["labs"][0]["checks"][0]
    same("turns", check["measured"]["ratio"]["turns"] > 0, True)
    same("stub", "not-implemented" in found["c-stub"], True)
    same("skipped", found["c-stub"]["needs"]["status"], "skip")
    same("broken", list(found["c-broken"]), ["not-compiled"])
    same("refused", "refused" in json.dumps(found["c-forks"]), True)
    same("crash", "crashed" in found["c-crashes"], True)
    past = found["c-writes"]["access-outside-out"]["outcome"]
    same("past the end", [past["case"]["n"], *(f["id"] for f in past["facts"])],
         [0, "access-outside-out", "crashes-unwatched"])
    same("its line", [past["place"]["file"], past["place"]["line"] > 0],
         ["cpu_scan.c", True])
    shown = found["c-wrong"]["difference"]["source"]
    same("where it stores", ("does", True) in [
        (line["kind"], "out[" in line["text"]) for line in shown], True)
    same("no line of the stub",
         any("cpu_inclusive_scan(" in line["text"] for line in shown), False)
    line = past["place"]["line"]
    words = (OUT / "c-writes/cpu_scan.c").read_text().split("\n")[line - 1]
    same("its words", words in [
        e["lines"][line - e["first"]] for e in excerpts(paths["c-writes"])
        if e["here"] == line], True)
    wrong = found["c-wrong"]["difference"]["outcome"]["difference"]
    window, first = wrong["window"], wrong["first"]
    at = first["index"] - window["from"]
    same("shape", wrong["shape"]["id"], "exclusive-for-inclusive")
    same("expected", window["expected"][at], first["expected"])
    same("got", window["got"][at], first["got"])
    same("input", (first["expected"] - first["got"] - window["in"][at]) % 2**32,
         0)
    return list(paths.values())


def excerpts(path):
    """Of the source, in the page of a grade."""
    page = page_data.data(path.with_suffix(".html").read_text())
    return [e for lab in page["labs"] for check in lab["checks"]
            for e in check["view"].get("excerpts") or []]


# A kernel that is launched once, first, and reads more than all steps do.
READER = """
__global__ void read_apart(const volatile int32_t *src) {
    for (int k = 0; k < 16; k++)
        src[threadIdx.x % 124 * 8 + k % 8]; // most sectors
}
"""


def name_most(where):
    """Where most of a count comes from is what the profile says."""
    path = grade("naive", where, "--check", "traffic", "--report",
                 f"text={where}.txt")
    check = outcomes(path)["bound"]
    n = str(check["outcome"]["case"]["n"])
    most = [f for f in check["outcome"]["facts"] if f["id"] == "most-of-count"]
    profile = json.loads(subprocess.run(
        [SCANLAB, "profile", "naive", "--submission", where, "-n", n,
         "--format", "json"], cwd=ROOT, check=True, text=True,
        stdout=subprocess.PIPE).stdout)
    sectors = "global_read_sectors"
    line = max(profile["lines"], key=lambda one: one["counts"][sectors])
    launches = profile["launches"]
    own = [k for k, one in enumerate(launches, 1)
           if one["kernel"] == line["kernel"]]
    wanted = {"id": "most-of-count", "counter": sectors, "share": round(
        100 * line["counts"][sectors] / profile["counts"][sectors]),
        "file": "naive.cu", "line": line["where"]["line"],
        "kernel": line["kernel"]}
    if len(own) == 1:
        wanted |= {"launch": own[0], "launches": len(launches)}
    else:
        wanted["times"] = len(own)
    same("most", most, [wanted])
    said = (f"Of the {sectors}, {wanted['share']} % come from naive.cu:"
            f"{wanted['line']} in kernel {wanted['kernel']}, ")
    for report in path, path.with_suffix(".html"), f"{where}.txt":
        words = " ".join(pathlib.Path(report).read_text().split())
        same(f"{report} says it", said in words, True)
    source = (where / "naive.cu").read_text().split("\n")
    page = page_data.data(path.with_suffix(".html").read_text())
    hottest = [check["view"]["hottest"] for lab in page["labs"]
               for check in lab["checks"] if check["view"].get("hottest")]
    row = hottest[0]["rows"][0]
    same("the hottest line", (hottest[0]["counter"], row["place"], row["words"].strip()),
         (sectors, f"naive.cu:{wanted['line']}", source[wanted["line"] - 1].strip()))
    return path, source[wanted["line"] - 1], wanted


def with_kernels(name, kernels, *launches):
    """The reference that launches more kernels, first."""
    where = folder(name, "reference/naive.cu")
    target = where / "naive.cu"
    text = target.read_text().replace(
        "\ncudaError_t naive_inc", kernels + "\ncudaError_t naive_inc", 1)
    target.write_text(text.replace("    unsigned blocks =", "".join(
        f"    {one}(d_in);\n" for one in launches) + "    unsigned blocks =",
        1))
    return where


def most_facts(path, check_id, fact="most-of-count"):
    whole = json.loads(path.read_text())
    return [{key: f[key] for key in f if key not in ("id", "line", "share")}
            for lab in whole["labs"] for check in lab["checks"]
            if check["id"] == check_id
            for f in check["outcome"]["facts"] if f["id"] == fact]


def several_launches():
    """Of several launches, or kernels, that run the line."""
    known = {"counter": "global_read_sectors", "file": "naive.cu"}
    uneven = grade("naive", with_kernels(
        "uneven", READER, "read_apart<<<1, 32>>>", "read_apart<<<1, 256>>>"),
        "--check", "traffic")
    same("uneven", most_facts(uneven, "traffic"), [
        known | {"kernel": "read_apart", "times": 2, "launch": 2,
                 "launches": 12}])
    both = READER.replace("__global__", "__device__") + "".join(
        f"__global__ void {name}(const int32_t *src) {{ read_apart(src); }}\n"
        for name in ("first", "second"))
    shared = grade("naive", with_kernels(
        "shared", both, "first<<<1, 128>>>", "second<<<1, 256>>>"),
        "--check", "traffic")
    same("shared", most_facts(shared, "traffic"), [
        known | {"kernels": 2, "kernel": "second", "launch": 2,
                 "launches": 12}])
    return [uneven, shared]


def read_apart():
    path, line, most = name_most(with_kernels("apart", READER,
                                              "read_apart<<<1, 256>>>"))
    same("its line", "// most sectors" in line, True)
    same("its launch", (most["launch"], most["launches"]), (1, 11))
    return path


def in_cuda():
    naive = "tests/mutants/naive/"
    slow = grade("naive", folder("many", "reference/naive.cu",
                                 naive + "copies-back.patch"))
    same("launches", most_facts(slow, "launches", "most-of-launches"), [
        {"launches": 20, "times": 10, "kernel": "hillis_steele_step"}])
    _, line, _ = name_most(OUT / "many")
    same("the line of the steps", "src[i]" in line, True)
    race = grade("naive", folder("race", "reference/naive.cu",
                                 naive + "in-place.patch"))
    check = outcomes(slow)["bound"]
    broken = [b for b in check["measured"]["bounds"] if not b["holds"]]
    same("bound", "global_read_sectors" in [b["counter"] for b in broken], True)
    same("over it", broken[0]["count"] > broken[0]["bound"], True)
    same("variables", broken[0]["variables"]["n"], check["outcome"]["case"]["n"])
    found = outcomes(race)["finding"]["outcome"]
    same("finding", found["finding"]["kind"], "global-race")
    for place in found["place"], found["finding"]["other_access"]:
        same("place", place["file"], "naive.cu")
        same("line", place["line"] > 0, True)
        same("thread", len(place["thread"]), 3)
    page = race.with_suffix(".html").read_text()
    same("two accesses", "the earlier access: naive.cu:" in page, True)
    has_pictures(race.with_suffix(".prairielearn"))
    return [slow, race, read_apart(), on_the_clock(), *several_launches(),
            *shows_lines()]


def on_the_clock():
    """A count under the clock says so."""
    path = grade("naive", folder("clock", "reference/naive.cu"),
                 "--check", "depth")
    check = json.loads(path.read_text())["labs"][0]["checks"][0]
    same("clock", check["measured"]["case"]["clock"], "pram")
    same("sizes", check["measured"]["case"]["n"] in check["sizes"], True)
    return path


# Of a wrong submission's first failure: the lines that its report shows.
SHOWN = {
    ("bank-conflicts", "pads-by-h", "padded-words"): {
        "value-from": "last / h;"}, # the first wrong step is the stub's
    ("sam", "orders-share-place", "orders"): {
        "here": "b.sum(", "earlier-access": "b.sum(",
        "index-from": "sums[slot * places + place]"},
    ("chained", "waits-for-itself", "inclusive"): {
        "here": "do word =", "called-in": "receive(&statuses[tile])"},
    ("lookback", "stops-at-aggregate", "serially"): {
        "value-from": "flag << 32"},
    ("naive", "wrong-parity", "tiny"): {
        "launch": "hillis_steele_step<<<", "gives-value": "int32_t *dst = scratch;"},
    ("naive", "launch-unchecked", "errors"): {"here": "hillis_steele_step<<<"},
}


def shows_lines():
    """Where a wrong value, word or error was made, not where it was noticed."""
    paths = []
    for (lab, mutant, check), wanted in SHOWN.items():
        name = f"{lab.replace('-', '_')}.cu"
        where = OUT / f"lines-{mutant}"
        where.mkdir()
        shutil.copy(ROOT / "reference" / name, where)
        subprocess.run(["patch", "--silent", where / name,
                        ROOT / f"tests/mutants/{lab}/{mutant}.patch"],
                       check=True)
        handed_in(where)
        paths.append(grade(lab, where, "--check", check))
        graded = json.loads(paths[-1].read_text())["labs"][0]["checks"]
        lines = (where / name).read_text().split("\n")
        shown = graded[0]["source"]
        for kind, words in wanted.items():
            same(f"{mutant} shows {kind}", any(
                line["kind"] == kind and word in line["text"] for line in shown
                for word in ([words] if isinstance(words, str) else words)), True)
        writer = graded[0]["outcome"]["writer"]
        same(f"{mutant}: a writer", writer is not None, mutant == "stops-at-aggregate")
        if writer:
            same("what it had read", [f["means"] for f in writer["read"][
                "word"]["fields"]], ["AGGREGATE", None])
        for line in shown:
            same(f"{mutant}: line {line['line']}", line["text"],
                 lines[line["line"] - 1])
            same(f"{mutant}: its page", any(
                0 <= line["line"] - e["first"] < len(e["lines"])
                for e in excerpts(paths[-1])), True)
    return paths


def has_pictures(path):
    pictures = [image["url"] for test in json.loads(path.read_text())["tests"]
                for image in test["images"]]
    same("pictures", len(pictures) > 0, True)
    for url in pictures:
        xml.etree.ElementTree.fromstring(base64.b64decode(url.split(",")[1]))
    report_formats.names_count(path)


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    grades = in_c() if sys.argv[3] == "c" else in_cuda()
    return subprocess.run([ROOT / "tools/grade_schema.py", *grades],
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
