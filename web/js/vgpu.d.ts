// SPDX-License-Identifier: MIT
//
// vgpu.d.ts: the types of vgpu.mjs. docs/web.md says how to use it; the names of
// counters, findings and causes are those of the manual (vgpu/docs/vgpu.md).

export type Check =
    "memcheck" | "initcheck" | "racecheck" | "synccheck" | "leakcheck";

/** How a device runs. What is left out is as `vgpu` has it, with every check. */
export interface Options {
    /** "in-order", "reverse", "random:SEED" */
    schedule?: string;
    /** "sc", "weak:SEED" */
    memoryModel?: string;
    /** Of memory nobody wrote: "zeros", "random:SEED", "left:SEED" */
    contents?: string;
    checks?: Check[] | "all" | "none";
    /** A device profile: "teach", "h200", ... */
    profile?: string;
    /** Model time, in order and with sequential memory: "teach", "h200" */
    clock?: string;
    /** Racecheck: a flag orders its block's loads only if it is stored with
     * release */
    readsWantRelease?: boolean;
    /** With a clock: where model time went */
    why?: boolean;
    /** Who wrote what, from what */
    steps?: boolean;
    /** Instructions between turns, at most, of a random schedule */
    longestTurn?: number;
    /** Instructions of a warp, in one launch and in all */
    budget?: number;
    budgetInAll?: number;
    /** Of the device; at most, and without, 1 GiB */
    memoryBytes?: number;
    heldBytes?: number;
    raceMemoryMib?: number;
}

export interface KernelInfo {
    name: string;
    paramOffset: number[];
    paramSize: number[];
    paramBytes: number;
    sharedBytes: number;
    localBytes: number;
    registers: number;
    maxThreads: number;
    target: number;
}

export type Size = number | number[];

/** A number or bigint is a whole number of the parameter's size; an array is
 * its bytes: new Float32Array([0.5]). In a request, a buffer's name is its
 * address. */
export type Argument = number | bigint | ArrayBufferView;

export interface LaunchSize {
    grid: Size;
    block: Size;
    sharedBytes?: number;
}

/** The names are the virtual GPU's own: "thread_instructions". None is 0. */
export type Counts = Record<string, number>;
export type Three = [number, number, number];

export interface Finding {
    kind: string;
    check: Check | null;
    kernel: string | null;
    file: string | null;
    line: number;
    block: Three;
    thread?: Three;
    address: string;
    bytes: number;
    writes: boolean;
    other?: {
        file: string | null; line: number; block: Three; thread: Three;
        writes: boolean;
    };
    repeats: number;
    text: string;
    cause: string | null;
}

export interface Incomplete {
    check: Check;
    reason: string;
}

export interface Launch {
    kernel: string;
    grid: Three;
    block: Three;
    modelPs: number;
    counts: Counts;
}

export interface Line {
    kernel: string | null;
    file: string | null;
    line: number;
    counts: Counts;
}

export interface Model {
    launchPs: number;
    devicePs: number;
    betweenPs: number;
    stepPs: number;
    path: Record<string, number>;
    warps: Record<string, number>;
}

export interface Array_ {
    kind: "global" | "shared" | "lanes";
    name: string;
    bytes: number;
    launch: number;
    block: number;
    warp: number;
}

/** A value that came to a cell. */
export interface Write {
    value: string;
    bytes: number;
    array: number;
    at: number;
    step: number;
    thread: number;
    place: number;
    writer: "before" | "store" | "atomic" | "shuffle" | "copy" | "fill";
    /** What the cell held before: a write, or -1 */
    over: number;
    /** The writes whose values it was computed from */
    feeds: {write: number; times: number}[];
}

/** A load by a thread: behind all writes before the one named `before` */
export interface Read {
    /** Whose value it found */
    write: number;
    before: number;
    launch: number;
    block: number;
    thread: number;
    phase: number;
    place: number;
}

export interface Step {
    begin: "host" | "launch" | "barrier" | "message";
    launch: number;
    block: number;
    phase: number;
    last: number;
}

export interface Access {
    launch: number;
    block: number;
    warp: number;
    place: number;
    bytes: number;
    writes: boolean;
    wavefronts: number;
    ideal: number;
    lanes: [number, number][];
}

