// SPDX-License-Identifier: MIT
//
// stop.mjs WEB WASM-BUILD: the engine in a Worker: a run without end is stopped
// and the next one runs; two at a time are refused; what breaks the engine ends
// its worker only.
import {bytes, engine, kernels, require, spawn} from "./common.mjs";

const scan = kernels.find((k) => k.name === "scan");
const data = Int32Array.from({length: 100}, (_, i) => i);
const good = {
    ptx: scan.ptx, reads: ["results"],
    buffers: {numbers: {type: "i32", data}, results: {type: "i32", length: 100}},
    launches: [{kernel: scan.entry, grid: 1, block: 128,
                args: ["numbers", "results", 100]}]};
const endless = {
    ptx: ".version 7.0\n.target sm_75\n.address_size 64\n" +
         ".visible .entry k() { L: bra L; }\n",
    options: {checks: "none", budget: 1e15},
    launches: [{kernel: "k", grid: 1, block: 32, args: []}]};

const machine = new engine.Engine(bytes, spawn);
const isRight = async (when) => {
    const {arrays, failed} = await machine.run(good);
    let sum = 0;
    require(!failed && data.every((x, i) => (sum += x) === arrays.results[i]),
            `the scan ${when}`);
};
const why = (promise) => promise.then(() => null, (error) => error);

await isRight("at first");
for (let k = 0; k < 3; k++) {
    const running = why(machine.run(endless));
    require(machine.isRunning, "it runs");
    const second = await why(machine.run(good));
    require(second && !(second instanceof engine.Stopped), "two at a time");
    await new Promise((done) => setTimeout(done, k * 200));
    machine.stop();
    require(await running instanceof engine.Stopped, "it was stopped");
    require(!machine.isRunning, "it does not run");
    await isRight(`after stop ${k}`);
}
const broken = await why(machine.run({...good, launches: null}));
require(broken, "a request that is none");
await isRight("after a request that is none");
const none = new engine.Engine(new Uint8Array([1, 2, 3]), spawn);
require(await why(none.run(good)) instanceof Error, "bytes that are no engine");
machine.stop();
console.log("stopped three times, right five times");
