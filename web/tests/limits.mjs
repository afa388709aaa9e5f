// SPDX-License-Identifier: MIT
//
// limits.mjs WEB WASM-BUILD: more memory than there is, programs without end and
// wrong calls are errors with words, and the engine runs on.
import {bytes, engine, kernels, require, say} from "./common.mjs";

const core = await engine.openCore(bytes);
const refused = (what, call, words) => {
    let said = null;
    try {
        call();
    } catch (error) {
        require(error instanceof engine.VgpuError, `${what}: ${error}`);
        said = error.message;
    }
    require(said !== null, `${what}: not refused`);
    require(words.test(said), `${what}: ${said}`);
    console.log(`${what}: ${said}`);
};

const device = new engine.Device(core);
for (const bytes of [1.5 * 2 ** 30, 2 ** 31, 2 ** 32 + 64, 2 ** 40, 2 ** 52])
    refused(`malloc of ${bytes}`, () => device.malloc(bytes),
            bytes < 2 ** 31 ? new RegExp(`cannot allocate ${bytes} `) : /more bytes/);
refused("malloc of -1", () => device.malloc(-1), /none/);
refused("malloc of 0.5", () => device.malloc(0.5), /none/);
const half = device.malloc(600 * 2 ** 20);
refused("a second of 600 MiB", () => device.malloc(600 * 2 ** 20), /./);
device.free(half);
device.free(device.malloc(900 * 2 ** 20)); // there is room again
const big = (size) => `.version 7.0\n.target sm_75\n.address_size 64\n` +
    `.global .b8 big[${size}];\n` +
    ".visible .entry k() { .reg .b64 a; mov.u64 a, big; ret; }\n";
for (const size of ["2147483648", "4294967360", "18446744073709551615"])
    refused(`.global of ${size}`, () => device.load(big(size)), /./);
device.load(big("1048576"));
refused("no PTX", () => device.load("hello"), /./);
refused("no kernel", () => device.kernel(0, "nothing"), /./);
device.close();
refused("no option", () => new engine.Device(core, {nothing: 1}), /nothing/);
refused("no schedule", () => new engine.Device(core, {schedule: "soon"}),
        /soon/);
refused("no check", () => new engine.Device(core, {checks: ["racecheck", "x"]}),
        /checks/);

const endless = ".version 7.0\n.target sm_75\n.address_size 64\n" +
    ".visible .entry k() { L: bra L; }\n";
const outcome = engine.run(core, {
    ptx: endless, options: {budget: 10000},
    launches: [{kernel: "k", grid: 1, block: 32, args: []}]});
require(outcome.failed && outcome.findings.length === 1,
        `endless: ${JSON.stringify(outcome)}`);
console.log(`endless: ${outcome.findings[0].kind}`);

// A device with less has less.
const small = new engine.Device(core, {memoryBytes: 1 << 20});
refused("2 MiB of 1", () => small.malloc(1 << 21), /./);
small.close();
const scan = kernels.find((k) => k.name === "scan");
const said = say(core, {...scan, n: 100, grid: 4, block: 32, options: {}});
require(/^findings: \[\]$/m.test(said) && /^failed: $/m.test(said),
        "the scan after all that");
console.log("the scan runs after all that");
