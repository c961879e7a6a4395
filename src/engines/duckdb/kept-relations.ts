/**
 * Relations that are computed once for many statements, as tables in memory. A statement and the mark of its relation are
 * read in one transaction: the table of another mark is of other rows, and is not read. So an answer is that of one moment.
 * Where nothing was written since a mark was read, from before the statement until after it, no mark is read.
 *
 * A relation that is asked for once is part of its statement: making a table takes as long as two such statements. The
 * second one that finds the same mark makes it, or a later one where the relation says so, and all after it read it. Where
 * each statement finds another mark, because events of the relation are being stored, none is made: it would be worthless
 * before anybody reads it.
 */
import { createHash } from "node:crypto";
import type { DuckDBConnection, DuckDBResultReader } from "@duckdb/node-api";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { KEPT_RELATION, type KeptStatement, type SelectParams } from "../select.ts";
import { readRows } from "./rows.ts";
import type { GoOn } from "./select-within.ts";
import { runRead, toStatement } from "./statement.ts";

export interface KeptRelations {
  /** Runs `sql`, or the same over a table. The connection is in no transaction. */
  read(
    connection: DuckDBConnection,
    sql: string,
    params: SelectParams,
    kept: KeptStatement,
    goOn: GoOn,
  ): Promise<DuckDBResultReader>;
}

