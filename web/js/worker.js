// SPDX-License-Identifier: MIT
//
// worker.js: the worker's side of engine.js. The first message brings the
// compiled module, each other one a request. What is no VgpuError has broken the
// core: it is told, and engine.js ends this worker.
{
    let core = null;
    onmessage = async ({data}) => {
        try {
            if (data.wasm) {
                core = await vgpu.openCore(data.wasm);
                postMessage({ready: true});
            } else {
                postMessage({outcome: vgpu.run(core, data.request)});
            }
        } catch (error) {
            postMessage({broken: String(error)});
        }
    };
}
