import { useSearch } from "@tanstack/react-router";
import type { EventKind } from "../../../../src/contract/event-kinds.ts";
import { COHORT_INTERVALS, type CohortInterval, RETENTION_LIMITS } from "../../../../src/contract/retention.ts";
import { periodStart } from "../../charts/cohorts.ts";
import { readCohorts } from "../../charts/kinds/cohorts.ts";
import type { ChartSpec } from "../../charts/registry.ts";
import { shortDayText } from "../../format/dates.ts";
import { addDays, countDays, type Day } from "../../format/days.ts";
import { valueName } from "../../format/names.ts";
import { full, rate } from "../../format/numbers.ts";
import { askedRange } from "../../format/range.ts";
import { ChartPanel } from "../../panels/chart-panel.tsx";
import { useChart } from "../../panels/use-chart.ts";
import { oneOf, type RawSearch, text } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { BotsLine } from "../../ui/bots-line.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Empty } from "../../ui/states.tsx";
import "./retention.css";

const WHO = [
  { value: "anonymous_id", label: "Visitors" },
  { value: "address", label: "Wallets" },
] as const;
const WHO_NAMES = { anonymous_id: "Visitors", address: "Wallets" } as const;
const NOUNS = { anonymous_id: "visitors", address: "wallets" } as const;
const EVENTS = ["page", "connect", "signature", "transaction", "track"] as const satisfies EventKind[];
const INTERVALS = [
  { value: "day", label: "By day" },
  { value: "week", label: "By week" },
  { value: "month", label: "By month" },
] as const satisfies { value: CohortInterval; label: string }[];
const MOST_COHORTS = RETENTION_LIMITS.cohorts.maximum;
const DAYS = { day: 1, week: 7, month: 28 } as const;

/** Who comes back, by the day, week or month of the first visit. */
export function Retention() {
  const search = useSearch({ strict: false }) as RawSearch;
  const who = oneOf(["anonymous_id", "address"], search.who) ?? "anonymous_id";
  const event = oneOf(EVENTS, search.event);
  const chosen = oneOf(COHORT_INTERVALS, search.by) ?? "week";
  const answer = useRetention(who, event, chosen);
  const { chart, touched, interval } = answer;
  const noun = NOUNS[who];
  return (
    <div className="retention-page">
      <div className="page-head">
        <div>
          <h1>Retention</h1>
          <p>
            Who of the new {noun} of the period comes back, by the {interval} in which they were first seen.
          </p>
        </div>
        <RetentionOptions who={who} chosen={chosen} event={event} />
      </div>
      <BotsLine />
      <Figures answer={answer} noun={noun} />
      <Curve answer={answer} who={who} />
      <ChartPanel
        chart={chart}
        head={
          <h2>
            By {interval}{" "}
            <span className="light">
              of the first visit{touched > MOST_COHORTS ? `, the newest ${MOST_COHORTS}` : ""}
            </span>
          </h2>
        }
      />
    </div>
  );
}

type Who = keyof typeof WHO_NAMES;

/** The answer with the days and cohorts that it was asked for. */
function useRetention(who: Who, event: (typeof EVENTS)[number] | undefined, chosen: CohortInterval) {
  const { range: wanted, today, firstDay } = useView();
  // Weeks begin on Monday: a period of 7 days may touch two.
  const touched = Math.ceil(countDays(wanted.from, wanted.to) / DAYS[chosen]) + (chosen === "day" ? 0 : 1);
  const spec: ChartSpec<"cohorts"> = {
    type: "cohorts",
    report: "retention",
    params: {
      date_from: wanted.from,
      id_type: who,
      event_type: event,
      interval: chosen === "week" ? undefined : chosen,
      min_users: 0,
      limit: Math.min(MOST_COHORTS, touched),
    },
    title: "Cohorts",
    counted: "retention",
    look: { sinceFirstDay: true },
  };
  const chart = useChart(spec);
  const { rows, asked } = chart;
  const { cohorts, interval } = readCohorts(rows, { look: spec.look, asked, today, firstDay });
  const range = askedRange(asked);
  // Nobody can be back after 30 days where the first came 20 days ago.
  const first = [range.from, firstDay ?? range.from].sort().at(-1) ?? range.from;
  const isRunning = range.to >= today;
  const isYoung = first === firstDay && isRunning;
  const isEmpty = cohorts.every(({ users }) => users === 0);
  return { chart, touched, interval, range, first, isRunning, isYoung, today, isEmpty };
}

type Answered = ReturnType<typeof useRetention>;

function Figures({ answer, noun }: { answer: Answered; noun: string }) {
  const { chart, range, first, isRunning, isYoung, today } = answer;
  const [, users, , , , day7, day30, day90] = chart.rows[0]?.metric ?? [];
  const ends = isRunning ? today : range.to;
  const shares = { 7: day7, 30: day30, 90: day90 };
  const shown = ([7, 30, 90] as const).filter((days) => addDays(range.from, days) <= range.to);
  const whyNotYet = (days: number) => {
    const comes = comesText(addDays(first, days), today, isYoung);
    return `The first visit was on ${shortDayText(first)}${comes === undefined ? "" : `: ${comes}`}`;
  };
  return (
    <dl className={chart.query.isPlaceholderData ? "figures stale" : "figures"}>
      <Figure label={`New ${noun}`} value={typeof users === "number" ? full(users, "count") : "–"} />
      {shown.map((days) =>
        addDays(first, days) <= ends ? (
          <Figure key={days} label={`Back after ${days} days`} value={shareText(shares[days])} />
        ) : (
          <Figure key={days} label={`Back after ${days} days`} value="not yet" note={whyNotYet(days)} />
        ),
      )}
    </dl>
  );
}

function Curve({ answer, who }: { answer: Answered; who: Who }) {
  const { chart, interval, first, isYoung, today, isEmpty } = answer;
  // The first curve needs a whole period after that of the first visit.
  const begins = comesText(periodStart(first, interval, 2), today, isYoung);
  return (
    <ChartPanel<"curve">
      chart={{
        ...chart,
        spec: {
          type: "curve",
          title: "Curve",
          note: `average of the ${interval}s that are over`,
          counted: "retention",
          look: { sinceFirstDay: true, noun: NOUNS[who], label: WHO_NAMES[who] },
        },
      }}
      empty={
        isEmpty ? undefined : (
          <Empty title={`No ${interval} after a first visit is over yet`} icon="retention">
            {begins === undefined ? "Choose a longer period." : `The curve comes ${begins}.`}
          </Empty>
        )
      }
    />
  );
}

interface RetentionOptionsProps {
  who: keyof typeof WHO_NAMES;
  chosen: CohortInterval;
  event: (typeof EVENTS)[number] | undefined;
}

function RetentionOptions({ who, chosen, event }: RetentionOptionsProps) {
  const set = useSetSearch();
  return (
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
  );
}

function Figure({ label, value, note }: { label: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
      {note === undefined ? null : <dd className="note">{note}</dd>}
    </div>
  );
}

function plural(count: number, noun: string): string {
  return `${full(count, "count")} ${noun}${count === 1 ? "" : "s"}`;
}

/** When a project is younger than the question: a longer period would not help. */
function comesText(day: Day, today: Day, isYoung: boolean): string | undefined {
  const days = countDays(today, day) - 1;
  return isYoung && days > 0 ? `in ${plural(days, "day")}` : undefined;
}

function shareText(value: string | number | null | undefined): string {
  return typeof value === "number" ? rate(value) : "–";
}
