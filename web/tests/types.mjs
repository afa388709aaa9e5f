// SPDX-License-Identifier: MIT
//
// types.mjs WEB WASM-BUILD: vgpu.d.ts declares what vgpu.mjs exports, and each
// key of what it answers, with no key left over.
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {bytes, engine, kernels, require, web} from "./common.mjs";

const text = readFileSync(join(web, "vgpu.d.ts"), "utf8")
    .replace(/\/\*\*[^]*?\*\//g, "").replace(/\/\/.*$/gm, "");
const exported = new Set([...text.matchAll(
    /^export (?:class|function|const) (\w+)/gm)].map((m) => m[1]));
const there = Object.keys(engine);
require(there.length === exported.size && there.every((e) => exported.has(e)),
        `exports: ${there}; declared: ${[...exported]}`);

// The members of `interface NAME`: those that must be there, those that may.
const members = (name) => {
    const body = new RegExp(`interface ${name} [^{]*\\{([^]*?)\\n\\}`).exec(text)[1];
    let depth = 0, flat = "";
    for (const c of body) {
        if (c === "}") depth--;
        if (!depth) flat += c;
        if (c === "{") depth++;
    }
    const found = [...flat.matchAll(/(?:readonly )?(\w+)(\??):/g)];
    return {all: found.map((m) => m[1]),
            must: found.filter((m) => !m[2]).map((m) => m[1])};
};
let compared = 0;
const fits = (name, value) => {
    const {all, must} = members(name), keys = Object.keys(value);
    for (const key of must)
        require(keys.includes(key), `${name}: no ${key} in ${keys}`);
    for (const key of keys)
        require(all.includes(key), `${name}: ${key} is not declared`);
    compared++;
};

const core = await engine.openCore(bytes);
const k = kernels.find((one) => one.name === "scan_race");
const run = (options) => engine.run(core, {
    ptx: k.ptx, options,
    buffers: {numbers: {type: "i32", data: new Array(64).fill(1)},
              results: {type: "i32", length: 64}},
    launches: [{kernel: k.entry, grid: 1, block: 64,
                args: ["numbers", "results", 64]}]});
const outcome = run({schedule: "random:1", steps: true});
fits("Outcome", outcome);
const of = {findings: "Finding", launches: "Launch", lines: "Line"};
for (const [list, name] of Object.entries(of)) {
    require(outcome[list].length, `${list} is empty`);
    outcome[list].forEach((one) => fits(name, one));
}
const {steps} = outcome;
fits("Steps", steps);
for (const [list, name] of [["arrays", "Array_"], ["writes", "Write"],
                            ["steps", "Step"], ["reads", "Read"], ["accesses", "Access"]]) {
    require(steps[list].length, `steps.${list} is empty`);
    steps[list].forEach((one) => fits(name, one));
}
const timed = run({clock: "teach", why: true});
fits("Model", timed.model);
const device = new engine.Device(core);
fits("KernelInfo", device.info(device.kernel(device.load(k.ptx), k.entry)));
device.close();
// Each option of web_options.def is declared, and no other.
const rows = readFileSync(new URL("../engine/web_options.def", import.meta.url),
                          "utf8");
const options = [...rows.matchAll(/^[A-Z]+\("(\w+)"/gm)].map((m) => m[1]);
const declared = members("Options").all;
require(options.length === declared.length &&
        options.every((o) => declared.includes(o)),
        `options: ${options}; declared: ${declared}`);
console.log(`${compared} answers fit ${exported.size} exports' types`);
