import assert from "node:assert/strict";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { withParts } from "../../src/lib/sql.ts";
import { expectedRollups, expectedSessions, Rollups, toText } from "./derived-oracle.ts";
import type { OracleEvent } from "./oracle.ts";

const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2149-06-05";

const TEXTS =
  "entry_origin entry_page exit_origin exit_page address paid_source click_id referrer referrer_url ref utm_source utm_medium utm_campaign utm_term utm_content origin device browser os channel location pathname builder_codes rdns provider_name chain_id";
const NUMBERS = "active_ms hits events transactions signatures connects";
const LISTS = ["chains", "rdns_names", "addresses", "pages"];
const list = (names: string) => names.split(" ").map((name) => `v.${name} AS ${name}`);

const SESSIONS = `SELECT
    v.project_id AS project_id,
    v.day AS day,
    toUnixTimestamp64Milli(v.started_at) AS started_ms,
    toUnixTimestamp64Milli(v.ended_at) AS ended_ms,
    if(v.is_first, 1, 0) AS is_first,
    if(v.is_bounce, 1, 0) AS is_bounce,
    ${["revenue", "volume", "points"].map((name) => `toString(v.${name}) AS ${name}`).join(", ")},
    ${[...list(TEXTS), ...list(NUMBERS), ...list(LISTS.join(" "))].join(", ")}
FROM sessions AS v`;

const SUMS = "hits sessions visitors revenue volume bounces active_ms transactions events".split(" ");
/** Rows of clean partitions. A visitor last seen on a removed day was never seen. */
const ROLLUPS = `SELECT
    r.project_id AS of_project,
    r.day AS of_day,
    r.dimension AS of_dimension,
    r.value AS of_value,
    if(r.seen_before <= s.first_day, toDate('${FIRST_DAY}'), r.seen_before) AS seen,
    ${SUMS.map((name) => `toString(sum(r.${name})) AS sum_${name}`).join(", ")}
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.day < s.dirty_from
GROUP BY of_project, of_day, of_dimension, of_value, seen`;

const SCOPE = "SELECT s.project_id AS project_id, s.dirty_from AS dirty_from FROM scope AS s";

export interface Derived {
  readonly projects: readonly string[];
  /** Every stored event once, of these projects. */
  readonly events: readonly OracleEvent[];
  /** Projects whose rollups are looked at as those without bots. */
  readonly withoutBots: readonly string[];
  readonly about: string;
}

/** Requires that sessions, and the rollups of clean partitions, are those of the definition. */
export async function compareDerived(
  engine: Pick<AnalyticsEngine, "select" | "relations">,
  { projects, events, withoutBots, about }: Derived,
): Promise<void> {
  const { signal } = new AbortController();
  const scope = {
    projects: projects.map((id) => ({ id, firstDay: FIRST_DAY, withoutBots: withoutBots.includes(id) })),
    firstDay: FIRST_DAY,
    lastDay: LAST_DAY,
  };
  const relations = await engine.relations.forReport(scope, signal);
  const select = async (sql: string) => {
    const text = withParts(relations.ctes, sql);
    const used = Object.entries(relations.params).filter(([name]) => text.includes(`{${name}:`));
    return (await engine.select<Record<string, string | number>>(text, { params: Object.fromEntries(used), signal }))
      .rows;
  };
  const found = (await select(SESSIONS)).filter(({ project_id }) => projects.includes(String(project_id)));
  const sessions = found.map((row) => ({
    ...row,
    ...Object.fromEntries(LISTS.map((name) => [name, toText(row[name] as unknown as string[])])),
  }));
  assertSame(sessions.map(toLine), expectedSessions(events).map(toLine), `${about}: sessions`);

  const dirtyFrom = new Map((await select(SCOPE)).map((row) => [row.project_id, String(row.dirty_from)]));
  const rollups = new Rollups();
  for (const row of await select(ROLLUPS))
    rollups.add(
      ["of_project", "of_day", "of_dimension", "of_value", "seen"].map((name) => String(row[name])),
      Object.fromEntries(SUMS.map((name) => [name, BigInt(row[`sum_${name}`] ?? 0)])),
    );
  const isClean = (project: string, day: string) => day < (dirtyFrom.get(project) ?? "");
  const expected = [...expectedRollups(events, withoutBots).rows].filter(([key]) => {
    const [project = "", day = ""] = key.split("\n");
    return isClean(project, day);
  });
  assertSame(toLines(rollups.rows), toLines(expected), `${about}: rollups`);
}

const toLine = (row: object) =>
  JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))));

function toLines(rows: Iterable<[string, Record<string, bigint>]>): string[] {
  return [...rows].map(([key, row]) =>
    JSON.stringify([...key.split("\n"), ...SUMS.map((name) => `${name}=${row[name]}`)]),
  );
}

/** Shows the first differences only: there may be thousands of rows. */
function assertSame(given: readonly string[], expected: readonly string[], about: string): void {
  const [left, right] = [given.toSorted(), expected.toSorted()];
  if (JSON.stringify(left) === JSON.stringify(right)) return;
  const surplus = difference(left, right);
  const missing = difference(right, left);
  assert.fail(
    `${about}: ${surplus.length} rows too many, ${missing.length} missing\n${[...surplus.slice(0, 4).map((line) => `+ ${line.slice(0, 1500)}`), ...missing.slice(0, 4).map((line) => `- ${line.slice(0, 1500)}`)].join("\n")}`,
  );
}

function difference(some: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return some.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
