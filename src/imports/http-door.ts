/** Sends events to an events server, as any site does, with a write key of the import. */
import { setTimeout as delay } from "node:timers/promises";
import type { Door, Sent } from "./door.ts";
import { ImportError } from "./import-error.ts";

export interface HttpDoorDeps {
  /** Asked again for each try: a service that was started again may have another port. */
  eventsUrl(): string | undefined;
  /** A new write key of the project; called again when the one before has expired. */
  createKey(): Promise<string>;
}

/** An import of hours waits for a restart, an upgrade or a full disk that is being mended. */
const GIVE_UP_MS = 10 * 60_000;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 5_000];
/** Of the rate limit of the workspace: the rest is for the visitors of today. */
const MOST_OF_RATE = 0.5;
const POLITE_PAUSE_MS = 200;

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly parked: number;
  readonly retryAfterMs: number;
}

export function createHttpDoor({ eventsUrl, createKey }: HttpDoorDeps): Door {
  let key: Promise<string> | undefined;
  let hasWorked = false;
  let politeUntil = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function tryPost(body: string, signal: AbortSignal): Promise<Answer | string> {
    const base = eventsUrl();
    if (base === undefined) return "the service does not run";
    key ??= createKey();
    const used = await key;
    const pause = politeUntil - performance.now();
    if (pause > 0) await delay(pause, undefined, { signal });
    let answer: Response;
    try {
      const headers = { authorization: `Bearer ${used}`, "content-type": "application/json" };
      answer = await fetch(new URL("v0/raw_events", `${base}/`), { method: "POST", headers, body, signal });
    } catch {
      signal.throwIfAborted();
      return `the events server at ${base} cannot be reached`;
    }
    const text = await answer.text().catch(() => "");
    const [limit, remaining] = ["limit", "remaining"].map((name) => Number(answer.headers.get(`ratelimit-${name}`)));
    if (limit !== undefined && remaining !== undefined && remaining < limit * (1 - MOST_OF_RATE))
      politeUntil = performance.now() + POLITE_PAUSE_MS;
    if (answer.status === 401) {
      // A new key is known to every events server within a second; one that has worked has expired.
      if (hasWorked) [key, hasWorked] = [undefined, false];
      return "the write key of the import is not known";
    }
    hasWorked ||= answer.ok;
    return {
      ...readAnswer(text),
      status: answer.status,
      retryAfterMs: Number(answer.headers.get("retry-after") ?? 0) * 1000,
    };
  }

  /** One at a time until the key is known: each try before counts as a failed authentication of this address. */
  function post(body: string, signal: AbortSignal): Promise<Answer> {
    if (hasWorked) return postNow(body, signal);
    const own = turn.then(() => postNow(body, signal));
    turn = own.catch(() => undefined);
    return own;
  }

  /** Tries until the server takes the body or says that it never will. */
  async function postNow(body: string, signal: AbortSignal): Promise<Answer> {
    const giveUpAt = performance.now() + GIVE_UP_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const answer = await tryPost(body, signal);
      if (typeof answer !== "string" && answer.status < 500 && answer.status !== 429) return answer;
      const problem =
        typeof answer === "string" ? answer : `the events server answered ${answer.status}: ${answer.message}`;
      if (performance.now() > giveUpAt) throw new ImportError(problem);
      const asked = typeof answer === "string" ? 0 : answer.retryAfterMs;
      await delay(Math.max(pauseMs, Math.min(asked, LONGEST_PAUSE_MS)), undefined, { signal });
    }
  }

  /** A batch that is refused as a whole is halved until the event is found that is the reason. */
  async function send(texts: readonly string[], from: number, refused: Map<number, string>, signal: AbortSignal) {
    const { status, message, parked } = await post(`[${texts.join(",")}]`, signal);
    if (status === 200 && parked === 0) return;
    if (status === 200) throw new Error(`the events server parked ${parked} events that the import had checked`);
    if (status !== 400 && status !== 413) throw new ImportError(`the events server answered ${status}: ${message}`);
    if (texts.length === 1) {
      refused.set(from, message);
      return;
    }
    const half = Math.ceil(texts.length / 2);
    await send(texts.slice(0, half), from, refused, signal);
    await send(texts.slice(half), from + half, refused, signal);
  }

  return {
    async send(texts, signal): Promise<Sent> {
      const refused = new Map<number, string>();
      await send(texts, 0, refused, signal);
      return { refused };
    },
    // Items that are no events are refused, each counts, and nothing of them is kept.
    async refuse(count, signal) {
      await post(JSON.stringify(new Array(count).fill(null)), signal);
    },
  };
}

function readAnswer(text: string): Pick<Answer, "message" | "parked"> {
  try {
    const body = JSON.parse(text) as { parked?: number; message?: string; error?: { message?: string } };
    return { parked: body.parked ?? 0, message: body.error?.message ?? body.message ?? "" };
  } catch {
    // A proxy answers with a page.
    return { parked: 0, message: "" };
  }
}
