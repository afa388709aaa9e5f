// SPDX-License-Identifier: MIT
//
// engine.js: the virtual GPU in a Worker, so that a kernel without end, or PTX
// that breaks the engine, can be stopped: the worker ends, and with it all that
// it had. The next run begins a new one, from the module that is compiled once.
{
    class Stopped extends Error {
        constructor() {
            super("stopped");
            this.name = "Stopped";
        }
    }

    // Of the text in vgpu.workerText, which the build puts together.
    const spawnHere = () => {
        const url = URL.createObjectURL(
            new Blob([vgpu.workerText], {type: "text/javascript"}));
        const worker = new Worker(url);
        URL.revokeObjectURL(url);
        return worker;
    };

    class Engine {
        #module; #spawn; #worker = null; #refuse = null;

        // bytes: vgpu.wasm, or a promise of it.
        constructor(bytes, spawn = spawnHere) {
            this.#module = Promise.resolve(bytes).then((b) =>
                b instanceof WebAssembly.Module ? b : WebAssembly.compile(b));
            this.#module.catch(() => {}); // told by each run
            this.#spawn = spawn;
        }

        get isRunning() {
            return this.#refuse !== null;
        }

        // Ends what runs, whose promise is refused with Stopped.
        stop() {
            this.#end(new Stopped());
        }

        #end(why) {
            this.#worker?.terminate();
            this.#worker = null;
            this.#refuse?.(why);
            this.#refuse = null;
        }

        #ask(message) {
            return new Promise((answer) => {
                this.#worker.onmessage = ({data}) => {
                    if (data.broken) this.#end(new Error(data.broken));
                    else answer(data.outcome);
                };
                this.#worker.onerror = (event) => {
                    event.preventDefault?.();
                    this.#end(new Error(event.message ?? "the worker failed"));
                };
                this.#worker.postMessage(message);
            });
        }

        async #work(request, isWanted) {
            const wasm = await this.#module;
            if (!isWanted()) return undefined;
            if (!this.#worker) {
                this.#worker = this.#spawn();
                await this.#ask({wasm});
            }
            return this.#ask({request});
        }

        async run(request) {
            if (this.isRunning) throw new Error("it runs already: stop it");
            const ended = new Promise((_, refuse) => this.#refuse = refuse);
            const mine = this.#refuse;
            try {
                return await Promise.race([
                    ended, this.#work(request, () => this.#refuse === mine)]);
            } finally {
                if (this.#refuse === mine) this.#refuse = null;
            }
        }
    }

    // vgpu.wasm, of a page that has it by gzip and in base64.
    const unpack = (base64) => {
        const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        const stream = new Blob([packed]).stream()
            .pipeThrough(new DecompressionStream("gzip"));
        return new Response(stream).arrayBuffer();
    };

    Object.assign(vgpu, {Engine, Stopped, unpack});
}
