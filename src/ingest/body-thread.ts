import type { Worker } from "node:worker_threads";
import { ApiError } from "../contract/errors.ts";
import { startWorker } from "../lib/start-worker.ts";
import type { Encoding, Unpacked } from "./decompress.ts";
import type { LoggedBody } from "./logged-request.ts";
import type { Taken, TakeRules } from "./take-events.ts";

/** Decompresses and reads large bodies: on the main thread 10 MiB would block all other requests for 0.3 to 1.5 s. */
export interface BodyThread {
  /** The decompressed body, if it is at most `maxBytes` long. */
  unpack(packed: Uint8Array, encoding: Encoding, maxBytes: number, signal?: AbortSignal): Promise<Unpacked>;
  /** The result of reading the body, and if there are events the body as it is logged. Its memory is the thread's. */
  take(body: Buffer, rules: TakeRules, signal?: AbortSignal): Promise<TakenThere>;
  close(): Promise<void>;
}

export interface TakenThere {
  taken: Taken;
  logged: LoggedBody | undefined;
}

export type ToBodyThread =
  | { type: "unpack"; packed: Uint8Array; encoding: Encoding; maxBytes: number }
  | { type: "take"; body: Uint8Array; rules: TakeRules };

export type FromBodyThread =
  | { type: "unpacked"; unpacked: Uint8Array | "too_large" | "not_valid" }
  | ({ type: "taken" } & TakenThere)
  | { type: "failed"; error: string };

/** Far more than the body budget admits at once. */
const MOST_WAITING = 64;
/** Limit of the thread's heap: 500,000 values take 60 MB. A thread above the limit ends, and the process does not. */
const HEAP_MB = 512;

interface Job {
  message: ToBodyThread;
  signal: AbortSignal | undefined;
  resolve(answer: FromBodyThread): void;
  reject(cause: Error): void;
}

/**
 * One worker thread, which reads one body at a time. If it dies, that body is rejected and a new thread reads the next.
 */
export function createBodyThread(script = new URL("./body-worker.ts", import.meta.url)): BodyThread {
  const jobs = new Jobs(script);
  return {
    async unpack(packed, encoding, maxBytes, signal) {
      const answer = await jobs.run({ type: "unpack", packed, encoding, maxBytes }, signal);
      if (answer.type !== "unpacked") throw new Error(`the body thread answered ${answer.type} to unpack`);
      return typeof answer.unpacked === "string" ? answer.unpacked : asBuffer(answer.unpacked);
    },
    async take(body, rules, signal) {
      const answer = await jobs.run({ type: "take", body, rules }, signal);
      if (answer.type !== "taken") throw new Error(`the body thread answered ${answer.type} to take`);
      return { taken: answer.taken, logged: answer.logged };
    },
    close: () => jobs.close(),
  };
}

class Jobs {
  readonly #script: URL;
  readonly #waiting: Job[] = [];
  #running: Job | undefined;
  #worker: Worker | undefined;
  #closed = false;

  constructor(script: URL) {
    this.#script = script;
  }

  run(message: ToBodyThread, signal: AbortSignal | undefined): Promise<FromBodyThread> {
    if (this.#closed || this.#waiting.length >= MOST_WAITING) return Promise.reject(crowded());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, signal, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#waiting.splice(0)) job.reject(crowded());
    this.#takeRunning()?.reject(crowded());
    const ending = this.#worker;
    this.#worker = undefined;
    await ending?.terminate();
  }

  #next(): void {
    while (this.#running === undefined && !this.#closed) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      if (job.signal?.aborted) {
        job.reject(job.signal.reason);
        continue;
      }
      this.#running = job;
      this.#worker ??= this.#start();
      this.#worker.postMessage(job.message, job.message.type === "take" ? ownMemoryOf(job.message.body) : []);
    }
  }

  #start(): Worker {
    const made = startWorker(this.#script, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    made.on("message", (answer: FromBodyThread) => {
      const job = this.#takeRunning();
      if (answer.type === "failed") job?.reject(broken(new Error(answer.error)));
      else job?.resolve(answer);
      this.#next();
    });
    const fail = (cause: unknown) => {
      if (this.#worker !== made) return;
      this.#worker = undefined;
      const why = cause instanceof Error ? cause : new Error(`the body thread ended (${String(cause)})`);
      this.#takeRunning()?.reject(broken(why));
      this.#next();
    };
    made.on("error", fail);
    made.on("exit", fail);
    return made;
  }

  #takeRunning(): Job | undefined {
    const job = this.#running;
    this.#running = undefined;
    return job;
  }
}

/** Memory that can be transferred instead of copied, because nothing else is in it. */
export function ownMemoryOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function crowded(): ApiError {
  return unavailable("Too many large requests at once; none of this one was taken");
}

function broken(cause: Error): ApiError {
  return unavailable("The request could not be read; none of it was taken", cause);
}

function unavailable(message: string, cause?: Error): ApiError {
  return new ApiError("SERVICE_UNAVAILABLE", message, {
    headers: { "Retry-After": "1" },
    ...(cause ? { cause } : {}),
  });
}
