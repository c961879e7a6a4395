import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { openLocalEngine } from "../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../src/engines/duckdb/limits.ts";
import { unpackDirectory } from "./support/archive.ts";
import { runHere } from "./support/command.ts";
import { sampleEvent } from "./support/events.ts";
import { type Place, readAnswers, sendEvents } from "./support/installation.ts";
import { hashMigrations } from "./support/migration-files.ts";
import { startProcess } from "./support/process.ts";
import { MAIN, makeDataDir, serviceEnv, startService } from "./support/service.ts";
import { waitFor } from "./support/wait.ts";
import { connectWarehouse, selectNumber } from "./support/warehouse.ts";

const FIXTURES = resolve(import.meta.dirname, "fixtures");
const RELEASES = readdirSync(FIXTURES).filter((name) => name.startsWith("data-v"));

interface Facts {
  formId: string;
  apiKey: string;
  writeKey: string;
  projectId: string;
  answers: Record<string, unknown>;
}

/** A data directory of that release. */
function unpackRelease(name: string): { dir: string; facts: Facts; remove(): void } {
  const { dir, remove } = makeDataDir();
  unpackDirectory(readFileSync(join(FIXTURES, name, "data.json.zst")), dir);
  return { dir, remove, facts: JSON.parse(readFileSync(join(FIXTURES, name, "answers.json"), "utf8")) as Facts };
}

async function refusal(dir: string): Promise<string> {
  const start = startProcess([MAIN, "serve"], serviceEnv(dir));
  assert.equal(await start.exited, 1);
  const lines = start
    .stderr()
    .split("\n")
    .filter((line) => line.startsWith("sextant: "));
  assert.equal(lines.length, 1, start.stderr());
  return lines[0] ?? "";
}

describe("a data directory of another version", () => {
  for (const name of RELEASES) {
    test(`${name} opens with the same reports, forms and poll, and its keys work`, async (t) => {
      const { dir, facts, remove } = unpackRelease(name);
      t.after(remove);
      const service = await startService(dir);
      t.after(() => service.kill("SIGKILL"));
      const { apiUrl, eventsUrl } = service;
      const place: Place = { apiUrl, eventsUrl, apiKey: facts.apiKey, writeKey: facts.writeKey };
      await sendEvents(place, [sampleEvent("after the upgrade")]);
      const { out } = await runHere(dir, ["--json", "projects", "list"]);
      const bots = (JSON.parse(out) as { bots: string }[]).map((project) => project.bots);
      assert.deepEqual([...new Set(bots)], ["counted"], "only new projects leave bots out");
      const engine = connectWarehouse(dir);
      t.after(() => engine.close());
      const sql = `SELECT count() AS n FROM events WHERE project_id = '${facts.projectId}'`;
      await waitFor("the log to drain", async () => (await selectNumber(engine, sql)) === 33);
      const { answers } = JSON.parse(JSON.stringify({ answers: await readAnswers(place, facts.formId) })) as Facts;
      for (const key of Object.keys(facts.answers))
        if (key.startsWith("/api/webhooks?")) assert.ok(answers[key], key);
        else assert.deepEqual(answers[key], facts.answers[key], key);
      assert.equal(await service.kill("SIGTERM"), 0);
    });

    const frozen = join(FIXTURES, name, "migrations.json");
    // Before 0.1.0 migrations could still change.
    if (existsSync(frozen))
      test(`${name}: its migrations have not changed since`, () => {
        const now = hashMigrations();
        const then = JSON.parse(readFileSync(frozen, "utf8")) as Record<string, string>;
        assert.deepEqual(Object.fromEntries(Object.keys(then).map((file) => [file, now[file]])), then);
      });

    test(`${name} is small enough to keep`, () => {
      const bytes = readdirSync(join(FIXTURES, name)).map((file) => statSync(join(FIXTURES, name, file)).size);
      assert.ok(bytes.reduce((sum, size) => sum + size, 0) < 1_500_000);
    });
  }

  test("a newer control store, and then a newer warehouse, is refused in one line and not changed", async (t) => {
    const { dir, remove } = unpackRelease(RELEASES[0] ?? "");
    t.after(remove);
    const control = new DatabaseSync(join(dir, "control.sqlite"));
    control.exec("insert into schema_migrations values (999, 'future', 0)");
    control.close();
    assert.match(
      await refusal(dir),
      /control store has schema version 999, this Sextant knows \d+: start the newer Sextant/,
    );
    const again = new DatabaseSync(join(dir, "control.sqlite"));
    assert.equal(again.prepare("select max(version) as v from schema_migrations").get()?.v, 999);
    again.exec("delete from schema_migrations where version = 999");
    again.close();

    const path = join(dir, "duckdb", "warehouse.duckdb");
    const engine = await openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: Date.now });
    await engine.database.write(async (connection) => {
      await connection.run("INSERT INTO schema_migrations VALUES (999, '0999_future', 'x')");
    });
    await engine.close();
    assert.match(
      await refusal(dir),
      /warehouse has schema 0999_future, which this version does not know; start a newer/,
    );
  });
});
