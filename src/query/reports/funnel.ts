import { columnOfGroup, FUNNEL_GROUPS } from "../../contract/metric-columns.ts";
import { STEP_LIMITS } from "../../contract/steps.ts";
import type { Cte } from "../../engines/relations.ts";
import { fillSql } from "../../lib/sql.ts";
import { addDays, DAY_MS } from "../../lib/time.ts";
import { startOfDay } from "../../lib/time-zones.ts";
import { shownValue } from "../../materialize/columns.ts";
import { readSteps, type Step, stepMark } from "../filters/steps.ts";
import { readParts, toCtes } from "../report/parts.ts";
import { type Column, defineReport, type ReportContext } from "../report/report.ts";
import { clampDay, type Days } from "../report/window.ts";
import { onePass } from "./funnel-one-pass.ts";
import { funnelRows } from "./funnel-rows.ts";
import { medianSeconds, range } from "./funnel-shape.ts";
import { keepSessions } from "./kept-sessions.ts";
import { datesOf, requireDates } from "./required-dates.ts";

const PARTS = readParts("funnel");

interface Own {
  readonly steps: readonly Step[];
  readonly windowMs: number;
  readonly isOpen: boolean;
  /** Steps after the last day do not count, as in an open funnel. */
  readonly isWithinDates: boolean;
  /** Undefined: all users together. */
  readonly groupBy: string | undefined;
  readonly touch: "first_touch" | "last_touch";
}

export const funnel = defineReport<Own>({
  dates: datesOf,
  read(query, failures) {
    requireDates(query, failures);
    const { group_by, window_seconds, funnel_type, attribution, within_dates } = query;
    return {
      steps: readSteps(query.steps, "query.steps", failures),
      windowMs: 1000 * (typeof window_seconds === "number" ? window_seconds : STEP_LIMITS.windowSeconds.default),
      isOpen: funnel_type === "open",
      isWithinDates: funnel_type === "open" || within_dates === true,
      groupBy: columnOfGroup(FUNNEL_GROUPS, group_by),
      touch: attribution === "last_touch" ? "last_touch" : "first_touch",
    };
  },
  reach: (own, window) => daysOf(own, window),
  plan(own, context) {
    const { steps, groupBy, isOpen } = own;
    const days = daysOf(own, context.window);
    const kept = keepSessions(context, days);
    const clauses = steps.map((step, index) => stepMark(step, `step${index + 1}`));
    const marks = clauses.map(({ sql }, index) => `${sql} AS is_${index + 1}`);
    // Only groups need the session: without it the rows of `matched` are shorter, a tenth of time and memory.
    const columns = groupBy === undefined ? marks : ["e.session AS session", ...marks];
    const matched = toCtes(PARTS, ["matched"], {
      columns: columns.join(",\n    "),
      is_kept: kept.isKept,
    });
    const users = isOpen ? openUsers(steps.length) : closedUsers(steps.length);
    return {
      ctes: [...kept.ctes, ...matched, ...users, ...countUsers(own)],
      unshared: [...kept.ctes, ...matched, ...onePass({ ...own, steps: steps.length })],
      params: {
        ...kept.params,
        ...Object.assign({}, ...clauses.map(({ params }) => params)),
        types: [...new Set(steps.map(({ type }) => type))],
        funnel_to: days.lastDay,
        funnel_ms: own.windowMs,
        starts_before: momentAfter(context),
        groups: context.limit,
      },
      columns: COLUMNS,
      order: ["breakdown", "step"],
      finish: funnelRows({ names: steps.map(({ name }) => name), isOpen, isGrouped: groupBy !== undefined }),
    };
  },
});

const COLUMNS: readonly Column[] = [
  { name: "breakdown", type: "String" },
  { name: "step", type: "UInt64" },
  { name: "n_users", type: "UInt64" },
  { name: "from_previous", type: "Nullable(Float64)" },
  { name: "from_start", type: "Nullable(Float64)" },
];

/** A closed funnel follows its users past the last day, as long as a chain may take. */
function daysOf({ windowMs, isWithinDates }: Own, { firstDay, lastDay }: Days): Days {
  return { firstDay, lastDay: isWithinDates ? lastDay : clampDay(addDays(lastDay, Math.ceil(windowMs / DAY_MS))) };
}

/** The first moment after the window. Moments exceed the whole numbers of a double. */
function momentAfter({ window, zone }: ReportContext): bigint {
  return BigInt(startOfDay(zone, addDays(window.lastDay, 1))) * 1_048_576n;
}

function part(name: string, as: string, texts: Record<string, string>): Cte {
  return { name: as, sql: fillSql(PARTS(name), texts) };
}

function closedUsers(steps: number): Cte[] {
  const later = range(2, steps);
  const following = later.map((step) =>
    part("following", `following_${step - 1}`, { is_this: `is_${step - 1}`, is_next: `is_${step}` }),
  );
  const chains = later.map((step) =>
    step === 2
      ? part("chains_of_two", "chains_2", {})
      : part("chains", `chains_${step}`, { chains: `chains_${step - 1}`, following: `following_${step - 1}` }),
  );
  const users = later.map((step) => fillSql(PARTS("users_of_step"), { step: String(step), chains: `chains_${step}` }));
  const sql = [PARTS("users_of_start"), ...users].join("\nUNION ALL\n");
  return [...following, ...chains, { name: "users", sql }];
}

function openUsers(steps: number): Cte[] {
  const first = (step: number) => `first_${step}`;
  const latest = (step: number) => (step === 1 ? first(1) : `greatest(${range(1, step).map(first).join(", ")})`);
  const users = range(1, steps).map((step) =>
    fillSql(PARTS("users_of_open_step"), {
      step: String(step),
      previous: latest(Math.max(1, step - 1)),
      last: latest(step),
      is_done: range(1, step)
        .map((each) => `${first(each)} IS NOT NULL`)
        .join(" AND "),
    }),
  );
  const firsts = range(1, steps).map((step) => `min(if(is_${step} = 1, moment, NULL)) AS ${first(step)}`);
  return [part("firsts", "firsts", { firsts: firsts.join(", ") }), { name: "users", sql: users.join("\nUNION ALL\n") }];
}

function countUsers({ groupBy, touch }: Own): Cte[] {
  const texts = {
    from_previous: medianSeconds("previous_moment", "from_previous"),
    from_start: medianSeconds("start_moment", "from_start"),
  };
  if (groupBy === undefined) return [part("counts", "counts", texts)];
  return [
    part("touched", "touched", { touch: touch === "first_touch" ? "min(start_moment)" : "argMax(last_moment, step)" }),
    part("valued", "valued", { value: shownValue(groupBy, `v.${groupBy}`) }),
    part("top", "top", {}),
    part("grouped_counts", "counts", texts),
  ];
}
