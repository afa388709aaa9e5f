// SPDX-License-Identifier: MIT
//
// device.js: the virtual GPU for JavaScript: a device with modules, memory,
// launches, and what it saw. It calls the functions of web/engine/web.h, whose
// arguments are numbers and texts. vgpu.d.ts has the types; docs/web.md says how
// to use it.
//
// How to read this: emscripten's program is `createVgpuCore`, which gives the
// *core*: memory (HEAPU8) and functions. A call that fails throws a VgpuError
// with the device's words; anything else that is thrown (a RuntimeError of
// WebAssembly) leaves the core unusable.
"use strict";

const vgpu = (() => {
    class VgpuError extends Error {
        constructor(status, words) {
            super(words);
            this.name = "VgpuError";
            this.status = status;
        }
    }

    // bytes: vgpu.wasm, or the WebAssembly.Module that was made of it.
    const openCore = async (bytes) => {
        const module = bytes instanceof WebAssembly.Module ? bytes
                       : await WebAssembly.compile(bytes);
        return createVgpuCore({
            instantiateWasm: (imports, done) => {
                WebAssembly.instantiate(module, imports)
                    .then((instance) => done(instance, module));
                return {};
            },
            print: () => {}, printErr: () => {},
        });
    };

    const TYPES = {
        u8: Uint8Array, i8: Int8Array, u16: Uint16Array, i16: Int16Array,
        u32: Uint32Array, i32: Int32Array, f32: Float32Array,
        f64: Float64Array, u64: BigUint64Array, i64: BigInt64Array,
    };
    const bytesOf = (view) =>
        new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

    // A kernel's parameters as one block of bytes. A number must be whole; a
    // float is a Float32Array or a Float64Array of one element.
    const pack = (info, args) => {
        const sizes = info.paramSize;
        if (args.length !== sizes.length)
            throw new VgpuError(1, `${info.name} has ${sizes.length} ` +
                                `parameters, not ${args.length}`);
        const block = new Uint8Array(info.paramBytes);
        args.forEach((arg, k) => {
            const at = info.paramOffset[k];
            if (ArrayBuffer.isView(arg)) {
                if (arg.byteLength !== sizes[k])
                    throw new VgpuError(1, `parameter ${k} of ${info.name} ` +
                                        `has ${sizes[k]} bytes, not ` +
                                        `${arg.byteLength}`);
                block.set(bytesOf(arg), at);
                return;
            }
            let rest = BigInt(arg); // throws where it is not whole
            for (let b = 0; b < sizes[k]; b++, rest >>= 8n)
                block[at + b] = Number(rest & 0xffn);
        });
        return block;
    };

    class Device {
        #core; #web; #infos = [];

        constructor(core, options = {}) {
            this.#core = core;
            this.#web = core._web_new();
            if (!this.#web) throw new VgpuError(2, "no memory for a device");
            try {
                for (const [name, value] of Object.entries(options))
                    this.#set(name, value);
                this.#must(core._web_open(this.#web));
            } catch (error) {
                if (error instanceof VgpuError) this.close();
                throw error;
            }
        }

        #set(name, value) {
            if (value === undefined) return;
            const word = Array.isArray(value) ? value.join(",") || "none"
                         : value === true ? "1" : value === false ? "0"
                         : String(value);
            const bad = this.#with([name, word], (a, b) =>
                this.#core._web_set(this.#web, a, b));
            if (bad) throw new VgpuError(1, `no option ${name}: ${word}`);
        }

        // ---- texts and bytes in the core's memory ----

        #put(bytes) {
            const at = this.#core._malloc(bytes.length + 1);
            if (!at) throw new VgpuError(2, "the page has no more memory");
            this.#core.HEAPU8.set(bytes, at);
            this.#core.HEAPU8[at + bytes.length] = 0;
            return at;
        }

        #with(what, call) {
            const at = [];
            try {
                for (const one of what)
                    at.push(this.#put(typeof one === "string"
                                      ? new TextEncoder().encode(one) : one));
                return call(...at);
            } finally {
                at.forEach((one) => this.#core._free(one));
            }
        }

        #text(at) {
            if (!at) return null;
            const heap = this.#core.HEAPU8;
            return new TextDecoder().decode(
                heap.subarray(at, heap.indexOf(0, at)));
        }

        #must(status) {
            if (!status) return;
            throw new VgpuError(status, this.#text(
                this.#core._web_failed(this.#web, status)));
        }

        #number(answer) {
            if (answer < 0) this.#must(-answer);
            return answer;
        }

        // ---- modules, memory, launches ----

        load(ptx) {
            const bytes = new TextEncoder().encode(ptx);
            return this.#number(this.#with([bytes], (at) =>
                this.#core._web_load(this.#web, at, bytes.length + 1)));
        }

        kernel(module, name) {
            const k = this.#number(this.#with([name], (at) =>
                this.#core._web_kernel(this.#web, module, at)));
            this.#infos[k] = JSON.parse(this.#text(
                this.#core._web_say_kernel(this.#web, k)));
            return k;
        }

        info(kernel) {
            return this.#infos[kernel];
        }

        malloc(bytes, name, elementBytes = 0) {
            this.#must(this.#core._web_malloc(this.#web, bytes));
            const address = this.#core._web_address(this.#web);
            if (name)
                this.#must(this.#with([name], (at) => this.#core._web_name(
                    this.#web, address, at, elementBytes)));
            return address;
        }

        free(address) {
            this.#must(this.#core._web_free(this.#web, address));
        }

        write(address, data) {
            this.#must(this.#with([bytesOf(data)], (at) =>
                this.#core._web_write(this.#web, address, at,
                                      data.byteLength)));
        }

        // Into `to`, which is also the answer.
        read(address, to) {
            const at = this.#put(new Uint8Array(to.byteLength));
            try {
                this.#must(this.#core._web_read(this.#web, at, address,
                                                to.byteLength));
                bytesOf(to).set(this.#core.HEAPU8.subarray(
                    at, at + to.byteLength));
                return to;
            } finally {
                this.#core._free(at);
            }
        }

        fill(address, byte, bytes) {
            this.#must(this.#core._web_fill(this.#web, address, byte, bytes));
        }

        launch(kernel, {grid, block, sharedBytes = 0}, args) {
            const three = (size) => [...[size].flat(), 1, 1].slice(0, 3);
            const size = new Uint32Array([...three(grid), ...three(block)]);
            if (!this.#infos[kernel]) throw new VgpuError(1, "no such kernel");
            const params = pack(this.#infos[kernel], args);
            this.#must(this.#with([bytesOf(size), params], (a, b) =>
                this.#core._web_launch(this.#web, kernel, a, sharedBytes, b,
                                       params.length)));
        }

        // ---- what else a program's host code asks (vgpu_asked.h) ----

        copy(to, from, bytes) {
            this.#must(this.#core._web_copy(this.#web, to, from, bytes));
        }

        // Reading the bytes before they are written is a mistake.
        unwritten(address, bytes) {
            this.#must(this.#core._web_unwritten(this.#web, address, bytes));
        }

        // The allocation is not the program's: it is no leak.
        own(address) {
            this.#must(this.#core._web_own(this.#web, address));
        }

        protect(address, readOnly) {
            this.#must(this.#core._web_protect(this.#web, address,
                                               Number(readOnly)));
        }

        nameElements(address, name, first, elementBytes) {
            this.#must(this.#with([name], (at) =>
                this.#core._web_name_elements(this.#web, address, at, first,
                                              elementBytes)));
        }

        dynamic(kernel, bytes) {
            this.#must(this.#core._web_dynamic(this.#web, kernel, bytes));
        }

        // size: grid and block, six numbers; params: bytes.
        launchBytes(kernel, size, sharedBytes, params, cooperative) {
            const call = cooperative ? this.#core._web_launch_cooperative
                                     : this.#core._web_launch;
            this.#must(this.#with([bytesOf(Uint32Array.from(size)), params],
                (a, b) => call(this.#web, kernel, a, sharedBytes, b,
                               params.length)));
        }

        // ---- what was seen: the rows of web/engine/web_says.def ----

        saying(what) { // as text
            const text = this.#with([what], (at) => this.#text(
                this.#core._web_say(this.#web, at)));
            if (text === null) throw new VgpuError(2, `nothing says ${what}`);
            return text;
        }
        counts() { return JSON.parse(this.saying("counts")); }
        findings() { return JSON.parse(this.saying("findings")); }
        incomplete() { return JSON.parse(this.saying("incomplete")); }
        launches() { return JSON.parse(this.saying("launches")); }
        lines() { return JSON.parse(this.saying("lines")); }
        model() { return JSON.parse(this.saying("model")); }
        printed() { return JSON.parse(this.saying("printed")); }
        steps() { return JSON.parse(this.saying("steps")); }

        close() {
            if (this.#web) this.#core._web_close(this.#web);
            this.#web = 0;
        }
    }

    // ---- a program: one request, one answer ----

    const SAYS = ["counts", "findings", "incomplete", "launches", "lines",
                  "model", "printed", "steps"];

    // ---- calls of a host that were recorded: [word, ...] (html_runs.c) ----

    // As runs_bytes there packs them: vgpu_asked.h's data.
    const bytesIn = (text) => {
        const kind = text[0], [letters, size] = text.slice(1).split(".");
        const from = Uint8Array.from(atob(letters), (c) => c.charCodeAt(0));
        const each = {b: 1, h: 2}[kind] ?? 4;
        const to = new Uint8Array(kind === "=" ? Number(size)
                                  : from.length / each * 4);
        for (let i = 0; i < to.length; i++)
            if (i % 4 < each)
                to[i] = from[kind === "=" ? i % 4
                             : Math.floor(i / 4) * each + i % 4];
        return to;
    };

    const did = {
        load: () => {}, unload: () => {},
        malloc: ({device}, at, bytes) => {
            const address = device.malloc(bytes);
            if (address !== at)
                throw new VgpuError(1, "memory lies elsewhere than when the " +
                                    "calls were recorded");
        },
        free: ({device}, at) => device.free(at),
        write: ({device}, at, data) => device.write(at, bytesIn(data)),
        // What the host did next may depend on it.
        read: (run, at, bytes, data) => {
            if (data === null) return;
            const found = run.device.read(at, new Uint8Array(bytes));
            const was = bytesIn(data);
            run.differs ||= found.some((byte, i) => byte !== was[i]);
        },
        copy: ({device}, to, from, bytes) => device.copy(to, from, bytes),
        fill: ({device}, at, bytes, byte) => device.fill(at, byte, bytes),
        unwritten: ({device}, at, bytes) => device.unwritten(at, bytes),
        own: ({device}, at) => device.own(at),
        protect: ({device}, at, value) => device.protect(at, value),
        name: (run, at, name, first, element) => {
            run.arrays.set(name, {at, first, element});
            run.device.nameElements(at, name, first, element);
        },
        dynamic: (run, kernel, bytes) =>
            run.device.dynamic(run.kernelOf(kernel), bytes),
        launch: (run, kernel, size, shared, params, cooperative) => {
            run.isOther ||= run.differs;
            run.device.launchBytes(run.kernelOf(kernel), size, shared,
                                   bytesIn(params), cooperative);
        },
    };

    // The calls up to those that free an output; then outcome.arrays has what
    // request.outputs names: [[name, type, length], ...].
    const runCalls = (device, request, outcome) => {
        const module = device.load(request.ptx), kernels = new Map();
        const run = {device, arrays: new Map(), differs: false, isOther: false,
                     kernelOf: (k) => {
            if (!kernels.has(k))
                kernels.set(k, device.kernel(module, request.kernels[k]));
            return kernels.get(k);
        }};
        const isOutput = (at) => request.outputs.some(
            ([name]) => run.arrays.get(name)?.at === at);
        for (const [word, ...rest] of request.calls) {
            if (word === "free" && isOutput(rest[0])) break;
            did[word](run, ...rest);
        }
        outcome.isOther = run.isOther;
        outcome.before = {}; // elements before an output's first
        for (const [name, type, length] of request.outputs) {
            const {at, first, element} = run.arrays.get(name);
            outcome.before[name] = element ? (first - at) / element : 0;
            if (length)
                outcome.arrays[name] = device.read(first,
                                                   new TYPES[type](length));
        }
    };

    const runOn = (device, request, outcome) => {
        if (request.calls) {
            runCalls(device, request, outcome);
            return;
        }
        const module = device.load(request.ptx);
        const kernels = new Map(), addresses = new Map();
        for (const [name, b] of Object.entries(request.buffers ?? {})) {
            const Type = TYPES[b.type];
            if (!Type) throw new VgpuError(1, `no type ${b.type}`);
            const data = b.data && Type.from(b.data);
            const length = b.length ?? data?.length ?? 0;
            const size = Type.BYTES_PER_ELEMENT;
            addresses.set(name, device.malloc(length * size, name, size));
            if (data) device.write(addresses.get(name), data);
            if (b.fill !== undefined)
                device.fill(addresses.get(name), b.fill, length * size);
        }
        const value = (arg) => typeof arg === "string"
            ? addresses.get(arg) ?? arg : arg;
        try {
            for (const l of request.launches) {
                if (!kernels.has(l.kernel))
                    kernels.set(l.kernel, device.kernel(module, l.kernel));
                device.launch(kernels.get(l.kernel), l, l.args.map(value));
            }
        } catch (error) {
            if (!(error instanceof VgpuError)) throw error;
            outcome.failed = {status: error.status, words: error.message};
        }
        if (outcome.failed) return;
        for (const name of request.reads ?? []) {
            const b = request.buffers[name];
            const Type = TYPES[b.type];
            outcome.arrays[name] = device.read(
                addresses.get(name), new Type(b.length ?? b.data.length));
        }
    };

    // A VgpuError becomes outcome.failed; what else is thrown ends the core.
    const run = (core, request) => {
        const outcome = {failed: null, arrays: {}, ms: 0, heapBytes: 0};
        const begin = performance.now();
        let device = null;
        try {
            device = new Device(core, request.options);
            runOn(device, request, outcome);
        } catch (error) {
            if (!(error instanceof VgpuError)) throw error;
            outcome.failed = {status: error.status, words: error.message};
        }
        if (device) {
            for (const what of request.say ?? SAYS)
                outcome[what] = JSON.parse(device.saying(what));
            device.close();
        }
        outcome.ms = performance.now() - begin;
        outcome.heapBytes = core.HEAPU8.length;
        return outcome;
    };

    return {openCore, Device, VgpuError, run, TYPES};
})();
