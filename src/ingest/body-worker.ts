/** The thread of body-thread.ts. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type FromBodyThread, ownMemoryOf, type ToBodyThread } from "./body-thread.ts";
import { decompressNow } from "./decompress.ts";
import { packBody } from "./logged-request.ts";
import { measureBody } from "./measure-body.ts";
import { takeClean } from "./take-clean.ts";
import { takeEvents } from "./take-events.ts";

// Linux applies this to the calling thread only: small requests have priority over large ones, and both over the
// transform thread.
if (process.platform === "linux") setPriority(5);

parentPort?.on("message", (message: ToBodyThread) => {
  const { answer, memory } = answerTo(message);
  parentPort?.postMessage(answer, memory);
});

function answerTo(message: ToBodyThread): { answer: FromBodyThread; memory: ArrayBuffer[] } {
  try {
    if (message.type === "unpack") {
      const unpacked = decompressNow(message.packed, message.encoding, message.maxBytes);
      return {
        answer: { type: "unpacked", unpacked },
        memory: typeof unpacked === "string" ? [] : ownMemoryOf(unpacked),
      };
    }
    const { body, rules } = message;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const taken = takeClean(bytes, rules) ?? takeEvents(body, measureBody(body, rules.lines), rules);
    // A refused body is not logged.
    const logged = taken.kind === "events" ? packBody(body) : undefined;
    return { answer: { type: "taken", taken, logged }, memory: logged ? ownMemoryOf(logged.bytes) : [] };
  } catch (cause) {
    const error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    return { answer: { type: "failed", error }, memory: [] };
  }
}
