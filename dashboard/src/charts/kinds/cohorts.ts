import { COHORT_INTERVALS, type CohortInterval } from "../../../../src/contract/retention.ts";
import { full } from "../../format/numbers.ts";
import { askedRange, lastWholeDay } from "../../format/range.ts";
import {
  type Cohort,
  type CurvePoint,
  cohortsOf,
  cohortTable,
  columnName,
  INTERVAL_NAMES,
  periodStart,
  type RetentionRow,
  retentionCurve,
} from "../cohorts.ts";
import type { RetentionTableProps, TimeChartProps } from "../drawings.ts";
import { type ChartContext, type ChartKind, VIEW } from "./kind.ts";

interface CohortsLook {
  /** The most lines and columns of the drawing; the table has all. */
  most?: number;
  /** Without the cohorts before the first event: nobody of them can come back. */
  sinceFirstDay?: boolean;
}

/** The cohorts of an answer, and the step that it was asked for. */
export function readCohorts(
  [row]: readonly RetentionRow[],
  { look, asked, today, firstDay }: Pick<ChartContext<CohortsLook>, "look" | "asked" | "today" | "firstDay">,
): { cohorts: readonly Cohort[]; interval: CohortInterval } {
  const interval: CohortInterval = COHORT_INTERVALS.find((name) => name === asked.interval) ?? "week";
  const cohorts = cohortsOf(row, lastWholeDay(askedRange(asked).to, today), interval);
  if (!look.sinceFirstDay) return { cohorts, interval };
  if (firstDay === undefined) return { cohorts: fromFirst(cohorts), interval };
  const isKnown = ({ start }: Cohort) => firstDay === null || periodStart(start, interval, 1) > firstDay;
  return { cohorts: cohorts.filter(isKnown), interval };
}

/** Where nobody says the first day, as on a shared page: from the first cohort with anybody. */
function fromFirst(cohorts: readonly Cohort[]): readonly Cohort[] {
  const first = cohorts.findIndex(({ users }) => users > 0);
  return first === -1 ? cohorts : cohorts.slice(first);
}

const isNobody = (cohorts: readonly Cohort[]) => cohorts.every(({ users }) => users === 0);

/** Who comes back, by the first visit, up to the end of the period: how far it goes back is `limit`. */
export const COHORTS_KIND: ChartKind<RetentionRow, RetentionTableProps, CohortsLook> = {
  needs: ["project_id", "bots", "filters", "segment", "date_to"],
  drawing: (rows, context) => {
    const { cohorts, interval } = readCohorts(rows, context);
    const { most = Infinity } = context.look;
    return { cohorts: most === Infinity ? cohorts : cohorts.slice(-most), interval, most };
  },
  table: (rows, context) => {
    const { cohorts, interval } = readCohorts(rows, context);
    return cohortTable(cohorts, interval);
  },
  isEmpty: (rows, context) => {
    const { cohorts } = readCohorts(rows, context);
    return context.look.sinceFirstDay ? isNobody(cohorts) : cohorts.length === 0;
  },
  skeleton: "heat-skeleton",
  scrolls: "Retention, table",
};

interface CurveLook extends CohortsLook {
  /** Who comes back, such as "visitors" and "Visitors". */
  noun: string;
  label: string;
}

const curveOf = (rows: readonly RetentionRow[], context: ChartContext<CurveLook>) => {
  const { cohorts, interval } = readCohorts(rows, context);
  return { cohorts, interval, curve: retentionCurve(cohorts) };
};

/** The average of the cohorts that are old enough. */
export const CURVE_KIND: ChartKind<RetentionRow, TimeChartProps, CurveLook> = {
  needs: VIEW,
  drawing: (rows, context) => {
    const { interval, curve } = curveOf(rows, context);
    const { noun } = context.look;
    return {
      label: `Share of ${noun} that came back, by ${interval}`,
      points: curve.map((point, nth) => ({
        label: nth === 0 ? `${INTERVAL_NAMES[interval]} of the first visit` : `${plural(nth, interval)} later`,
        axis: columnName(nth, interval),
        value: point.share,
        note: crowdText(point, noun),
        // The fewest cohorts are behind the last point.
        partial: nth === curve.length - 1,
      })),
      format: "percent",
      height: 200,
    };
  },
  table: (rows, context) => {
    const { interval, curve } = curveOf(rows, context);
    return {
      columns: [
        { key: "name", label: INTERVAL_NAMES[interval] },
        { key: "share", label: "Came back", format: "percent" },
        { key: "cohorts", label: "Cohorts", format: "count" },
        { key: "users", label: context.look.label, format: "count" },
      ],
      rows: curve.map((point, nth) => ({ name: columnName(nth, interval), ...point })),
    };
  },
  isEmpty: (rows, context) => {
    const { cohorts, curve } = curveOf(rows, context);
    return isNobody(cohorts) || curve.length < 2;
  },
  skeleton: "heat-skeleton",
};

function plural(count: number, noun: string): string {
  return `${full(count, "count")} ${noun}${count === 1 ? "" : "s"}`;
}

/** "1 cohort, 27 wallets": a share of few is not a share of many. */
function crowdText({ cohorts, users }: CurvePoint, noun: string): string {
  return `${plural(cohorts, "cohort")}, ${plural(users, noun.slice(0, -1))}`;
}
