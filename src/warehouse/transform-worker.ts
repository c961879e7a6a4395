/**
 * The thread that transforms log records into rows: on the main thread, parsing and enriching would delay the answers
 * of the events server.
 */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { BatchForm } from "../engines/batch.ts";
import { createEnrich } from "../enrich/pipeline.ts";
import { createBufferPool } from "../lib/buffer-pool.ts";
import { createTransform } from "./transform.ts";
import { type FromTransform, memoryOf, moved, type ToTransform } from "./transform-thread.ts";

// On Linux this applies to the calling thread only: answers to clients have priority over freshness.
if (process.platform === "linux") setPriority(10);

/** Four pieces are stored together, as many wait for that, and two are read or transformed. */
const SPARE_BUFFERS = 10;
const buffers = createBufferPool(SPARE_BUFFERS);
const transforms = new Map<BatchForm, ReturnType<typeof createTransform>>();

parentPort?.on("message", (message: ToTransform) => {
  if (message.type === "spare") {
    buffers.give(message.memory);
    return;
  }
  const spare = memoryOf(message.records.map(({ payload }) => payload));
  const answer: FromTransform = { id: message.id, spare };
  try {
    const transform = transforms.get(message.form) ?? createTransform(createEnrich(), buffers, message.form);
    transforms.set(message.form, transform);
    answer.batch = transform(message.records);
  } catch (cause) {
    answer.error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  }
  const rows = answer.batch ? memoryOf([...answer.batch.events, answer.batch.parked]) : [];
  parentPort?.postMessage(answer, moved([...spare, ...rows]));
});
