import { useSearch } from "@tanstack/react-router";
import { reportRequest, useReport } from "../../api/reports.ts";
import {
  COHORT_INTERVALS,
  type CohortInterval,
  type CurvePoint,
  cohortsOf,
  cohortTable,
  columnName,
  INTERVAL_NAMES,
  periodStart,
  type RetentionRow,
  retentionCurve,
} from "../../charts/cohorts.ts";
import { RetentionTable } from "../../charts/retention-table.tsx";
import { TimeChart } from "../../charts/time-chart.tsx";
import { valueName } from "../../format/names.ts";
import { full, rate } from "../../format/numbers.ts";
import { addDays, countDays, type Day } from "../../state/days.ts";
import { askedRange, lastWholeDay } from "../../state/period.ts";
import { oneOf, type RawSearch, text } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { BotsLine } from "../../ui/bots-line.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Empty } from "../../ui/states.tsx";
import "./retention.css";

const WHO = [
  { value: "anonymous_id", label: "Visitors" },
  { value: "address", label: "Wallets" },
] as const;
const WHO_NAMES = { anonymous_id: "Visitors", address: "Wallets" } as const;
const EVENTS = ["page", "connect", "signature", "transaction", "track"] as const;
const INTERVALS = [
  { value: "day", label: "By day" },
  { value: "week", label: "By week" },
  { value: "month", label: "By month" },
] as const satisfies { value: CohortInterval; label: string }[];
/** The most that the report answers. */
const MOST_COHORTS = 52;
const DAYS = { day: 1, week: 7, month: 28 } as const;

