/** The corpus of hostile statements, and an engine whose other projects hold a canary in every column. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import type { ExportedRow } from "../../src/engines/source-tables.ts";
import { createEventStore } from "../query/store-rows.ts";
import { BLANK_ROW } from "./blank-row.ts";

export interface Attack {
  readonly group: string;
  readonly name: string;
  /** `refused`, `harmless`, `bounded`, or the rows of the answer as JSON. */
  readonly outcome: string;
  readonly sql: string;
}

const DIR = join(import.meta.dirname, "../security/sql-attacks");

export function readAttacks(): Attack[] {
  return readdirSync(DIR).flatMap((file) => {
    const [, ...texts] = readFileSync(join(DIR, file), "utf8").split(/^-- name: /m);
    return texts.map((text) => {
      const end = text.indexOf("\n");
      const [name = "", outcome = ""] = text.slice(0, end).split(" | ");
      return { group: file.replace(".sql", ""), name, outcome, sql: text.slice(end + 1).replace(/\n+$/, "") };
    });
  });
}

const times = (text: string, count: number) => text.repeat(count);
const chain = (count: number, link: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => link(n)).join(", ");

const nest = (count: number, inner: string, around: (inner: string) => string): string =>
  count === 0 ? inner : nest(count - 1, around(inner), around);

const fifteen = chain(15, (n) => `a${n}`);
const cube = `SELECT count() AS n FROM (SELECT ${chain(15, (n) => `${n} AS a${n}`)}) GROUP BY CUBE(${fifteen})`;
const constants = (count: number, name: string) =>
  `(SELECT x.i * ${count} + y.i AS ${name} FROM (SELECT arrayJoin([${chain(count, String)}]) AS i) x, (SELECT arrayJoin([${chain(count, String)}]) AS i) y)`;
const million = `(SELECT x.a * 1000 + y.b AS n FROM ${constants(32, "a")} x, ${constants(32, "b")} y)`;