export interface Steps {
    arrays: Array_[];
    writes: Write[];
    reads: Read[];
    steps: Step[];
    places: {file: string | null; line: number}[];
    banks: number;
    accesses: Access[];
    isCut: boolean;
}

export class VgpuError extends Error {
    status: number;
}

/** What vgpu.wasm becomes; broken once something is thrown that is no
 * VgpuError. */
export interface Core {
    HEAPU8: Uint8Array;
}
export function openCore(
    bytes: BufferSource | WebAssembly.Module): Promise<Core>;

/** In this thread: nothing can stop it but its budget. */
export class Device {
    constructor(core: Core, options?: Options);
    load(ptx: string): number;
    kernel(module: number, name: string): number;
    info(kernel: number): KernelInfo;
    malloc(bytes: number, name?: string, elementBytes?: number): number;
    free(address: number): void;
    write(address: number, data: ArrayBufferView): void;
    read<T extends ArrayBufferView>(address: number, to: T): T;
    fill(address: number, byte: number, bytes: number): void;
    launch(kernel: number, size: LaunchSize, args: Argument[]): void;
    copy(to: number, from: number, bytes: number): void;
    /** Reading the bytes before they are written is a mistake. */
    unwritten(address: number, bytes: number): void;
    /** Not the program's: no leak. */
    own(address: number): void;
    protect(address: number, readOnly: boolean): void;
    nameElements(address: number, name: string, first: number,
                 elementBytes: number): void;
    /** Most dynamic shared memory of a launch */
    dynamic(kernel: number, bytes: number): void;
    /** Grid and block in six numbers, parameters as bytes */
    launchBytes(kernel: number, size: number[], sharedBytes: number,
                params: Uint8Array, cooperative: boolean | number): void;
    saying(what: string): string;
    counts(): Counts;
    findings(): Finding[];
    incomplete(): Incomplete[];
    launches(): Launch[];
    lines(): Line[];
    model(): Model | null;
    printed(): string;
    steps(): Steps | null;
    close(): void;
}

export type Type = "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "f32" |
    "f64" | "u64" | "i64";
export type Numbers = ArrayLike<number> | ArrayLike<bigint>;

export interface Request {
    ptx: string;
    options?: Options;
    /** length, without: the data's; fill: every byte */
    buffers?: Record<string, {
        type: Type; length?: number; data?: Numbers; fill?: number;
    }>;
    launches?: (LaunchSize & {kernel: string; args: (Argument | string)[]})[];
    /** In place of buffers, launches and reads: recorded calls of a host, as a
     * report has them; outputs: what to read before it is freed */
    calls?: [string, ...(string | number | number[] | null)[]][];
    kernels?: string[];
    outputs?: [name: string, type: Type, length: number][];
    /** Buffers that come back */
    reads?: string[];
    /** Which of the lists below; without: all */
    say?: ("counts" | "findings" | "incomplete" | "launches" | "lines" |
           "model" | "printed" | "steps")[];
}

export interface Outcome {
    /** null: every call went well */
    failed: {status: number; words: string} | null;
    arrays: Record<string, ArrayBufferView>;
    ms: number;
    heapBytes: number;
    /** With calls: the host has read other bytes than when it was recorded */
    isOther?: boolean;
    /** With calls: elements of an output's array before its first */
    before?: Record<string, number>;
    counts?: Counts;
    findings?: Finding[];
    incomplete?: Incomplete[];
    launches?: Launch[];
    lines?: Line[];
    model?: Model | null;
    printed?: string;
    steps?: Steps | null;
}

/** In this thread. */
export function run(core: Core, request: Request): Outcome;

export class Stopped extends Error {}

/** In a Worker: one run at a time, which stop() ends. */
export class Engine {
    constructor(bytes: BufferSource | WebAssembly.Module |
                    Promise<BufferSource | WebAssembly.Module>,
                spawn?: () => Worker);
    readonly isRunning: boolean;
    run(request: Request): Promise<Outcome>;
    stop(): void;
}
/** What a Worker runs. */
export const workerText: string;
