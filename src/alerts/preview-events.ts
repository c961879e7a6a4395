/** How often an event alert would have fired in the last days. */
import type { EventPreview } from "../contract/metric-alerts.ts";
import type { ReportOwner } from "../query/report/question.ts";
import type { Spent } from "../query/run/in-slot.ts";
import type { RunOther } from "../query/run/run-report.ts";
import { type ColumnCondition, matchesByDay } from "../query/windows/matches.ts";
import type { AlertFilter } from "./conditions.ts";
import { readCondition } from "./conditions.ts";
import { askDays, previewDays } from "./preview-days.ts";

/** The filters were checked before. */
export async function previewEvents(
  runOther: RunOther,
  owner: ReportOwner,
  { filters, includeImported }: { filters: readonly AlertFilter[]; includeImported: boolean },
  { nowMs, signal, spent }: { nowMs: number; signal: AbortSignal; spent?: Spent },
): Promise<EventPreview> {
  const conditions = filters.map((filter) => readCondition("event", filter, "", () => undefined)).flatMap(toColumn);
  const report = matchesByDay(
    includeImported ? conditions : [...conditions, { column: "channel", op: "notEquals", value: "import" }],
  );
  const days = previewDays(owner, nowMs);
  const { data } = await runOther("windows", report, owner, askDays(report, owner, days, nowMs), signal, spent);
  const found = new Map(data.map(({ date, matches }) => [String(date), Number(matches)]));
  const listed = days.map((date) => ({ date, matches: found.get(date) ?? 0 }));
  return { days: listed, matches: listed.reduce((sum, { matches }) => sum + matches, 0) };
}

/** As the evaluation compares them: addresses of EVM are stored in lower case. */
function toColumn(condition: ReturnType<typeof readCondition>): ColumnCondition[] {
  if (condition?.kind !== "text") return [];
  const { field, op, value } = condition;
  const isEvm = field === "address" && /^0x[0-9a-f]*$/i.test(value);
  return [{ column: field, op, value: isEvm ? value.toLowerCase() : value } as ColumnCondition];
}
