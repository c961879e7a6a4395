import type { Backlog } from "../ingest/backlog.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** An event is in the reports within 5 s under full load; what has waited for minutes waits for something that is broken. */
const LATE_MS = 10_000;
const STUCK_MS = 300_000;

export function checkBacklog(backlog: Backlog, nowMs: number, isRunning: boolean): CheckResult[] {
  const name = "event log";
  if (backlog.oldestMs === undefined) return [ok(name, "all events are in the warehouse")];
  const ageMs = Math.max(0, nowMs - backlog.oldestMs);
  const message = `${backlog.bytes} bytes wait for the warehouse, the oldest since ${Math.round(ageMs / 1000)} s`;
  if (!isRunning) return [warn(name, message, "start the service: it stores them")];
  if (ageMs > STUCK_MS) return [fail(name, message, "search the service's logs for `a batch could not be stored`")];
  return ageMs > LATE_MS ? [warn(name, message, "check whether the analytics engine keeps up")] : [ok(name, message)];
}
