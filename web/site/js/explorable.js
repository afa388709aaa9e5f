// SPDX-License-Identifier: MIT
//
// explorable.js: a picture that runs: a kernel's sliders, what a run found, its
// formulas and counts, and the replay of its loads and stores. Each change runs
// it; while a run is under way, the next one waits, and only the last is made.
const MOST_RECORDED = 64; // elements: a replay of more nobody looks at

const ORDERS = [["in-order", _("in order")], ["reverse", _("reversed")],
                ["random", _("shuffled by the seed")]];
const MEMORIES = [["sc", _("sequential")], ["weak", _("weak, by the seed")]];
const RESIDENT = [["eight", _("8 at a time")], ["all", _("all at once")]];

const controlsOf = (kernel, changed) => [
    ...kernel.slider.map((one) => slider(one, changed)),
    ...kernel.switch.map((one) => tick(one, changed)),
    list({name: "order", label: _("order of warps and blocks"),
          options: ORDERS, first: kernel.order}, changed),
    ...kernel.memory ? [
        list({name: "memory", label: _("memory"), options: MEMORIES}, changed),
        list({name: "resident", label: _("resident blocks"), options: RESIDENT},
             changed)] : [],
    slider({name: "seed", label: _("seed"), first: 1,
            values: Array.from({length: 20}, (_, k) => k + 1)}, changed)];

const lineOf = ({line, other}) => !line ? ""
    : other?.line && other.line !== line
    ? put(_(" in line %s and line %s"), line, other.line)
    : put(_(" in line %s"), line);

// Of a finding only what never changes is translated: its kind and usual cause.
const kindOf = ({kind}) => data.site.kinds?.[kind] ?? kind;
const causeOf = ({kind, cause, text}) => !data.site.kinds ? cause ?? text
    : cause && data.site.causes[kind];

const verdict = (kernel, request, outcome) => {
    const right = resultsOf(kernel, request), {results} = outcome.arrays;
    const bad = wrongAt(right, results), [first] = outcome.findings;
    const said = outcome.failed
        ? data.site.kinds ? _("The run failed.") : outcome.failed.words
        : bad.length ? put(_("results[%s] is %s; %s is right."), bad[0],
                           results[bad[0]], right[bad[0]])
        : _("The answer is right.");
    return [el("p", {class: outcome.failed || bad.length ? "fault" : "right"},
               said),
            first && el("p", {class: "found"}, el("strong", {}, kindOf(first)),
                        lineOf(first), ". ",
                        bad.length || outcome.failed ? "" : _("It was lucky. "),
                        causeOf(first))];
};

const formulaRows = (kernel, {sizes}) => kernel.formula.map(
    ([label, formula]) => el("tr", {},
        el("th", {scope: "row"}, label),
        el("td", {}, inWords(formulaOf(formula, sizes)))));

// What a clock counts, by the profile that counts it.
const TIMED = {depth: _("depth: steps that wait for each other"),
               longest_chain: _("longest chain of messages between blocks"),
               model_ns: _("model time of a small GPU (teach), ns")};
const ofClock = (clock, {counts}) => ({counts: clock === "pram"
    ? {depth: counts.depth, ...counts.longest_chain === undefined ? {}
        : {longest_chain: counts.longest_chain}}
    : {model_ns: counts.model_ns}});
const timesOf = async (engine, kernel, request) => {
    const times = [];
    for (const clock of (kernel.clock ?? "").split(" ").filter((c) => c))
        times.push(ofClock(clock, await engine.run(clocked(clock, request))));
    return times;
};

const countRows = (kernel, outcome, timed) => {
    const rows = (kernel.counts ?? "").split(" ").filter((w) => w).map((name) =>
        [counterWords(name), outcome.counts[name] ?? 0]);
    for (const {counts} of timed)
        rows.push(...Object.entries(TIMED).flatMap(([name, label]) =>
            name in counts ? [[label, counts[name]]] : []));
    return rows.map(([label, value]) => el("tr", {},
        el("th", {scope: "row"}, label), el("td", {}, inWords(value))));
};

// ---- the replay ----

const codeOf = ({source, name}) => {
    const lines = source.replace(/\n$/, "").split("\n");
    const first = lines.findIndex((l) => !l.startsWith("//") && l);
    return {file: `${name}.cu`, first: first + 1, lines: lines.slice(first)};
};

const recordedOf = (kernel, request, outcome, other) => {
    const {steps, findings} = outcome;
    const isGood = !wrongAt(resultsOf(kernel, request),
                            outcome.arrays.results).length && !outcome.failed;
    const {schedule, memoryModel} = request.options;
    const [name, seed] = schedule.split(":");
    const order = memoryModel !== "sc" ? put(_("%s, weak memory"), name).join("")
        : seed ? put(_("%s, seed %s"), name, seed).join("") : name;
    return recordedRun(steps, order, isGood, other?.steps ?? null, findings);
};

const replayOf = (kernel, request, outcome, other) => {
    if (!outcome.steps?.reads.length || request.sizes.n > MOST_RECORDED)
        return note(put(_("Steps are shown up to n = %s."), MOST_RECORDED));
    const runs = [recordedOf(kernel, request, outcome, other)];
    if (other) runs.push(recordedOf(kernel, other.request, other, null));
    return replay({runs, code: codeOf(kernel)}, `replay-${kernel.name}`);
};

// The same in order with sequential memory, where that is right.
const rightRun = async (engine, kernel, request) => {
    const asked = {...request, options: {...request.options,
                                         schedule: "in-order",
                                         memoryModel: "sc"}};
    const outcome = await engine.run(asked);
    const isRight = !outcome.failed && outcome.steps &&
        !wrongAt(resultsOf(kernel, asked), outcome.arrays.results).length;
    return isRight ? {...outcome, request: asked} : null;
};

const show = async (engine, kernel, chosen, filled) => {
    const request = requestFor(kernel, chosen);
    const outcome = await engine.run(request);
    const timed = outcome.failed ? [] : await timesOf(engine, kernel, request);
    const isWrong = outcome.failed ||
        wrongAt(resultsOf(kernel, request), outcome.arrays.results).length;
    const other = isWrong ? await rightRun(engine, kernel, request) : null;
    const draw = drawn[kernel.picture];
    filled.replaceChildren(...[
        ...verdict(kernel, request, outcome),
        draw && outcome.steps && draw(kernel, request, outcome),
        numberTable(null, ["", _("by its formula, or counted")],
                    [...formulaRows(kernel, request),
                     ...countRows(kernel, outcome, timed)]),
        replayOf(kernel, request, outcome, other)].filter((one) => one));
};

const explorable = (kernel, engine, turn) => {
    const filled = el("div", {class: "filled", "aria-live": "polite"},
                      note(_("It runs when it is looked at.")));
    let wanted = false;
    const run = () => {
        const isWaiting = wanted;
        wanted = true;
        if (isWaiting) return;
        turn(async () => {
            wanted = false;
            try {
                await show(engine, kernel, valuesOf(controls), filled);
            } catch (error) {
                filled.replaceChildren(el("p", {class: "fault"},
                                          put(_("It did not run: %s"), error.message)));
            }
        });
    };
    const controls = controlsOf(kernel, run);
    const all = el("section", {class: "explore",
                               "aria-label": kernel.title},
        el("h4", {}, kernel.title), el("p", {}, kernel.what),
        el("div", {class: "controls"}, controls.map((c) => c.node)), filled);
    return {all, run};
};
