// SPDX-License-Identifier: MIT
//
// lines.js: from a picture of a check to the lines of its excerpts, and back.

// `link` is words that lead to a line, where an excerpt has it; `back` leads
// from a line to the picture that names it; `once` is the line's id.
const linesOf = ({view: {excerpts}}, id) => {
    const ids = new Map(), named = new Map(), given = new Set();
    const key = (file, line) => `${file}:${line}`;
    (excerpts ?? []).forEach(({file, first, lines}, k) => lines.forEach((text, i) => {
        const at = key(file, first + i);
        if (!ids.has(at)) ids.set(at, `${id}-excerpt-${k}-line-${first + i}`);
    }));
    const go = (file, line, picture) => {
        const to = ids.get(key(file, line));
        if (to && !named.has(key(file, line)))
            named.set(key(file, line), picture);
        return to && `#${to}`;
    };
    return {
        go, picture: (name) => `${id}-${name}`,
        link: (file, line, picture, words) => {
            const href = go(file, line, picture);
            return href ? el("a", {href}, words) : words;
        },
        once: (file, line) => {
            const at = key(file, line), isNew = !given.has(at);
            given.add(at);
            return {id: isNew && ids.get(at), tabindex: isNew && named.has(at) && -1};
        },
        back: (file, line) => named.has(key(file, line)) && el("a", {
            class: "back", href: `#${named.get(key(file, line))}`,
            "aria-label": _("back to the picture")}, "\u2191"),
    };
};
