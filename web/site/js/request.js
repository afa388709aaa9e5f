// SPDX-License-Identifier: MIT
//
// request.js: from what an explorable's sliders say to a request for the engine,
// and what its kernel should have computed.
const FIRST = [3, 1, 7, 0, 4, 1, 6, 3]; // the handouts' example
const numberAt = (i) => i < FIRST.length ? FIRST[i] : (i * 7 + 3) % 9;

// What the sliders say, and what follows from it: n, block, grid.
const sizesOf = (kernel, chosen) => {
    const names = {...chosen};
    const put = (name, formula) => names[name] ??= formulaOf(formula, names);
    put("n", kernel.n ?? "1");
    put("block", kernel.block ?? "1");
    put("grid", kernel.grid ?? "ceildiv(n, block)");
    return names;
};

// A word of each array for each element; what the host names is cleared.
const buffersOf = (kernel, sizes, data) => {
    const buffers = {};
    for (const name of kernel.args.split(" "))
        if (name === "numbers") buffers[name] = {type: "i32", data};
        else if (name === "flags")
            buffers[name] = {type: "u32", length: data.length, fill: 0};
        else if (!(name in sizes))
            buffers[name] = {type: "i32", length: data.length};
    return buffers;
};

// 16 banks are those of an old device.
const profileOf = (chosen) => chosen.banks === 16 ? "gtx275"
    : chosen.resident === "all" ? "h200" : "teach";

const requestFor = (kernel, chosen) => {
    const sizes = sizesOf(kernel, chosen);
    const data = Int32Array.from({length: sizes.n}, (_, i) => numberAt(i));
    const seed = chosen.seed ?? 1;
    return {
        ptx: kernel.ptx, buffers: buffersOf(kernel, sizes, data),
        reads: ["results"], sizes,
        options: {profile: profileOf(chosen), steps: true, checks: "all",
                  contents: "zeros", budget: 5_000_000, longestTurn: 20,
                  schedule: chosen.order === "random" ? `random:${seed}`
                                                      : chosen.order,
                  memoryModel: chosen.memory === "weak" ? `weak:${seed}`
                                                        : "sc"},
        launches: [{kernel: kernel.entry, grid: sizes.grid, block: sizes.block,
                    args: kernel.args.split(" ").map(
                        (a) => a in sizes ? sizes[a] : a)}],
    };
};

// The same under a clock, which runs in order with sequential memory.
const clocked = (clock, {options: {profile}, ...request}) => ({
    ...request, reads: [], say: ["counts"],
    options: {profile, clock, checks: "none", contents: "zeros",
              budget: 5_000_000}});

// ---- what is right: of each element of results; null: nothing is promised ----

const sumTo = (d, from, to) => {
    let sum = 0;
    for (let k = from; k <= to; k++) sum += d[k];
    return sum;
};
const RESULTS = {
    scan: (d, {block, grid}) => Array.from(d, (_, i) =>
        grid === 1 ? sumTo(d, 0, i) : sumTo(d, i - i % block, i)),
    chain: (d) => Array.from(d, (_, i) => sumTo(d, 0, i)),
    same: (d) => [...d],
    kept: (d, {limit}) => {
        const kept = [...d].filter((x) => x < limit);
        return Array.from(d, (_, i) => kept[i] ?? null);
    },
    largest: (d, {grid}) => Array.from(d, (_, i) => i >= grid ? null
        : Math.max(...d.slice(i * d.length / grid,
                              (i + 1) * d.length / grid))),
    tournament: (d) => {
        const cells = [...d];
        for (let wide = 2; wide <= d.length; wide *= 2)
            for (let last = wide - 1; last < d.length; last += wide)
                cells[last] = Math.max(cells[last], cells[last - wide / 2]);
        return cells;
    },
};
const resultsOf = (kernel, {buffers, sizes}) =>
    RESULTS[kernel.result](buffers.numbers.data, sizes);
const wrongAt = (right, results) => !results ? []
    : right.flatMap((r, i) => r === null || results[i] === r ? [] : [i]);
