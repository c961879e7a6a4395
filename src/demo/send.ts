/** Sends the demo, batch by batch. */
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { createDemoEvents, type DemoEvent } from "./events.ts";

export interface DemoProgress {
  /** Events. */
  readonly done: number;
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

/** One try to send a batch. Resolves with the problem, if another try may help. */
export type TrySend = (events: readonly object[]) => Promise<string | undefined>;

/**
 * Resolves with the number of events. They are sent in the order of their times: each request is then about one or two
 * days, whose stored daily numbers are made once. For one `nowMs` they are the same each time, so a sender that was cut
 * goes on `from` where it was.
 */
export async function sendDemo(
  trySend: TrySend,
  { nowMs, from, signal }: { nowMs: number; from: number; signal: AbortSignal },
  onProgress: (progress: DemoProgress) => void | Promise<void>,
): Promise<number> {
  const events = await makeEvents(nowMs);
  for (let done = from; done < events.length; ) {
    const batch = events.slice(done, done + EVENTS_PER_REQUEST);
    await send(trySend, batch, signal);
    done += batch.length;
    await onProgress({ done, total: events.length });
  }
  return events.length;
}

/** A tenth of a millisecond for each visitor: others have their turn in between. */
async function makeEvents(nowMs: number): Promise<DemoEvent[]> {
  const events: DemoEvent[] = [];
  let visitors = 0;
  for (const visit of createDemoEvents(nowMs)) {
    events.push(...visit);
    visitors += 1;
    if (visitors % 50 === 0) await turn();
  }
  return events.sort((one, other) => (one.original_timestamp < other.original_timestamp ? -1 : 1));
}

/** Whether the events server takes them, in one try. */
export async function isAccepted(target: DemoTarget, events: readonly object[], signal: AbortSignal): Promise<boolean> {
  return (await createTryPost(target, signal)(events)) === undefined;
}

function requestTo({ eventsUrl, writeKey }: DemoTarget) {
  const headers = { authorization: `Bearer ${writeKey}`, "content-type": "application/json" };
  return { url: new URL("v0/raw_events", `${eventsUrl}/`), headers };
}

async function send(trySend: TrySend, events: readonly object[], signal: AbortSignal): Promise<void> {
  const sentAt = new Date().toISOString();
  const batch = events.map((event) => ({ ...event, sent_at: sentAt }));
  for (const giveUpAt = performance.now() + GIVE_UP_MS; ; await delay(RETRY_MS, undefined, { signal })) {
    const problem = await trySend(batch);
    if (problem === undefined) return;
    if (performance.now() > giveUpAt) throw new Error(problem);
  }
}

/** To an events server, as any site sends its events. */
export function createTryPost(target: DemoTarget, signal: AbortSignal): TrySend {
  const { url, headers } = requestTo(target);
  return async (events) => {
    const problem = await tryPost(url, { method: "POST", headers, body: JSON.stringify(events), signal });
    return problem === undefined ? undefined : `the events server at ${target.eventsUrl} ${problem}`;
  };
}

async function tryPost(url: URL, request: RequestInit): Promise<string | undefined> {
  const answer = await fetch(url, request).catch((cause: unknown) => cause as Error);
  request.signal?.throwIfAborted();
  if (answer instanceof Error) return "cannot be reached";
  await answer.body?.cancel();
  return answer.ok ? undefined : `answered ${answer.status}`;
}
