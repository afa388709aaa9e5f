// SPDX-License-Identifier: MIT
//
// web.js: makes the page of view_web.js run: unpacks the engine, hands it what
// the form says, shows what comes back.
{
    const all = data.web;
    const $ = (id) => document.getElementById(id);
    const theForm = $("form");

    // ---- the engine ----

    vgpu.workerText = all.worker;
    const wasm = vgpu.unpack(all.wasm);
    const engine = new vgpu.Engine(wasm);
    const status = (text, isWrong) => {
        $("status").textContent = text;
        $("status").className = isWrong ? "fault" : "";
    };

    // ---- what the form says ----

    const kernelOf = () => all.kernels.find(
        (k) => k.name === theForm.elements.kernel.value);
    const MOST_STEPS_OF = 256; // elements: more cells nobody looks at
    const read = () => {
        const of = (name) => theForm.elements[name].value;
        const kernel = kernelOf();
        const n = Number(of("n"));
        const block = Math.max(Number(of("block")), Number(kernel.least ?? 0));
        return {kernel, form: {
            n, block, numbers: of("numbers"), clock: of("clock"),
            schedule: of("schedule"), memory: of("memory"),
            seed: Number(of("seed")),
            checks: theForm.elements.checks.checked ? "all" : "none",
            steps: n <= MOST_STEPS_OF}};
    };
    const adapt = () => {
        const kernel = kernelOf();
        $("what").textContent = kernel.what +
            (kernel.least ? ` A block has at least ${kernel.least} threads.`
                          : "");
        const timed = theForm.elements.clock.value !== "none";
        for (const name of ["schedule", "memory"])
            theForm.elements[name].disabled = timed;
        showSource(kernel, []);
    };

    // ---- what came back ----

    const show = (id, ...children) => {
        const there = children.flat().some((one) => one);
        $(id).hidden = !there;
        $(id).querySelector(".filled").replaceChildren(
            ...children.flat().filter((one) => one));
    };

    const showSource = (kernel, marked) => {
        const lines = kernel.source.replace(/\n$/, "").split("\n");
        const first = lines.findIndex((l) => !l.startsWith("//") && l);
        const mark = (k) => marked.find((m) => m.line === k + 1);
        show("source", el("pre", {class: "source", tabindex: 0},
            el("code", {}, lines.map((text, k) => k >= first &&
                el("span", {class: `line ${mark(k)?.kind ?? ""}`,
                            "data-line": k + 1}, `${text}\n`)))));
    };

    const showFindings = (kernel, outcome) => {
        const marked = [];
        const found = outcome.findings.map((f) => {
            marked.push({line: f.line, kind: "here"});
            if (f.other && f.other.line !== f.line)
                marked.push({line: f.other.line, kind: "there"});
            return el("li", {}, el("strong", {}, f.kind),
                f.line ? ` at line ${f.line}` : "",
                f.other?.line ? `, against line ${f.other.line}` : "",
                el("p", {}, f.text), f.cause && note(f.cause),
                f.repeats ? note(`${f.repeats} more of it at this line.`) : null);
        });
        const missed = outcome.incomplete.map((i) =>
            note(`${i.check} did not look at all: ${i.reason}.`));
        const failed = outcome.failed && el("p", {class: "fault"},
                                            outcome.failed.words);
        const none = !found.length && !failed &&
            el("p", {}, "Nothing was found.");
        show("found", failed, none,
             found.length && el("ul", {class: "findings"}, found), missed);
        showSource(kernel, marked);
    };

    const MOST_SHOWN = 512;
    const showOutput = (kernel, request, outcome) => {
        const {results} = outcome.arrays;
        if (!results) {
            show("output");
            return;
        }
        const right = rightOf(kernel, request);
        const written = right.flatMap((r, i) => r === null ? [] : [i]);
        const bad = written.filter((i) => results[i] !== right[i]);
        const shown = written.slice(0, MOST_SHOWN);
        show("output",
            el("p", {class: bad.length ? "fault" : "right"}, bad.length
                ? `${bad.length} of ${written.length} are wrong; the first is ` +
                  `results[${bad[0]}]: ${results[bad[0]]}, and ` +
                  `${right[bad[0]]} is right.`
                : `All ${written.length} are right.`),
            el("ol", {class: "values", tabindex: 0, "aria-label": "results"},
                shown.map((i) => el("li", {}, el("small", {}, i),
                    results[i] === right[i] ? String(results[i])
                                            : wrong(results[i])))),
            shown.length < written.length &&
                note(`The first ${shown.length} of ${written.length}.`));
    };

    // ---- steps ----

    const codeOf = (kernel) => {
        const lines = kernel.source.replace(/\n$/, "").split("\n");
        const first = lines.findIndex((l) => !l.startsWith("//") && l);
        return {file: `${kernel.name}.cu`, first: first + 1,
                lines: lines.slice(first)};
    };
    const orderOf = (form) => [
        form.clock !== "none" ? "in-order"
        : form.schedule === "random" ? `shuffled, seed ${form.seed}`
        : form.schedule,
        form.clock === "none" && form.memory === "weak" && "weak memory"]
        .filter((word) => word).join(", ");

    const isRight = (right, {arrays: {results}}) => Boolean(results) &&
        right.every((r, i) => r === null || results[i] === r);

    // The same with sequential memory in the first order in which it is right:
    // [order, steps], or null.
    const rightRun = async (kernel, request) => {
        const right = rightOf(kernel, request);
        for (const schedule of ["in-order", "reverse"]) {
            const outcome = await engine.run({...request, say: ["steps"],
                options: {...request.options, schedule, memoryModel: "sc"}});
            if (outcome.steps && isRight(right, outcome))
                return [schedule, outcome.steps];
        }
        return null;
    };

    const showReplay = async (kernel, form, request, outcome) => {
        const {steps} = outcome;
        const good = isRight(rightOf(kernel, request), outcome);
        const many = steps && cellsIn(steps) > MOST_CELLS;
        if (!steps?.reads.length || many) {
            show("replay", note(
                !steps ? `Steps are recorded up to n = ${MOST_STEPS_OF}.`
                : many ? "There are too many cells."
                : "No thread read anything."));
            return;
        }
        const other = good || form.clock !== "none" ? null
            : await rightRun(kernel, request);
        const runs = [recordedRun(steps, orderOf(form), good, other?.[1],
                                  outcome.findings)];
        if (other) runs.push(recordedRun(other[1], other[0], true));
        show("replay", replay({runs, code: codeOf(kernel)}, "replay-of"),
            steps.isCut && note("There was more than is kept."));
    };

    // ---- counts, model time ----

    const row = (name, value) => el("tr", {},
        el("th", {scope: "row"}, name), el("td", {}, value));
    const number = (x) => x.toLocaleString("en");
    const showCounts = (outcome) => {
        const m = outcome.model;
        show("counted",
            m && el("p", {}, "Model time of the launch: ",
                el("strong", {}, m.stepPs ? `${number(m.launchPs / m.stepPs)} steps`
                                 : `${number(m.launchPs / 1000)} ns`),
                "; on its critical path: ",
                Object.entries(m.path).sort((a, b) => b[1] - a[1]).slice(0, 4)
                    .map(([cause, ps]) => `${cause} ${Math.round(
                        100 * ps / m.launchPs)} %`).join(", "), "."),
            wide(el("table", {class: "numbers"},
                el("caption", {}, "What the threads did"),
                el("tbody", {}, Object.entries(outcome.counts).map(
                    ([name, value]) => row(name.replaceAll("_", " "),
                                           number(value)))))));
    };

    // ---- a run ----

    let latest = 0;
    const run = async () => {
        if (!theForm.reportValidity()) return;
        if (engine.isRunning) engine.stop();
        const {kernel, form: asked} = read();
        const request = requestOf(kernel, asked);
        const mine = ++latest;
        $("stop").disabled = false;
        status("Running.");
        try {
            const outcome = await engine.run(request);
            showFindings(kernel, outcome);
            showOutput(kernel, request, outcome);
            await showReplay(kernel, asked, request, outcome);
            showCounts(outcome);
            const {findings} = outcome;
            status(`Done in ${Math.max(1, Math.round(outcome.ms))} ms: ` +
                (outcome.failed ? "it failed."
                 : findings.length === 1 ? "1 finding."
                 : `${findings.length} findings.`), outcome.failed);
        } catch (error) {
            if (mine !== latest) return; // a newer run has stopped it
            if (error instanceof vgpu.Stopped) status("Stopped.");
            else status(`The engine ended: ${error.message}`, true);
        } finally {
            $("stop").disabled = !engine.isRunning;
        }
    };

    theForm.addEventListener("submit", (event) => {
        event.preventDefault();
        run();
    });
    theForm.addEventListener("change", () => {
        adapt();
        run();
    });
    // Letters there choose from lists; keys.js does not hear them.
    theForm.addEventListener("keydown", (event) => event.stopPropagation());
    $("stop").addEventListener("click", () => engine.stop());
    adapt();
    wasm.then(run, (error) => status(`No engine: ${error.message}`, true));
}
