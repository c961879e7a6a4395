import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { type LocalEngine, openLocalEngine } from "../../../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../../../src/engines/duckdb/limits.ts";
import { BLANK_ROW } from "../../support/blank-row.ts";
import { startLocalEngine } from "../../support/local-engine.ts";

const AT_MS = Date.parse("2026-03-10T12:00:00Z");
/** The schema before `status`. */
const OLDER_SCHEMA = 3;

const CASES: readonly (readonly [id: string, type: string, properties: string, status: string])[] = [
  ["a transaction", "transaction", '{"status":"confirmed"}', "confirmed"],
  ["a signature", "signature", '{"hash":"0x1","status":"requested"}', "requested"],
  ["as it was sent", "transaction", '{"status":" Confirmed "}', " Confirmed "],
  ["no text", "transaction", '{"status":1}', "1"],
  ["null", "transaction", '{"status":null}', ""],
  ["no status", "transaction", "{}", ""],
  ["half of a surrogate pair", "transaction", '{"status":"confirmed","name":"\\ud83d"}', ""],
  ["another type", "track", '{"status":"confirmed"}', ""],
  ["a page", "page", '{"url":"https://app.example.com/"}', ""],
];
const EXPECTED = Object.fromEntries(CASES.map(([id, , , status]) => [id, status]));

/** As exported by a version without `status`. */
function exportedRows() {
  return CASES.map(([message_id, type, properties]) => ({
    ...BLANK_ROW,
    project_id: "p",
    dedupe_day: "2026-03-10",
    timestamp: AT_MS,
    message_id,
    type,
    properties,
  }));
}

async function readStatuses(engine: LocalEngine): Promise<Record<string, string>> {
  const { rows } = await engine.select<{ message_id: string; status: string }>("SELECT message_id, status FROM events");
  return Object.fromEntries(rows.map(({ message_id, status }) => [message_id, status]));
}

/** Inserts rows into a table of any schema; columns that a row does not name are empty or zero. */
async function insertRows(engine: LocalEngine, rows: readonly Record<string, string | number>[]): Promise<void> {
  const { rows: columns } = await engine.select<{ name: string; type: string }>(
    "SELECT column_name AS name, data_type AS type FROM duckdb_columns() WHERE table_name = 'events' ORDER BY column_index",
  );
  await engine.database.write(async (connection) => {
    for (const row of rows) {
      const values = columns.map(({ name, type }) => {
        if (type === "VARCHAR") return `'${row[name] ?? ""}'`;
        return type === "DATE" ? "DATE '2026-03-10'" : type.startsWith("TIMESTAMP") ? "make_timestamp_ms(0)" : "0";
      });
      await connection.run(`INSERT INTO events VALUES (${values.join(", ")})`);
    }
  });
}

describe("the status of a stored event", () => {
  test("is that of its properties, for a signature or transaction, after an import too", async (t) => {
    const { engine, stop } = await startLocalEngine();
    t.after(stop);
    assert.equal(await engine.importRows("events", exportedRows()), CASES.length);
    assert.deepEqual(await readStatuses(engine), EXPECTED);
    const { rows } = await engine.select("SELECT transactions, signatures FROM sessions");
    assert.deepEqual(rows, [{ transactions: 5, signatures: 0 }]);
  });

  test("is the same for events that were stored before the column existed", async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "duckdb-"));
    const options = { path: join(dir, "warehouse.duckdb"), limits: DEFAULT_LIMITS, nowMs: Date.now };
    const older = await openLocalEngine(options);
    await older.schema.migrate({ upTo: OLDER_SCHEMA });
    await insertRows(older, exportedRows());
    await older.close();

    const engine = await openLocalEngine(options);
    t.after(async () => {
      await engine.close();
      rmSync(dir, { recursive: true });
    });
    await engine.schema.migrate();
    assert.deepEqual(await readStatuses(engine), EXPECTED);
    const { rows } = await engine.select("SELECT is_nullable FROM duckdb_columns() WHERE column_name = 'status'");
    assert.deepEqual(rows, [{ is_nullable: false }]);

    // As after a kill: what the migration has not yet written into the file is in the write-ahead log.
    const killed = join(dir, "killed", "warehouse.duckdb");
    mkdirSync(dirname(killed));
    for (const end of ["", ".wal"])
      if (existsSync(`${options.path}${end}`)) copyFileSync(`${options.path}${end}`, `${killed}${end}`);
    const reopened = await openLocalEngine({ ...options, path: killed });
    t.after(() => reopened.close());
    assert.deepEqual(await readStatuses(reopened), EXPECTED);
  });

  test("is filled by the next start if a start was interrupted", async (t) => {
    const { engine, run, stop } = await startLocalEngine();
    t.after(stop);
    await engine.importRows("events", exportedRows());
    await run("UPDATE events SET status = ''");
    await run("INSERT INTO days_without_status VALUES ('2026-03-09'), ('2026-03-10')");
    await engine.schema.migrate();
    assert.deepEqual(await readStatuses(engine), EXPECTED);
    assert.deepEqual((await engine.select("SELECT * FROM days_without_status")).rows, []);
  });
});
