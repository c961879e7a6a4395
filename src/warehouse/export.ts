/**
 * Exports the tables that are not derived, as rows keyed by column name, which either engine imports (`importRows`).
 * Every statement reads a piece of bounded size, so that it needs bounded time and memory.
 */
import { EVENT_COLUMNS } from "../engines/event-columns.ts";
import { EngineRefused } from "../engines/failures.ts";
import { IMPORTED_DAY_COLUMNS } from "../engines/imported-days.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import type { ExportedRow, SourceTable } from "../engines/source-tables.ts";
import { isWalletTable, WALLET_TABLES, type WalletTable } from "../engines/wallet-rows.ts";
import { fillSql, readSql } from "../lib/sql.ts";
import { DAY_MS } from "../lib/time.ts";
import { readParked } from "./parked.ts";

const read = (name: string) => readSql(new URL(`./sql/${name}.sql`, import.meta.url));

type Engine = Pick<AnalyticsEngine, "select">;

/** Exported rows and the progress so far. */
export interface Piece {
  rows: readonly ExportedRow[];
  done: number;
  total: number;
}

const MINUTE_MS = 60_000;

/** The maximum of rows in a piece of events, and its approximate characters. */
const PIECE_ROWS = 5_000;
const PIECE_CHARS = 16_000_000;
/** Below this number the text is not measured: an event has at most 0.5 MB of text. */
const FEW_ROWS = 50;
/** Rows of the ledger per piece, before they are summed by minute. */
const LEDGER_ROWS = 50_000;
/** Wallets per piece. */
const PIECE_WALLETS = 5_000;

/**
 * Times are selected as milliseconds under another name: ClickHouse would use an alias with the column's name in WHERE.
 */
const TIMES = { timestamp: "timestamp_ms", received_at: "received_ms" } as const;
const EVENTS = fillSql(read("export_events"), {
  columns: EVENT_COLUMNS.filter(([, kind]) => kind !== "hash")
    .map(([name]) => (name in TIMES ? `toUnixTimestamp64Milli(${name}) AS ${TIMES[name as keyof typeof TIMES]}` : name))
    .join(",\n    "),
});
const IMPORTED_DAYS = fillSql(read("export_imported_days"), { columns: IMPORTED_DAY_COLUMNS.join(", ") });
const [PARTITIONS, CHARS, LEDGER_DAYS, LEDGER, WALLETS] = [
  read("export_partitions"),
  read("export_chars"),
  read("export_ledger_days"),
  read("export_ledger"),
  read("export_wallets"),
] as const;

/**
 * Exports a table, except rows that arrive meanwhile. The ledger is exported up to `beforeMs`: later minutes change as
 * batches are stored.
 */
export function exportTable(engine: Engine, table: SourceTable, beforeMs: number): AsyncGenerator<Piece, void, void> {
  if (table === "events") return exportEvents(engine);
  if (isWalletTable(table)) return exportWallets(engine, table);
  if (table === "imported_days") return exportImportedDays(engine);
  return table === "ledger" ? exportLedger(engine, beforeMs) : exportParked(engine);
}

interface Range {
  project: string;
  first_day: string;
  last_day: string;
  rows: number;
}

async function* exportEvents(engine: Engine): AsyncGenerator<Piece, void, void> {
  const { rows } = await engine.select<{ project_id: string; day: string; n_rows: number }>(PARTITIONS);
  const total = rows.reduce((sum, { n_rows }) => sum + n_rows, 0);
  let done = 0;
  for (const { rows: planned, ...range } of joinPartitions(rows)) {
    const parts = await countParts(engine, range, planned);
    for (let part = 0; part < parts; part += 1) {
      const found = await engine.select<StoredEvent>(EVENTS, { params: { ...range, parts, part } });
      done += planned / parts;
      yield { rows: found.rows.map(toExported), done: Math.round(done), total };
    }
  }
}

/** Joins small neighbouring days of a project. */
function joinPartitions(partitions: readonly { project_id: string; day: string; n_rows: number }[]): Range[] {
  const ranges: Range[] = [];
  for (const { project_id: project, day, n_rows } of partitions) {
    const last = ranges.at(-1);
    if (last !== undefined && last.project === project && last.rows + n_rows <= FEW_ROWS) {
      last.last_day = day;
      last.rows += n_rows;
    } else ranges.push({ project, first_day: day, last_day: day, rows: n_rows });
  }
  return ranges;
}

async function countParts(engine: Engine, range: Omit<Range, "rows">, rows: number): Promise<number> {
  if (rows <= FEW_ROWS) return 1;
  const params = { project: range.project, day: range.first_day };
  const { rows: found } = await engine.select<{ n_chars: number }>(CHARS, { params });
  return Math.max(Math.ceil(rows / PIECE_ROWS), Math.ceil((found[0]?.n_chars ?? 0) / PIECE_CHARS));
}

