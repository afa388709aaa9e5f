// SPDX-License-Identifier: MIT
//
// program.js: from what the form says to a request for the engine, and what a
// teaching kernel should have computed. A kernel's `args` name its arguments:
// arrays of n words, and n; its `result` says what `results` should hold.
const NUMBERS = {
    "1, 2, 3, ...": (i) => i + 1,
    "all 1": () => 1,
    "small, mixed": (i) => (Math.imul(i + 1, 0x9e3779b1) >>> 28) - 7,
};

// The blocks that a kernel runs: those of n elements, or n blocks of a chain.
const gridOf = (kernel, n, block) =>
    kernel.result === "chain" ? n : Math.ceil(n / block);

const requestOf = (kernel, form) => {
    const {n, block} = form;
    const data = Int32Array.from({length: n}, (_, i) =>
        NUMBERS[form.numbers](i));
    const args = kernel.args.split(" ");
    const buffers = {};
    for (const name of args.filter((one) => one !== "n"))
        buffers[name] = name === "numbers" ? {type: "i32", data}
                        : name === "flags" ? {type: "u32", length: n, fill: 0}
                        : {type: "i32", length: n};
    const clock = form.clock !== "none";
    // The clock runs in order, with sequential memory.
    const order = clock ? {clock: form.clock, why: true}
                        : {schedule: form.schedule === "random"
                                     ? `random:${form.seed}` : form.schedule,
                           memoryModel: form.memory === "weak"
                                        ? `weak:${form.seed}` : "sc",
                           longestTurn: 20};
    return {
        ptx: kernel.ptx, buffers, reads: ["results"],
        options: {...order, steps: form.steps, checks: form.checks,
                  contents: "zeros", budget: 20_000_000},
        launches: [{kernel: kernel.entry, grid: gridOf(kernel, n, block),
                    block, args: args.map((a) => a === "n" ? n : a)}],
    };
};

const RIGHT = {
    scan: (d, i, block) => {
        let sum = 0;
        for (let k = i - i % block; k <= i; k++) sum += d[k];
        return sum;
    },
    sum: (d, i, block) => {
        if (i >= Math.ceil(d.length / block)) return null; // not written
        let sum = 0;
        const end = Math.min(d.length, (i + 1) * block);
        for (let k = i * block; k < end; k++) sum += d[k];
        return sum;
    },
    // The last has no neighbour: what it should be nobody says.
    pairs: (d, i) => i + 1 < d.length ? d[i] + d[i + 1] : null,
    chain: (d, i) => {
        let sum = 0;
        for (let k = 0; k <= i; k++) sum += d[k];
        return sum;
    },
    mirror: (d, i) => d[i] + (d[i - i % 32 + 31 - i % 32] ?? 0),
};

// For each element what it should be; null: nothing is promised.
const rightOf = (kernel, request) => {
    const {data} = request.buffers.numbers;
    const {block} = request.launches[0];
    return Array.from(data, (_, i) =>
        RIGHT[kernel.result](data, i, block)).map((x) => x === null ? x : x | 0);
};
