// SPDX-License-Identifier: MIT
//
// runs.js: runs a failed check in the page, with another n, order or memory
// model: html_runs.c says what a report has for that. Only a page that has the
// engine (web/page/report.js) calls startRuns; in others, and where there is no
// WebAssembly, the places stay hidden, and what was recorded is all.

const runPlaces = [];

// Where a check's form goes; recorded: what it takes the place of.
const runPlace = ({view: {run}}, lab, id, recorded) => {
    if (!run || !lab.view.runs) return null;
    const place = el("div", {class: "run", hidden: true});
    runPlaces.push({place, run, of: lab.view.runs, id, recorded});
    return place;
};

// "random:12" -> ["random", 12]
const nameAndSeed = (text) => {
    const [name, seed] = text.split(":");
    return [name, Number(seed ?? 1)];
};

// As runs_bytes in html_runs.c packs them.
const bytesIn = (text) => {
    const kind = text[0], [letters, size] = text.slice(1).split(".");
    const from = Uint8Array.from(atob(letters), (c) => c.charCodeAt(0));
    const each = {b: 1, h: 2}[kind] ?? 4;
    const to = new Uint8Array(kind === "=" ? Number(size)
                              : from.length / each * 4);
    for (let i = 0; i < to.length; i++)
        if (i % 4 < each)
            to[i] = from[kind === "=" ? i % 4
                         : Math.floor(i / 4) * each + i % 4];
    return to;
};

// ---- the form ----

const runChoice = (name, words, options, chosen) => el("label", {}, words,
    el("select", {name}, options.map(([value, text]) =>
        el("option", {value, selected: value === chosen}, text))));
const runSeed = (name, words, value) => el("label", {}, words,
    el("input", {name, type: "number", value, min: 0, max: 4294967295, step: 1,
                 required: true}));

const runForm = (run) => {
    const [order, seed] = nameAndSeed(run.schedule);
    const [memory, memorySeed] = nameAndSeed(run.memory);
    const sizes = run.cases.map(({n}) => n);
    const first = sizes.includes(run.n) ? run.n : sizes.at(-1);
    return el("form", {},
        runChoice("n", "n", sizes.map((n) => [n, n]), first),
        runChoice("order", _("Order of warps and blocks"),
                  [["in-order", _("in order")],
                   ["reverse", _("in reverse order")],
                   ["random", _("shuffled")]], order),
        runSeed("seed", _("Seed of the order"), seed),
        runChoice("memory", _("Memory"), [["sc", _("sequential")],
                                          ["weak", _("weak")]], memory),
        runSeed("memory-seed", _("Seed of the memory"), memorySeed),
        el("p", {class: "buttons"},
            el("button", {type: "submit"}, _("Run")),
            el("button", {type: "button", name: "stop", disabled: true},
               _("Stop")),
            el("button", {type: "button", name: "back", hidden: true},
               _("Back to what was recorded"))));
};

const readForm = (form) => {
    const of = (name) => form.elements[name].value;
    const seeded = (name, seed, random) =>
        of(name) === random ? `${random}:${of(seed)}` : of(name);
    return {n: Number(of("n")), schedule: seeded("order", "seed", "random"),
            memoryModel: seeded("memory", "memory-seed", "weak")};
};

const requestFor = ({run, of}, {n, schedule, memoryModel}) => {
    const {calls, wanted} = run.cases.find((c) => c.n === n);
    return {
        ptx: of.ptx, calls, kernels: run.kernels, wanted,
        options: {schedule, memoryModel, profile: run.profile,
                  contents: run.contents, checks: run.checks,
                  readsWantRelease: true, steps: true, budget: 20_000_000}};
};

// ---- the answer ----

// Sums of floats may be rounded as another order of additions rounds them.
const isNumberWrong = (type, got, right) => !type.startsWith("f")
    ? got !== right
    : !(Math.abs(got - right) <= 1e-4 * Math.max(1, Math.abs(right)));

// Of each output: {name, got, right, bad: [index, ...]}.
const answersOf = (tools, {wanted}, {arrays}) => wanted.map(
    ([name, type, base64]) => {
        const right = new tools.TYPES[type](bytesIn(base64).buffer);
        const got = arrays[name];
        const bad = got ? Array.from(right.keys()).filter(
            (i) => isNumberWrong(type, got[i], right[i])) : [];
        return {name, got, right, bad};
    });
const isAnswered = (answers) =>
    answers.every(({got, right, bad}) =>
        (got || !right.length) && !bad.length);

