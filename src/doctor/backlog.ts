import type { Backlog } from "../ingest/backlog.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** Under full load an event is in the reports within 5 s. An event that waits for 5 minutes indicates a fault. */
const LATE_MS = 10_000;
const STUCK_MS = 300_000;

export function checkBacklog(backlog: Backlog, nowMs: number, isRunning: boolean): CheckResult[] {
  const name = "event log";
  if (backlog.oldestMs === undefined) return [ok(name, "all events are in the warehouse")];
  const ageMs = Math.max(0, nowMs - backlog.oldestMs);
  const message = `${backlog.bytes} bytes are not in the warehouse yet, the oldest for ${Math.round(ageMs / 1000)} s`;
  if (!isRunning) return [warn(name, message, "start the service: it stores them")];
  if (ageMs > STUCK_MS) return [fail(name, message, "search the service's logs for `a batch could not be stored`")];
  return ageMs > LATE_MS ? [warn(name, message, "check whether the analytics engine keeps up")] : [ok(name, message)];
}
