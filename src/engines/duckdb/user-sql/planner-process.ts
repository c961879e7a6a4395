/** The process of one planner. It ends with its parent, and when a statement takes more memory than planning may. */
import { setPriority } from "node:os";
import { StatementRefused } from "../../user-sql/statement-refused.ts";
import { openPlanner } from "./planner.ts";
import type { FromPlanner, PlanRequest } from "./planner-messages.ts";

/** A planner has 150 MB after its start, and a few more after the statements of the tests. */
const MOST_BYTES = 640 * 1024 * 1024;
const EVERY_MS = 50;

// Below reports and storing, and below the engine's own process.
try {
  setPriority(10);
} catch {
  // Some systems forbid it: then all have the same priority.
}
const endNow = () => void process.kill(process.pid, "SIGKILL");
process.once("disconnect", endNow);
// The parent ends it.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
setInterval(() => {
  if (process.memoryUsage.rss() > MOST_BYTES) endNow();
}, EVERY_MS).unref();

const planner = await openPlanner();
process.on("message", (request: PlanRequest) => void answer(request));
send({ type: "ready" });

async function answer(request: PlanRequest): Promise<void> {
  try {
    send({ type: "planned", plan: await planner.plan(request) });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    send({ type: "failed", isRefused: cause instanceof StatementRefused, message });
  }
}

function send(message: FromPlanner): void {
  // Without the callback a send to a parent that has just ended would throw.
  process.send?.(message, () => undefined);
}
