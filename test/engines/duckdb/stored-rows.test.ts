import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { EVENT_COLUMNS } from "../../../src/engines/event-columns.ts";
import type { ExportedRow } from "../../../src/engines/source-tables.ts";
import { startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

const NOW = Date.UTC(2026, 10, 15, 12, 0, 30);
/** More than one chunk of 2,048 rows, and its last one is not full. */
const ROWS = 5_003;
/** Lengths around what DuckDB keeps in a vector itself, in characters of one to four bytes. */
const TEXTS = [
  "",
  "a",
  "elevenchars",
  "twelve-chars",
  "thirteen-char",
  "ä".repeat(6),
  "€".repeat(4),
  "😀".repeat(3),
  "x".repeat(200),
];
const TYPES = ["page", "track", "transaction", "signature", "transaction"];
const PROPERTIES = [
  "{}",
  '{"status":"confirmed"}',
  '{"a":1,"status":"a status of more than twelve bytes"}',
  '{"status":7}',
  '{"status":"\\ud83d"}',
  '{"volume":12.5,"status":"rejected","tx":"0x00000000000000000000000000000000000000000000000000"}',
];

/** Those of the first release: a later one stands among them, and would change the values of those behind it. */
const FIRST_COLUMNS = EVENT_COLUMNS.filter(([name, kind]) => kind !== "hash" && name !== "click_id");

function makeRow(nth: number): ExportedRow {
  const pick = <T>(list: readonly T[], by: number) => list[Math.floor(nth / by) % list.length] as T;
  const own = FIRST_COLUMNS.map(([name, kind], at) => {
    if (kind === "text") return [name, pick(TEXTS, 1 + (at % 7)) + (at % 3 === 0 ? String(nth % 11) : "")];
    if (kind === "day") return [name, "2026-11-15"];
    if (kind === "float") return [name, ((nth % 1_000) - 500) / 8];
    if (kind === "byte") return [name, nth % 2];
    return [name, kind === "time" ? NOW - nth * 977 : (nth % 7) * 1_000_003 - 3_000_000];
  });
  return {
    ...(Object.fromEntries(own) as ExportedRow),
    click_id: "",
    project_id: pick(["p", "a project with a long id"], 3),
    message_id: `message ${nth % (ROWS - 100)}`,
    type: pick(TYPES, 1),
    properties: pick(PROPERTIES, 2),
    timestamp: NOW - (nth % 3) * 86_400_000 - nth,
  };
}

describe("rows on their way into DuckDB", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine({ nowMs: () => NOW });
  });
  after(() => local.stop());

  const hashOf = async (table: string) => {
    const sql = `SELECT CAST(t AS VARCHAR) AS line FROM ${table} AS t ORDER BY line`;
    const { rows } = await local.engine.select<{ line: string }>(sql);
    return createHash("sha256")
      .update(rows.map(({ line }) => line).join("\n"))
      .digest("hex");
  };

  test("are stored with the same bytes as by the first release", async () => {
    const rows = Array.from({ length: ROWS }, (_, nth) => makeRow(nth));
    assert.equal(await local.engine.importRows("events", rows), ROWS - 67);
    assert.equal(
      await hashOf("(SELECT * EXCLUDE (click_id) FROM events)"),
      "6d2cf5a3fdeca7be9e834970ccd3f617fe06d3f3d0f11aa1cf84510cacab50af",
    );
    assert.equal(
      await hashOf("(SELECT * EXCLUDE (chains, rdns_names, addresses, pages, click_id, received_to) FROM sessions)"),
      "e80b5de940eb8df24295a315f050fd3174e573fa9e8e3b45a2e84ef86f803948",
    );
  });
});
