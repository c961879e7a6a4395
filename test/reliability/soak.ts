/**
 * Loads a service with everything at once at bounded rates, and samples what could leak: resident memory and open
 * descriptors of the service and of its engine. Used by `npm run soak` for an hour and by the suite for a burst.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Dispatcher, Pool } from "undici";
import { sampleEvent } from "../support/events.ts";
import { call } from "../support/installation.ts";
import { ENGINE_CHILD, findChild } from "../support/process.ts";
import { makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { startTarget, type Target } from "../support/targets.ts";

export interface Usage {
  rssMb: number;
  descriptors: number;
}

export interface Sample {
  /** Since the beginning. */
  minutes: number;
  service: Usage;
  engine: Usage;
}

export interface Loaded {
  service: TestService;
  target: Target;
  usage(): { service: Usage; engine: Usage };
  /**
   * One request of each kind: events, a report, a form's list, a submission with its delivery. Throws on any failure.
   */
  sendEach(connections: Connections, number: number): Promise<void>;
  stop(): Promise<void>;
}

export interface Connections {
  api: Pool;
  events: Pool;
}

const REPORTS = ["top_sources", "top_chains", "revenue_by_metric?metric_column=channel"];

export async function startLoaded(): Promise<Loaded> {
  const data = makeDataDir();
  const target = await startTarget((response) => response.end());
  const rates = { SEXTANT_FORM_ADDRESS_PER_MINUTE: "100000", SEXTANT_API_RATE_PER_SECOND: "1000" };
  const service = await startService(data.dir, {
    ...rates,
    SEXTANT_API_RATE_BURST: "10000",
    SEXTANT_LOG_LEVEL: "error",
  });
  const keys = readCredentials(data.dir);
  const place = { ...keys, apiUrl: service.apiUrl, eventsUrl: service.eventsUrl };
  const form = { title: "Beta", fields: [{ label: "Email", type: "email" }] };
  const made = await call<{ data: { id: string } }>(place, "POST", "/api/forms", form);
  const formId = made.data.id;
  const wanted = { formId, targetUrl: `${target.url}/hook`, eventTypes: ["FORM_SUBMISSION"] };
  await call(place, "POST", "/api/webhooks", wanted);
  const read = { authorization: `Bearer ${keys.apiKey}` };
  const json = { "content-type": "application/json" };
  return {
    service,
    target,
    usage: () => ({
      service: readUsage(service.child.pid ?? 0),
      engine: readUsage(findChild(service.child.pid ?? 0, ENGINE_CHILD)),
    }),
    async sendEach({ api, events }, number) {
      const batch = Array.from({ length: 10 }, (_, i) =>
        sampleEvent(`soak-${number}-${i}`, { anonymous_id: `v-${number % 50}` }),
      );
      const headers = { ...json, authorization: `Bearer ${keys.writeKey}` };
      await ask(events, { method: "POST", path: "/v0/events", headers, body: JSON.stringify(batch) });
      await ask(api, { method: "GET", path: `/v0/${REPORTS[number % REPORTS.length]}`, headers: read });
      await ask(api, { method: "GET", path: `/api/forms/${formId}/submissions?size=5`, headers: read });
      const answers = JSON.stringify({ email: `v${number}@example.com` });
      await ask(api, { method: "POST", path: `/f/${formId}`, headers: json, body: answers });
    },
    async stop() {
      await service.kill("SIGTERM");
      await target.close();
      data.remove();
    },
  };
}

export function connect({ service }: Loaded, connections: number): Connections {
  return { api: new Pool(service.apiUrl, { connections }), events: new Pool(service.eventsUrl, { connections }) };
}

export async function disconnect({ api, events }: Connections): Promise<void> {
  await api.destroy();
  await events.destroy();
}

/** A report may be told to wait (429): a burst is more than a workspace's share of query slots. */
async function ask(pool: Pool, request: Dispatcher.RequestOptions): Promise<void> {
  const { statusCode, body } = await pool.request(request);
  const text = await body.text();
  const isLimited = statusCode === 429 && request.path.startsWith("/v0/");
  if (statusCode >= 300 && !isLimited) throw new Error(`${request.method} ${request.path}: ${statusCode} ${text}`);
}

/** From files of Linux. */
function readUsage(pid: number): Usage {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { rssMb: Math.round(Number(kilobytes) / 102.4) / 10, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** So many rounds a second, of which each is a request of every kind; `onSample` about a hundred times. */
export async function soak(
  loaded: Loaded,
  options: { minutes: number; seed: number; perSecond: number; onSample(sample: Sample): void },
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const connections = connect(loaded, 4);
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 60_000;
  const everyMinutes = Math.max(options.minutes / 100, 1 / 60);
  const numbers = Array.from({ length: 4 }, (_, i) => options.seed * 1_000_000_000 + i);
  try {
    const clients = numbers.map(async (first) => {
      for (let number = first; elapsed() < options.minutes; number += numbers.length) {
        await loaded.sendEach(connections, number);
        // A slow machine sends less: the rate is a bound, and what waits must not pile up here.
        await delay((numbers.length * 1_000) / options.perSecond);
        // Kept by the target for tests that read them: here they would look like a leak of ours.
        (loaded.target.received as unknown[]).length = 0;
      }
    });
    while (elapsed() < options.minutes) {
      const sample = { minutes: elapsed(), ...loaded.usage() };
      samples.push(sample);
      options.onSample(sample);
      await delay(everyMinutes * 60_000);
    }
    await Promise.all(clients);
  } finally {
    await disconnect(connections);
  }
  return samples;
}

/**
 * By how much a value grows in an hour: least squares over the samples of the last two thirds, after everything has
 * warmed up.
 */
export function slopePerHour(samples: readonly Sample[], value: (sample: Sample) => number): number {
  const warm = samples.slice(Math.floor(samples.length / 3));
  const mean = (of: (sample: Sample) => number) => warm.reduce((sum, one) => sum + of(one), 0) / warm.length;
  const [middleX, middleY] = [mean(({ minutes }) => minutes), mean(value)];
  const up = warm.reduce((sum, one) => sum + (one.minutes - middleX) * (value(one) - middleY), 0);
  const across = warm.reduce((sum, one) => sum + (one.minutes - middleX) ** 2, 0);
  return across === 0 ? 0 : (60 * up) / across;
}
