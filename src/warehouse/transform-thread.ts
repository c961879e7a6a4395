import { Worker } from "node:worker_threads";
import { createBufferPool } from "../lib/buffer-pool.ts";
import type { Batch, PlacedRecord } from "./transform.ts";

export interface TransformThread {
  /** Memory for payloads that run() will get: it is used again afterwards. */
  allocate(bytes: number): Buffer;
  /** The memory of the payloads is gone for the caller. */
  run(records: readonly PlacedRecord[]): Promise<Batch>;
  /** The rows are stored: their memory may be used for the next ones. */
  release(batch: Batch): void;
  close(): Promise<void>;
}

export type ToTransform =
  | { type: "run"; id: number; records: readonly PlacedRecord[] }
  | { type: "spare"; memory: ArrayBuffer };

export interface FromTransform {
  id: number;
  batch?: Batch;
  error?: string;
  /** What the payloads were in. */
  spare: ArrayBuffer[];
}

/** One batch of the log is read while the one before is transformed. */
const SPARE_BUFFERS = 2;

interface Thread {
  worker: Worker;
  calls: Map<number, { resolve(batch: Batch): void; reject(cause: Error): void }>;
}

/** One worker thread; a thread that dies rejects what it had and another is started for the next call. */
export function createTransformThread(): TransformThread {
  const buffers = createBufferPool(SPARE_BUFFERS);
  let thread: Thread | undefined;
  let nextId = 1;
  let closed = false;

  function start(): Thread {
    const worker = new Worker(new URL("./transform-worker.ts", import.meta.url));
    const made: Thread = { worker, calls: new Map() };
    worker.unref();
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
      const message: ToTransform = { type: "run", id, records };
      worker.postMessage(message, ownBuffers(records.map(({ payload }) => payload)));
      return new Promise((resolve, reject) => calls.set(id, { resolve, reject }));
    },
    release(batch) {
      for (const memory of ownBuffers([batch.events]))
        thread?.worker.postMessage({ type: "spare", memory } satisfies ToTransform, [memory]);
    },
    async close() {
      closed = true;
      await thread?.worker.terminate();
    },
  };
}

/** The memory that may be handed over instead of copied: each buffer once, and none of the pool that small ones share. */
export function ownBuffers(views: readonly Uint8Array[]): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  for (const view of views) {
    if (view.buffer instanceof ArrayBuffer && view.buffer.byteLength > Buffer.poolSize) found.add(view.buffer);
  }
  return [...found];
}
