import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alert } from "../alerts-table.ts";
import { tellMetric } from "./message.ts";
import { getMetric } from "./read-metric.ts";
import { calendarOf, closedWindow } from "./windows.ts";

const ALERT = { id: "alr_1", name: "Visitors", projectId: "p", workspaceId: "w" } as unknown as Alert;
const NOW = Date.parse("2026-07-10T09:00:30Z");

/** What a message that it is over says of its window and of the time since which it fired. */
function timesOf(unit: "hours" | "days", zone: string): readonly string[] {
  const metric = getMetric({
    ...{ of: "report", report: "kpis", value: "visitors", condition: { kind: "above", threshold: 1 } },
    ...{ window: { value: unit === "days" ? 2 : 1, unit }, delay_minutes: 0 },
  });
  const window = closedWindow(metric, calendarOf(metric, zone), NOW);
  const firing = { id: "f", sinceMs: Date.parse("2026-07-09T23:00:00Z"), isNotified: true };
  const told = {
    ...{ metric, window, zone, skipped: 0 },
    judged: { verdict: "unmet", value: 1, upper: 1 },
    notification: { change: "resolved", firing },
  } as const;
  const { message, details } = tellMetric(ALERT, told, NOW, () => undefined);
  assert.equal(details.window_to, new Date(window.toMs).toISOString(), "programs get moments");
  const { lines } = message;
  return ["Window", "Fired since"].map((name) => lines.find(({ label }) => label === name)?.value ?? "");
}

test("people are told of times by the clocks of the project, and of windows of days by their days", () => {
  assert.deepEqual(timesOf("hours", "Europe/Berlin"), [
    "2026-07-10 10:00 to 2026-07-10 11:00 (Europe/Berlin)",
    "2026-07-10 01:00 (Europe/Berlin)",
  ]);
  assert.deepEqual(timesOf("days", "Europe/Berlin"), [
    "2026-07-08 to 2026-07-09 (Europe/Berlin)",
    "2026-07-10 01:00 (Europe/Berlin)",
  ]);
  assert.deepEqual(timesOf("hours", "UTC"), ["2026-07-10 08:00 to 2026-07-10 09:00 (UTC)", "2026-07-09 23:00 (UTC)"]);
});
