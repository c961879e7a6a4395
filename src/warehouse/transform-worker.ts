/** The thread that turns log records into rows: parsing and enriching would otherwise hold up the 200s of the events server. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { createTransform, type LoggedRequest } from "./transform.ts";
import { ownBuffers } from "./transform-thread.ts";

// Linux takes this for the calling thread alone: who waits for a 200 comes before who waits for a report.
if (process.platform === "linux") setPriority(10);

const transform = createTransform();

parentPort?.on("message", ({ id, requests }: { id: number; requests: LoggedRequest[] }) => {
  try {
    const batch = transform(requests);
    parentPort?.postMessage({ id, batch }, ownBuffers([batch.events, batch.parked]));
  } catch (cause) {
    parentPort?.postMessage({ id, error: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) });
  }
});
