/**
 * The SQL of rollups, common to both engines: each SELECT returns the columns of `rollups`, in their order, for all
 * partitions of a group (rollup_group.sql), or for one slice of a large partition that is a group alone. The rows of its
 * slices add up. Where a project leaves bots out, amounts are left out by the device under which they count, everything
 * else by that of the session's first touch.
 */
import { SOURCE_COLUMNS } from "../contract/metric-columns.ts";
import { fillSql, placesOf, readSql, readSqlParts, type SqlTexts } from "../lib/sql.ts";
import { hourOf, isTransaction, ROLLED_UP_MONEY, revenueValue, SIGNAL, shownValue } from "./columns.ts";

const fileOf = (name: string) => new URL(`./${name}.sql`, import.meta.url);

/** The columns after `seen_before`, with the types of their zeros. */
const MEASURES = {
  hits: "toInt64(0)",
  sessions: "toInt64(0)",
  visitors: "toInt64(0)",
  revenue: "toInt128(0)",
  volume: "toInt128(0)",
  bounces: "toInt64(0)",
  active_ms: "toInt64(0)",
  transactions: "toInt64(0)",
  events: "toInt64(0)",
} as const;

type Measure = keyof typeof MEASURES;

const PAID = "paid_source";
/** The columns by which sessions are counted, each a dimension. Of `paid_source` only paid sessions count. */
const TOUCH_COLUMNS: readonly string[] = [...new Set([...SOURCE_COLUMNS, "location", PAID])];

/** The columns of `sessions` that rollups are made of, besides the time of receipt. */
export const ROLLED_UP_COLUMNS: readonly string[] = [
  ...["project_id", "day", "session", "visitor", "is_first", "started_at", "active_ms", "is_bounce"],
  ...["entry_origin", "entry_page", "exit_origin", "exit_page", "hits", "events", "transactions"],
  ...["chains", "rdns_names", "addresses", "pages", "revenue", "volume"],
  ...TOUCH_COLUMNS,
];

/** The dimension of revenue or volume by a column. */
export const revenueDimension = (column: string) => `revenue ${column}`;
export const volumeDimension = (column: string) => `volume ${column}`;

/** Lists of a session, each a dimension. */
const LISTS = { chain_id: "chains", rdns: "rdns_names", page: "pages" } as const;

const LIST_PARTS = readSqlParts(fileOf("rollup_lists"));
const EVENT_PARTS = readSqlParts(fileOf("rollup_events"));
const HOUR_PARTS = readSqlParts(fileOf("rollup_hours"));

/** Two digits for every column. */
const TAG_OF_FIRST = 10;

const GROUP_PARTS = readSqlParts(fileOf("rollup_group"));
const BOTS = { bots: quote("bot") } as const;
const DUE_SESSIONS = { due_sessions: `(${GROUP_PARTS("sessions")})` } as const;

/** What the statements have in common. */
const OF_GROUP: SqlTexts = {
  ...BOTS,
  ...DUE_SESSIONS,
  due_events: `(${GROUP_PARTS("events")})`,
  history: `(${fillSql(GROUP_PARTS("history"), BOTS)})`,
  visit_day: "v.day",
  session_counts: fillSql(GROUP_PARTS("session_counts"), BOTS),
  event_counts: fillSql(GROUP_PARTS("event_counts"), { ...BOTS, ...DUE_SESSIONS }),
};

const HOURS: readonly Measure[] = ["hits", "sessions", "visitors", "revenue", "volume", "transactions", "events"];
const MONEY: readonly Measure[] = ["hits", "revenue", "volume"];

/** Few statements: planning takes 4 to 30 ms of each, however few events they read. */
export const ROLLUPS: readonly string[] = [
  ...ofSessions(),
  rollup(`${ofGroup(EVENT_PARTS("events"))}\nUNION ALL\n${ofGroup(EVENT_PARTS("left_out"))}`, ["hits"]),
  rollup(ofHours(), HOURS),
  rollup(ofHourWallets(), ["visitors"]),
  rollup(ofMoney(), MONEY),
];

const RECEIVED = { due_events: `(${GROUP_PARTS("received")})` } as const;
const IN_SPAN = { in_span: GROUP_PARTS("in_span") } as const;
const COLUMNS = { columns: ROLLED_UP_COLUMNS.map((name) => `s.${name} AS ${name}`).join(", ") } as const;
const OF_SPAN = {
  ...COLUMNS,
  is_before: GROUP_PARTS("is_before"),
  is_moved: fillSql(GROUP_PARTS("is_moved"), IN_SPAN),
} as const;
const MOVED = {
  due_sessions: `(${fillSql(GROUP_PARTS("moved"), { ...OF_SPAN, ...IN_SPAN })})`,
  history: `(${fillSql(GROUP_PARTS("running_history"), { ...OF_SPAN, ...BOTS })})`,
  visit_day: "if(v.is_due = 1, NULL, v.day)",
  seen_before: GROUP_PARTS("running_seen_before"),
} as const;
const OF_HOURS = { due_events: `(${GROUP_PARTS("of_hours")})` } as const;

/**
 * Of a running day: what its events add that were received in a span of time, and its sessions whose last event is one
 * of them. An event counts once, whatever its session does later. What a session has added before is taken back, so that
 * the rows of all spans add up.
 */
