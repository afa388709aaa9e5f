// SPDX-License-Identifier: MIT
//
// replay.js: the arrays of a run, write by write: what each cell held after the
// first k writes, which thread wrote last, and from what.
const MOST_CELLS = 1024; // that are drawn, of all arrays

// `seen`: the writes by threads, one after the other. What was there before, and
// what the host wrote, comes with the first of them.
const replayOf = (steps) => {
    const seen = [];
    steps.writes.forEach((w, k) => {
        if (w.writer === "store" || w.writer === "atomic") seen.push(k);
    });
    const cells = new Map(); // array -> Set of bytes
    for (const w of steps.writes) {
        if (!cells.has(w.array)) cells.set(w.array, new Set());
        cells.get(w.array).add(w.at);
    }
    const arrays = [...cells].map(([number, at]) => ({
        number, at: [...at].sort((a, b) => a - b), ...steps.arrays[number]}))
        .filter((a) => a.kind !== "lanes");
    return {seen, arrays};
};

const valueOf = (w) => w.bytes === 4 ? Number(BigInt.asIntN(32, BigInt(w.value)))
                       : String(BigInt(w.value));

// The array and byte of each cell -> the write that it holds after write `last`.
const stateAt = (steps, last) => {
    const held = new Map();
    steps.writes.forEach((w, k) => {
        const cell = `${w.array}/${w.at}`;
        if (k <= last || (w.writer === "before" && !held.has(cell)))
            held.set(cell, k);
    });
    return held;
};

const arrayName = (a) => a.name ||
    (a.kind === "shared" ? `shared, block ${a.block}` : "global");
const cellName = (steps, w) => {
    const a = steps.arrays[w.array];
    return `${a.name || (a.kind === "shared" ? "shared" : "global")}` +
           `[${w.at / w.bytes}]`;
};

const sayWrite = (steps, w) => {
    const from = w.feeds.map(({write, times}) => {
        const f = steps.writes[write];
        const name = `${cellName(steps, f)} (${valueOf(f)})`;
        return times === 1 ? name : `${times} x ${name}`;
    });
    const step = steps.steps[w.step];
    const line = steps.places[w.place]?.line;
    return `Block ${step.block}, thread ${w.thread}` +
        (line ? `, line ${line}` : "") +
        `: ${cellName(steps, w)} = ${valueOf(w)}` +
        (from.length ? `, from ${from.join(" and ")}` : "") + ".";
};

const sayStep = (steps, w) => {
    const s = steps.steps[w.step];
    const where = s.begin === "barrier" ? `behind barrier ${s.phase}`
                  : s.begin === "message" ? "behind a message"
                  : "from its beginning";
    return `block ${s.block}, ${where}`;
};

// One array: its cells, the one just written marked.
const drawArray = (steps, a, held, last) => {
    const now = steps.writes[last];
    const size = now.bytes;
    return el("div", {class: "cells"}, el("h4", {}, arrayName(a)),
        el("ol", {}, a.at.map((at) => {
            const k = held.get(`${a.number}/${at}`);
            const isNew = now.array === a.number && now.at === at;
            const feeds = now.feeds.some(({write}) =>
                steps.writes[write].array === a.number &&
                steps.writes[write].at === at);
            return el("li", {class: isNew ? "new" : feeds ? "feeds" : null},
                el("small", {}, at / size),
                k === undefined ? "\u00a0" : valueOf(steps.writes[k]));
        })));
};
