// SPDX-License-Identifier: MIT
//
// view_grade.js: a grade (docs/grade.md; each lab and check has what pages show
// besides in `view`): score and progress over the labs, each lab with its
// checks, what is known of the walls. The first failure is open, else folded.
{
    const names = {pass: () => _("pass"), fail: () => _("fail"),
                   skip: () => _("skip"), todo: () => _("todo")};
    const states = {pass: () => _("passed"), fail: () => _("failed"),
                    skip: () => _("skipped"), todo: () => _("to do")};
    const checkId = (lab, check) => `${lab.id}-${check.id}`;

    // ---- progress ----

    // "12 passed, 1 failed, 3 to do"
    const counts = (checks) => Object.keys(states).map((verdict) => [
        checks.filter((c) => c.view.verdict === verdict).length, verdict])
        .filter(([n]) => n).map(([n, verdict]) => `${n} ${states[verdict]()}`)
        .join(", ");

    // A check's share of its lab's bar; one without points has a little.
    const share = (check) => Math.max(check.bonus ?? check.max_score, 2);

    // Checks that were not asked for, or not come to, keep their room.
    const labBar = ({checks, view}) => {
        const width = checks.reduce((sum, check) => sum + share(check), 0);
        let at = 0;
        const rest = {class: "todo", x: width, width: view.rest,
                      title: _("not run")};
        const pieces = checks.map((check) => {
            const x = at;
            at += share(check);
            return {class: check.view.piece, x,
                    width: (share(check) - .006 * (width + view.rest))
                        .toFixed(2),
                    title: `${check.id}: ${names[check.view.verdict]()}`};
        });
        return bar(width + view.rest || 1,
                   view.rest ? [...pieces, rest] : pieces);
    };

    const isBegun = ({checks}) => checks.some(
        (c) => ["pass", "fail"].includes(c.view.verdict));

    const ladder = ({labs}) => el("nav", {"aria-label": _("Labs")},
        el("ol", {class: "ladder"}, labs.map((lab) => el("li", {},
            el("a", {href: `#lab-${lab.id}`},
                el("span", {class: "number"}, lab.view.number), " ",
                el("span", {class: "name"}, lab.id), " ",
                el("span", {class: "points"}, lab.view.points), " ",
                labBar(lab), " ",
                el("small", {}, isBegun(lab)
                    ? counts(lab.checks)
                    : put(_("not begun, %s checks"), lab.checks.length)))))));

    // ---- head and foot ----

    const whereToLook = ({labs, view}) => labs.map((lab) => [
        lab.build_error && [el("a", {href: `#lab-${lab.id}`},
            `${lab.view.source} ${lab.view.state}`), ". "],
        lab.checks.filter((c) => checkId(lab, c) === view.first).map((c) => [
            el("a", {href: `#${view.first}`},
                c.view.verdict === "todo" ? _("To do first")
                                          : _("First failure"),
                `: ${lab.id}, ${c.id}`), ". "])]);

    // Of one lab it is known which file was read.
    const fileOf = ({labs}) => labs.length === 1 ? `/${labs[0].view.source}` : "";

    const score = (grade) => {
        const checks = grade.labs.flatMap((lab) => lab.checks);
        const {bonus} = grade.view;
        return [
            el("p", {class: "score"},
                put(_("%s of %s points"),
                    el("strong", {}, grade.score - bonus), grade.max_score),
                bonus > 0 && put(_(" and %s bonus"), bonus)),
            el("p", {}, counts(checks), ". ", whereToLook(grade)),
            note(el("b", {}, grade.submission + fileOf(grade)),
                 put(_(" on %s, seed %s, %s s"), grade.device, grade.seed,
                     grade.seconds.toFixed(1)))];
    };

    // live.js says in the first line what it knows of the next page.
    const live = (grade) => [
        el("p", {id: "live", class: "note", role: "status",
                 "data-version": grade.view.live}),
        el("div", {id: "filling", hidden: true}),
        note(grade.labs.length
            ? _("Each lab is graded up to its first failure. In the terminal, n goes on to the next; here it leads to the next that is shown.")
            : _("Nothing has been graded yet: save a lab's file."))];

    const head = (grade) => el("header", {}, el("h1", {}, "ScanLab"),
        (grade.labs.length || !grade.view.live) && score(grade),
        grade.view.live && live(grade), themeButton());

    const walls = ({missing, all}) => [
        missing && el("p", {class: "missing"},
                      put(_("Walls are missing %s"), missing)),
        fold({class: "walls"}, missing
            ? _("All walls") : _("All walls that were asked for were in place"),
            el("p", {}, all))];

    // ---- parts of a check: each returns nothing where it has nothing ----

    const what = ({status, seconds, view}) => status === "pass"
        ? note(put(_("Passed in %s s."), seconds.toFixed(2)))
        : [view.what && el("p", {class: "what"}, view.what),
           view.rows.length > 0 && el("dl", {}, view.rows.map(
               ([name, words]) => [el("dt", {}, name), el("dd", {}, words)]))];

    // One at a time, as scanlab hint shows them.
    const hints = ({hints: list}) => list.map((words, i) => fold(
        {class: "hint"}, put(_("Hint %s of %s"), i + 1, list.length),
        el("p", {}, words)));

    // Large random numbers stay folded where small ones stand above, and are
    // not printed.
    const difference = (check) => {
        const {difference: d, trace: t} = check.view;
        return d && (t ? fold({class: "large"}, d.caption, numbers(d))
                       : numbers(d, d.caption));
    };
    const numbers = (d, caption) => wide(
        el("table", {class: "numbers"}, caption && el("caption", {}, caption),
            heads(_("index"), "in", _("expected"), _("got")),
            el("tbody", {}, d.rows.map(([index, input, expected, got, mark]) =>
                el("tr", {}, el("th", {scope: "row"}, `[${index}]`),
                    el("td", {}, input), el("td", {}, expected),
                    el("td", {}, mark === null ? got
                                               : [wrong(got), mark]))))));

    const SMALL = 4; // characters: in what is not small, two numbers are packed
    const called = ({lists: [, [, input]]}) =>
        input.every((value) => value.length <= SMALL)
            ? _("%s called with small numbers, n = %s:")
            : _("%s called with n = %s:");
    const recordedTrace = (t, id) => el("div", {class: "recorded"},
        el("p", {}, put(called(t), t.function ?? _("It"), t.n)),
        t.steps.fault && el("p", {class: "fault"}, t.steps.fault),
        replay(t.steps.replay, id),
        stepLists(t.lists, 10), t.steps.notes.map((words) => note(words)),
        note(`${_("All of it:")} `, el("code", {}, t.command)));

    const trace = (check, lab, id) => {
        const t = check.view.trace, recorded = t && recordedTrace(t, id);
        const place = runPlace(check, lab, id, recorded);
        return (t || place) && [
            t && el("h3", {}, _("Step by step")), place, recorded];
    };

    const excerpt = (lines) => ({file, captions, first, lines: all, here, there}) => el(
        "figure", {},
        captions.map(([cls, words]) => el("figcaption", {class: cls}, words)),
        el("pre", {class: "source", tabindex: 0}, el("code", {},
            all.map((words, i) => {
                const at = first + i;
                const cls = `line${at === here ? " here" : ""}` +
                            `${there.includes(at) ? " there" : ""}`;
                return el("span", {class: cls, "data-line": at,
                                   ...lines.once(file, at)},
                          words, lines.back(file, at), "\n");
            }))));

    const source = ({view: {excerpts}}, lines) => excerpts?.map(excerpt(lines));

    // value beside bound, on one scale, which ends at the larger one.
    const boundBar = (value, bound, cls) => {
        const most = Math.max(value, bound) > 0 ? Math.max(value, bound) : 1;
        return bar(100, [
            {class: "rest", width: 100},
            {class: cls, width: (100 * value / most).toFixed(2)},
            {class: "limit", x: Math.min(100 * bound / most, 99).toFixed(2),
             width: 1}]);
    };

    // The formula, and below it what its variables are; a number says enough.
    const formula = ({formula: text, variables}) => {
        const list = Object.entries(variables);
        return list.length > 0 && [
            el("small", {}, text),
            el("small", {}, list.map(([k, v]) => `${k} = ${v}`).join(", "))];
    };

    const boundRow = (bound, {means, verdict}) => {
        const cls = bound.holds ? "pass" : "fail";
        return el("tr", {},
            el("th", {scope: "row"}, bound.counter, el("small", {}, means)),
            el("td", {class: cls}, bound.count),
            el("td", {}, `${bound.relation} ${bound.bound ?? "?"}`,
               formula(bound)),
            el("td", {}, bound.bound !== null &&
                   boundBar(bound.count, bound.bound, cls),
               el("small", {}, verdict)));
    };

    const ratioRow = ({baseline, median, asked, full, noisy}) => {
        const cls = median >= asked || noisy ? "pass" : "fail";
        return el("tr", {},
            el("th", {scope: "row"}, _("throughput"),
               el("small", {}, put(_("times that of %s"), baseline))),
            el("td", {class: cls}, median.toFixed(3)),
            el("td", {}, `>= ${asked}`, full !== null && el("small", {},
                put(_("all points from %s on"), full))),
            el("td", {}, boundBar(median, asked, cls)));
    };

    const counted = ({measured: m, view}) => m && [
        wide(el("table", {class: "counts"},
            el("caption", {}, m.ratio ? _("Timed") : _("Counted"),
                view.tried && [_(" at "), view.tried]),
            heads(_("what"), _("count"), _("bound"), _("ratio")),
            el("tbody", {}, m.bounds.map((b, i) => boundRow(b, view.bounds[i])),
                m.ratio && ratioRow(m.ratio)))),
        m.ratio && note(view.detail)];

    const whereFrom = ({view: {hottest: h}}) => h && [
        el("h3", {}, put(_("Where the %s came from"), h.counter)), hottest(h)];

    const bankMap = ({view: {banks: b}}) => b?.picture && [
        el("h3", {}, put(_("Bank by bank, with %s elements"), b.n)),
        el("p", {}, `${b.said}.`),
        el("div", {class: "wide steps", tabindex: 0}, picture(b.picture)),
        b.left_out && note(b.left_out)];

    const readOn = ({read}, id, lab) => read && el("p", {}, put(
        _("Read on: %s"), el("code", {}, read.startsWith("README")
            ? `${lab.view.folder}/${read}` : read)));

    // A line ends between words, not at a hyphen, which would read as a space.
    const commandWords = (command) => command.split(" ").flatMap((word, i) =>
        [i > 0 && " ", el("span", {class: "word"}, word)]);

    const again = ({reproduce}) => reproduce && el("p", {class: "again"},
        put(_("Run only this check: %s"),
            el("code", {}, commandWords(reproduce))), " ",
        el("button", {type: "button", class: "copy", hidden: true,
                      "data-copied": _("Copied"),
                      "data-selected": _("Selected")}, _("Copy")));

    const generalHints = (check) => fold({class: "part"},
        _("General hints for this check"), hints(check));

    const repair = ({view}) => view.repair && fold({class: "part"},
        _("A small change with which this case passes"), el("p", {}, view.repair, "."));

    const helps = ({status, hints: list}, lab) =>
        list?.length > 0 && status === "fail" && !lab.build_error;

    // Lines and pictures that an earlier check of the page has shown are folded.
    const sameFolds = ({view}, shown) => view.same && shown.flat().some((one) => one)
        ? fold({class: "part"}, _("Its lines and pictures"), shown) : shown;

    // The pictures are drawn first: they say which lines have a way back.
    const body = (check, lab, id) => drawn(check, lab, id, linesOf(check, id));
    const drawn = (check, lab, id, lines) => [
        what(check),
        helps(check, lab) && !check.view.knows && hints(check),
        sameFolds(check, [
            lives(check, lines), waits(check, lines), trace(check, lab, id),
            bankMap(check), source(check, lines), difference(check)]),
        counted(check),
        whereFrom(check), readOn(check, id, lab),
        check.status !== "pass" && again(check),
        repair(check),
        helps(check, lab) && check.view.knows && generalHints(check),
        check.trust && note(check.trust),
        check.view.left_out && note(_("More is left out, because this report has reached its size: grade this lab alone."))];

    // ---- a check, a lab ----

    const points = (check) => el("span", {class: "points"},
        check.bonus ? `${_("bonus ")}${check.score}/${check.bonus}`
        : check.max_score ? `${check.score}/${check.max_score}`
        : _("no points"));

    const pointsOf = (checks) => {
        const sum = (list) => list.reduce((a, b) => a + b, 0);
        const graded = checks.filter((c) => !c.bonus);
        return el("span", {class: "points"}, [sum(graded.map((c) => c.score)),
            sum(graded.map((c) => c.max_score))].join("/"));
    };

    const line = (check) => [
        el("span", {class: "verdict"}, names[check.view.verdict]()), " ",
        el("span", {class: "name"}, el("b", {}, check.id), " ",
            el("span", {class: "title"}, check.title),
            check.status === "skip" &&
                [" ", el("span", {class: "why"}, check.view.why)]), " ",
        points(check)];

    const oneCheck = (check, lab, first) => {
        const id = checkId(lab, check);
        const cls = classes("check", check.view.verdict, check.view.same && "same");
        return check.view.says_all
            ? el("div", {class: cls, id}, el("p", {class: "row"}, line(check)))
            : fold({class: cls, id, open: id === first}, line(check),
                   el("div", {class: "body"}, body(check, lab, id)));
    };

    // Something failed here, or this is where to begin.
    const isOpen = (lab, first) => Boolean(lab.build_error) ||
        lab.checks.some((c) => checkId(lab, c) === first ||
                               c.view.verdict === "fail");

    // Beside a failure, checks that passed one after the other are one line;
    // those that were skipped are so everywhere.
    const checkList = (lab, first) => {
        const list = [], {checks} = lab;
        const draw = (check) => oneCheck(check, lab, first);
        const together = (kind, verdict, words, n, from) => {
            const some = checks.slice(from, from + n);
            return fold(
                {class: `together ${kind}`},
                [el("span", {class: "verdict"}, verdict), " ", put(words, n),
                 " ", pointsOf(some)],
                some.map(draw));
        };
        const alike = (from, fits) => {
            let n = 0;
            while (from + n < checks.length && fits(checks[from + n])) n++;
            return n;
        };
        const isFirst = (check) => checkId(lab, check) === first;
        for (let i = 0; i < checks.length;) {
            const n = alike(i, (c) => c.status === "pass");
            const skipped = alike(i, (c) => c.status === "skip" && !isFirst(c));
            if (n > 1 && isOpen(lab, first)) {
                list.push(together("passed", _("pass"), _("%s passed"), n, i));
                i += n;
            } else if (skipped > 1) {
                list.push(together("skipped", _("skip"), _("%s skipped"),
                                   skipped, i));
                i += skipped;
            } else {
                list.push(draw(checks[i++]));
            }
        }
        return list;
    };

    const said = ({source: name}, title, text) =>
        quoted(`${name} ${title}`, text);

    // Of a live page: above the checks where none failed.
    const beside = (lab, first, isAbove) => isAbove !== isOpen(lab, first) &&
        versusFold(lab.view.since, isAbove);

    const oneLab = (first) => (lab) => fold(
        {class: "lab", id: `lab-${lab.id}`,
         open: isOpen(lab, first) || Boolean(lab.view.since)},
        [el("h2", {}, `${_("Lab")} ${lab.view.number} `,
            el("span", {class: "title"}, lab.title)), " ",
         el("span", {class: "points"}, lab.view.points)],
        lab.view.late && el("p", {class: "missing"}, lab.view.late),
        changedSince(lab.view.since),
        said(lab.view, lab.view.state, lab.build_error),
        beside(lab, first, true), checkList(lab, first),
        beside(lab, first, false),
        said(lab.view, _("has warnings"), lab.warnings),
        said(lab.view, _("printed"), lab.output));

    // ---- the whole ----

    views.grade = (grade) => [
        jump("labs", _("To the labs")), head(grade), ladder(grade),
        el("main", {id: "labs"}, grade.labs.map(oneLab(grade.view.first))),
        el("footer", {}, grade.view.walls && walls(grade.view.walls),
            keyHelp([["j", "k"], _("next and previous check")],
                    [["f", "n"], _("next failure")],
                    [["h"], _("next hint")],
                    [["Enter"], _("opens and folds")], [["a"], _("all")],
                    [["t"], _("light or dark")]))];
}