type StoredEvent = ExportedRow & { timestamp_ms: number; received_ms: number };

function toExported({ timestamp_ms, received_ms, ...row }: StoredEvent): ExportedRow {
  return { ...row, timestamp: timestamp_ms, received_at: received_ms } as ExportedRow;
}

/** Exports by day of receipt, and a busy day in parts. */
async function* exportLedger(engine: Engine, beforeMs: number): AsyncGenerator<Piece, void, void> {
  const params = { to_ms: beforeMs };
  const { rows: days } = await engine.select<{ of_day: string; n_rows: number }>(LEDGER_DAYS, { params });
  const total = days.reduce((sum, { n_rows }) => sum + n_rows, 0);
  let done = 0;
  for (const { of_day, n_rows } of days) {
    const startMs = Date.parse(`${of_day}T00:00:00Z`);
    const endMs = Math.min(beforeMs, startMs + DAY_MS);
    const stepMs = Math.max(MINUTE_MS, Math.floor(DAY_MS / Math.ceil(n_rows / LEDGER_ROWS) / MINUTE_MS) * MINUTE_MS);
    for (let fromMs = startMs; fromMs < endMs; fromMs += stepMs) {
      const rows = await readLedgerRows(engine, fromMs, Math.min(endMs, fromMs + stepMs));
      yield { rows, done, total };
    }
    done += n_rows;
    yield { rows: [], done, total };
  }
}

interface LedgerRow {
  project_id: string;
  at_ms: number;
  outcome: string;
  reason: string;
  day: string;
  n_events: number;
}

export async function readLedgerRows(engine: Engine, fromMs: number, toMs: number): Promise<ExportedRow[]> {
  const { rows } = await engine.select<LedgerRow>(LEDGER, { params: { from_ms: fromMs, to_ms: toMs } });
  return rows.map(({ at_ms, n_events, ...row }) => ({ ...row, minute: at_ms / 1000, events: n_events }));
}

async function* exportParked(engine: Engine): AsyncGenerator<Piece, void, void> {
  const { rows } = await engine.select<{ project_id: string; n_rows: number }>(
    "SELECT project_id, count() AS n_rows FROM parked_events GROUP BY project_id ORDER BY project_id",
  );
  const total = rows.reduce((sum, { n_rows }) => sum + n_rows, 0);
  let done = 0;
  for (const { project_id } of rows)
    for await (const page of readParked(engine, [project_id], { oldestFirst: true })) {
      done += page.length;
      yield { rows: page.map(({ at: _at, ...row }) => row), done: Math.min(done, total), total };
    }
}

/** Pages of a table in the order of its key. The rows of one wallet, at most some hundred, are in one page. */
async function* exportWallets(engine: Engine, table: WalletTable): AsyncGenerator<Piece, void, void> {
  const total = await countRows(engine, table);
  const sql = fillSql(WALLETS, { columns: WALLET_TABLES[table].columns.join(", "), wallets: table });
  let [project, address] = ["", ""];
  for (let done = 0; total > 0; ) {
    const params = { project, address, most: PIECE_WALLETS };
    const { rows: page } = await engine.select<ExportedRow>(sql, { params });
    const last = page.at(-1);
    if (last === undefined) return;
    [project, address] = [String(last.project_id), String(last.address)];
    done += page.length;
    yield { rows: page, done: Math.min(done, total), total };
  }
}

/** Months of an import: a day has a row for each page, source and so on, some thousand. */
async function* exportImportedDays(engine: Engine): AsyncGenerator<Piece, void, void> {
  const total = await countRows(engine, "imported_days");
  if (total === 0) return;
  const { rows: months } = await engine.select<Record<"project" | "import" | "first_day" | "last_day", string>>(
    `SELECT project_id AS project, import_id AS import, min(day) AS first_day, max(day) AS last_day FROM imported_days
GROUP BY project_id, import_id, year(day), month(day) ORDER BY project_id, import_id, min(day)`,
  );
  let done = 0;
  for (const params of months) {
    const { rows } = await engine.select<ExportedRow>(IMPORTED_DAYS, { params });
    done += rows.length;
    yield { rows, done: Math.min(done, total), total };
  }
}

/** ClickHouse's code for a missing table. */
const NO_SUCH_TABLE = 60;

/** A backup before an upgrade reads a warehouse that does not have the table yet: it has no rows. */
async function countRows(engine: Engine, table: WalletTable | "imported_days"): Promise<number> {
  try {
    const { rows } = await engine.select<{ n_rows: number }>(`SELECT count() AS n_rows FROM ${table}`);
    return rows[0]?.n_rows ?? 0;
  } catch (cause) {
    const isMissing =
      cause instanceof EngineRefused &&
      (cause.code === NO_SUCH_TABLE || cause.message.includes(`Table with name ${table} does not exist`));
    if (isMissing) return 0;
    throw cause;
  }
}