/** Statements that are too long to be written down. */
export const BOMBS: readonly Attack[] = (
  [
    ["aliases that double", "refused", `SELECT 1 AS a0, ${chain(40, (n) => `a${n} + a${n} AS a${n + 1}`)}`],
    [
      "CTEs that double",
      "refused",
      `WITH c0 AS (SELECT 1 AS n FROM events), ${chain(40, (n) => `c${n + 1} AS (SELECT x.n FROM c${n} x, c${n} y)`)} SELECT count() FROM c40`,
    ],
    [
      "CTEs of constants that double",
      "refused",
      `WITH c0 AS (SELECT 1 AS n), ${chain(40, (n) => `c${n + 1} AS (SELECT x.n FROM c${n} x, c${n} y)`)} SELECT count() FROM c40`,
    ],
    [
      "CTEs of constants that double by UNION ALL",
      "refused",
      `WITH c0 AS (SELECT 1 AS n), ${chain(22, (n) => `c${n + 1} AS (SELECT n FROM c${n} UNION ALL SELECT n FROM c${n})`)} SELECT count() FROM c22`,
    ],
    [
      "a star of constants",
      "refused",
      `SELECT count() FROM (SELECT arrayJoin([1,2]) AS a) t, ${chain(150, (n) => `(SELECT arrayJoin([1]) AS a) t${n}`)} WHERE ${times("t0.a = t.a AND ", 2)}${chain(150, (n) => `t${n}.a = t.a`).replaceAll(", ", " AND ")}`,
    ],
    [
      "the largest star that may be planned",
      "bounded",
      `SELECT count() FROM (SELECT arrayJoin([1,2]) AS a) t, ${chain(47, (n) => `(SELECT arrayJoin([1]) AS a) t${n}`)} WHERE ${chain(47, (n) => `t${n}.a = t.a`).replaceAll(", ", " AND ")}`,
    ],
    ["subqueries of constants beside each other", "refused", `SELECT ${chain(150, (n) => `(SELECT ${n})`)}`],
    [
      "distinct values in a window that slides",
      "refused",
      `SELECT max(m) FROM (SELECT count(DISTINCT n % 99991) OVER (ORDER BY n ROWS BETWEEN 300000 PRECEDING AND 300000 FOLLOWING) AS m FROM ${million})`,
    ],
    [
      "a window without the current row",
      "refused",
      `SELECT max(m) FROM (SELECT count(DISTINCT n % 99991) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS m FROM ${million})`,
    ],
    [
      "distinct values of all rows before",
      "bounded",
      `SELECT max(m) FROM (SELECT count(DISTINCT n % 99991) OVER (ORDER BY n) AS m FROM ${million})`,
    ],
    ["a cube of fifteen names", "refused", cube],
    ["twenty cubes", "refused", chain(20, () => cube).replaceAll("), SELECT", ") UNION ALL SELECT")],
    [
      "cubes that multiply",
      "refused",
      `SELECT count() FROM (SELECT ${chain(8, (n) => `${n} AS a${n}`)}) GROUP BY ${chain(4, (n) => `CUBE(a${n * 2}, a${n * 2 + 1})`)}`,
    ],
    [
      "cubes in grouping sets",
      "refused",
      `SELECT count() FROM (SELECT ${chain(15, (n) => `${n} AS a${n}`)}) GROUP BY GROUPING SETS (CUBE (${fifteen}), (a0))`,
    ],
    ["position in position", "refused", `SELECT ${times("position(", 3_600)}1${times(")", 3_600)}`],
    ["position beside position", "refused", `SELECT ${chain(2_000, () => "position('a','b')")}`],
    [
      "stars that multiply",
      "refused",
      `SELECT count() FROM (${times("SELECT *, *, *, * FROM (", 12)}SELECT * FROM events${times(")", 12)})`,
    ],
    [
      "texts that double",
      "bounded",
      `SELECT length(x) FROM (${times("SELECT x || x AS x FROM (", 30)}SELECT 'abc' AS x${times(")", 30)})`,
    ],
    [
      "texts that double by concat",
      "bounded",
      `SELECT length(x) FROM (${times("SELECT concat(x, x) AS x FROM (", 14)}SELECT page_title AS x FROM events${times(")", 14)})`,
    ],
    ["brackets", "refused", `SELECT ${times("(", 15_000)}1${times(")", 15_000)}`],
    ["additions", "refused", `SELECT 1${times("+1", 10_000)}`],
    ["conditions", "refused", `SELECT 1 FROM events WHERE ${times("event = 'a' AND ", 1_900)} 1 = 1`],
    ["NOT", "refused", `SELECT ${times("NOT ", 5_000)}1 = 1`],
    ["subqueries", "refused", `SELECT ${times("(SELECT ", 900)}1${times(")", 900)}`],
    ["subqueries in FROM", "refused", `SELECT 1 FROM ${times("(SELECT * FROM ", 400)}events${times(") AS a", 400)}`],
    ["unions", "refused", `SELECT 1${times(" UNION ALL SELECT 1", 1_500)}`],
    ["joins", "refused", `SELECT 1 FROM events${times(", events", 200)}`],
    ["arrays in arrays", "refused", `SELECT ${times("[", 900)}1${times("]", 900)}`],
    ["a list of values", "refused", `SELECT 1 IN (${times("1,", 15_000)}1)`],
    ["IN in IN", "bounded", `SELECT ${times("(", 90)}1${times(" IN (rand(), rand()))", 90)}`],
    ["an array of values", "refused", `SELECT [${times("1,", 2_000)}1]`],
    ["casts", "refused", `SELECT '1'${times("::Int32::String", 600)}`],
    ["columns", "refused", `SELECT ${times("1, ", 5_000)}1`],
    ["a long name", "refused", `SELECT 1 AS "${times("a", 20_000)}"`],
    ["a long statement", "refused", `SELECT '${times("a", 40_000)}'`],
    ["CASE in CASE", "refused", `SELECT ${times("CASE WHEN 1 = 1 THEN ", 900)}1${times(" END", 900)}`],
    [
      "two columns with one alias that double",
      "refused",
      `SELECT volume + volume AS x0, 1 AS x0, ${chain(14, (n) => `x${n} + x${n} AS x${n + 1}, 1 AS x${n + 1}`)}, x14 AS type FROM events ORDER BY lower(type)`,
    ],
    [
      "replaced columns that double",
      "refused",
      `SELECT 1 AS y0, ${chain(16, (n) => `t.* REPLACE (y${n} + y${n} AS y${n + 1})`)}, y16 AS type FROM (SELECT type FROM events) AS t ORDER BY lower(type)`,
    ],
    ["arrays of groups in each other", "refused", `SELECT ${nest(20, "type", (a) => `groupArray(${a})`)} FROM events`],
    [
      "arrays of groups in subqueries",
      "refused",
      `SELECT ${nest(18, "1", (a) => `groupArray((SELECT groupArray(${a})))`)} AS a`,
    ],
    ["rounded digits of rounded digits", "bounded", `SELECT ${nest(12, "1", (a) => `round(1, ${a})`)} AS a`],
    ["lag of lag", "refused", `SELECT ${nest(24, "volume", (a) => `lag(${a}, 1, 0) OVER ()`)} AS a FROM events`],
    ["parts of arrays in each other", "bounded", `SELECT ${nest(24, "1", (a) => `length([1, 2][${a}:2])`)} AS a`],
    ["unnest in unnest", "bounded", nest(20, "SELECT [1]", (a) => `SELECT unnest((${a})) AS a`)],
    ["unnest beside unnest", "bounded", `SELECT ${chain(900, (n) => `unnest([${n}, 1])`)}`],
    [
      "groups in groups",
      "bounded",
      `SELECT ${nest(18, "type", (a) => `(SELECT grouping(1) FROM events GROUP BY ROLLUP((${a})))`)} AS a`,
    ],
    ["groups by position in each other", "refused", nest(20, "SELECT 1", (a) => `SELECT (${a}) + 1 AS a GROUP BY 1`)],
    ["groups of all in each other", "refused", nest(20, "SELECT 1", (a) => `SELECT (${a}) + 1 AS a GROUP BY ALL`)],
    ["aliases in each other", "refused", nest(20, "SELECT 1", (a) => `SELECT (${a}) + 1 AS a WHERE a = 1`)],
    [
      "rows of many columns",
      "refused",
      `SELECT ${chain(800, () => "t")} FROM (SELECT ${chain(800, (n) => `1 AS a${n}`)}) AS t`,
    ],
    ["a null byte", "refused", "SELECT 1\u0000; DROP TABLE events"],
    ["half of a surrogate pair", "refused", "SELECT '\ud800'"],
    ["a carriage return in a name", "refused", 'SELECT * FROM "events\r\n"'],
  ] as const
).map(([name, outcome, sql]) => ({ group: "bombs", name, outcome, sql }));

