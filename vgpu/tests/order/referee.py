#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ordercheck against a referee: random programs of up to four streams.

  referee.py VGPU NVCC FOLDER SEED PROGRAMS

Makes PROGRAMS programs from the seed, compiles them (kernels.cu beside this
file has the kernels), runs each under `vgpu --check ordercheck`, and compares
what is found with what follows from the list of operations: a graph with an
edge wherever CUDA's documentation orders two operations or the host, and its
transitive closure. It shares nothing with the virtual GPU's clocks. FOLDER is
for what is compiled.

A finding must be a race of the graph. Each operation that races with one before
it must be named; of accesses by host code at least one must be named for each
operation that they are too early for, since an operation is told of once.
"""
import json
import pathlib
import random
import subprocess
import sys

KERNELS = 24
FIRST_KERNEL_LINE = 5  # of kernels.cu: K(0)
SLOTS, SLOT = 4, 64  # of a buffer; bytes
DEVICE, PINNED, PAGEABLE = ("d0", "d1"), ("p0", "p1"), ("h0",)
LEGACY, THREAD = 0, 1
STREAMS = ("0", "cudaStreamPerThread", "s2", "s3", "s4", "s5")
BLOCKING = (True, True, True, True, False, False)
HEAD = """// Made by referee.py
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""
SETUP = """static char *d0, *d1, *p0, *p1, *h0, *q;
static cudaStream_t s2, s3, s4, s5;
static cudaEvent_t e[3];
static volatile int sink;
static void look(void *p) { sink += *(volatile int *)p; }
static void begin(void) {
    cudaStreamCreate(&s2);
    cudaStreamCreate(&s3);
    cudaStreamCreateWithFlags(&s4, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s5, cudaStreamNonBlocking);
    for (int k = 0; k < 3; k++) cudaEventCreateWithFlags(&e[k], cudaEventDisableTiming);
    cudaMalloc((void **)&d0, 256);
    cudaMalloc((void **)&d1, 256);
    cudaHostAlloc((void **)&p0, 256, 0);
    cudaHostAlloc((void **)&p1, 256, 0);
    h0 = (char *)malloc(256);
    memset(h0, 0, 256), memset(p0, 0, 256), memset(p1, 0, 256);
    cudaMemset(d0, 0, 256), cudaMemset(d1, 0, 256);
    cudaDeviceSynchronize();
}
"""


class Op:
    """One line of a program: what it uses, in which stream, what it orders."""

    def __init__(self, kind, text, stream=None, uses=(), **more):
        self.kind, self.text, self.stream, self.uses = kind, text, stream, uses
        self.event = more.get("event")
        self.waited = more.get("waited", False)
        self.before = more.get("before", ())  # of a node: indices of its graph's nodes
        self.kernel = more.get("kernel")
        self.line = 0


def place(buffer, slot):
    return f"{buffer} + {slot * SLOT}"


def use(buffer, slot, write):
    return (buffer, slot, write)


def pick_use(rng, buffers):
    return rng.choice(buffers), rng.randrange(SLOTS)


def make_kernel(rng, number, stream, buffers):
    (a, i), (b, j) = pick_use(rng, buffers), pick_use(rng, buffers)
    text = f"launch{number}((int *)({place(a, i)}), (int *)({place(b, j)}), {STREAMS[stream]});"
    return Op("kernel", text, stream, (use(a, i, False), use(b, j, True)), kernel=number)


def make_copy(rng, stream, buffers, waits):
    (a, i), (b, j) = pick_use(rng, buffers + PAGEABLE), pick_use(rng, buffers + PAGEABLE)
    if a == b and i == j:
        j = (j + 1) % SLOTS
    host = [x for x in (a, b) if x not in DEVICE and x != "q"]
    call = f"({place(b, j)}, {place(a, i)}, {SLOT}, cudaMemcpyDefault"
    uses = tuple(x for x in (use(a, i, False), use(b, j, True)) if x[0] not in PAGEABLE)
    if waits:
        return Op("copy", f"cudaMemcpy{call});", LEGACY, uses, waited=bool(host))
    # Into memory that is not pinned, and from the host to the host, it waits.
    return Op("copy", f"cudaMemcpyAsync{call}, {STREAMS[stream]});", stream, uses,
              waited=b in PAGEABLE or {a, b} <= {*PINNED, *PAGEABLE})


