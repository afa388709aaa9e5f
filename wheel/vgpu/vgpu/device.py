# SPDX-License-Identifier: MIT
"""A virtual GPU for tests in Python: load PTX, launch kernels, look at what they did.

    import vgpu
    gpu = vgpu.Device(schedule="random:7")
    add = gpu.load(ptx).kernel("add")
    a = gpu.array([1, 2, 3], "i4", name="a")
    out = gpu.zeros(3, "i4", name="out")
    add.launch(1, 32, a, out, 3)
    assert out.tolist() == [2, 4, 6]
    assert not gpu.findings(), gpu.findings()[0]["text"]
    print(gpu.counts()["global_read_sectors"])

How to read this: the library's functions (web/engine/web.h) take numbers and texts and
answer with numbers and JSON. A call that fails raises vgpu.Error with the device's words.
A Device is for one thread at a time. It lives until close(), or the end of a `with`.
"""
import ctypes
import json
import pathlib
import re
import struct

# struct's letters for the types of arrays: as numpy and the array module call them.
TYPES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I",
         "i8": "q", "u8": "Q", "f4": "f", "f8": "d"}
# A call of the library: its answer, and its arguments behind the device.
TEXT, NUMBER, WHOLE, BYTES = ctypes.c_char_p, ctypes.c_double, ctypes.c_int, ctypes.c_void_p
SIZE, COUNT = ctypes.c_size_t, ctypes.c_uint
CALLS = {"set": (WHOLE, TEXT, TEXT), "open": (WHOLE,), "close": (None,),
         "failed": (TEXT, WHOLE), "load": (WHOLE, TEXT, SIZE), "kernel": (WHOLE, WHOLE, TEXT),
         "malloc": (WHOLE, NUMBER), "address": (NUMBER,), "free": (WHOLE, NUMBER),
         "write": (WHOLE, NUMBER, BYTES, SIZE), "read": (WHOLE, BYTES, NUMBER, SIZE),
         "fill": (WHOLE, NUMBER, WHOLE, NUMBER), "name": (WHOLE, NUMBER, TEXT, COUNT),
         "launch": (WHOLE, WHOLE, BYTES, NUMBER, BYTES, SIZE), "say": (TEXT, TEXT),
         "say_kernel": (TEXT, WHOLE)}
# Options of a Device, as Python spells them, and as the library does.
OPTIONS = {"schedule": "schedule", "memory_model": "memoryModel", "contents": "contents",
           "checks": "checks", "profile": "profile", "clock": "clock", "steps": "steps",
           "why": "why", "longest_turn": "longestTurn", "budget": "budget",
           "memory_bytes": "memoryBytes"}


class Error(Exception):
    """What the device says of a call that failed. `status`: its number."""

    def __init__(self, words, status=1):
        super().__init__(words)
        self.status = status


def library(path=None):
    """The library at `path`; else the one beside this file."""
    path = pathlib.Path(path or pathlib.Path(__file__).parent / "libvgpu_calls.so")
    try:
        calls = ctypes.CDLL(str(path))
    except OSError as trouble:
        raise Error(f"the virtual GPU's library cannot be loaded: {trouble}") from None
    calls.web_new.restype, calls.web_new.argtypes = ctypes.c_void_p, ()
    for name, (answer, *arguments) in CALLS.items():
        call = getattr(calls, f"web_{name}")
        call.restype, call.argtypes = answer, (ctypes.c_void_p, *arguments)
    return calls


def three(size):
    """A grid or a block: a number, or up to three."""
    numbers = list(size) if hasattr(size, "__iter__") else [size]
    if not 1 <= len(numbers) <= 3:
        raise Error(f"a grid or a block has one to three numbers, not {size!r}")
    return [int(n) for n in numbers] + [1] * (3 - len(numbers))


class Array:
    """Memory of the device. `bytes` and `address` as a kernel sees them."""

    def __init__(self, device, address, n, kind):
        self.device, self.address, self.n, self.kind = device, address, n, kind
        self.bytes = n * struct.calcsize(TYPES[kind])

    def __len__(self):
        return self.n

    def write(self, values):
        """As many numbers as it has elements, from 0 on; fewer leave the rest."""
        data = pack_all(values, self.kind)
        if len(data) > self.bytes:
            raise Error(f"{len(data)} bytes for an array of {self.bytes}")
        self.device.call("write", self.address, data, len(data))

    def tolist(self):
        into = ctypes.create_string_buffer(self.bytes)
        self.device.call("read", into, self.address, self.bytes)
        return list(struct.unpack(f"={self.n}{TYPES[self.kind]}", into.raw))

    def fill(self, byte):
        self.device.call("fill", self.address, byte, self.bytes)

    def free(self):
        self.device.call("free", self.address)


def pack_all(values, kind):
    """The bytes of numbers, or of what has `tobytes` and elements of this size (numpy)."""
    if kind not in TYPES:
        raise Error(f"no type {kind!r}: one of {' '.join(TYPES)}")
    if isinstance(values, (bytes, bytearray)):
        return bytes(values)
    if hasattr(values, "tobytes"):
        if values.itemsize != struct.calcsize(TYPES[kind]):
            raise Error(f"elements of {values.itemsize} bytes are no {kind}")
        return values.tobytes()
    values = list(values)
    try:
        return struct.pack(f"={len(values)}{TYPES[kind]}", *values)
    except struct.error as trouble:
        raise Error(f"{kind}: {trouble}") from None


