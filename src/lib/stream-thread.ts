import type { Worker } from "node:worker_threads";
import { startWorker } from "./start-worker.ts";

/** Runs a module's function `encode` over a stream on one worker thread, for what would hold the event loop. */
export interface StreamThread {
  /** The pieces that `encode(input, options)` yields; at last what it returns. Options must be cloneable. */
  run<R>(module: URL, input: AsyncIterable<Uint8Array>, options: unknown): AsyncGenerator<Buffer, R, void>;
  close(): Promise<void>;
}

/** A module of a stream thread. */
export type Encode<O, R> = (input: AsyncIterable<Buffer>, options: O) => AsyncGenerator<Uint8Array, R, void>;

/** Each is answered by exactly one message from the thread, except for `stop`. */
export type ToStreamThread =
  | { id: number; type: "open"; module: string; options: unknown }
  | { id: number; type: "next" }
  /** Undefined: the input has ended. */
  | { id: number; type: "input"; bytes: Uint8Array | undefined }
  | { id: number; type: "stop" };

export type FromStreamThread =
  | { id: number; type: "piece"; bytes: Uint8Array }
  | { id: number; type: "wants" }
  | { id: number; type: "done"; result: unknown }
  | { id: number; type: "failed"; kind: string; message: string };

/** What `encode` threw. An error loses its class on the way: `kind` is its name. */
export class ThreadFailure extends Error {
  override readonly name = "ThreadFailure";
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Limit of the thread's heap. A thread above the limit ends with all it runs, and the process does not. */
const HEAP_MB = 512;

interface Asked {
  worker: Worker;
  resolve(answer: FromStreamThread): void;
  reject(cause: Error): void;
}

/** The thread starts with its first stream. If it dies, its streams fail and the next stream starts another. */
export function createStreamThread(): StreamThread {
  const asked = new Map<number, Asked>();
  let worker: Worker | undefined;
  let [lastId, closed] = [0, false];

  function start(): Worker {
    const script = new URL("./stream-worker.ts", import.meta.url);
    const made = startWorker(script, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    const forget = () => {
      if (worker === made) worker = undefined;
    };
    made.on("error", forget);
    made.on("exit", forget);
    passAnswers(made, asked);
    return made;
  }

  function ask(on: Worker, message: ToStreamThread): Promise<FromStreamThread> {
    if (closed || on !== worker) return Promise.reject(new Error("the stream thread has ended"));
    return new Promise((resolve, reject) => {
      asked.set(message.id, { worker: on, resolve, reject });
      on.ref();
      on.postMessage(message);
    });
  }

  return {
    async *run<R>(module: URL, input: AsyncIterable<Uint8Array>, options: unknown) {
      worker ??= start();
      const on = worker;
      lastId += 1;
      const id = lastId;
      const source = input[Symbol.asyncIterator]();
      try {
        const opening: ToStreamThread = { id, type: "open", module: module.href, options };
        return (yield* exchange((message) => ask(on, message), opening, source)) as R;
      } finally {
        asked.delete(id);
        if (on === worker) on.postMessage({ id, type: "stop" } satisfies ToStreamThread);
        await source.return?.();
      }
    },
    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
}

/** To those who asked; when the thread ends, all of them fail. */
function passAnswers(worker: Worker, asked: Map<number, Asked>): void {
  worker.on("message", (answer: FromStreamThread) => {
    const waiting = asked.get(answer.id);
    asked.delete(answer.id);
    // Only a stream keeps the process alive.
    if (asked.size === 0) worker.unref();
    waiting?.resolve(answer);
  });
  const fail = (cause: unknown) => {
    for (const [id, waiting] of asked)
      if (waiting.worker === worker) {
        asked.delete(id);
        waiting.reject(cause instanceof Error ? cause : new Error(`the stream thread ended (${String(cause)})`));
      }
  };
  worker.on("error", fail);
  worker.on("exit", fail);
}

/** Gives the thread the input that it wants, and yields the pieces that it makes. Returns its result. */
async function* exchange(
  ask: (message: ToStreamThread) => Promise<FromStreamThread>,
  opening: ToStreamThread,
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Buffer, unknown, void> {
  const { id } = opening;
  let answer = await ask(opening);
  while (answer.type !== "done") {
    if (answer.type === "failed") throw new ThreadFailure(answer.kind, answer.message);
    if (answer.type === "wants") {
      const next = await source.next();
      answer = await ask({ id, type: "input", bytes: next.done ? undefined : next.value });
    } else {
      yield Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength) as Buffer;
      answer = await ask({ id, type: "next" });
    }
  }
  return answer.result;
}
