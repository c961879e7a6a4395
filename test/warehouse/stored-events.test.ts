import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { encodeRequest, type LoggedRequest } from "../../src/ingest/logged-request.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { createTransform } from "../../src/warehouse/transform.ts";
import { ENGINES, type StartedEngine } from "../support/both-engines.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, selectNumber } from "../support/local-engine.ts";

/** Yesterday: ClickHouse removes parked events by its own clock, 31 days after their receipt. */
const RECEIVED_AT = Date.now() - DAY_MS;

for (const { name, skip, start } of ENGINES)
  describe(`what the writer stores on ${name}`, { skip }, () => {
    let host: StartedEngine;
    let engine: AnalyticsEngine;
    before(async () => {
      host = await start();
      engine = host.engine;
    });
    after(() => host?.stop());
    const stored = (project: string) =>
      selectNumber(engine, `SELECT count(*) AS n FROM events WHERE project_id = '${project}'`);

    test("an unreadable record is parked whole under a reason that no client can cause, and blocks nothing", async () => {
      const common = { projectId: "torn", workspaceId: "w", receivedAtMs: RECEIVED_AT, rules: "tracked" } as const;
      const request: LoggedRequest = { ...common, lines: false, idBase: "x" };
      const records = [
        [{ ...request, clean: true } as const, "{oops"] as const,
        [request, "{oops"] as const,
        [request, JSON.stringify([sampleEvent("t-1")])] as const,
      ].map(([head, body], i) => ({
        payload: Buffer.concat(encodeRequest(head, Buffer.from(body))),
        recordId: `n-3.${i}`,
      }));
      const store = await engine.openBatchStore({ nodeId: "torn", cursorFile: "" });
      const [from, to] = [
        { segment: 0, offset: 0 },
        { segment: 1, offset: 9 },
      ];
      const transform = createTransform(undefined, undefined, store.form);
      await store.store(transform(records), { from, to, token: "torn" }, new AbortController().signal);
      assert.equal(await stored("torn"), 1);
      const { rows } = await engine.select<{ reason: string; raw: string; details: string }>(
        `SELECT p.reason AS reason, r.text AS raw, p.details AS details
       FROM parked_events AS p INNER JOIN parked_raw AS r ON r.id = p.id WHERE p.project_id = 'torn'`,
      );
      assert.deepEqual(
        rows.map(({ reason, raw }) => ({ reason, raw })),
        Array.from({ length: 2 }, () => ({ reason: "unreadable_record", raw: "{oops" })),
      );
      for (const { details } of rows) assert.match(String(JSON.parse(details)), /JSON/, "what was wrong with it");
    });

    test("a visitor: anonymous id, else user, else address; a session: the client's, else a visitor's day", async () => {
      const address = "0x52908400098527886E0F7030069857D2E4169EE7";
      const at = (time: string) => ({ original_timestamp: time, sent_at: time, channel: "server" });
      const [morning, night, next] = ["2026-03-10T00:00:00Z", "2026-03-10T23:59:59.999Z", "2026-03-11T00:00:00Z"].map(
        at,
      );
      const own = { context: JSON.stringify({ session_id: "s1" }) };
      const cases: [id: string, fields: Record<string, unknown>][] = [
        ["anonymous", { ...morning, anonymous_id: "a", user_id: "u", address }],
        ["user", { ...morning, anonymous_id: "", user_id: "a", address }],
        ["wallet", { ...morning, anonymous_id: "", user_id: "", address }],
        ["wallet-again", { ...morning, anonymous_id: "", user_id: "", address: address.toLowerCase() }],
        ["late", { ...night, anonymous_id: "a" }],
        ["next-day", { ...next, anonymous_id: "a" }],
        ["own", { ...night, ...own, anonymous_id: "a" }],
        ["own-of-another", { ...morning, ...own, anonymous_id: "b" }],
        ["own-next-day", { ...next, ...own, anonymous_id: "a" }],
        ["named-like-it", { ...morning, anonymous_id: "s1" }],
      ];
      const write = await createTestWriter(engine, "who");
      const events = cases.map(([id, fields]) => sampleEvent(id, fields));
      await write("who", events, RECEIVED_AT);
      const same = async (column: string) => {
        const { rows } = await engine.select<{ of: string; id: string }>(
          `SELECT toString(${column}) AS of, message_id AS id FROM events WHERE project_id = 'who' ORDER BY id`,
        );
        return [...Map.groupBy(rows, (row) => row.of).values()]
          .map((some) => some.map(({ id }) => id).join(" "))
          .sort();
      };
      assert.deepEqual(await same("visitor"), [
        "anonymous late next-day own own-next-day user",
        "named-like-it",
        "own-of-another",
        "wallet wallet-again",
      ]);
      assert.deepEqual(await same("session"), [
        "anonymous late user",
        "named-like-it",
        "next-day",
        "own own-of-another",
        "own-next-day",
        "wallet wallet-again",
      ]);
    });
  });
