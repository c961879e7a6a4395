/**
 * The process of one planner. It ends with its parent, and when a statement takes more memory than planning may. One that
 * takes more time is told to the parent, which ends this process.
 */
import { setPriority } from "node:os";
import { StatementRefused } from "../../user-sql/statement-refused.ts";
import { openPlanner } from "./planner.ts";
import type { FromPlanner, PlanRequest, ToPlanner } from "./planner-messages.ts";

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
let endsAt = Number.POSITIVE_INFINITY;
setInterval(() => {
  if (process.memoryUsage.rss() > MOST_BYTES) endNow();
  if (usedMs() < endsAt) return;
  endsAt = Number.POSITIVE_INFINITY;
  send({ type: "late" });
}, EVERY_MS).unref();

const planner = await openPlanner();
process.on("message", (request: ToPlanner) => void answer(request));
send({ type: "ready" });

async function answer({ processorMs, ...request }: ToPlanner): Promise<void> {
  endsAt = usedMs() + processorMs;
  const answered = await plan(request);
  // What was planned in one step was not looked at meanwhile.
  const isLate = usedMs() > endsAt;
  endsAt = Number.POSITIVE_INFINITY;
  send(isLate ? { type: "late" } : answered);
}

/** Processor time of this process since its start. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function plan(request: PlanRequest): Promise<FromPlanner> {
  try {
    return { type: "planned", plan: await planner.plan(request) };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { type: "failed", isRefused: cause instanceof StatementRefused, message };
  }
}

function send(message: FromPlanner): void {
  // Without the callback a send to a parent that has just ended would throw.
  process.send?.(message, () => undefined);
}
