// SPDX-License-Identifier: MIT
//
// drawn.js: pictures of an explorable's run, by the word behind `picture`.
const drawnBox = (x, y, width, height, cls, words, title) =>
    svg("g", {class: cls}, title && svg("title", {}, title),
        svg("rect", {x, y, width, height}),
        svg("text", {x: x + width / 2, y: y + height / 2 + 4}, words));

// Accesses to shared memory: how many different words each wants of a bank.
const banksPicture = (kernel, request, {steps: {accesses, banks}}) => {
    const WIDE = 640 / banks, HIGH = 26, LEFT = 64;
    const rows = accesses.slice(0, 8);
    return svg("svg", {class: "drawn", role: "img",
                       viewBox: `0 0 ${LEFT + 640 + 110} ${
                           22 + rows.length * (HIGH + 6)}`,
                       "aria-label": _("Words that each access wants of a bank")},
        svg("text", {class: "left", x: 2, y: 14}, _("bank")),
        Array.from({length: banks}, (_, b) => svg("text", {
            class: "small", x: LEFT + (b + .5) * WIDE, y: 14}, b)),
        rows.map((access, k) => {
            const y = 20 + k * (HIGH + 6), wanted = Array(banks).fill(0);
            const words = new Set(access.lanes.map(([, at]) =>
                Math.floor(at / 4)));
            for (const word of words) wanted[word % banks]++;
            return [
                svg("text", {class: "left", x: 2, y: y + 17},
                    access.writes ? _("write") : _("read")),
                wanted.map((n, b) => drawnBox(LEFT + b * WIDE, y, WIDE - 1, HIGH,
                    n === 0 ? "none" : n > 1 ? "several" : "one", n || "",
                    put(_("bank %s: %s words"), b, n).join(""))),
                svg("text", {class: "left", x: LEFT + 648, y: y + 17},
                    access.wavefronts === 1 ? _("1 pass")
                        : put(_("%s passes"), access.wavefronts))];
        }));
};

// Which words each tile has read, and from which it stopped asking.
const askedPicture = (kernel, request, {steps}) => {
    const {n} = request.sizes, WIDE = Math.min(40, 640 / n), HIGH = 22;
    const array = steps.arrays.findIndex((a) => a.name === "flags");
    const last = new Map(); // "tile,asked" -> value
    for (const r of steps.reads) {
        const w = steps.writes[r.write];
        if (w.array === array)
            last.set(`${r.block},${w.at / w.bytes}`, Number(w.value));
    }
    const SAYS = {1: "A", 2: "P"};
    return svg("svg", {class: "drawn asked", role: "img",
                       viewBox: `0 0 ${74 + n * WIDE} ${26 + n * HIGH}`,
                       "aria-label": _("Which tiles each tile has asked")},
        svg("text", {class: "left", x: 2, y: 14}, _("it asks")),
        Array.from({length: n}, (_, t) => [
            svg("text", {class: "small", x: 70 + (t + .5) * WIDE, y: 14}, t),
            svg("text", {class: "left", x: 2, y: 36 + t * HIGH},
                put(_("tile %s"), t)),
            Array.from({length: t}, (_, asked) => {
                const value = last.get(`${t},${asked}`);
                const state = value & 3;
                return drawnBox(70 + asked * WIDE, 20 + t * HIGH, WIDE - 1,
                    HIGH - 2, state === 2 ? "one" : state ? "several" : "none",
                    SAYS[state] ?? "", state
                        ? put(_("tile %s got %s of tile %s"), t, value >> 2,
                              asked).join("") : "");
            })]));
};

const drawn = {banks: banksPicture, asked: askedPicture};