def make_fill(rng, stream, buffers, waits):
    b, j = pick_use(rng, buffers)
    if waits:
        return Op("fill", f"cudaMemset({place(b, j)}, 1, {SLOT});", LEGACY, (use(b, j, True),),
                  waited=b in PINNED)
    return Op("fill", f"cudaMemsetAsync({place(b, j)}, 1, {SLOT}, {STREAMS[stream]});", stream,
              (use(b, j, True),))


def make_graph(rng, numbers, stream, buffers):
    """A graph of kernels, as operations: the launch, then the nodes."""
    text = ["{ cudaGraph_t g; cudaGraphExec_t x; cudaGraphNode_t n[4]; cudaGraphCreate(&g, 0);"]
    nodes = []
    for k, number in enumerate(numbers):
        (a, i), (b, j) = pick_use(rng, buffers), pick_use(rng, buffers)
        before = tuple(m for m in range(k) if rng.random() < 0.4)
        listed = ", ".join(f"n[{m}]" for m in before) or "0"
        text.append(
            f"{{ char *a = {place(a, i)}, *b = {place(b, j)}; void *args[] = {{&a, &b}}; "
            f"cudaKernelNodeParams p = {{}}; p.func = kernel{number}(); p.gridDim = dim3(1); "
            f"p.blockDim = dim3(16); p.kernelParams = args; cudaGraphNode_t w[] = {{{listed}}}; "
            f"cudaGraphAddKernelNode(&n[{k}], g, w, {len(before)}, &p); }}")
        nodes.append(Op("node", "", stream, (use(a, i, False), use(b, j, True)), before=before,
                        kernel=number))
    text.append("cudaGraphInstantiate(&x, g, 0); "
                f"cudaGraphLaunch(x, {STREAMS[stream]}); cudaGraphExecDestroy(x); "
                "cudaGraphDestroy(g); }")
    return [Op("graph", " ".join(text), stream)] + nodes


def make_host(rng, stream):
    b, j = pick_use(rng, PINNED)
    which = rng.randrange(3)
    if which == 0:
        return Op("host", f"sink += *(volatile int *)({place(b, j)});", None, (use(b, j, False),))
    if which == 1:
        return Op("host", f"*(volatile int *)({place(b, j)}) = 5;", None, (use(b, j, True),))
    return Op("function", f"cudaLaunchHostFunc({STREAMS[stream]}, look, {place(b, j)});", stream,
              (use(b, j, False),))


def make_order(rng, stream):
    event, which = rng.randrange(3), rng.randrange(10)
    if which < 4:
        return Op("record", f"cudaEventRecord(e[{event}], {STREAMS[stream]});", stream, event=event)
    if which < 7:
        return Op("wait", f"cudaStreamWaitEvent({STREAMS[stream]}, e[{event}], 0);", stream,
                  event=event)
    if which == 7:
        return Op("host_event", f"cudaEventSynchronize(e[{event}]);", event=event)
    if which == 8:
        return Op("host_stream", f"cudaStreamSynchronize({STREAMS[stream]});", stream)
    return Op("host_all", "cudaDeviceSynchronize();")


def whole(buffer):
    return tuple(use(buffer, k, True) for k in range(SLOTS))


def make_program(rng):
    streams = rng.sample(range(len(STREAMS)), rng.randrange(1, 5))
    buffers, ops, kernels, has_pool = DEVICE + PINNED, [], 0, False
    for _ in range(rng.randrange(4, 19)):
        stream, dice = rng.choice(streams), rng.random()
        if dice < 0.30 and kernels < KERNELS:
            ops.append(make_kernel(rng, kernels, stream, buffers))
            kernels += 1
        elif dice < 0.45:
            ops.append(make_copy(rng, stream, buffers, rng.random() < 0.2))
        elif dice < 0.52:
            ops.append(make_fill(rng, stream, buffers, rng.random() < 0.2))
        elif dice < 0.56 and kernels + 3 <= KERNELS:
            ops += make_graph(rng, range(kernels, kernels + 3), stream, buffers)
            kernels += 3
        elif dice < 0.60 and not has_pool:
            ops.append(Op("alloc", f"cudaMallocAsync((void **)&q, 256, {STREAMS[stream]});", stream,
                          whole("q")))
            ops.append(Op("fill", f"cudaMemsetAsync(q, 0, 256, {STREAMS[stream]});", stream,
                          whole("q")))
            has_pool, buffers = True, buffers + ("q",)
        elif dice < 0.75:
            ops.append(make_host(rng, stream))
        else:
            ops.append(make_order(rng, stream))
    if has_pool and rng.random() < 0.7:
        stream = rng.choice(streams)
        ops.append(Op("free", f"cudaFreeAsync(q, {STREAMS[stream]});", stream, whole("q")))
    if rng.random() < 0.3:
        b = rng.choice(PINNED)
        ops.append(Op("free_host", f"cudaFreeHost({b});", None, whole(b)))
    return ops


