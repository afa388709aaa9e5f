// SPDX-License-Identifier: MIT
//
// report.js: the engine in a report: what html/runs.js runs a failed check with.
// It is unpacked when it is first asked for.
{
    let engine = null;
    const open = () => {
        if (engine) return engine;
        const packed = JSON.parse(
            document.getElementById("engine").textContent);
        vgpu.workerText = packed.worker;
        engine = new vgpu.Engine(vgpu.unpack(packed.wasm));
        return engine;
    };
    startRuns({open, Stopped: vgpu.Stopped, TYPES: vgpu.TYPES, recordedRun,
               cellsIn, isReady: () => typeof WebAssembly === "object" &&
                   typeof DecompressionStream === "function"});
}
