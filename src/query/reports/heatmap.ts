import { isPlain } from "../report/conditions.ts";
import { readParts, toCtes, unionOf } from "../report/parts.ts";
import { defineReport, type ReportContext, type Row } from "../report/report.ts";
import { wallTime } from "../report/wall-time.ts";
import { chooseEvents, dirtyEvents } from "./chosen-events.ts";

const PARTS = readParts("heatmap");
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** Activity by weekday and hour: 168 rows for each project, also without any activity. */
export const heatmap = defineReport({
  read: () => undefined,
  plan(_own, context) {
    const wall = wallTime(context.window, context.zone);
    const isFromRollups = isPlain(context);
    const { ctes, params, passed } = isFromRollups ? dirtyEvents(context, "open_hours") : chooseEvents(context);
    const parts = isFromRollups ? ["clean", "counted"] : ["counted"];
    const every = unionOf(parts, "project_id, weekday, hour, n_hits, n_events, n_sessions");
    const columns = [
      { name: "project_id", type: "String" },
      { name: "weekday", type: "UInt8" },
      { name: "hour", type: "UInt8" },
      { name: "hits", type: "UInt64" },
      { name: "sessions", type: "UInt64" },
      { name: "events", type: "UInt64", from: "all_events" },
    ] as const;
    return {
      ctes: [...ctes, ...toCtes(PARTS, [...parts, "counts"], { passed, every, wall_ms: wall.wallMs("at_ms") })],
      params: { ...params, ...wall.params },
      columns,
      order: ["project_id", "weekday", "hour"],
      finish: { meta: columns.map(({ name, type }) => ({ name, type })), rows: (counted) => fill(counted, context) },
    };
  },
});

function fill(counted: readonly Row[], { projects, hasDays }: ReportContext): Row[] {
  if (!hasDays) return [];
  const found = Map.groupBy(counted, ({ project_id }) => project_id);
  return projects.toSorted().flatMap((project_id) => {
    const cells: Row[] = WEEKDAYS.flatMap((weekday) =>
      HOURS.map((hour) => ({ project_id, weekday, hour, hits: 0, sessions: 0, events: 0 })),
    );
    for (const row of found.get(project_id) ?? [])
      cells[(Number(row.weekday) - 1) * HOURS.length + Number(row.hour)] = row;
    return cells;
  });
}
