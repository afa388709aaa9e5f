// SPDX-License-Identifier: MIT
//
// common.mjs: what the tests in node share: the engine of build/web, the teaching
// kernels, a kernel's run by words as native.c reads them.
import {readFileSync, readdirSync} from "node:fs";
import {join, basename} from "node:path";
import {Worker} from "node:worker_threads";
import {pathToFileURL} from "node:url";

export const [, , web, wasmBuild, ...rest] = process.argv;
export const engine = await import(pathToFileURL(join(web, "vgpu.mjs")));
export const bytes = readFileSync(join(web, "vgpu.wasm"));

export const require = (holds, what) => {
    if (holds) return;
    console.log(`FAILED: ${what}`);
    process.exit(1);
};

// The teaching kernels: {name, ptx, path, entry, args}.
const folder = join(wasmBuild, "web/kernels");
export const kernels = readdirSync(folder).filter((f) => f.endsWith(".ptx"))
    .sort().map((file) => {
        const ptx = readFileSync(join(folder, file), "utf8");
        const name = basename(file, ".ptx");
        return {name, ptx, path: join(folder, file),
                entry: /^\.visible \.entry (\w+)/m.exec(ptx)[1],
                args: name.startsWith("message")
                      ? "numbers,results,n,flags" : "numbers,results,n"};
    });
require(kernels.length >= 7, `${kernels.length} kernels in ${folder}`);

export const numberAt = (i) => (Math.imul(i, 0x9e3779b1) >>> 28) - 7;
const SAYS = ["counts", "findings", "incomplete", "launches", "lines", "model",
              "printed", "steps"];
const hex = (array) => Buffer.from(array.buffer).toString("hex");

// What native.c prints of the same.
export const say = (core, {ptx, entry, args, grid, block, n, options}) => {
    const out = [];
    const device = new engine.Device(core, options);
    let failed = "", results = new Uint8Array(0);
    try {
        const kernel = device.kernel(device.load(ptx), entry);
        const address = {};
        for (const name of args.split(",").filter((a) => a !== "n")) {
            address[name] = device.malloc(4 * n, name, 4);
            if (name === "flags") device.fill(address[name], 0, 4 * n);
            if (name === "numbers") device.write(address[name],
                Int32Array.from({length: n}, (_, i) => numberAt(i)));
        }
        const values = args.split(",").map((a) => a === "n" ? n : address[a]);
        try {
            device.launch(kernel, {grid, block}, values);
        } catch (error) {
            if (!(error instanceof engine.VgpuError)) throw error;
            failed = error.message;
        }
        try {
            results = device.read(address.results, new Int32Array(n));
        } catch (error) {
            if (!(error instanceof engine.VgpuError)) throw error;
        }
    } catch (error) {
        if (!(error instanceof engine.VgpuError)) throw error;
        failed = error.message;
    }
    out.push(`failed: ${failed}`, `results: ${hex(results)}`);
    for (const what of SAYS) out.push(`${what}: ${device.saying(what)}`);
    device.close();
    return out.join("\n") + "\n";
};

// A Worker of node that looks like a page's, for Engine.
export const spawn = () => {
    const worker = new Worker(`
        const {parentPort} = require("node:worker_threads");
        globalThis.postMessage = (m) => parentPort.postMessage(m);
        parentPort.on("message", (data) => globalThis.onmessage({data}));
        ${engine.workerText}`, {eval: true});
    const page = {
        terminate: () => worker.terminate(),
        postMessage: (m) => worker.postMessage(m),
        set onmessage(f) {
            worker.removeAllListeners("message");
            worker.on("message", (data) => f({data}));
        },
        set onerror(f) {
            worker.removeAllListeners("error");
            worker.on("error", (error) => f({message: String(error)}));
        },
    };
    return page;
};
