/** What a scheduled report says, on both engines: the same numbers, in the days of the project's zone. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createStreamThread } from "../../src/lib/stream-thread.ts";
import type { Content } from "../../src/schedules/content.ts";
import type { Run } from "../../src/schedules/due.ts";
import type { Schedule } from "../../src/schedules/schedules.ts";
import { createJobQuestions } from "../../src/service/roles/job-questions.ts";
import { type MetricApi, startMetricApi } from "../alerts/metric-api.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";

/** Ahead of UTC by five and a half hours. */
const ZONE = "Asia/Kolkata";
const WALLET = `0x${"a".repeat(40)}`;
/** Monday to Sunday. Its first moment is on Sunday at 18:30 in UTC. */
const WEEK = { from: "2026-03-09", to: "2026-03-15" };
const DUE_MS = Date.parse("2026-03-16T02:30:00Z");
const RUN: Run = { ...WEEK, dueAtMs: DUE_MS };

for (const kind of BOTH_IN_LONG)
  describe(`what a scheduled report says on ${kind.name}`, { skip: kind.skip }, () => {
    let it: MetricApi;
    const thread = createStreamThread();
    before(async () => {
      it = await startMetricApi("sqlite", kind.start);
      const view = (at: string, visitor: string, referrer = "") => ({
        ...{ at, visitor },
        context: { page_url: "https://app.example.com/start", referrer },
      });
      await it.store([
        view("2026-03-03T10:00:00", "early"),
        view("2026-03-08T18:29:00", "last of the week before"),
        view("2026-03-08T18:31:00", "first of the week", "https://news.example/"),
        view("2026-03-11T10:00:00", "ada"),
        {
          ...{ at: "2026-03-11T10:01:00", visitor: "ada", address: WALLET, type: "transaction" },
          properties: { chain_id: 8453, status: "broadcasted", revenue: 2.5 },
        },
        view("2026-03-15T18:29:00", "last of the week"),
        view("2026-03-15T18:31:00", "after it"),
      ]);
      await it.api.store.write((tx) =>
        tx.updateTable("projects").set({ timezone: ZONE }).where("id", "=", it.project).execute(),
      );
    });
    after(async () => {
      await it.stop();
      await thread.close();
    });

    test("are the figures with those of the week before, the days of the zone and the lists", async () => {
      const questions = createJobQuestions({ store: it.api.store, engine: it.engine, sqlTimeoutMs: 60_000, thread });
      const schedule = {
        ...{ workspaceId: it.key.workspaceId, projectId: it.project, boardId: null, every: "week", timezone: ZONE },
      } as unknown as Schedule;
      const content: Content = await questions.gather(schedule, RUN, DUE_MS, new AbortController().signal);
      const [figures, days, ...rest] = content.parts;
      assert.ok(figures?.kind === "figures" && days?.kind === "series");
      const shown = Object.fromEntries(figures.figures.map(({ label, value, before }) => [label, [value, before]]));
      assert.deepEqual(
        [shown.Visitors, shown["Page views"], shown.Wallets, shown.Transactions, shown.Revenue],
        [
          [3, 2],
          [3, 2],
          [1, 0],
          [1, 0],
          [2.5, 0],
        ],
      );
      assert.deepEqual(
        days.points.map(({ name, value }) => [name, value]),
        [
          ["2026-03-09", 1],
          ["2026-03-10", 0],
          ["2026-03-11", 1],
          ["2026-03-12", 0],
          ["2026-03-13", 0],
          ["2026-03-14", 0],
          ["2026-03-15", 1],
        ],
      );
      const lists = rest.flatMap((part) =>
        part.kind === "list" ? [[part.title, ...part.rows.map(({ name, value }) => `${name} ${value}`)]] : [],
      );
      assert.deepEqual(lists, [
        ["Top sources", "Direct 2", "news.example 1"],
        ["Top pages", "/start 3"],
        ["Top chains", "Base 1"],
      ]);
      assert.deepEqual([content.timezone, content.before], [ZONE, { from: "2026-03-02", to: "2026-03-08" }]);
    });
  });