# ---- the graph ----

class Graph:
    """Who comes before whom: sets of all that come before a node."""

    def __init__(self):
        self.before = []

    def node(self, parents):
        self.before.append(set().union(*(self.before[p] | {p} for p in parents)))
        return len(self.before) - 1

    def is_before(self, a, b):
        return a in self.before[b]


class Tails:
    """The last node of each stream, of the host, of each event."""

    def __init__(self, graph):
        self.graph = graph
        self.host = graph.node([])
        self.streams = [[] for _ in STREAMS]  # nodes that all come before what is next
        self.events = {}

    def parents(self, stream):
        """CUDA, "Stream synchronization behavior": the legacy stream waits for all blocking
        streams, and they for it."""
        found = [self.host] + self.streams[stream]
        if stream == LEGACY:
            for other, tail in enumerate(self.streams):
                found += tail if BLOCKING[other] else []
        elif BLOCKING[stream]:
            found += self.streams[LEGACY]
        return found

    def enqueue(self, stream):
        node = self.graph.node(self.parents(stream))
        self.streams[stream] = [node]
        return node

    def wait(self, nodes):
        self.host = self.graph.node([self.host] + nodes)


def is_of_host(op):
    return op.kind in ("host", "free_host")


def order(ops):
    """The graph, and for each operation its node (None: it only orders)."""
    graph = Graph()
    tails, nodes, launched, members = Tails(graph), [], [], []
    for op in ops:
        node = None
        if op.kind == "graph":
            launched, members = tails.parents(op.stream), []
        elif op.kind == "node":
            node = graph.node(launched + [members[k] for k in op.before])
            members.append(node)
            tails.streams[op.stream] = list(launched) + list(members)
        elif op.kind == "record":
            tails.events[op.event] = tails.enqueue(op.stream)
        elif op.kind == "wait":
            tails.streams[op.stream] = [graph.node(
                tails.parents(op.stream) + [tails.events[op.event]]
                if op.event in tails.events else tails.parents(op.stream))]
        elif op.kind == "host_event":
            tails.wait([tails.events[op.event]] if op.event in tails.events else [])
        elif op.kind == "host_stream":
            tails.wait(tails.parents(op.stream))
        elif op.kind == "host_all":
            tails.wait([n for tail in tails.streams for n in tail])
        elif is_of_host(op):
            tails.host = node = graph.node([tails.host])
        else:
            node = tails.enqueue(op.stream)
            if op.waited:
                tails.wait([node])
        nodes.append(node)
    return graph, nodes


def races(ops):
    """Pairs (later, earlier) of indices that use the same bytes, one of them writing, without an
    order between them."""
    graph, nodes = order(ops)
    found = set()
    for b, later in enumerate(ops):
        for a in range(b):
            earlier = ops[a]
            if nodes[a] is None or nodes[b] is None:
                continue
            if is_of_host(earlier) or graph.is_before(nodes[a], nodes[b]):
                continue
            if earlier.kind == "function":
                continue  # what a host function did is not remembered
            if any(x[:2] == y[:2] and (x[2] or y[2]) for x in earlier.uses for y in later.uses):
                found.add((b, a))
    return found


# ---- programs ----

