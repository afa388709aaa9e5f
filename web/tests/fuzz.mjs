// SPDX-License-Identifier: MIT
//
// fuzz.mjs WEB WASM-BUILD RUNS SEED: PTX of the teaching kernels, changed at
// random, runs in a Worker. Each run ends by itself: well, with an error in words,
// or with its worker. After the last one, and after each that broke its worker, a
// right kernel runs right. What is not met is repeated with the number of its run.
import {bytes, engine, kernels, require, rest, spawn} from "./common.mjs";

const [runs, seed] = rest.map(Number);
const LONGEST_MS = 20000;

// splitmix32
const randomOf = (state) => () => {
    state = state + 0x9e3779b9 | 0;
    let z = state ^ state >>> 16;
    z = Math.imul(z, 0x21f0aaad);
    z = Math.imul(z ^ z >>> 15, 0x735a2d97);
    return (z ^ z >>> 15) >>> 0;
};
const NUMBERS = ["0", "-1", "1", "31", "32", "4294967295", "2147483648",
                 "4294967360", "18446744073709551615", "0x7fffffff", "1048576"];
const WORDS = ["{", "}", "(", ")", "[", "]", ";", ",", "ret;", "bar.sync 0;",
               "@%p1", ".shared", ".global", ".b8 x[1073741824];", "bra $L__BB0_1;",
               ".loc 1 1 1", "call", "\u0000", "\u00ff", "/*", "//", "%r1", "1e999"];
const CHANGES = [
    (lines, r) => lines.splice(r() % lines.length, 1),
    (lines, r) => lines.splice(r() % lines.length, 0, lines[r() % lines.length]),
    (lines, r) => {
        const a = r() % lines.length, b = r() % lines.length;
        [lines[a], lines[b]] = [lines[b], lines[a]];
    },
    (lines, r) => {
        const at = r() % lines.length;
        lines[at] = lines[at].replace(/\d+/, () => NUMBERS[r() % NUMBERS.length]);
    },
    (lines, r) => {
        const at = r() % lines.length, k = r() % (lines[at].length + 1);
        lines[at] = lines[at].slice(0, k) + WORDS[r() % WORDS.length] +
                    lines[at].slice(k);
    },
    (lines, r) => {
        const at = r() % lines.length, k = r() % (lines[at].length + 1);
        lines[at] = lines[at].slice(0, k) +
                    String.fromCharCode(r() % 256) + lines[at].slice(k + 1);
    },
    (lines, r) => {
        const at = r() % lines.length, words = lines[at].split(/\b/);
        const from = lines[r() % lines.length].split(/\b/);
        words[r() % words.length] = from[r() % from.length];
        lines[at] = words.join("");
    },
    (lines, r) => {
        const many = 1 << r() % 16;
        lines.splice(r() % lines.length, 0,
                     ["{", "(", "[", "-", "!", "//", "x "][r() % 7].repeat(many));
    },
];
const OPTIONS = [{}, {schedule: "random:3", memoryModel: "weak:3"},
                 {steps: true}, {clock: "h200", why: true},
                 {clock: "teach", why: true, checks: "none"}];
const requestOf = (k, ptx, options) => ({
    ptx, options: {budget: 100000, memoryBytes: 1 << 26, ...options},
    reads: ["results"],
    buffers: {numbers: {type: "i32", data: new Array(64).fill(1)},
              results: {type: "i32", length: 64},
              flags: {type: "u32", length: 64, fill: 0}},
    launches: [{kernel: k.entry, grid: 2, block: 32,
                args: k.args.split(",").map((a) => a === "n" ? 64 : a)}]});

const machine = new engine.Engine(bytes, spawn);
const scan = kernels.find((k) => k.name === "scan");
const isRight = async (when) => {
    const {arrays, failed} = await machine.run(requestOf(scan, scan.ptx, {}));
    require(!failed && arrays.results.every((x, i) => x === i % 32 + 1),
            `the scan ${when}`);
};
const seen = {well: 0, found: 0, refused: 0, broke: 0};
for (let k = 0; k < runs; k++) {
    const r = randomOf(seed * 1000003 + k);
    const kernel = kernels[r() % kernels.length];
    const lines = kernel.ptx.split("\n");
    for (let c = r() % 4 + 1; c > 0; c--) CHANGES[r() % CHANGES.length](lines, r);
    const request = requestOf(kernel, lines.join("\n"),
                              OPTIONS[r() % OPTIONS.length]);
    let isLate = false;
    const timer = setTimeout(() => {
        isLate = true;
        machine.stop();
    }, LONGEST_MS);
    try {
        const outcome = await machine.run(request);
        seen[outcome.findings?.length ? "found"
             : outcome.failed ? "refused" : "well"]++;
    } catch (error) {
        require(!isLate, `run ${k} of seed ${seed} does not end`);
        seen.broke++;
        console.log(`run ${k} of seed ${seed} ended its worker: ${error.message}`);
        await isRight(`after run ${k}`);
    }
    clearTimeout(timer);
}
await isRight("after the last");
machine.stop();
console.log(`${runs} changed programs: ${JSON.stringify(seen)}`);
// Else nothing was tried.
require(seen.refused > runs / 10 && seen.well + seen.found > runs / 20,
        "the changes are too small or too large");
