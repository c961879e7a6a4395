import type { Worker } from "node:worker_threads";
import type { BatchForm } from "../engines/batch.ts";
import { createBufferPool } from "../lib/buffer-pool.ts";
import { startWorker } from "../lib/start-worker.ts";
import type { Batch, IdentifiedRecord } from "./transform.ts";

export interface TransformThread {
  /** Memory for payloads of run(), which reuses it afterwards. */
  allocate(bytes: number): Buffer;
  /** Takes the memory of the payloads from the caller. */
  run(records: readonly IdentifiedRecord[]): Promise<Batch>;
  /** Call it when the rows are stored: their memory is then reused. */
  release(batch: Batch): void;
  close(): Promise<void>;
}

export type ToTransform =
  | { type: "run"; id: number; form: BatchForm; records: readonly IdentifiedRecord[] }
  | { type: "spare"; memory: ArrayBufferLike };

export interface FromTransform {
  id: number;
  batch?: Batch;
  error?: string;
  /** The memory of the payloads. */
  spare: ArrayBufferLike[];
}

/** One piece of the log is read while two wait for the transform: more would not be collected soon (buffer-pool.ts). */
const SPARE_BUFFERS = 3;

interface Thread {
  worker: Worker;
  calls: Map<number, { resolve(batch: Batch): void; reject(cause: Error): void }>;
}

/**
 * Uses one worker thread, which starts at once: the first event need not wait until it has loaded. If it ends, its calls
 * are rejected and the next call starts another.
 */
export function createTransformThread(form: BatchForm): TransformThread {
  const buffers = createBufferPool(SPARE_BUFFERS);
  let thread: Thread | undefined = start();
  let nextId = 1;
  let closed = false;

  function start(): Thread {
    const worker = startWorker(new URL("./transform-worker.ts", import.meta.url));
    const made: Thread = { worker, calls: new Map() };
    worker.on("message", ({ id, batch, error, spare }: FromTransform) => {
      spare.forEach(buffers.give);
      const call = made.calls.get(id);
      made.calls.delete(id);
      if (batch) call?.resolve(batch);
      else call?.reject(new Error(error));
    });
    const fail = (cause: unknown) => {
      if (thread === made) thread = undefined;
      for (const call of made.calls.values())
        call.reject(cause instanceof Error ? cause : new Error("the transform thread ended"));
      made.calls.clear();
    };
    worker.on("error", fail);
    worker.on("exit", fail);
    return made;
  }

  return {
    allocate: buffers.take,
    run(records) {
      if (closed) return Promise.reject(new Error("the transform thread is closed"));
      thread ??= start();
      const { worker, calls } = thread;
      const id = nextId;
      nextId += 1;
      const message: ToTransform = { type: "run", id, form, records };
      worker.postMessage(message, moved(memoryOf(records.map(({ payload }) => payload))));
      return new Promise((resolve, reject) => calls.set(id, { resolve, reject }));
    },
    release(batch) {
      for (const memory of memoryOf(batch.events))
        thread?.worker.postMessage({ type: "spare", memory } satisfies ToTransform, moved([memory]));
    },
    async close() {
      closed = true;
      await thread?.worker.terminate();
    },
  };
}

/** The memory that goes to the other thread with the views: each once, without Node's shared pool of small buffers. */
export function memoryOf(views: readonly Uint8Array[]): ArrayBufferLike[] {
  return [...new Set(views.map(({ buffer }) => buffer))].filter(({ byteLength }) => byteLength > Buffer.poolSize);
}

/** What the sender loses. Memory of the pool is shared with the other thread instead. */
export function moved(memory: readonly ArrayBufferLike[]): ArrayBuffer[] {
  return memory.filter((each) => each instanceof ArrayBuffer);
}
