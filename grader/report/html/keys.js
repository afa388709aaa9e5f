// SPDX-License-Identifier: MIT
//
// keys.js: comfort for a page that is drawn: keys, light and dark, copying a
// command, opening what an address names, paper.
{
    const all = (what, within = document) => [...within.querySelectorAll(what)];
    const checks = () => all("details.check");

    // Opens what an element stands in.
    const reveal = (element) => {
        for (let at = element; at; at = at.parentElement)
            if (at.tagName === "DETAILS") at.open = true;
    };

    const show = (check) => {
        if (!check) return;
        reveal(check.parentElement);
        const line = check.querySelector("summary");
        line.focus();
        line.scrollIntoView({block: "nearest"});
    };

    // ---- addresses ----

    const toAddress = () => {
        const id = decodeURIComponent(location.hash.slice(1));
        const target = id && document.getElementById(id);
        if (!target) return;
        reveal(target);
        target.scrollIntoView();
    };

    // ---- light and dark ----

    const themes = ["system", "light", "dark"];
    const button = document.getElementById("theme");
    const themeWords = button.dataset.words.split("|");
    const setTheme = (name) => {
        document.documentElement.dataset.theme = name;
        button.textContent = themeWords[themes.indexOf(name)];
    };
    const nextTheme = () => {
        const now = themes.indexOf(document.documentElement.dataset.theme);
        const theme = themes[(now + 1) % themes.length];
        setTheme(theme);
        history.replaceState({theme}, "");
    };

    // ---- copying ----

    const copy = async (copyButton) => {
        const code = copyButton.parentElement.querySelector("code");
        try {
            await navigator.clipboard.writeText(code.textContent);
            copyButton.textContent = copyButton.dataset.copied;
        } catch {
            getSelection().selectAllChildren(code); // Ctrl+C does the rest
            copyButton.textContent = copyButton.dataset.selected;
        }
    };

    // ---- keys ----

    const step = (list, by) => {
        const here = document.activeElement.closest("details.check");
        const y = (element) => element.getBoundingClientRect().top;
        let at = list.indexOf(here);
        if (at < 0 && here) // from a check that is none of the list's
            at = list.filter((c) => y(c) < y(here)).length - (by > 0 ? 1 : 0);
        else if (at < 0)
            at = by > 0 ? -1 : 0;
        show(list[at + by]);
    };

    // Of a page of source: the next hot line.
    const stepLine = (lines, by) => {
        const at = lines.indexOf(document.activeElement);
        const line = lines[at < 0 && by < 0 ? lines.length - 1 : at + by];
        if (!line) return;
        line.focus();
        line.scrollIntoView({block: "center"});
    };

    const next = (by) => {
        const lines = all("tr.hot");
        if (lines.length) stepLine(lines, by);
        else step(checks(), by);
    };

    const toggleAll = () => {
        const list = checks().length ? checks() : all("details.ptx");
        const open = list.some((one) => !one.open);
        for (const one of [...list, ...all("details.together")]) one.open = open;
        if (open) for (const one of all("details.lab")) one.open = true;
        else keepFocus();
    };

    // If the focus was in something that is folded now, the line that opens it gets it.
    const keepFocus = () => {
        let folded = null;
        for (let at = document.activeElement; at; at = at.parentElement)
            if (at.tagName === "DETAILS" && !at.open) folded = at;
        folded?.querySelector("summary").focus();
    };

    // The next hint of the check that has the focus, or else of the first that
    // failed.
    const nextHint = () => {
        const check = document.activeElement.closest("details.check") ??
                      document.querySelector("details.check.fail");
        const hint = check?.querySelector(".hint:not([open])") ??
                     check?.querySelector(".hint");
        if (!hint) return;
        hint.open = true;
        show(hint);
    };

    // Where nothing failed: what is to do.
    const nextFailure = () => {
        const failed = all("details.check.fail");
        step(failed.length ? failed : all("details.check.todo"), 1);
    };

    const keys = {
        j: () => next(1),
        k: () => next(-1),
        f: nextFailure,
        n: nextFailure,
        h: nextHint,
        a: toggleAll,
        t: nextTheme,
    };

    // ---- paper: folded checks are opened to be printed, and folded again. report.css
    // prints less of these than of checks that the reader has opened. ----

    let opened = [];
    const beforePrint = () => {
        opened = all("details:not([open], .ptx, .large, .hint, .part)");
        for (const one of opened) one.open = true, one.classList.add("for-paper");
    };
    const afterPrint = () => {
        for (const one of opened) one.open = false, one.classList.remove("for-paper");
    };

    setTheme(history.state?.theme ?? "system"); // as before a reload
    button.hidden = false;
    button.addEventListener("click", nextTheme);
    for (const one of all(".copy")) {
        one.hidden = false;
        one.addEventListener("click", () => copy(one));
    }
    for (const one of all(".keys")) one.hidden = false;
    addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (!(event.key in keys)) return;
        keys[event.key]();
        event.preventDefault();
    });
    addEventListener("hashchange", toAddress);
    addEventListener("beforeprint", beforePrint);
    addEventListener("afterprint", afterPrint);
    toAddress();
}