/** What of the warehouse they need. */
interface KeptFrom {
  inTransaction<T>(connection: DuckDBConnection, work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** How many writes have begun. Undefined: one is running. */
  findWrites(): number | undefined;
}

interface Table {
  readonly name: string;
  readonly mark: string;
  readonly rows: number;
  /** It has been the table of its relation since so many writes. */
  writes: number | undefined;
  /** Statements that read it. */
  readers: number;
}

/** A statement, and what was written before its transaction. `isLast`: no table is to be made. */
interface Marked {
  readonly sql: string;
  readonly params: SelectParams;
  readonly kept: KeptStatement;
  readonly writes: number | undefined;
  readonly isLast: boolean;
}

/**
 * Of all tables. A row takes about 1 KB; a page asks about two or three windows, and 20 million events have 10,000 wallets
 * of today.
 */
const LIMITS = { rows: 100_000, tables: 32 };
const ROW_BYTES = 2048;
/** A table without rows takes some, too. */
const TABLE_BYTES = 512 * 1024;
/** Relations that were asked for. */
const REMEMBERED = 1_000;

/** How often a relation was asked for since it has its mark. */
interface Asked {
  readonly mark: string;
  readonly times: number;
  /** Its rows of this mark took too much memory. */
  readonly isTooLarge?: true;
}

export function createKeptRelations({ inTransaction, findWrites }: KeptFrom, limits = LIMITS): KeptRelations {
  const tables = createTables(limits);
  const asked = new BoundedCache<Asked>(REMEMBERED);
  const making = new Map<string, Promise<void>>();
  let made = 0;

  async function make(connection: DuckDBConnection, key: string, kept: KeptStatement, params: SelectParams) {
    made += 1;
    const name = `memory.main.kept_${made}`;
    const { mark, rows } = await inTransaction(connection, async () => {
      const { mark, n } = await readMark(connection, kept, params);
      const { sql, values } = toStatement(kept.rows, params);
      const bytesBefore = await readBytes(connection);
      await connection.run(`CREATE TABLE ${name} AS\n${sql}`, values);
      const bytes = (await readBytes(connection)) - bytesBefore;
      return { mark, rows: Math.max(n, (bytes - TABLE_BYTES) / ROW_BYTES) };
    });
    const table = { name, mark, rows, writes: undefined, readers: 0 };
    if (rows <= limits.rows / 2) return tables.put(key, table);
    asked.put(key, { mark, times: 0, isTooLarge: true });
    await drop(connection, table);
  }

  /** One at a time for each relation. After a failure the statements of those who wait compute it themselves. */
  async function makeOnce(connection: DuckDBConnection, key: string, kept: KeptStatement, params: SelectParams) {
    const running = making.get(key);
    if (running !== undefined) return running.catch(() => undefined);
    const mine = make(connection, key, kept, params).finally(() => making.delete(key));
    making.set(key, mine);
    return mine;
  }

  async function over(table: Table, connection: DuckDBConnection, { sql }: KeptStatement, params: SelectParams) {
    table.readers += 1;
    try {
      return await runRead(connection, sql.replaceAll(KEPT_RELATION, table.name), params);
    } finally {
      table.readers -= 1;
    }
  }

  /** Counts the question among those of the same mark. */
  function isWorthTable(key: string, mark: string, { worthAfter }: KeptStatement): boolean {
    const before = asked.find(key);
    const isSame = before?.mark === mark;
    if (isSame && before.isTooLarge) return false;
    const times = isSame ? before.times : 0;
    asked.put(key, { mark, times: times + 1 });
    return times >= (worthAfter ?? 1);
  }

  /** Undefined: a table is to be made first. */
  async function readMarked(
    connection: DuckDBConnection,
    key: string,
    { sql, params, kept, writes, isLast }: Marked,
  ): Promise<DuckDBResultReader | undefined> {
    const { mark, n } = await readMark(connection, kept, params);
    if (n === 0 && tables.find(key)?.mark !== mark)
      tables.put(key, { name: NO_ROWS, mark, rows: 0, writes: undefined, readers: 0 });
    const table = tables.find(key);
    if (table !== undefined && table.mark !== mark) tables.remove(key);
    if (table?.mark === mark) {
      // Nothing was written from before the transaction until after its first read.
      if (findWrites() === writes) table.writes = writes;
      return over(table, connection, kept, params);
    }
    const isWanted = n <= limits.rows / 2 && isWorthTable(key, mark, kept);
    return isLast || !isWanted ? runRead(connection, sql, params) : undefined;
  }

  return {
    async read(connection, sql, params, kept, goOn) {
      const key = keyOf(kept, params);
      const known = tables.find(key);
      const before = findWrites();
      if (known !== undefined && before !== undefined && known.writes === before) {
        const found = await over(known, connection, kept, params);
        if (findWrites() === before) return found;
      }
      for (let isLast = false; ; isLast = true) {
        goOn();
        const marked = { sql, params, kept, writes: findWrites(), isLast };
        const found = await inTransaction(connection, () => readMarked(connection, key, marked));
        for (const left of tables.takeLeft()) await drop(connection, left);
        if (found !== undefined) return found;
        await makeOnce(connection, key, kept, params);
      }
    },
  };
}

/** With the columns of all sessions, and without any of them. */
const NO_ROWS = "main.sessions WHERE 1 = 0";

/** Statements with other filters read the same relation. A hash: its text has 20 KB. */
function keyOf({ rows }: KeptStatement, params: SelectParams): string {
  const own = Object.entries(params).filter(([name]) => rows.includes(`{${name}:`));
  const text = JSON.stringify([rows, own.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash("sha256").update(text).digest("base64url");
}

async function readMark(connection: DuckDBConnection, { mark }: KeptStatement, params: SelectParams) {
  const [row] = readRows(await runRead(connection, mark, params)) as { mark: string; n: number }[];
  if (row === undefined) throw new Error("a kept relation has no mark");
  return row;
}

const USED_BYTES = `SELECT CAST(sum(memory_usage_bytes) AS BIGINT) AS n FROM duckdb_memory()
WHERE tag IN ('IN_MEMORY_TABLE', 'OVERFLOW_STRINGS')`;

/** What tables in memory take: of all, so that two that are made at once count twice. */
async function readBytes(connection: DuckDBConnection): Promise<number> {
  const [row] = readRows(await connection.runAndReadAll(USED_BYTES)) as { n: number | null }[];
  return row?.n ?? 0;
}

/** One that could not be dropped takes memory until the process ends. The statement has its rows. */
async function drop(connection: DuckDBConnection, { name }: Table): Promise<void> {
  if (name !== NO_ROWS) await connection.run(`DROP TABLE ${name}`).catch(() => undefined);
}

/** The tables by their relations, in the order of their last use. */
function createTables(most: typeof LIMITS) {
  const known = new Map<string, Table>();
  let left: Table[] = [];

  function leave(key: string, table: Table): void {
    known.delete(key);
    left.push(table);
  }

  return {
    find(key: string): Table | undefined {
      const table = known.get(key);
      if (table === undefined) return undefined;
      known.delete(key);
      known.set(key, table);
      return table;
    },
    put(key: string, table: Table): void {
      const before = known.get(key);
      if (before !== undefined) leave(key, before);
      known.set(key, table);
      let rows = [...known.values()].reduce((sum, one) => sum + one.rows, 0);
      for (const [oldKey, oldest] of [...known]) {
        if (rows <= most.rows && known.size <= most.tables) break;
        leave(oldKey, oldest);
        rows -= oldest.rows;
      }
    },
    remove(key: string): void {
      const table = known.get(key);
      if (table !== undefined) leave(key, table);
    },
    /** Those that nobody reads any more. The caller drops them. */
    takeLeft(): Table[] {
      const free = left.filter(({ readers }) => readers === 0);
      left = left.filter(({ readers }) => readers > 0);
      return free;
    },
  };
}
