// SPDX-License-Identifier: MIT
//
// view_class.js: how a class did (`scanlab stats`): sections of notes, tables,
// figures and strips of checks. tools/stats/page.py says what the data are.
{
    // One piece for each state; neighbours that are alike are one.
    const strip = (states) => {
        const pieces = [];
        states.forEach((state, x) => {
            const last = pieces.at(-1);
            if (last?.class === state) last.width++;
            else pieces.push({class: state, x, width: 1});
        });
        return bar(Math.max(1, states.length), pieces, "bar strip");
    };

    const named = (words, isName) => isName ? el("bdi", {}, words) : words;

    const inside = (cell) => Array.isArray(cell) ? strip(cell)
        : typeof cell === "object"
            ? [named(cell.words, cell.name),
               cell.small?.map((words) => el("small", {},
                                             named(words, cell.name)))]
            : cell;

    const row = (heads, isHeat) => (cells) => el("tr", {}, cells.map(
        (cell, i) => i === 0 && heads[0][1] === "words" && heads.length > 2
            ? el("th", {scope: "row", class: !isHeat && "words"}, inside(cell))
            : el("td", {class: heads[i][1] === "words" && "words"},
                 inside(cell))));

    const kinds = {
        note: (...parts) => note(parts.map((part) => typeof part === "object"
            ? el("bdi", {}, part.name) : part)),
        title: (words) => el("h3", {}, words),
        key: (states) => el("p", {class: "key note"}, states.map(
            ([state, words]) => [strip([state]), words])),
        figure: (light, dark, words) => el("figure", {},
            wide(Object.entries({light, dark}).map(([theme, svgFile]) =>
                el("img", {class: theme, alt: words,
                           src: `data:image/svg+xml;base64,${svgFile}`}))),
            el("figcaption", {}, words)),
        table: (caption, heads, rows) => {
            const isHeat = heads.some(([, kind]) => kind === "strip");
            return wide(el("table", {class: isHeat && "heat"},
                caption && el("caption", {}, caption),
                el("thead", {}, el("tr", {}, heads.map(([words, kind]) =>
                    el("th", {scope: "col",
                              class: kind !== "number" && "words"}, words)))),
                el("tbody", {}, rows.map(row(heads, isHeat)))));
        },
    };

    const part = ([kind, ...rest]) => kinds[kind](...rest);

    views.class = ({title, score, notes, sections, foot}) => [
        jump("main", "To the content"),
        el("header", {}, el("h1", {}, title),
            el("p", {class: "score"}, el("strong", {}, score[0]),
               ` ${score[1]}`),
            notes.map((words) => note(words)), themeButton()),
        el("nav", {}, el("ul", {}, sections.map(({id, title: words}) =>
            el("li", {}, el("a", {href: `#${id}`}, words))))),
        el("main", {id: "main"}, sections.map(({id, title: words, parts}) =>
            el("section", {id}, el("h2", {}, words), parts.map(part)))),
        el("footer", {}, foot.map((words) => note(words)))];
}
