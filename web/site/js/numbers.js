// SPDX-License-Identifier: MIT
//
// numbers.js: tables that move along with a slider: depth and work, T of the
// K-model, and what the checks allow. No run of a kernel: counts of the
// references as they are in the handout (plots/data/depth.csv), and formulas.
const POWERS = (from, to) => Array.from({length: to - from + 1},
                                        (_, k) => 2 ** (from + k));
const inDigits = (n) => n.toLocaleString(document.documentElement.lang);
const power = (n) => Number.isInteger(Math.log2(n))
    ? `${inDigits(n)} = 2^${Math.log2(n)}` : inDigits(n);
const cellsOf = (...values) => values.map((v) =>
    el("td", {}, typeof v === "string" ? v : inWords(v)));
// In another language counters keep their names, as in reports.
const counterWords = (name) => data.words ? el("code", {}, name)
                                          : name.replaceAll("_", " ");
const numberTable = (caption, names, rows) => wide(
    el("table", {class: "numbers"}, caption && el("caption", {}, caption),
       heads(...names), el("tbody", {}, rows)));

// Where a formula cannot be read, the handout's words stand.
const said = (formula, words, n) => {
    if (!formula) return words;
    const value = formulaOf(formula, {n});
    const less = words.startsWith("<") ? "< " : "";
    return value === null ? words : less + inWords(value);
};

const depthTable = (depths, lab) => {
    const sizes = [...new Set(Object.values(depths).flatMap(
        ({at}) => Object.keys(at).map(Number)))].sort((a, b) => a - b);
    const filled = el("div");
    const draw = () => {
        const n = size.value();
        filled.replaceChildren(numberTable(put(_("At n = %s"), power(n)).join(""),
            [_("scan"), _("work, by its formula"), _("depth, by its formula"),
             _("operations, counted"), _("depth counted"), _("messages")],
            Object.entries(depths).map(([name, of]) => {
                const [ops, depth, chain] = of.at[n] ?? [];
                return el("tr", {class: of.lab === lab && "own"},
                    el("th", {scope: "row"}, name),
                    cellsOf(said(of.work_formula, of.work, n),
                            said(of.steps_formula, of.steps, n) +
                            (of.steps_formula ? ` ${of.steps.split(" ").at(-1)}`
                                              : ""),
                            ops, depth, chain));
            })));
    };
    const size = slider({name: "n", label: "n", values: sizes, words: power,
                         first: sizes.at(-1)}, draw);
    draw();
    return [el("div", {class: "controls"}, size.node), filled];
};

const kModel = (maps) => {
    const filled = el("div");
    const draw = () => {
        const {n, k} = valuesOf(controls);
        const most = Math.max(...maps.map(([, f]) =>
            formulaOf(f, {n, k}, true) ?? 0));
        filled.replaceChildren(numberTable(null, [_("map"), "T", ""],
            maps.map(([name, formula]) => {
                const value = formulaOf(formula, {n, k}, true);
                return el("tr", {}, el("th", {scope: "row"}, name),
                    cellsOf(value), el("td", {class: "bars"},
                        bar(100, [{class: "limit", x: 0,
                                   width: 100 * value / most}])));
            })));
    };
    const controls = [
        slider({name: "n", label: "n", values: POWERS(5, 12), first: 2048,
                words: power}, draw),
        slider({name: "k", label: _("banks k"), values: [4, 8, 16, 32],
                first: 16}, draw)];
    draw();
    return [el("div", {class: "controls"}, controls.map((c) => c.node)),
            filled];
};

// checks: [{check, title, lines: [[counter, sign, formula, zero]], given}]
const boundsTable = (checks, most) => {
    const given = new Map();
    for (const check of checks)
        for (const [name, values] of Object.entries(check.given))
            given.set(name, [...new Set([...given.get(name) ?? [],
                                         ...values.map(Number)])]
                .filter(Number.isInteger).sort((a, b) => a - b));
    const filled = el("div");
    const draw = () => {
        const names = valuesOf(controls);
        filled.replaceChildren(numberTable(null,
            [_("check"), _("count"), _("all points"), _("formula"), _("none")],
            checks.flatMap(({check, lines}) => lines.map(
                ([counter, sign, formula, zero], k) => el("tr", {},
                    el("th", {scope: "row"}, k ? "" : check),
                    el("td", {}, counterWords(counter)), cellsOf(
                        `${sign} ${inWords(formulaOf(formula, names))}`),
                    el("td", {class: "formula"}, formula),
                    cellsOf(zero ? formulaOf(zero, names) : ""))))));
    };
    const controls = [
        slider({name: "n", label: "n", values: POWERS(0, most), words: power,
                first: 2 ** Math.min(most, 10)}, draw),
        ...[...given].filter(([, values]) => values.length).map(
            ([name, values]) => slider({name, label: name, values,
                                        first: values.at(-1)}, draw))];
    draw();
    return [el("div", {class: "controls"}, controls.map((c) => c.node)),
            filled];
};
