import { useSearch } from "@tanstack/react-router";
import { reportRequest, useReport } from "../../api/reports.ts";
import { averageShares, cohortsOf, cohortTable, type RetentionRow } from "../../charts/cohorts.ts";
import { RetentionTable } from "../../charts/retention-table.tsx";
import { TimeChart } from "../../charts/time-chart.tsx";
import { valueName } from "../../format/names.ts";
import { full, rate } from "../../format/numbers.ts";
import { addDays, countDays } from "../../state/days.ts";
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
const EVENTS = ["page", "connect", "signature", "transaction", "track"] as const;
/** The most that the report answers. */
const MOST_WEEKS = 52;
/** The report follows a cohort for twelve weeks. */
const SHOWN_WEEKS = 13;

/** Who comes back, by the week of the first visit. */
export function Retention() {
  const view = useView();
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const who = oneOf(["anonymous_id", "address"], search.who) ?? "anonymous_id";
  const event = oneOf(EVENTS, search.event);
  const { range: wanted, today, firstDay } = view;
  // Weeks begin on Monday: a period of 7 days may touch two.
  const weeks = Math.ceil(countDays(wanted.from, wanted.to) / 7) + 1;
  const request = reportRequest("retention", {
    ...view.query,
    id_type: who,
    event_type: event,
    min_users: 0,
    limit: Math.min(MOST_WEEKS, weeks),
  });
  const query = useReport<RetentionRow>(request);
  const row = query.data?.data[0];
  // While the answer is old, its days are those that it was asked for.
  const range = query.data ? askedRange(query.data.asked) : wanted;
  const lastDay = lastWholeDay(range.to, today);
  const cohorts = cohortsOf(row, lastDay);
  const averages = averageShares(cohorts);
  const table = cohortTable(cohorts);
  const [, users, , , , day7, day30, day90] = row?.metric ?? [];
  // Nobody can be back after 30 days where the first came 20 days ago.
  const first = [range.from, firstDay ?? range.from].sort().at(-1) ?? range.from;
  const isPast = (days: number) => addDays(first, days) <= today;
  const noun = who === "address" ? "wallets" : "visitors";
  const empty = cohorts.every(({ users: size }) => size === 0);
  return (
    <div className="retention-page">
      <div className="page-head">
        <div>
          <h1>Retention</h1>
          <p>Who of the new {noun} of the period comes back, by the week in which they were first seen.</p>
        </div>
        <div className="retention-options">
          <Segmented
            label="Count"
            options={WHO}
            value={who}
            onChange={(value) => set({ who: value === "anonymous_id" ? undefined : value })}
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
        <Figure label="Back after 7 days" value={isPast(7) ? shareText(day7) : "–"} />
        <Figure label="Back after 30 days" value={isPast(30) ? shareText(day30) : "–"} />
        <Figure label="Back after 90 days" value={isPast(90) ? shareText(day90) : "–"} />
      </dl>
      <Panel
        title="Curve"
        head={
          <h2>
            Curve <span className="light">average of the weeks that are over</span>
          </h2>
        }
        request={request}
        query={query}
        counted="retention"
        isEmpty={empty || averages.length < 2}
        empty={
          empty ? undefined : (
            <Empty title="No week after a first visit is over yet" icon="retention">
              Choose a longer period.
            </Empty>
          )
        }
        skeleton={<div className="heat-skeleton" />}
        table={{
          columns: [
            { key: "week", label: "Week" },
            { key: "share", label: "Came back", format: "percent" },
          ],
          rows: averages.map((share, week) => ({ week: `+${week}`, share })),
        }}
      >
        <TimeChart
          label={`Share of ${noun} that came back, by week`}
          points={averages.map((share, week) => ({
            label: week === 0 ? "Week of the first visit" : `${week} ${week === 1 ? "week" : "weeks"} later`,
            axis: week === 0 ? "Week 0" : `+${week}`,
            value: share,
          }))}
          format="percent"
          height={200}
        />
      </Panel>
      <Panel
        title="Weeks"
        head={
          <h2>
            By week <span className="light">of the first visit</span>
          </h2>
        }
        request={request}
        query={query}
        counted="retention"
        isEmpty={empty}
        skeleton={<div className="heat-skeleton" />}
        table={table}
      >
        <RetentionTable cohorts={cohorts} weeks={SHOWN_WEEKS} />
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

function shareText(value: string | number | null | undefined): string {
  return typeof value === "number" ? rate(value) : "–";
}
