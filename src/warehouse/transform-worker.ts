/** The thread that turns log records into rows: parsing and enriching would otherwise hold up the 200s of the events server. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { createEnrich } from "../enrich/pipeline.ts";
import { createBufferPool } from "../lib/buffer-pool.ts";
import { createTransform } from "./transform.ts";
import { type FromTransform, ownBuffers, type ToTransform } from "./transform-thread.ts";

// Linux takes this for the calling thread alone: who waits for a 200 comes before who waits for a report.
if (process.platform === "linux") setPriority(10);

/** One batch of rows is made while the one before is stored. */
const SPARE_BUFFERS = 2;
const buffers = createBufferPool(SPARE_BUFFERS);
const transform = createTransform(createEnrich(), buffers);

parentPort?.on("message", (message: ToTransform) => {
  if (message.type === "spare") {
    buffers.give(message.memory);
    return;
  }
  const spare = ownBuffers(message.records.map(({ payload }) => payload));
  const answer: FromTransform = { id: message.id, spare };
  try {
    answer.batch = transform(message.records);
  } catch (cause) {
    answer.error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  }
  const rows = answer.batch ? ownBuffers([answer.batch.events, answer.batch.parked]) : [];
  parentPort?.postMessage(answer, [...spare, ...rows]);
});