export const RECEIVED_ROLLUPS: readonly string[] = [
  rollup(ofGroup(EVENT_PARTS("events"), RECEIVED), ["hits"]),
  rollup(ofMoney(RECEIVED), MONEY),
  ...ofSessions({ ...RECEIVED, ...MOVED }).map(withoutZeros),
];

/** Of a running day: hours that are over. */
export const HOUR_ROLLUPS: readonly string[] = [
  rollup(ofHours(OF_HOURS), HOURS),
  rollup(ofHourWallets(OF_HOURS), ["visitors"]),
];

/** By sessions and visitors, with the views of pages. */
function ofSessions(texts: SqlTexts = {}): string[] {
  const [total, wallets, ends] = ["rollup_total", "rollup_wallets", "rollup_ends"].map((name) => readSql(fileOf(name)));
  return [
    rollup(
      ofGroup(total ?? "", { ...seenBefore("visitor, project_id"), ...texts }),
      Object.keys(MEASURES) as Measure[],
      "by seen_before",
    ),
    rollup(
      ofTouches(texts),
      ["hits", "sessions", "visitors", "bounces", "active_ms", "transactions"],
      "by seen_before",
    ),
    rollup(ofLists(texts), ["hits", "sessions", "visitors"], "by seen_before"),
    rollup(ofGroup(wallets ?? "", { ...seenBefore("address, project_id"), ...texts }), ["visitors"], "by seen_before"),
    rollup(ofGroup(ends ?? "", { ...texts, hour: hourOf("v.started_at") }), [
      "hits",
      "sessions",
      "bounces",
      "active_ms",
    ]),
  ];
}

/** What a session takes back and adds again under the same value is nothing. */
function withoutZeros(sql: string): string {
  return `${sql}\nWHERE ${Object.keys(MEASURES)
    .map((name) => `${name} != 0`)
    .join(" OR ")}`;
}

function ofGroup(sql: string, texts: SqlTexts = {}): string {
  const places = placesOf(sql);
  const all = Object.entries({ ...OF_GROUP, ...texts }).filter(([name]) => places.has(name));
  return fillSql(sql, Object.fromEntries(all));
}

function ofViews(texts: SqlTexts = {}): string {
  return ofGroup(LIST_PARTS("views"), texts);
}

function ofHours(texts: SqlTexts = {}): string {
  return ofGroup(HOUR_PARTS("hours"), { ...texts, hour: hourOf("e.timestamp"), is_transaction: isTransaction("e") });
}

function ofHourWallets(texts: SqlTexts = {}): string {
  return ofGroup(HOUR_PARTS("wallets"), { ...texts, hour: hourOf("e.timestamp") });
}

/** When what the columns `seen` identify was seen last. */
function seenBefore(seen: string): SqlTexts {
  return { seen_before: fillSql(GROUP_PARTS("seen_before"), { seen }) };
}

/** Adds zeros in place of other measures than `filled`. */
function rollup(sql: string, filled: readonly Measure[], seen?: "by seen_before"): string {
  const measures = Object.entries(MEASURES).map(([name, zero]) =>
    (filled as readonly string[]).includes(name) ? name : `${zero} AS ${name}`,
  );
  return `SELECT
    project_id,
    day,
    dimension,
    value,
    ${seen === undefined ? "toDate('1970-01-01') AS seen_before" : "seen_before"},
    ${measures.join(",\n    ")}
FROM
(
${sql.trim()}
) AS counted`;
}

function ofLists(texts: SqlTexts): string {
  const visits = Object.entries(LISTS).map(([dimension, list]) =>
    ofGroup(LIST_PARTS("visits"), { ...texts, dimension: quote(dimension), list }),
  );
  return ofGroup(LIST_PARTS("rollup"), {
    visits: visits.join("\nUNION ALL\n"),
    views: ofViews(texts),
    ...seenBefore("visitor, dimension, project_id, value"),
    ...texts,
  });
}

function ofMoney(texts: SqlTexts = {}): string {
  return ofGroup(readSql(fileOf("rollup_money")), {
    ...texts,
    ...tagged(ROLLED_UP_MONEY, (column) => revenueValue(column, "e.has_signal")),
    signal: SIGNAL,
    device: revenueValue("device", "e.has_signal"),
  });
}

function ofTouches(texts: SqlTexts): string {
  return ofGroup(readSql(fileOf("rollup_touches")), {
    ...tagged(TOUCH_COLUMNS, (column) => `v.${column}`),
    // The visitor first: it decides nearly every comparison of the sort.
    ...seenBefore("visitor, tagged, project_id"),
    ...texts,
  });
}

/** `tagged` is the list of a row's values, each after the two digits of its column; `unpaid` is an empty paid source. */
function tagged(columns: readonly string[], textOf: (column: string) => string): SqlTexts {
  const tagOf = (column: string) => String(columns.indexOf(column) + TAG_OF_FIRST);
  const values = columns.map((column) => `concat('${tagOf(column)}', ${shownValue(column, textOf(column))})`);
  return {
    tagged: listOf(values),
    unpaid: quote(tagOf(PAID)),
    dimension: `${listOf(columns.map(quote))}[toInt64(substring(tagged, 1, 2)) - ${TAG_OF_FIRST - 1}]`,
  };
}

function quote(name: string): string {
  return `'${name}'`;
}

function listOf(texts: readonly string[]): string {
  return `[${texts.join(", ")}]`;
}
