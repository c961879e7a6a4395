import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { closeDueDays } from "./close-days.ts";

test("every statement of a build can be stopped, the one that makes it count included", async () => {
  const { signal } = new AbortController();
  const seen: { what: string; signal: AbortSignal | undefined }[] = [];
  /** What all of the questions ask for. */
  const row = {
    ...{ project_id: "p", day: "2026-03-10", key_days: ["2026-03-10"], started_ms: 1 },
    ...{ last: 0, now_s: 1_773_187_200, events: 1, n: 1, project: "p", builds: [], rests_on: "0" },
  };
  const engine = {
    async selectJson(what: string, given?: { signal?: AbortSignal }) {
      seen.push({ what, signal: given?.signal });
      return { data: [row] };
    },
    async command(what: string, given?: { signal?: AbortSignal }) {
      seen.push({ what, signal: given?.signal });
    },
    async insert({ table, signal: given }: { table: string; signal?: AbortSignal }) {
      seen.push({ what: table, signal: given });
      return { writtenRows: 1 };
    },
  } as unknown as AnalyticsEngine;
  assert.equal(await closeDueDays(engine, { signal }), 1);
  assert.ok(seen.some(({ what }) => what === "closed_days"));
  for (const one of seen) assert.equal(one.signal, signal, one.what);
});
