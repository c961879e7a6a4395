/** A funnel whose CTEs have one reader each, for an engine that computes a CTE again for each reader. */
import type { Cte } from "../../engines/relations.ts";
import { fillSql } from "../../lib/sql.ts";
import { shownValue } from "../../materialize/columns.ts";
import { readParts } from "../report/parts.ts";
import { type FunnelShape, medianSeconds, range, toMs } from "./funnel-shape.ts";

const PARTS = readParts("funnel_one_pass");
const OF_USER = " OVER (PARTITION BY who)";

/** The CTEs after `matched`. */
export function onePass(shape: FunnelShape): Cte[] {
  return [...(shape.isOpen ? openUsers(shape) : closedUsers(shape)), ...countUsers(shape)];
}

function part(name: string, as: string, texts: Record<string, string>): Cte {
  return { name: as, sql: fillSql(PARTS(name), texts) };
}

function closedUsers(shape: FunnelShape): Cte[] {
  const all = range(1, shape.steps);
  const later = range(2, shape.steps);
  return [
    part("starts", "chains_1", { columns: columnsOf(shape).join(", "), first_start: firstIf("start_1 > 0", OF_USER) }),
    ...later.map((k) =>
      part("reached", `chains_${k}`, {
        is_this: `is_${k}`,
        before: `start_${k - 1}`,
        start: `start_${k}`,
        chains: `chains_${k - 1}`,
      }),
    ),
    part("ends", "ends", {
      ends: all.map((k) => `${firstIf(isInTime(k), OF_USER)} AS end_${k}`).join(", "),
      chains: `chains_${shape.steps}`,
    }),
    part("chosen", "chosen", {
      starts: later.map((k) => `${firstIf(isStartOf(k), OF_USER)} AS from_${k}`).join(", "),
    }),
    part("users", "users", { columns: [...all.flatMap(chainMoments), ...closedSession(shape)].join(", ") }),
  ];
}

function columnsOf({ steps, groupBy }: FunnelShape): string[] {
  const session = groupBy === undefined ? [] : ["session"];
  return ["who", "moment", ...session, ...range(1, steps).map((k) => `is_${k}`)];
}

function isInTime(step: number): string {
  return `start_${step} > 0 AND ${toMs("moment")} - ${toMs(`start_${step}`)} <= {funnel_ms:UInt64}`;
}

/** Whether an event is a start from which the end of a chain is in time. */
function isStartOf(step: number): string {
  return `start_1 > 0 AND end_${step} > 0 AND ${toMs("moment")} + {funnel_ms:UInt64} >= ${toMs(`end_${step}`)}`;
}

/** Of the first chain of a user that reaches a step: its first, its last but one and its last moment. */
function chainMoments(step: number): string[] {
  const start = step === 1 ? "end_1" : `from_${step}`;
  const isBefore = `from_${step} > 0 AND start_${step - 1} >= from_${step}`;
  const previous = step <= 2 ? `max(${start})` : firstIf(isBefore);
  return [
    `max(${start}) AS start_moment_${step}`,
    `${previous} AS previous_moment_${step}`,
    `max(end_${step}) AS last_moment_${step}`,
  ];
}

function closedSession({ steps, touch, groupBy }: FunnelShape): string[] {
  if (groupBy === undefined) return [];
  const moment = touch === "first_touch" ? "end_1" : latestOf(range(1, steps).map((k) => `end_${k}`));
  return [`max(if(moment = ${moment}, session, NULL)) AS session`];
}

function openUsers({ steps, touch, groupBy }: FunnelShape): Cte[] {
  const all = range(1, steps);
  const isDone = (step: number) =>
    range(1, step)
      .map((k) => `first_${k} > 0`)
      .join(" AND ");
  const doneAt = (step: number) => latestOf(range(1, step).map((k) => `first_${k}`));
  const ifDone = (step: number, moment: string) => `if(${isDone(step)}, ${moment}, 0)`;
  const columns = all.flatMap((k) => [
    `${ifDone(k, "first_1")} AS start_moment_${k}`,
    `${ifDone(k, doneAt(Math.max(1, k - 1)))} AS previous_moment_${k}`,
    `${ifDone(k, doneAt(k))} AS last_moment_${k}`,
  ]);
  const firsts = all.map((k) => `${firstIf(`is_${k} = 1`)} AS first_${k}`);
  if (groupBy !== undefined) {
    firsts.push(...all.map((k) => `argMinIf(session, moment, is_${k} = 1) AS session_${k}`));
    const moment = touch === "first_touch" ? "first_1" : latestOf(all.map((k) => ifDone(k, doneAt(k))));
    columns.push(
      `${all.reduceRight((other, k) => `if(first_${k} = ${moment}, session_${k}, ${other})`, "NULL")} AS session`,
    );
  }
  return [part("open_users", "users", { columns: columns.join(", "), firsts: firsts.join(", ") })];
}

function countUsers({ steps, groupBy }: FunnelShape): Cte[] {
  const moments = ["start_moment", "previous_moment", "last_moment"].map(
    (name) =>
      `[${range(1, steps)
        .map((k) => `${name}_${k}`)
        .join(", ")}][step] AS ${name}`,
  );
  const texts = {
    from_previous: medianSeconds("previous_moment", "from_previous"),
    from_start: medianSeconds("start_moment", "from_start"),
    moments: moments.join(", "),
    steps: `[${range(1, steps).join(", ")}]`,
  };
  if (groupBy === undefined) return [part("counts", "counts", texts)];
  return [
    part("valued", "valued", { value: shownValue(groupBy, `v.${groupBy}`) }),
    part("grouped_counts", "counts", texts),
  ];
}

/** The first moment with a condition; 0 if there is none. */
function firstIf(condition: string, window = ""): string {
  return `coalesce(min(if(${condition}, moment, NULL))${window}, 0)`;
}

function latestOf(moments: readonly string[]): string {
  return `greatest(${moments.join(", ")})`;
}
