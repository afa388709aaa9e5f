// SPDX-License-Identifier: MIT
//
// equal.mjs WEB WASM-BUILD NATIVE [few]: each teaching kernel under each schedule,
// memory model and clock, by the engine and by web_native: results, findings,
// counts, lines, steps and model time are the same, byte for byte.
import {execFileSync} from "node:child_process";
import {bytes, engine, kernels, require, rest, say} from "./common.mjs";

const [native, few] = rest;
const CHECKS = {checks: "all", contents: "random:7"};
const SCHEDULES = ["in-order", "reverse", "random:1", "random:7"];
const MEMORIES = ["sc", "weak:3"];
const sizeOf = (k, n, block) => ({
    n, block, grid: k.name.startsWith("message") ? n : Math.ceil(n / block)});

const cases = [];
for (const k of kernels) {
    const large = k.name.startsWith("message") ? [40, 32] : [1000, 128];
    for (const schedule of SCHEDULES)
        for (const memoryModel of MEMORIES)
            cases.push({...k, ...sizeOf(k, ...large),
                        options: {...CHECKS, schedule, memoryModel}});
    for (const clock of ["teach", "h200"])
        cases.push({...k, ...sizeOf(k, ...large),
                    options: {...CHECKS, clock, why: 1}});
    cases.push({...k, ...sizeOf(k, 64, 32), options: {
        ...CHECKS, schedule: "random:5", longestTurn: 20, steps: 1}});
    cases.push({...k, ...sizeOf(k, 300000, 64), options: {
        schedule: "in-order", contents: "random:9", checks: "none",
        budget: 3000000}});
}
const chosen = few ? cases.filter((_, i) => i % 7 === 0) : cases;

const core = await engine.openCore(bytes);
let equal = 0, findings = 0, failed = 0;
for (const c of chosen) {
    const words = Object.entries(c.options).map(([k, v]) => `${k}=${v}`);
    const there = execFileSync(native, [c.path, c.entry, c.grid, c.block, c.n,
        c.args, ...words], {encoding: "utf8", maxBuffer: 1 << 28});
    const here = say(core, c);
    if (here === there) {
        equal++;
    } else {
        const a = there.split("\n"), b = here.split("\n");
        const at = a.findIndex((line, i) => line !== b[i]);
        console.log(`${c.name} ${words.join(" ")}: line ${at} differs`);
        console.log(`  native: ${a[at]?.slice(0, 300)}`);
        console.log(`  engine: ${b[at]?.slice(0, 300)}`);
    }
    findings += /^findings: \[\{/m.test(there);
    failed += !/^failed: $/m.test(there);
}
console.log(`${equal} of ${chosen.length} runs equal; ${findings} with ` +
            `findings, ${failed} that failed`);
// That all were silent would show nothing.
require(equal === chosen.length && findings > 0 && findings < chosen.length,
        "runs differ, or none or all of them have findings");
