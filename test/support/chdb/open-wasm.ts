/**
 * The engine where npm has no native chdb: chdb-wasm, ClickHouse 26.5 as WebAssembly, on every platform. It runs one
 * statement at a time and keeps its files in memory: all is lost with the process. What else it lacks: `lacks.ts`.
 */
import { Worker } from "node:worker_threads";
import { type Chdb, type Context, inContext, insertFrom, ORDINARY_DEFAULT, quote, type RawResult } from "./chdb.ts";
import type { Answer, Job, Opened } from "./wasm-thread.ts";

/**
 * For the process: V8 compiles hot code of WebAssembly a second time in the background, which takes tests more than it
 * saves: 28 ms and 55 ms of processor for a small statement against 13 and 13. Set later than at the start, the flag has
 * no effect.
 */
export const WASM_FLAGS = ["--liftoff-only"];

/**
 * For a run of an hour the second compilation pays, and sooner than by default: after half a minute of processor time
 * a report takes 1.0 instead of 1.7 s.
 */
export const LONG_RUN_FLAGS = ["--wasm-tiering-budget=1800000"];

/**
 * The slowest statement of the tests takes 20 s. The engine has 16 threads and can wait for a seventeenth for ever: its
 * process then ends, with words, and the next test file gets another one.
 */
const STATEMENT_MS = 240_000;

export async function openWasm(): Promise<Chdb> {
  const worker = new Worker(new URL("./wasm-thread.ts", import.meta.url));
  const { memory, cancelAt } = await new Promise<Opened>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  worker.on("error", (cause) => {
    process.stderr.write(`the engine's thread failed: ${String(cause)}\n`);
    process.exit(70);
  });
  const cancelFlag = new Int32Array(memory, cancelAt, 1);
  let inserts = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** A statement whose client disconnected before its turn is not started. */
  function enqueue(job: Job, signal?: AbortSignal): Promise<RawResult> {
    const result = last.then(async () => {
      signal?.throwIfAborted();
      Atomics.store(cancelFlag, 0, 0);
      const cancel = (): void => void Atomics.store(cancelFlag, 0, 1);
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        return await answerOf(worker, job);
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    });
    last = result.catch(() => undefined);
    return result;
  }

  for (const sql of [ORDINARY_DEFAULT, ...caseFunctions()]) await enqueue({ sql });
  const { bytes } = await enqueue({ sql: "SELECT version() FORMAT TSVRaw" });

  return {
    version: Buffer.from(bytes).toString().trim(),
    query: (sql, context, signal) => enqueue({ sql: inContext(asEngineCan(sql), onOneThread(context)) }, signal),
    insert(sql, format, rows, context) {
      inserts += 1;
      const path = `/in-${inserts}`;
      const text = inContext(insertFrom(path, sql, format), onOneThread(context));
      return enqueue({ sql: text, file: { path, bytes: rows } });
    },
  };
}

/** Handing rows between threads of WebAssembly takes as long as computing them: 73 against 32 ms for a small group by. */
function onOneThread({ database, settings }: Context): Context {
  return { database, settings: new Map([["max_threads", "1"], ...settings]) };
}

function answerOf(worker: Worker, job: Job): Promise<RawResult> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      process.stderr.write(`no answer for ${STATEMENT_MS / 1000} s to: ${job.sql.slice(0, 2_000)}\n`);
      process.exit(70);
    }, STATEMENT_MS);
    worker.once("message", (answer: Answer) => {
      clearTimeout(late);
      if (typeof answer === "string") reject(new Error(answer));
      else resolve(answer);
    });
    worker.postMessage(job);
  });
}

/**
 * Files of WebAssembly cannot be exchanged in one step, which an Atomic database needs to replace a view. DROP ... SYNC
 * waits forever: the task that it waits for does not run.
 */
function asEngineCan(sql: string): string {
  return sql
    .replace(/^(\s*DROP (?:DATABASE|TABLE|VIEW) .*) SYNC\s*$/, "$1")
    .replace(
      /^\s*CREATE OR REPLACE VIEW (\S+)/,
      (_, name: string) => `DROP VIEW IF EXISTS ${name};CREATE VIEW ${name}`,
    );
}

/** The build has no ICU, and with it no lowerUTF8 and upperUTF8: these know Latin, Greek and Cyrillic letters. */
function caseFunctions(): string[] {
  const letters = Array.from({ length: 0x530 - 0xc0 }, (_, at) => String.fromCodePoint(0xc0 + at));
  const isPair = (upper: string, lower: string) =>
    lower !== upper && lower.length === 1 && lower.toUpperCase() === upper;
  const upper = letters.filter((letter) => isPair(letter, letter.toLowerCase())).join("");
  const lower = upper.toLowerCase();
  return [
    `CREATE FUNCTION lowerUTF8 AS (x) -> translateUTF8(lower(x), ${quote(upper)}, ${quote(lower)})`,
    `CREATE FUNCTION upperUTF8 AS (x) -> translateUTF8(upper(x), ${quote(lower)}, ${quote(upper)})`,
  ];
}
