/**
 * Sends events that alerts match to a real service, which is killed (kill -9) at random moments and started again. Then
 * compares every acknowledged event with what a real HTTP target received. A test runs few cycles, `npm run
 * chaos:alerts` runs many.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { ALERT_LIMITS } from "../../src/contract/alerts.ts";
import { readWhatWasSent } from "./chaos-webhooks.ts";
import { makeDataDir, readCredentials, startService, type TestService } from "./service.ts";
import { type Received, startTarget } from "./targets.ts";
import { waitFor } from "./wait.ts";

const PER_CYCLE = 20;
const SECRET = "a secret of alerts";
/** A settled attempt is stored within this time of its answer, so a later kill must not repeat it. */
const IN_FLIGHT_MS = 3_000;

export interface AlertChaosResult {
  acknowledged: number;
  /** Acknowledged events that no target has accepted. */
  lost: number;
  /** Events that came under more than one id. */
  renamed: number;
  /** Sent again although the target had accepted it, without a kill that explains it. */
  unexplained: number;
  /** Sent again because of a kill, with the same id. */
  repeated: number;
  unverified: number;
}

interface Hit {
  readonly messageId: string;
  readonly ids: string;
  readonly atMs: number;
  /** Later than any kill until it is answered. */
  answeredAtMs: number;
}

export async function runAlertChaos(options: {
  seed: number;
  cycles: number;
  say: (line: string) => void;
}): Promise<AlertChaosResult> {
  const next = seeded(options.seed);
  const data = makeDataDir();
  const hits: Hit[] = [];
  let unverified = 0;
  const target = await startTarget((response, request) => {
    if (!verifies(request)) unverified += 1;
    const hit = toHit(request);
    hits.push(hit);
    setTimeout(() => {
      hit.answeredAtMs = Date.now();
      response.writeHead(200).end();
    }, next() * 60);
  });
  // No storm: each alert has few matches.
  const alerts = Math.min(ALERT_LIMITS.perProject, Math.ceil((options.cycles * PER_CYCLE) / 10));
  let service: TestService | undefined;
  const kills: number[] = [];
  const acknowledged = new Set<string>();
  try {
    service = await startService(data.dir);
    const { apiKey, writeKey } = readCredentials(data.dir);
    for (let nth = 0; nth < alerts; nth += 1) await makeAlert(service.apiUrl, apiKey, nth, target.url);
    for (let cycle = 0; cycle < options.cycles; cycle += 1) {
      const killed = delay(next() * 1_500);
      for (let nth = 0; nth < PER_CYCLE; nth += 1) {
        const number = cycle * PER_CYCLE + nth;
        if (await send(service.eventsUrl, writeKey, number, alerts)) acknowledged.add(`m${number}`);
        await delay(next() * 40);
      }
      await killed;
      await service.kill("SIGKILL");
      await readWhatWasSent();
      kills.push(Date.now());
      service = await startService(data.dir);
      options.say(
        `cycle ${cycle + 1} of ${options.cycles}: ${acknowledged.size} acknowledged, ${hits.length} received`,
      );
    }
    const missing = () => {
      const reached = new Set(hits.map(({ messageId }) => messageId));
      return [...acknowledged].filter((id) => !reached.has(id));
    };
    await waitFor("everything to arrive", () => missing().length === 0, 60_000).catch(() => undefined);
    return { acknowledged: acknowledged.size, lost: missing().length, unverified, ...judge(hits, kills) };
  } finally {
    await service?.kill("SIGKILL");
    await target.close();
    data.remove();
  }
}

async function makeAlert(apiUrl: string, key: string, nth: number, url: string): Promise<void> {
  const answer = await fetch(`${apiUrl}/v0/alerts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: `Alert ${nth}`,
      trigger_type: "event",
      trigger_filters: [{ field: "event", value: `buy ${nth}` }],
      recipient: [{ type: "webhook", value: [`${url}/hook`] }],
      secret: SECRET,
    }),
  });
  assert.equal(answer.status, 201, await answer.text());
}

/** False if the connection broke: whether it was taken is unknown, as it is for any client. */
async function send(eventsUrl: string, writeKey: string, number: number, alerts: number): Promise<boolean> {
  try {
    const answer = await fetch(`${eventsUrl}/v0/raw_events`, {
      method: "POST",
      headers: { authorization: `Bearer ${writeKey}`, "content-type": "application/json" },
      body: JSON.stringify([
        {
          type: "track",
          channel: "web",
          version: "0",
          event: `buy ${number % alerts}`,
          message_id: `m${number}`,
          anonymous_id: "v",
          original_timestamp: new Date().toISOString(),
        },
      ]),
    });
    await answer.text();
    return answer.status === 200;
  } catch {
    return false;
  }
}

function verifies({ body, headers }: Received): boolean {
  try {
    const secret = Buffer.from(SECRET).toString("base64");
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

function toHit({ body, headers }: Received): Hit {
  const { id, data } = JSON.parse(body) as { id: string; data: { message_id: string }[] };
  const times = { atMs: Date.now(), answeredAtMs: Number.POSITIVE_INFINITY };
  return { messageId: data[0]?.message_id ?? "", ids: `${id} ${String(headers["webhook-id"])}`, ...times };
}

function judge(hits: readonly Hit[], kills: readonly number[]) {
  let [repeated, unexplained, renamed] = [0, 0, 0];
  for (const same of Map.groupBy(hits, ({ messageId }) => messageId).values()) {
    if (new Set(same.map(({ ids }) => ids)).size > 1) renamed += 1;
    for (const { atMs, answeredAtMs } of same.slice(0, -1)) {
      repeated += 1;
      if (!kills.some((at) => at >= atMs && at - answeredAtMs < IN_FLIGHT_MS)) unexplained += 1;
    }
  }
  return { repeated, unexplained, renamed };
}

function seeded(seed: number): () => number {
  let state = (seed % 2_147_483_647) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** The guarantees after any number of kills. */
export function assertToldOnce(result: AlertChaosResult): void {
  const { lost, renamed, unexplained, unverified } = result;
  assert.deepEqual({ lost, renamed, unexplained, unverified }, { lost: 0, renamed: 0, unexplained: 0, unverified: 0 });
  assert.ok(result.acknowledged > 0);
}