class Kernel:
    """`info`: what the device says of it: parameters, shared and local bytes."""

    def __init__(self, device, number):
        self.device, self.number = device, number
        self.info = json.loads(device.call("say_kernel", number))

    def argument(self, k, value):
        """An array is its address; a float fills 4 or 8 bytes, a whole number 1 to 8."""
        size = self.info["paramSize"][k]
        if isinstance(value, Array):
            value = value.address
        if isinstance(value, (bytes, bytearray)):
            data = bytes(value)
        elif isinstance(value, float):
            data = struct.pack("=f" if size == 4 else "=d", value)
        else:
            whole = int(value)
            if not -(1 << 8 * size - 1) <= whole < 1 << 8 * size:
                raise Error(f"parameter {k} has {size} bytes, too few for {value}")
            data = (whole % (1 << 8 * size)).to_bytes(size, "little")
        if len(data) != size:
            raise Error(f"parameter {k} has {size} bytes, not {len(data)}")
        return data

    def launch(self, grid, block, *arguments, shared_bytes=0):
        """Runs to the end. Raises Error where CUDA would say so; what checks saw is in
        findings()."""
        wanted = len(self.info["paramSize"])
        if len(arguments) != wanted:
            raise Error(f"{self.info['name']} has {wanted} parameters, not {len(arguments)}")
        block_of = bytearray(self.info["paramBytes"])
        for k, value in enumerate(arguments):
            data = self.argument(k, value)
            at = self.info["paramOffset"][k]
            block_of[at:at + len(data)] = data
        size = struct.pack("=6I", *three(grid), *three(block))
        self.device.call("launch", self.number, size, shared_bytes, bytes(block_of),
                         len(block_of))


class Module:
    def __init__(self, device, number, names):
        self.device, self.number, self.names = device, number, names

    def kernel(self, name):
        """By its name in the PTX, or in the source where that is clear."""
        found = [name] if name in self.names else [
            n for n in self.names if re.match(rf"_Z(N\w*?)?{len(name)}{re.escape(name)}", n)]
        if len(found) != 1:
            raise Error(f"{'several kernels are' if found else 'there is no kernel'} "
                        f"called {name!r}: {', '.join(found or self.names) or 'none'}")
        return Kernel(self.device, self.device.call("kernel", self.number, found[0].encode()))


class Device:
    """A virtual GPU. Options, all of them as `vgpu --help` has them: schedule
    ("in-order", "reverse", "random:SEED"), memory_model ("sc", "weak:SEED"), contents,
    checks ("all", "none" or names with commas), profile ("teach", "h200" ...), clock
    (None, "h200" ...), steps, why, longest_turn, budget, memory_bytes."""

    def __init__(self, *, calls=None, **options):
        self.calls = calls or library()
        self.handle = self.calls.web_new()
        if not self.handle:
            raise Error("no memory for a device", 2)
        try:
            for name, value in options.items():
                if name not in OPTIONS:
                    raise Error(f"no option {name}: one of {', '.join(OPTIONS)}")
                if value is None:
                    continue
                word = str(int(value)) if isinstance(value, bool) else str(value)
                if self.calls.web_set(self.handle, OPTIONS[name].encode(), word.encode()):
                    raise Error(f"{name} cannot be {value!r}")
            self.call("open")
        except Error:
            self.close()
            raise

    def call(self, name, *arguments):
        """A function of the library. Its status: raised where it is none of success."""
        if not self.handle:
            raise Error("the device is closed")
        answer = getattr(self.calls, f"web_{name}")(self.handle, *arguments)
        if CALLS[name][0] is not WHOLE or not answer:
            return answer
        if name in ("load", "kernel") and answer > 0:
            return answer
        said = self.calls.web_failed(self.handle, abs(answer))
        raise Error(said.decode(errors="replace"), abs(answer))

    def close(self):
        if self.handle:
            self.calls.web_close(self.handle)
        self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- programs and memory ----

    def load(self, ptx):
        """PTX, as `nvcc -ptx -lineinfo` writes it: with -lineinfo findings have lines."""
        text = ptx.encode() if isinstance(ptx, str) else bytes(ptx)
        number = self.call("load", text + b"\0", len(text) + 1)
        names = re.findall(rb"\.entry\s+([\w$.]+)", text)
        return Module(self, number, [n.decode() for n in names])

    def empty(self, n, kind, name=None):
        """Elements that nobody has written: to read one before is a finding."""
        size = len(pack_all([0], kind))
        self.call("malloc", n * size)
        array = Array(self, int(self.calls.web_address(self.handle)), n, kind)
        if name:
            self.call("name", array.address, name.encode(), size)
        return array

    def zeros(self, n, kind, name=None):
        array = self.empty(n, kind, name)
        array.fill(0)
        return array

    def array(self, values, kind, name=None):
        data = pack_all(values, kind)
        array = self.empty(len(data) // len(pack_all([0], kind)), kind, name)
        self.call("write", array.address, data, len(data))
        return array

    # ---- what was seen ----

    def seen(self, what):
        said = self.call("say", what.encode())
        if said is None:
            raise Error(f"the device says nothing of {what}")
        return json.loads(said.decode(errors="replace"))

    def findings(self):
        """A list: each with kind, text, file, line, block, thread ..."""
        return self.seen("findings")

    def incomplete(self):
        """The checks that met a limit: there may be findings that they missed."""
        return self.seen("incomplete")

    def counts(self):
        """By name, as `vgpu --help counts` has them; what is 0 is left out."""
        return self.seen("counts")

    def launches(self):
        """With a clock each has modelPs, its model time in picoseconds."""
        return self.seen("launches")

    def lines(self):
        return self.seen("lines")

    def model(self):
        """Where model time went: with clock and why=True."""
        return self.seen("model")

    def printed(self):
        """What kernels have printed since the last call."""
        return self.seen("printed")

    def steps(self):
        """Every write, with steps=True: who wrote what, from what."""
        return self.seen("steps")