const answerInWords = ({name, got, right, bad}) => !got
    ? right.length > 0 && el("p", {class: "fault"},
                             put(_("There is no %s."), name))
    : bad.length ? el("p", {class: "fault"}, put(
        _("%s of %s elements are wrong; the first is %s: %s, and %s is right."),
        bad.length, right.length, `${name}[${bad[0]}]`, String(got[bad[0]]),
        String(right[bad[0]])))
    : el("p", {class: "good"}, put(_("All %s elements of %s are right."),
                                   right.length, name));

// ---- what was found ----

const findingsInWords = ({findings, failed}) => [
    failed && el("p", {class: "fault"}, failed.words),
    findings.length > 0 && el("ul", {class: "found"}, findings.map((f) =>
        el("li", {}, el("strong", {}, f.kind),
           f.line ? put(_(", line %s"), f.line) : "",
           f.other?.line ? put(_(", against line %s"), f.other.line) : "",
           el("p", {}, f.text))))];

// ---- a run ----

// A call of the same size that is right, in the first order in which one is.
const rightCall = async (tools, engine, request) => {
    for (const schedule of ["in-order", "reverse"]) {
        const outcome = await engine.run({...request, say: ["steps"], options: {
            ...request.options, schedule, memoryModel: "sc"}});
        if (outcome.steps && isAnswered(answersOf(tools, request, outcome)))
            return [schedule, outcome.steps];
    }
    return null;
};

const wordsOfOrder = ({schedule, memoryModel}) =>
    memoryModel === "sc" ? schedule : `${schedule}, ${memoryModel}`;

const pictureOf = async (tools, engine, one, asked, request, outcome,
                         answers) => {
    const {steps} = outcome;
    if (!steps?.reads.length) return null;
    const bad = answers.find((a) => a.bad.length) ?? answers[0];
    const shift = outcome.before?.[bad.name] ?? 0;
    const look = {array: bad.name, cells: new Set(bad.bad.map((i) =>
        i + shift))};
    const good = isAnswered(answers) && !outcome.failed;
    const other = good ? null : await rightCall(tools, engine, request);
    const runs = [tools.recordedRun(steps, wordsOfOrder(asked), good,
                                    other?.[1], outcome.findings, look)];
    if (other)
        runs.push(tools.recordedRun(other[1], other[0], true, null, [], look));
    return replay({runs, code: one.of.code}, `${one.id}-ran`);
};

const runOnce = async (tools, engine, one, form, show) => {
    const asked = readForm(form), wanted = requestFor(one, asked);
    const request = {...wanted, outputs: wanted.wanted.map(
        ([name, type, base64]) => [name, type, bytesIn(base64).length /
                                   tools.TYPES[type].BYTES_PER_ELEMENT]),
        say: ["findings", "steps"]};
    const outcome = await engine.run(request);
    const answers = answersOf(tools, request, outcome);
    const picture = await pictureOf(tools, engine, one, asked, request,
                                    outcome, answers);
    show(findingsInWords(outcome), answers.map(answerInWords), picture,
         outcome.isOther && note(_("The host read other numbers than when its calls were recorded: what it does then may be something else.")));
};

const startRun = (tools, one) => {
    const form = runForm(one.run), {stop, back} = form.elements;
    const status = el("p", {class: "note", role: "status"});
    const ran = el("div", {class: "ran"});
    let latest = 0, engine = null;
    const setBack = (is) => {
        back.hidden = !is;
        if (one.recorded) one.recorded.hidden = is;
    };
    const show = (...parts) => {
        ran.replaceChildren(...parts.flat(Infinity).filter((p) => p));
        setBack(true);
    };
    const go = async () => {
        if (!form.reportValidity()) return;
        const mine = ++latest;
        stop.disabled = false;
        status.textContent = _("Running.");
        try {
            engine ??= tools.open();
            if (engine.isRunning) engine.stop();
            await runOnce(tools, engine, one, form, show);
            status.textContent = "";
        } catch (error) {
            if (mine !== latest) return; // a newer run has stopped it
            status.textContent = error instanceof tools.Stopped ? _("Stopped.")
                : put(_("The engine has ended: %s"), error.message).join("");
        } finally {
            stop.disabled = mine === latest;
        }
    };
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        go();
    });
    form.addEventListener("change", go);
    form.addEventListener("keydown", (event) => event.stopPropagation());
    stop.addEventListener("click", () => engine?.stop());
    back.addEventListener("click", () => {
        latest++;
        engine?.stop();
        form.reset();
        ran.replaceChildren();
        status.textContent = "";
        setBack(false);
    });
    one.place.append(fold({class: "part"}, _("Run it here: other sizes, orders, memory"),
        note(_("The virtual GPU runs in this page; nothing is sent anywhere. What the host did was recorded for each size, with small numbers.")),
        form, status, ran));
    one.place.hidden = false;
};

const startRuns = (tools) => {
    if (tools.isReady()) runPlaces.forEach((one) => startRun(tools, one));
};
