/** Every statement of the corpus is refused or harmless: it shows nothing of another project and keeps its limits. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { DEFAULT_LIMITS } from "../../src/engines/duckdb/limits.ts";
import { type LocalEngine, openLocalEngine } from "../../src/engines/duckdb/local.ts";
import { StatementRefused } from "../../src/engines/statement-refused.ts";
import { type Attack, BOMBS, hasCanary, plantEvents, readAttacks } from "../support/sql-attacks.ts";

const MIB = 1024 ** 2;
const LIMITS = { ...DEFAULT_LIMITS, memoryBytes: 256 * MIB, processBytes: 2_048 * MIB };
const TIMEOUT_MS = 1_000;
/** What is harmless ends by itself: in milliseconds, or in seconds on a machine with much other work. */
const HARMLESS_TIMEOUT_MS = 30_000;
/**
 * The bar is 20 %; the rest is for a machine with other work. What no interrupt reaches takes minutes, of the clock and
 * of a processor.
 */
const MOST_MS = TIMEOUT_MS * 1.2 + 4_000;
/** Another project of the same workspace, and one of another. */
const OTHERS = ["prj_sibling", "prj_foreign"];

const ATTACKS = [...readAttacks(), ...BOMBS];

describe("hostile SQL", () => {
  let dir: string;
  let engine: LocalEngine;
  let mostBytes = 0;
  let sampler: NodeJS.Timeout;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "attacks-"));
    sampler = setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
    }, 20);
    engine = await openLocalEngine({ path: join(dir, "warehouse.duckdb"), limits: LIMITS, nowMs: Date.now });
    await engine.schema.migrate();
    await plantEvents(engine, "prj_own", OTHERS);
  });
  after(async () => {
    clearInterval(sampler);
    await engine.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const ask = async (sql: string, timeoutMs = TIMEOUT_MS) => {
    const project = { id: "prj_own", firstDay: "1970-01-01" };
    const query = { sql, workspaceId: "w", project, format: "json", timeoutMs } as const;
    return text(await engine.runUserQuery(query, new AbortController().signal));
  };

  async function check({ sql, outcome }: Attack): Promise<void> {
    const startedAt = performance.now();
    const cpu = process.cpuUsage();
    const timeoutMs = outcome === "refused" || outcome === "bounded" ? TIMEOUT_MS : HARMLESS_TIMEOUT_MS;
    const answer = await ask(sql, timeoutMs).catch((cause: unknown) => {
      assert.ok(cause instanceof StatementRefused, `a failure of the engine: ${String(cause)}`);
      return cause;
    });
    const tookMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpu);
    assert.ok(Math.min(tookMs, (user + system) / 1_000) < MOST_MS, `took ${tookMs} ms`);
    const shown = answer instanceof StatementRefused ? answer.message : answer;
    const own = shown.replaceAll(sql.match(/'(prj_\w+)'/)?.[1] ?? "prj_own", "");
    assert.ok(!hasCanary(own, OTHERS), `shows another project: ${shown.slice(0, 500)}`);
    if (answer instanceof StatementRefused) refuseInternals(shown, sql);
    if (outcome === "refused") assert.ok(answer instanceof StatementRefused, `answered: ${shown.slice(0, 500)}`);
    else if (outcome === "harmless") assert.ok(!(answer instanceof StatementRefused), `refused: ${shown}`);
    else if (outcome !== "bounded")
      assert.deepEqual((JSON.parse(shown) as { data: unknown }).data, JSON.parse(outcome), shown);
  }

  /** What the user wrote may be repeated. */
  function refuseInternals(message: string, sql: string): void {
    const [found] = /project_\w+|main\.\w+|user_\w+|\bcte \w+|LINE 1|first_day/.exec(message) ?? [];
    assert.ok(found === undefined || sql.includes(found), `shows what is behind the tables: ${message}`);
  }

  test("the corpus has at least 150 statements with different names", () => {
    const names = ATTACKS.map(({ group, name }) => `${group}: ${name}`);
    assert.ok(new Set(names).size === names.length && names.length >= 150);
  });

  for (const group of new Set(ATTACKS.map((attack) => attack.group))) {
    describe(group, () => {
      for (const attack of ATTACKS.filter((each) => each.group === group)) test(attack.name, () => check(attack));
    });
  }

  test("the engine still answers, and its memory stayed within the limit", async () => {
    assert.deepEqual(JSON.parse(await ask("SELECT count() AS n FROM events")).data, [{ n: 300 }]);
    assert.ok(mostBytes < LIMITS.processBytes * 1.2, `${Math.round(mostBytes / MIB)} MiB`);
  });
});
