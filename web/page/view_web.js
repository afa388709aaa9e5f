// SPDX-License-Identifier: MIT
//
// view_web.js: the page with the engine: a form at the left, what a run gave at
// the right. web.js makes it run.
const choice = (name, words, options, chosen) => el("label", {}, words,
    el("select", {name}, options.map(([value, text]) =>
        el("option", {value, selected: value === chosen}, text))));
const numberField = (name, words, value, min, max) => el("label", {}, words,
    el("input", {name, type: "number", value, min, max, step: 1,
                 required: true}));

const form = ({kernels}) => el("form", {id: "form"},
    choice("kernel", "Kernel", kernels.map((k) => [k.name, k.title]),
           "scan_race"),
    el("p", {id: "what", class: "note"}),
    el("div", {class: "pair"},
        numberField("n", "n", 64, 1, 65536),
        choice("block", "Threads in a block",
               [4, 8, 16, 32, 64, 128, 256, 512, 1024].map((b) => [b, b]),
               64)),
    choice("numbers", "Numbers", Object.keys(NUMBERS).map((k) => [k, k]),
           "all 1"),
    choice("clock", "Model time", [["none", "no clock"],
        ["teach", "clock of a small GPU, in order"],
        ["h200", "clock of an H200, in order"]], "none"),
    choice("schedule", "Order of warps and blocks",
           [["in-order", "in order"], ["reverse", "reversed"],
            ["random", "shuffled by the seed"]], "random"),
    el("div", {class: "pair"},
        choice("memory", "Memory", [["sc", "sequential"],
            ["weak", "weak, by the seed"]], "sc"),
        numberField("seed", "Seed", 1, 0, 999999)),
    el("label", {class: "tick"},
        el("input", {type: "checkbox", name: "checks", checked: true}),
        "Look for mistakes (races, bounds, unset values, barriers, leaks)"),
    el("p", {class: "buttons"},
        el("button", {type: "submit", id: "run"}, "Run"),
        el("button", {type: "button", id: "stop", disabled: true}, "Stop")),
    el("p", {id: "status", role: "status"}, "The engine is being unpacked."));

const part = (id, title) => el("section", {id, hidden: true,
    "aria-labelledby": `${id}-title`}, el("h2", {id: `${id}-title`}, title),
    el("div", {class: "filled"}));

views.web = (d) => [
    el("header", {},
        el("h1", {}, "ScanLab: the virtual GPU in this page"), themeButton(),
        note("CUDA kernels, run step by step on a GPU that is a program in " +
             "this page. Nothing is sent anywhere. ",
             "A run that does not end is ended by Stop.")),
    el("nav", {"aria-label": "What runs"}, form(d)),
    el("main", {},
        part("found", "What the checks found"),
        part("output", "results"),
        part("source", "The kernel"),
        part("replay", "Step by step"),
        part("counted", "Counts")),
    el("footer", {}, note(`ScanLab ${d.version}. Keys: Tab and Enter as ` +
        "everywhere; in the replay arrows, Home, End and p; ",
        el("kbd", {}, "t"), " light or dark."))];
