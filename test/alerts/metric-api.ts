/** The API server, a store and an engine with events at times of the test's choice, and the evaluation of alerts. */
import assert from "node:assert/strict";
import { type MetricJobDeps, runDueMetrics } from "../../src/alerts/metric/run-due.ts";
import type { BackendName } from "../../src/engines/control.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { createStreamThread } from "../../src/lib/stream-thread.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createRunOther, createRunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { createRunSql } from "../../src/query/sql/run-sql.ts";
import { metricQuestions } from "../../src/service/roles/metric-alerts.ts";
import { startApi } from "../support/api.ts";
import type { EngineKind } from "../support/both-engines.ts";
import { createTestWriter, startLocalEngine } from "../support/local-engine.ts";

export interface SentEvent {
  readonly at: string;
  readonly visitor: string;
  readonly [field: string]: unknown;
}

export async function startMetricApi(backend: BackendName = "sqlite", start: EngineKind["start"] = startLocalEngine) {
  let nowMs = Date.now();
  const clock = { nowMs: () => nowMs };
  const local = await start({ nowMs: clock.nowMs });
  const { engine } = local;
  const thread = createStreamThread();
  let [statements, running, mostAtOnce] = [0, 0, 0];
  const counted: Pick<AnalyticsEngine, "select" | "relations" | "runUserQuery"> = {
    relations: engine.relations,
    runUserQuery: engine.runUserQuery.bind(engine),
    async select(sql, options) {
      statements += 1;
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      try {
        return await engine.select(sql, options);
      } finally {
        running -= 1;
      }
    },
  };
  const deps = { engine: counted, clock, slots: createQuerySlots({ running: 4, waiting: 100, waitMs: 60_000 }) };
  const background = {
    runReport: createRunReport(deps),
    runOther: createRunOther(deps),
    runLookup: createRunLookup(deps),
    runSql: createRunSql({ ...deps, timeoutMs: 60_000, thread }),
  };
  const api = await startApi(backend, {}, [], { ...background, answerThread: thread, clock });
  const { workspaceId } = await api.createKey();
  const project = await api.createProject(workspaceId, "App");
  const key = await api.createKey({ workspaceId, projectId: project });
  const write = await createTestWriter(engine);
  let sent = 0;
  const job: MetricJobDeps = {
    ...metricQuestions(api.store, background, () => 0),
    clock,
    pageUrl: () => undefined,
    wakeDelivery: () => undefined,
  };
  async function call(method: string, path: string, body?: unknown) {
    const answer = await fetch(`${api.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key.text}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, which the tests compare.
    return { status: answer.status, body: (text === "" ? undefined : JSON.parse(text)) as any };
  }
  return {
    api,
    engine,
    key,
    project,
    job,
    call,
    countStatements: () => statements,
    /** The most statements that ran at the same time. */
    mostAtOnce: () => mostAtOnce,
    /** The time of the service, without a zone. */
    setTime: (text: string) => {
      nowMs = Date.parse(`${text}Z`);
    },
    /** Stores events; those of an hour are received together, with its last one. */
    async store(events: readonly SentEvent[]) {
      for (const ofHour of Object.values(Object.groupBy(events, ({ at }) => at.slice(0, 13)))) {
        const received =
          ofHour
            ?.map(({ at }) => `${at}Z`)
            .toSorted()
            .at(-1) ?? "";
        const batch = ofHour?.map(({ at, visitor, ...event }) => {
          sent += 1;
          const common = { type: "page", channel: "web", version: "0", anonymous_id: visitor, context: {} };
          return { ...common, message_id: `m-${sent}`, original_timestamp: `${at}Z`, sent_at: received, ...event };
        });
        await write(project, batch ?? [], Date.parse(received), { rules: "raw" });
      }
    },
    /** Events that are received and not stored: those with a wrong time are parked, and the others were refused. */
    async lose(at: string, { parked, refused }: { parked: number; refused: number }) {
      const receivedMs = Date.parse(`${at}Z`);
      const common = { type: "page", channel: "web", version: "0", anonymous_id: "lost", context: {} };
      const batch = Array.from({ length: parked }, (_, nth) => ({
        ...{ ...common, message_id: `lost-${at}-${nth}`, original_timestamp: "no time", sent_at: `${at}Z` },
      }));
      if (parked > 0) await write(project, batch, receivedMs, { rules: "raw" });
      if (refused > 0) await write(project, { why: "too_many", count: refused }, receivedMs);
    },
    /** Creates an alert on a number, with a webhook. */
    async create(metric: object): Promise<string> {
      const recipient = [{ type: "webhook", value: ["http://127.0.0.1:9/alert"] }];
      const made = await call("POST", "/v0/alerts", {
        name: "A number",
        trigger_type: "metric",
        trigger_filters: [],
        metric,
        recipient,
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.body.id as string;
    },
    evaluate: (deps: MetricJobDeps = job) => runDueMetrics(deps, new AbortController().signal),
    async read(id: string) {
      const { body } = await call("GET", `/v0/alerts/${id}`);
      const { body: history } = await call("GET", `/v0/alerts/${id}/firings`);
      const { n } = await api.store.read
        .selectFrom("deliveries")
        .select((e) => e.fn.countAll<number | string>().as("n"))
        .where("cause_id", "is not", null)
        .executeTakeFirstOrThrow();
      return { ...body, firings: history.data, deliveries: Number(n) };
    },
    async stop() {
      await api.stop();
      await thread.close();
      await local.stop();
    },
  };
}

export type MetricApi = Awaited<ReturnType<typeof startMetricApi>>;
