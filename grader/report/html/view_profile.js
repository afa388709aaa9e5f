// SPDX-License-Identifier: MIT
//
// view_profile.js: a source with what each line cost beside it (`scanlab
// profile -o FILE.html`): the hottest lines, then the files, each line with its
// findings and, folded, its PTX.
{
    const found = (words) => el("p", {class: "found"}, words);

    const ptx = ([many, text]) => fold({class: "ptx"}, `PTX, ${many}`,
                                       el("pre", {tabindex: 0}, text));

    // A line is its words, or {words, cells, hot, found, ptx}.
    // Where the timeline has waits of the line, it leads back to the first.
    const row = (columns, id, way) => (line, i) => {
        const {words, cells = null, hot, found: list = [], ptx: code} =
            typeof line === "string" ? {words: line} : line;
        return el("tr", {id: `${id}-${i + 1}`, class: hot && "hot",
                         tabindex: hot && -1},
            el("th", {scope: "row"}, i + 1),
            costWords(columns, cells, words, list.map(found), way(i + 1),
                      code && ptx(code)),
            cells && costCells(columns, cells));
    };

    const listing = (columns, timeline) => ({name, why, lines, notes}, i) => [
        el("h2", {}, name),
        why ? note(put("It is not shown: %s.", why))
            : costTable(columns, lines.map(row(columns, `f${i}`,
                (number) => timeline?.wayBack(name, number)))),
        notes?.map((words) => note(words))];

    // A line with its counts, for a wait of the timeline.
    const lineOf = (columns, files) => (name, number) => {
        const at = files.findIndex((file) => file.name === name);
        const line = files[at]?.lines?.[number - 1];
        return line && hottest({columns, rows: [{
            place: `${name}:${number}`, to: `f${at}-${number}`,
            words: line.words ?? line,
            cells: line.cells ?? columns.map(() => null)}]});
    };

    views.profile = (page) => profilePage(page, page.timeline &&
        new Timeline(page.timeline, lineOf(page.columns, page.files)));

    const profilePage = ({title, verdict, said, printed, summary, columns, hot,
                          elsewhere, files, notes}, timeline) => [
        el("header", {class: "alone"}, el("h1", {}, title),
            el("p", {class: "score"}, verdict), themeButton()),
        el("main", {class: "alone"},
            said.map(([cls, words]) => el("p", {class: cls}, words)),
            quoted("It printed", printed),
            note(summary),
            el("h2", {}, "The hottest lines"),
            hottest({columns, rows: hot}),
            timeline?.elements(),
            elsewhere.map(found),
            files.map(listing(columns, timeline)),
            notes.map((words) => note(words))),
        el("footer", {}, keyHelp([["j", "k"], "next and previous hot line"],
                                 [["a"], "all PTX"],
                                 [["t"], "light or dark"]))];
}
