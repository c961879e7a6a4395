/** Sends the demo to the events server, as any site sends its events. */
import { setTimeout as delay } from "node:timers/promises";
import { createDemoEvents } from "./events.ts";
import { VISITORS } from "./exchange.ts";

export interface DemoProgress {
  readonly done: number;
  /** Visitors of the invented exchange. */
  readonly total: number;
}

export interface DemoTarget {
  readonly eventsUrl: string;
  readonly writeKey: string;
}

const EVENTS_PER_REQUEST = 250;
/** A new write key is known to the events servers within a second, once it is committed. */
const GIVE_UP_MS = 30_000;
const RETRY_MS = 200;

/** Resolves with the number of sent events. */
export async function sendDemo(
  target: DemoTarget,
  nowMs: number,
  onProgress: (progress: DemoProgress) => void,
  signal: AbortSignal,
): Promise<number> {
  let sent = 0;
  let batch: object[] = [];
  const flush = async (done: number) => {
    if (batch.length > 0) await post(target, batch, signal);
    sent += batch.length;
    batch = [];
    onProgress({ done, total: VISITORS });
  };
  let done = 0;
  for (const events of createDemoEvents(nowMs)) {
    done = Math.min(done + 1, VISITORS);
    batch.push(...events);
    if (batch.length >= EVENTS_PER_REQUEST) await flush(done);
  }
  await flush(VISITORS);
  return sent;
}

async function post(
  { eventsUrl, writeKey }: DemoTarget,
  events: readonly object[],
  signal: AbortSignal,
): Promise<void> {
  const sentAt = new Date().toISOString();
  const body = JSON.stringify(events.map((event) => ({ ...event, sent_at: sentAt })));
  const headers = { authorization: `Bearer ${writeKey}`, "content-type": "application/json" };
  for (const giveUpAt = performance.now() + GIVE_UP_MS; ; await delay(RETRY_MS, undefined, { signal })) {
    const problem = await tryPost(new URL("v0/raw_events", `${eventsUrl}/`), { method: "POST", headers, body, signal });
    if (problem === undefined) return;
    if (performance.now() > giveUpAt) throw new Error(`the events server at ${eventsUrl} ${problem}`);
  }
}

async function tryPost(url: URL, request: RequestInit): Promise<string | undefined> {
  const answer = await fetch(url, request).catch((cause: unknown) => cause as Error);
  request.signal?.throwIfAborted();
  if (answer instanceof Error) return "cannot be reached";
  await answer.body?.cancel();
  return answer.ok ? undefined : `answered ${answer.status}`;
}