/** Who comes back, by the day, week or month of the first visit. */
export function Retention() {
  const view = useView();
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const who = oneOf(["anonymous_id", "address"], search.who) ?? "anonymous_id";
  const event = oneOf(EVENTS, search.event);
  const chosen = oneOf(COHORT_INTERVALS, search.by) ?? "week";
  const { range: wanted, today, firstDay } = view;
  // Weeks begin on Monday: a period of 7 days may touch two.
  const touched = Math.ceil(countDays(wanted.from, wanted.to) / DAYS[chosen]) + (chosen === "day" ? 0 : 1);
  const request = reportRequest("retention", {
    ...view.query,
    id_type: who,
    event_type: event,
    interval: chosen === "week" ? undefined : chosen,
    min_users: 0,
    limit: Math.min(MOST_COHORTS, touched),
  });
  const query = useReport<RetentionRow>(request);
  const row = query.data?.data[0];
  // While the answer is old, its days and cohorts are those that it was asked for.
  const interval = query.data ? (oneOf(COHORT_INTERVALS, query.data.asked.interval) ?? "week") : chosen;
  const range = query.data ? askedRange(query.data.asked) : wanted;
  const lastDay = lastWholeDay(range.to, today);
  const cohorts = cohortsOf(row, lastDay, interval);
  const curve = retentionCurve(cohorts);
  const table = cohortTable(cohorts, interval);
  const [, users, , , , day7, day30, day90] = row?.metric ?? [];
  // Nobody can be back after 30 days where the first came 20 days ago.
  const first = [range.from, firstDay ?? range.from].sort().at(-1) ?? range.from;
  const isRunning = range.to >= today;
  const isYoung = first === firstDay && isRunning;
  const backAfter = (days: number, value: string | number | null | undefined) =>
    addDays(first, days) <= (isRunning ? today : range.to)
      ? shareText(value)
      : (comesText(addDays(first, days), today, isYoung) ?? "–");
  // The first curve needs a whole period after that of the first visit.
  const begins = comesText(periodStart(first, interval, 2), today, isYoung);
  const noun = who === "address" ? "wallets" : "visitors";
  const empty = cohorts.every(({ users: size }) => size === 0);
  return (
    <div className="retention-page">
      <div className="page-head">
        <div>
          <h1>Retention</h1>
          <p>
            Who of the new {noun} of the period comes back, by the {interval} in which they were first seen.
          </p>
        </div>
        <div className="retention-options">
          <Segmented
            label="Count"
            options={WHO}
            value={who}
            onChange={(value) => set({ who: value === "anonymous_id" ? undefined : value })}
          />
          <Segmented
            label="Cohorts"
            options={INTERVALS}
            value={chosen}
            onChange={(value) => set({ by: value === "week" ? undefined : value })}
          />
          <label className="inline">
            Came back with
            <select value={event ?? ""} onChange={({ target }) => set({ event: text(target.value) })}>
              <option value="">any event</option>
              {EVENTS.map((name) => (
                <option key={name} value={name}>
                  {valueName("type", name).toLowerCase()}
                </option>
              ))}
            </select>
          </label>
        </div>
      </div>
      <BotsLine />
      <dl className={query.isPlaceholderData ? "figures stale" : "figures"}>
        <Figure label={`New ${noun}`} value={typeof users === "number" ? full(users, "count") : "–"} />
        <Figure label="Back after 7 days" value={backAfter(7, day7)} />
        <Figure label="Back after 30 days" value={backAfter(30, day30)} />
        <Figure label="Back after 90 days" value={backAfter(90, day90)} />
      </dl>
      <Panel
        title="Curve"
        head={
          <h2>
            Curve <span className="light">average of the {interval}s that are over</span>
          </h2>
        }
        request={request}
        query={query}
        counted="retention"
        isEmpty={empty || curve.length < 2}
        empty={
          empty ? undefined : (
            <Empty title={`No ${interval} after a first visit is over yet`} icon="retention">
              {begins === undefined ? "Choose a longer period." : `The curve comes ${begins}.`}
            </Empty>
          )
        }
        skeleton={<div className="heat-skeleton" />}
        table={{
          columns: [
            { key: "name", label: INTERVAL_NAMES[interval] },
            { key: "share", label: "Came back", format: "percent" },
            { key: "cohorts", label: "Cohorts", format: "count" },
            { key: "users", label: WHO_NAMES[who], format: "count" },
          ],
          rows: curve.map((point, nth) => ({ name: columnName(nth, interval), ...point })),
        }}
      >
        <TimeChart
          label={`Share of ${noun} that came back, by ${interval}`}
          points={curve.map((point, nth) => ({
            label: nth === 0 ? `${INTERVAL_NAMES[interval]} of the first visit` : `${plural(nth, interval)} later`,
            axis: columnName(nth, interval),
            value: point.share,
            note: crowdText(point, noun),
            // The fewest cohorts are behind the last point.
            partial: nth === curve.length - 1,
          }))}
          format="percent"
          height={200}
        />
      </Panel>
      <Panel
        title="Cohorts"
        head={
          <h2>
            By {interval}{" "}
            <span className="light">
              of the first visit{touched > MOST_COHORTS ? `, the newest ${MOST_COHORTS}` : ""}
            </span>
          </h2>
        }
        request={request}
        query={query}
        counted="retention"
        isEmpty={empty}
        skeleton={<div className="heat-skeleton" />}
        table={table}
      >
        <RetentionTable cohorts={cohorts} interval={interval} />
      </Panel>
    </div>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function plural(count: number, noun: string): string {
  return `${full(count, "count")} ${noun}${count === 1 ? "" : "s"}`;
}

/** "1 cohort, 27 wallets": a share of few is not a share of many. */
function crowdText({ cohorts, users }: CurvePoint, noun: string): string {
  return `${plural(cohorts, "cohort")}, ${plural(users, noun.slice(0, -1))}`;
}

/** When a project is younger than the question: a longer period would not help. */
function comesText(day: Day, today: Day, isYoung: boolean): string | undefined {
  const days = countDays(today, day) - 1;
  return isYoung && days > 0 ? `in ${plural(days, "day")}` : undefined;
}

function shareText(value: string | number | null | undefined): string {
  return typeof value === "number" ? rate(value) : "–";
}
