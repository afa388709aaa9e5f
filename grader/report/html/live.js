// SPDX-License-Identifier: MIT
//
// live.js: for a page that `scanlab watch --serve` shows: asks whether there is
// a newer one, and loads it; until then it fills the bar. It asks nobody else, under the page's own address.
{

    const OFTEN_MS = 200, SELDOM_MS = 3000, PATIENCE_MS = 20000;
    const line = document.getElementById("live");
    const headers = {"If-None-Match": `"${line.dataset.version}"`};
    const words = {
        idle: "Live: the next grade will show here by itself.",
        grading: "Saved, and being graded: this is the grade before.",
        gone: "scanlab watch has ended, or cannot be reached: this is its " +
              "last grade.",
    };

    // Words that change are read aloud; the same again are not.
    const say = (what) => {
        if (line.textContent !== words[what]) line.textContent = words[what];
    };

    // How far it is, check by check; what has not changed is not drawn again.
    const place = document.getElementById("filling");
    let drawn = null;
    const fill = (state) => {
        if (state === drawn) return;
        drawn = state;
        place.hidden = !state;
        place.replaceChildren(
            ...fillFrom(state ?? "", data.grade.view.watched ?? []));
    };

    const ask = async () => {
        let wait = SELDOM_MS;
        try {
            const answer = await fetch(location.pathname, {
                headers,
                cache: "no-store",
                signal: AbortSignal.timeout(PATIENCE_MS),
            });
            if (answer.status === 200) return location.reload();
            say(answer.status === 304 ? answer.headers.get("ScanLab-State")
                                      : "gone");
            fill(answer.headers.get("ScanLab-Checks"));
            if (answer.status === 304) wait = OFTEN_MS;
        } catch {
            say("gone");
        }
        return setTimeout(ask, document.hidden ? SELDOM_MS : wait);
    };

    ask();
}