def write_programs(programs, path):
    lines = HEAD.splitlines()
    for k in range(KERNELS):
        lines.append(f"void launch{k}(const int *, int *, cudaStream_t); void *kernel{k}(void);")
    lines += SETUP.splitlines()
    for number, ops in enumerate(programs):
        lines.append(f"static void program{number}(void) {{")
        for op in ops:
            if op.text:
                lines.append(op.text)
            op.line = len(lines)  # a node's is its launch's
        lines.append("}")
    lines.append("static void (*const all[])(void) = {")
    lines += [f"program{k}," for k in range(len(programs))]
    lines += ["};", "int main(int n, char **words) {", "(void)n, begin(), all[atoi(words[1])]();",
              "cudaDeviceSynchronize();", "puts(\"end\");", "}"]
    path.write_text("\n".join(lines) + "\n")


def index_of(ops, where):
    """The operation that a place means."""
    file, line = pathlib.Path(where["file"] or "?").name, where["line"]
    for k, op in enumerate(ops):
        if file == "kernels.cu" and op.kernel is not None:
            if line == FIRST_KERNEL_LINE + op.kernel:
                return k
        elif file != "kernels.cu" and op.kind not in ("kernel", "node") and op.line == line:
            return k
        elif file != "kernels.cu" and op.kind == "function" and line == LOOK_LINE:
            return k
    return None


LOOK_LINE = len(HEAD.splitlines()) + KERNELS + 1 + next(
    k for k, line in enumerate(SETUP.splitlines()) if "void look" in line)


def functions_of(ops, where):
    """A host function's access stands on one line, whichever operation it is."""
    at = pathlib.Path(where["file"] or "?").name
    if at != "kernels.cu" and where["line"] == LOOK_LINE:
        return [k for k, op in enumerate(ops) if op.kind == "function"]
    k = index_of(ops, where)
    return [] if k is None else [k]


def compare(ops, findings):
    """What is wrong, in words."""
    expected, wrong = races(ops), []
    named, told = set(), set()
    for f in findings:
        if f["kind"] not in ("stream-race", "host-race", "early-free"):
            wrong.append(f"finding {f['kind']}: {f['message']}")
            continue
        nows = functions_of(ops, f["where"])
        before = index_of(ops, f["before"]["where"])
        pairs = [(b, before) for b in nows if (b, before) in expected]
        if not pairs:
            wrong.append(f"no race: {nows} and {before}: {f['message']}")
        named |= {b for b, _ in pairs}
        told |= {a for b, a in pairs if is_of_host(ops[b]) or ops[b].kind == "function"}
    for b in sorted({b for b, _ in expected}):
        earlier = {a for later, a in expected if later == b}
        is_host = ops[b].kind in ("host", "function")
        if b not in named and not (is_host and earlier & told):
            wrong.append(f"not named: {b} ({ops[b].text}) races with {sorted(earlier)}")
    return wrong


def show(ops, number, wrong):
    print(f"program {number}:")
    for k, op in enumerate(ops):
        print(f"  {k:2} line {op.line} {op.kind} stream {op.stream} {op.text} {op.uses} "
              f"{op.before}")
    for line in wrong:
        print(f"  WRONG {line}")


def run(vgpu, program, number):
    report = program.with_name(f"{program.name}.{number}.json")
    ended = subprocess.run([vgpu, "--check", "ordercheck", "--format", "json", "-o", report,
                            program, str(number)], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    findings = json.loads(report.read_text())["findings"]
    report.unlink()
    return findings if "end" in ended.stdout else [
        {"kind": "crash", "message": ended.stdout[-300:]}]


def main():
    vgpu, nvcc, folder, seed, n = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(int(seed))
    programs = [make_program(rng) for _ in range(int(n))]
    source = folder / f"order{seed}.cpp"
    program = folder / f"order{seed}"
    write_programs(programs, source)
    here = pathlib.Path(__file__).resolve().parent
    subprocess.run([nvcc, "-cudart", "shared", "-g", "-lineinfo", "-arch=compute_75", "-o", program,
                    source, here / "kernels.cu"], check=True)
    n_wrong = n_racy = n_pairs = 0
    for number, ops in enumerate(programs):
        wrong = compare(ops, run(vgpu, program, number))
        pairs = races(ops)
        n_racy += bool(pairs)
        n_pairs += len(pairs)
        if wrong:
            n_wrong += 1
            if n_wrong <= 5:
                show(ops, number, wrong)
    print(f"{n} programs, seed {seed}: {n_racy} with races ({n_pairs} pairs), "
          f"{n_wrong} not as the referee has them")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