export const CANARY = "CANARY";
const CANARY_NUMBER = 424_242.25;
const EVENTS = 300;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 2, 1);

/** 300 events of each project, each a session of its own. */
export async function plantEvents(engine: AnalyticsEngine, own: string, others: readonly string[]): Promise<void> {
  const store = await createEventStore(engine, "attacks");
  await store(Array.from({ length: EVENTS }, (_, n) => ownRow(own, n)));
  for (const project of others) await store(Array.from({ length: EVENTS }, (_, n) => foreignRow(project, n)));
}

function keyOf(project: string, n: number): ExportedRow {
  const timestamp = START_MS + (n % 3) * DAY_MS + n * 1_000;
  return {
    ...BLANK_ROW,
    project_id: project,
    message_id: `${project === "own" ? "" : CANARY} ${n}`,
    timestamp,
    received_at: timestamp,
    dedupe_day: new Date(timestamp).toISOString().slice(0, 10),
  };
}

function ownRow(project: string, n: number): ExportedRow {
  return {
    ...keyOf(project, n),
    ...{ message_id: `m${n}`, type: "page", event: `event ${n % 5}`, user_id: String(n % 10), utm_term: "7" },
    ...{ anonymous_id: `visitor ${n}`, address: `0x${String(n).padStart(40, "0")}`, utm_campaign: "2026-03-01" },
    ...{ volume: 1, revenue: 1, points: 1 },
    properties: JSON.stringify({ amount: String(n), note: "a".repeat(2_000) }),
    context: JSON.stringify({ page_title: "a".repeat(4_000) }),
  };
}

function foreignRow(project: string, n: number): ExportedRow {
  const texts = Object.entries(BLANK_ROW)
    .filter(([, value]) => value === "")
    .map(([name]) => [name, `${CANARY} ${name} ${n}`]);
  return {
    ...keyOf(project, n),
    ...(Object.fromEntries(texts) as ExportedRow),
    ...{ volume: CANARY_NUMBER, revenue: CANARY_NUMBER, points: CANARY_NUMBER },
    message_id: `${CANARY} ${project} ${n}`,
    properties: JSON.stringify({ amount: CANARY }),
    context: JSON.stringify({ page_title: CANARY, locale: CANARY }),
  };
}

/** Whether an answer holds something of another project. */
export function hasCanary(text: string, others: readonly string[]): boolean {
  const planted = [CANARY, String(CANARY_NUMBER), ...others];
  return planted.some((each) => text.toUpperCase().includes(each.toUpperCase()));
}
