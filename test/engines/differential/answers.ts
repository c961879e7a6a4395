/** Runs a statement on an engine and reads its answer, as values that can be compared. */
import { text } from "node:stream/consumers";
import { StatementRefused } from "../../../src/engines/user-sql/statement-refused.ts";
import type { RunUserQuery } from "../../../src/engines/user-sql/user-query.ts";
import { PROJECT } from "./fixture.ts";
import type { Statement } from "./statement.ts";
import type { Type } from "./types.ts";

export interface Answer {
  readonly rows: readonly (readonly unknown[])[];
  readonly names: readonly string[];
  readonly total: number;
}

export interface Refusal {
  readonly refused: string;
}

export type Outcome = Answer | Refusal;

export function isRefusal(outcome: Outcome): outcome is Refusal {
  return "refused" in outcome;
}

const TIMEOUT_MS = 20_000;

export async function ask(run: RunUserQuery, { sql, types }: Statement): Promise<Outcome> {
  const project = { id: PROJECT, firstDay: "2026-01-01" };
  const query = { sql, workspaceId: "w", project, format: "json", timeoutMs: TIMEOUT_MS } as const;
  let answer: string;
  try {
    answer = await text(await run(query, new AbortController().signal));
  } catch (cause) {
    if (!(cause instanceof StatementRefused)) throw cause;
    return { refused: cause.message };
  }
  const { data, total } = JSON.parse(answer) as { data: Record<string, unknown>[]; total: number };
  const rows = data.map((row) => Object.values(row).map((value, at) => clean(value, types[at] ?? "text")));
  return { rows, names: Object.keys(data[0] ?? {}), total };
}

/** Inside of other functions conditions are 1 and 0 on ClickHouse, and times may keep digits that are 0 (docs/sql.md). */
function clean(value: unknown, type: Type): unknown {
  if (value === null) return null;
  if (type === "bool" && (value === 0 || value === 1)) return value === 1;
  if (type === "time" && typeof value === "string") return value.replace(/\.000$/, "");
  return Object.is(value, -0) ? 0 : value;
}

/** Of two numbers that differ by the order of additions, or by the library that computed a logarithm. */
const TOLERANCE = 1e-9;

/** Undefined if the answers are equal, else what differs first. */
export function findDifference({ types, isOrdered }: Statement, one: Answer, other: Answer): string | undefined {
  if (one.total !== other.total) return `total ${one.total} and ${other.total}`;
  if (one.rows.length !== other.rows.length) return `${one.rows.length} and ${other.rows.length} rows`;
  if (one.rows.length > 0 && one.names.join() !== other.names.join())
    return `names ${one.names.join()} and ${other.names.join()}`;
  const [left, right] = isOrdered ? [one.rows, other.rows] : [sortRows(types, one.rows), sortRows(types, other.rows)];
  for (const [at, row] of left.entries())
    for (const [column, value] of row.entries())
      if (!isEqual(value, right[at]?.[column], types[column] ?? "text"))
        return `row ${at} column ${column}: ${JSON.stringify(value)} and ${JSON.stringify(right[at]?.[column])}`;
  return undefined;
}

function isEqual(one: unknown, other: unknown, type: Type): boolean {
  if (type === "real" && typeof one === "number" && typeof other === "number")
    return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one), Math.abs(other));
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Exact values first. */
function sortRows(types: readonly Type[], rows: Answer["rows"]): Answer["rows"] {
  const keyOf = (row: readonly unknown[]) => {
    const exact = row.map((value, at) => (types[at] === "real" ? "" : value));
    const rounded = row.map((value, at) =>
      types[at] === "real" && typeof value === "number" ? value.toPrecision(6) : "",
    );
    return JSON.stringify([exact, rounded]);
  };
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ row }) => row);
}
