/**
 * Starts a service on a long event log and many pending deliveries, and compares with an empty start of the same run.
 * Used by the suite with little of both and by `npm run large-start` with 1 GB and a million.
 */
import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { encodeRequest } from "../../src/ingest/logged-request.ts";
import { dataPaths } from "../../src/installation/data-dir.ts";
import { sampleEvent } from "../support/events.ts";
import { openTestLog } from "../support/faulty-files.ts";
import { startStopwatch } from "../support/held-loop.ts";
import { call } from "../support/installation.ts";
import { readMetrics } from "../support/metrics.ts";
import { type Credentials, makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { startTarget } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";

const REQUEST_EVENTS = 1_000;
const SETTINGS = { SEXTANT_LOG_LEVEL: "error" };

export interface LargeStart {
  /** From the start of the process until it is ready. */
  emptyMs: number;
  fullMs: number;
  /**
   * Longest block of the service's event loop while it worked off what it found, in seconds, without the time in which
   * its thread waited for a processor.
   */
  blockedS: number;
  /** What this process, which did next to nothing, had to wait for a processor meanwhile. */
  waitedS: number;
  events: number;
  stored: number;
}

export async function startOnLargeData(options: {
  logMb: number;
  deliveries: number;
  withinMs: number;
  say: (line: string) => void;
}): Promise<LargeStart> {
  const data = makeDataDir();
  const target = await startTarget((response) => response.end());
  let service: TestService | undefined;
  try {
    service = await startService(data.dir, SETTINGS);
    const keys = readCredentials(data.dir);
    await subscribe({ ...keys, apiUrl: service.apiUrl, eventsUrl: service.eventsUrl }, target.url);
    await service.kill("SIGTERM");
    const empty = await startTimed(data.dir);
    await empty.service.kill("SIGTERM");
    const events = await fillLog(data.dir, keys, options.logMb);
    fillOutbox(data.dir, keys.workspaceId, options.deliveries);
    options.say(`${events} events in ${options.logMb} MB of log, ${options.deliveries} pending deliveries`);
    const full = await startTimed(data.dir);
    service = full.service;
    const worked = await watchWork(service, events, options.withinMs);
    await waitFor("deliveries to go out", () => target.received.length > 0, options.withinMs);
    return { emptyMs: empty.tookMs, fullMs: full.tookMs, ...worked, events };
  } finally {
    await service?.kill("SIGKILL");
    await target.close();
    data.remove();
  }
}

/**
 * A start reads the end of the log and the lanes of due deliveries, not all of them: no more than noise may be added.
 */
export function assertLargeStart({ emptyMs, fullMs, blockedS, waitedS, events, stored }: LargeStart): void {
  assert.ok(fullMs < 2 * emptyMs + 2_000, `ready after ${fullMs} ms, with nothing in it after ${emptyMs} ms`);
  assert.ok(blockedS < 1 + waitedS, `the event loop was blocked for ${blockedS} s; ours waited ${waitedS} s`);
  assert.equal(stored, events);
}

async function startTimed(dir: string): Promise<{ service: TestService; tookMs: number }> {
  const startedAt = performance.now();
  const service = await startService(dir, SETTINGS);
  await waitFor("it to be ready", async () => (await fetch(`${service.opsUrl}/readyz`)).status === 200, 60_000);
  return { service, tookMs: performance.now() - startedAt };
}

async function subscribe(place: Parameters<typeof call>[0], targetUrl: string): Promise<void> {
  const form = { title: "Beta", fields: [{ label: "Email", type: "email" }] };
  const { data } = await call<{ data: { id: string } }>(place, "POST", "/api/forms", form);
  const wanted = { formId: data.id, targetUrl: `${targetUrl}/hook`, eventTypes: ["FORM_SUBMISSION"] };
  await call(place, "POST", "/api/webhooks", wanted);
}

/** As the events server does it, without the way over HTTP. */
async function fillLog(dir: string, { workspaceId, projectId }: Credentials, megabytes: number): Promise<number> {
  const log = await openTestLog(dataPaths(dir).log, { maxBytes: 2 ** 40 });
  const properties = JSON.stringify({ note: "x".repeat(600) });
  let [events, bytes] = [0, 0];
  while (bytes < megabytes * 1e6) {
    const batch = Array.from({ length: REQUEST_EVENTS }, (_, i) =>
      sampleEvent(`large-${events + i}`, { properties, anonymous_id: `visitor-${i % 100}` }),
    );
    const body = Buffer.from(JSON.stringify(batch));
    const request = {
      ...{ projectId, workspaceId, receivedAtMs: Date.now() },
      ...{ rules: "tracked" as const, lines: false, idBase: "", clean: true as const },
    };
    await log.append(encodeRequest(request, body));
    events += REQUEST_EVENTS;
    bytes += body.length;
  }
  await log.close();
  return events;
}

function fillOutbox(dir: string, workspaceId: string, count: number): void {
  const database = new DatabaseSync(dataPaths(dir).control);
  const now = Date.now();
  database.exec("begin");
  database
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
       insert into deliveries (id, workspace_id, webhook_id, event_type, sequence, payload, state, tier, due_at, tries, attempts, created_at)
       select 'dlv_large_' || i, ?, (select id from webhooks), 'FORM_SUBMISSION', i, '{"sequence":' || i || '}', 'pending', 0, ?, 0, 0, ?
       from n`,
    )
    .run(count, workspaceId, now, now);
  database.prepare("update webhooks set next_sequence = ?, next_due_at = 0").run(count + 1);
  database.exec("commit");
  database.close();
}

/**
 * Until the whole log is stored. Asked from outside: a scrape that waits for a blocked event loop resets the lag that
 * the service exports before the block is in it.
 */
async function watchWork(service: TestService, events: number, withinMs: number) {
  const own = monitorEventLoopDelay({ resolution: 10 });
  own.enable();
  let blockedS = 0;
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const stored = (await readMetrics(service.opsUrl))("sextant_events_stored_total");
    if (stored >= events || performance.now() > giveUpAt) return { blockedS, waitedS: own.max / 1e9, stored };
    for (let asked = 0; asked < 20; asked += 1) {
      const sinceAsked = startStopwatch(service.child.pid ?? 0);
      await (await fetch(`${service.opsUrl}/healthz`)).arrayBuffer();
      blockedS = Math.max(blockedS, sinceAsked() / 1_000);
      await delay(10);
    }
  }
}
