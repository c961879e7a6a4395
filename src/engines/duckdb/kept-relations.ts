/**
 * Relations that are computed once for many statements, as tables in memory. A statement and the mark of its relation are
 * read in one transaction: the table of another mark is of other rows, and is not read. So an answer is that of one moment.
 *
 * A relation that is asked for once is part of its statement: making a table takes as long as two such statements. The
 * second one that asks makes it, and all later ones read it.
 */
import type { DuckDBConnection, DuckDBResultReader } from "@duckdb/node-api";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { KEPT_RELATION, type KeptStatement, type SelectParams } from "../port.ts";
import { readRows } from "./rows.ts";
import { toStatement } from "./statement.ts";

export interface KeptRelations {
  /** Runs `sql`, or the same over a table. The connection is in no transaction. */
  read(connection: DuckDBConnection, sql: string, params: SelectParams, kept: KeptStatement): Promise<DuckDBResultReader>;
}

interface Table {
  readonly name: string;
  readonly mark: string;
  readonly rows: number;
  /** Statements that read it. */
  readers: number;
}

/** Of all tables. A row takes about 1 KB, and a page asks about two or three windows. */
const LIMITS = { rows: 40_000, tables: 32 };
/** Relations that were asked for. */
const REMEMBERED = 1_000;

/** `inTransaction` begins and commits a transaction on the connection. */
export function createKeptRelations(
  inTransaction: <T>(connection: DuckDBConnection, work: (connection: DuckDBConnection) => Promise<T>) => Promise<T>,
  limits = LIMITS,
): KeptRelations {
  const tables = createTables(limits);
  const asked = new BoundedCache<true>(REMEMBERED);
  const making = new Map<string, Promise<void>>();
  let made = 0;

  async function make(connection: DuckDBConnection, key: string, kept: KeptStatement, params: SelectParams) {
    made += 1;
    const name = `memory.main.kept_${made}`;
    const { mark, n } = await inTransaction(connection, async () => {
      const found = await readMark(connection, kept, params);
      const { sql, values } = toStatement(kept.rows, params);
      await connection.run(`CREATE TABLE ${name} AS\n${sql}`, values);
      return found;
    });
    for (const left of tables.put(key, { name, mark, rows: n, readers: 0 }))
      await drop(connection, left);
  }

  /** One at a time for each relation. After a failure the statements of those who wait compute it themselves. */
  async function makeOnce(connection: DuckDBConnection, key: string, kept: KeptStatement, params: SelectParams) {
    const running = making.get(key);
    if (running !== undefined) return running.catch(() => undefined);
    const mine = make(connection, key, kept, params).finally(() => making.delete(key));
    making.set(key, mine);
    return mine;
  }

  return {
    async read(connection, sql, params, kept) {
      const key = keyOf(kept, params);
      for (let isLast = false; ; isLast = true) {
        const found = await inTransaction(connection, async () => {
          const { mark, n } = await readMark(connection, kept, params);
          if (n === 0) return run(connection, kept.sql.replaceAll(KEPT_RELATION, NO_ROWS), params);
          const table = tables.find(key, mark);
          if (table === undefined) {
            const isWanted = asked.find(key) === true && n <= limits.rows / 2;
            asked.put(key, true);
            return isLast || !isWanted ? run(connection, sql, params) : undefined;
          }
          table.readers += 1;
          return run(connection, kept.sql.replaceAll(KEPT_RELATION, table.name), params).finally(() => {
            table.readers -= 1;
          });
        });
        for (const left of tables.takeLeft()) await drop(connection, left);
        if (found !== undefined) return found;
        await makeOnce(connection, key, kept, params);
      }
    },
  };
}

/** With the columns of all sessions, and without any of them. */
const NO_ROWS = "main.sessions WHERE 1 = 0";

/** Statements with other filters read the same relation. */
function keyOf({ rows }: KeptStatement, params: SelectParams): string {
  const own = Object.entries(params).filter(([name]) => rows.includes(`{${name}:`));
  return JSON.stringify([rows, own.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

async function readMark(connection: DuckDBConnection, { mark }: KeptStatement, params: SelectParams) {
  const [row] = readRows(await run(connection, mark, params)) as { mark: string; n: number }[];
  if (row === undefined) throw new Error("a kept relation has no mark");
  return row;
}

function run(connection: DuckDBConnection, sql: string, params: SelectParams): Promise<DuckDBResultReader> {
  const statement = toStatement(sql, params);
  return connection.runAndReadAll(statement.sql, statement.values);
}

/** One that could not be dropped takes memory until the process ends. The statement has its rows. */
const drop = (connection: DuckDBConnection, { name }: Table) =>
  connection.run(`DROP TABLE ${name}`).catch(() => undefined);

/** The tables by their relations, in the order of their last use. */
function createTables(most: typeof LIMITS) {
  const known = new Map<string, Table>();
  let left: Table[] = [];

  function leave(key: string, table: Table): void {
    known.delete(key);
    left.push(table);
  }

  /** Those that nobody reads any more. The caller drops them. */
  function takeLeft(): Table[] {
    const free = left.filter(({ readers }) => readers === 0);
    left = left.filter(({ readers }) => readers > 0);
    return free;
  }

  return {
    takeLeft,
    find(key: string, mark: string): Table | undefined {
      const table = known.get(key);
      if (table?.mark !== mark) return undefined;
      known.delete(key);
      known.set(key, table);
      return table;
    },
    put(key: string, table: Table): Table[] {
      const before = known.get(key);
      if (before !== undefined) leave(key, before);
      known.set(key, table);
      let rows = [...known.values()].reduce((sum, one) => sum + one.rows, 0);
      for (const [oldKey, oldest] of [...known]) {
        if (rows <= most.rows && known.size <= most.tables) break;
        leave(oldKey, oldest);
        rows -= oldest.rows;
      }
      return takeLeft();
    },
  };
}
