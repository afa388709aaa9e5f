// SPDX-License-Identifier: MIT
//
// site.js: puts explorables and tables into their places in a handout. The engine
// is unpacked when the first explorable is looked at; they take turns with it.
{
    const {site} = data;
    const place = (id) => document.getElementById(`explore-${id}`);
    const put = (id, title, words, ...children) => place(id)?.append(
        el("section", {class: "explore", "aria-label": title},
           el("h4", {}, title), words && el("p", {}, words), ...children));

    // ---- numbers ----
    if (site.depths)
        put("depth", _("Depth and work at each n"),
            _("The table above at the sizes that were counted, beside what the formulas say."), ...depthTable(site.depths, site.lab));
    if (site.kModel)
        put("t", _("T over n and k"), null, ...kModel(site.kModel));
    if (site.bounds)
        put("bounds", _("What the checks allow"),
            _("Counts that earn all points, and from which on there are none, by the formulas of lab.ini. What only a run knows has a dash."),
            ...boundsTable(site.bounds, site.mostPower));

    // ---- kernels ----
    const unpack = async (base64) => {
        const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        const stream = new Blob([packed]).stream()
            .pipeThrough(new DecompressionStream("gzip"));
        return new Response(stream).arrayBuffer();
    };
    let engine = null, before = Promise.resolve();
    const open = () => {
        if (engine) return engine;
        vgpu.workerText = site.worker;
        return engine = new vgpu.Engine(unpack(site.wasm));
    };
    const turn = (work) => before = before.then(work);
    const lazy = {run: (request) => open().run(request)};
    for (const kernel of site.kernels ?? []) {
        const one = explorable(kernel, lazy, turn);
        place(kernel.name).append(one.all);
        const watch = new IntersectionObserver((entries) => {
            if (!entries.some((e) => e.isIntersecting)) return;
            watch.disconnect();
            one.run();
        }, {rootMargin: "200px"});
        watch.observe(one.all);
    }
}
