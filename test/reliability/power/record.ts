/**
 * A service under load whose changes of files are recorded by strace, with what it acknowledged and when: events, and
 * forms for the control store. The load has pauses, because the service then merges what it has stored.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { sampleEvent } from "../../support/events.ts";
import { findChild } from "../../support/process.ts";
import { readCredentials, SERVE, serviceEnv } from "../../support/service.ts";
import { readTrace, type Step, TRACED } from "./trace.ts";

export interface Recorded {
  readonly steps: readonly Step[];
  readonly sent: ReadonlySet<string>;
  /** By message id or title: when the answer 200 was there, in ms since 1970. */
  readonly events: ReadonlyMap<string, number>;
  readonly forms: ReadonlyMap<string, number>;
  readonly projectId: string;
  readonly apiKey: string;
}

const SENDERS = 4;
const MOST_EVENTS = 60;
const LOAD_MS = 4_000;
const PAUSE_MS = 4_000;
const LIMITS = {
  SEXTANT_EVENTS_RATE_PER_SECOND: "100000",
  SEXTANT_EVENTS_RATE_BURST: "1000000",
  SEXTANT_LOG_LEVEL: "error",
};
/** A traced call takes ten times as long. */
const START_MS = 300_000;

export async function record(dir: string, trace: string, seconds: number, random: () => number): Promise<Recorded> {
  const options = ["-f", "-y", "-ttt", "-qq", "-xx", "-s", "100000000", "--seccomp-bpf", "-e", `trace=${TRACED}`];
  const child = spawn("strace", [...options, "-o", trace, process.execPath, ...SERVE], {
    env: { ...process.env, ...serviceEnv(dir, LIMITS) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const urls = await readUrls(child.stdout, AbortSignal.timeout(START_MS));
    const { writeKey, apiKey, projectId } = readCredentials(dir);
    const sent = new Set<string>();
    const events = new Map<string, number>();
    const forms = new Map<string, number>();
    const untilMs = performance.now() + seconds * 1_000;
    const isOver = () => performance.now() >= untilMs;
    const isPause = () => performance.now() % (LOAD_MS + PAUSE_MS) >= LOAD_MS;

    const sendEvents = async (name: number): Promise<void> => {
      for (let round = 0; !isOver(); round += 1) {
        const size = 1 + Math.floor(random() ** 2 * MOST_EVENTS);
        const ids = Array.from({ length: size }, (_, i) => `${name}-${round}-${i}`);
        for (const id of ids) sent.add(id);
        const body = ids.map((id, i) => sampleEvent(id, { anonymous_id: `visitor-${name}-${(round + i) % 500}` }));
        if (await post(`${urls.events}/v0/events`, writeKey, body)) for (const id of ids) events.set(id, now());
        await delay(50);
        while (isPause() && !isOver()) await delay(50);
      }
    };
    const createForms = async (): Promise<void> => {
      for (let n = 0; !isOver(); n += 1) {
        const form = { title: `Form ${n}`, fields: [{ label: "Name", type: "short_text" }] };
        if (await post(`${urls.api}/api/forms`, apiKey, form)) forms.set(form.title, now());
        await delay(500);
      }
    };
    await Promise.all([createForms(), ...Array.from({ length: SENDERS }, (_, name) => sendEvents(name))]);
    process.kill(findChild(child.pid ?? 0, "main.ts"), "SIGTERM");
    await ended;
    return { steps: await readTrace(trace, dir), sent, events, forms, projectId, apiKey };
  } finally {
    if (child.exitCode === null) child.kill("SIGKILL");
  }
}

const now = () => performance.timeOrigin + performance.now();

async function post(url: string, key: string, body: unknown): Promise<boolean> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.ok;
}

async function readUrls(
  stdout: NodeJS.ReadableStream,
  signal: AbortSignal,
): Promise<{ readonly api: string; readonly events: string }> {
  const found = new Map<string, string>();
  const lines = createInterface({ input: stdout, signal });
  // Not `for await`, whose end would destroy the stream that the service writes to.
  return new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      const [, name, url] = /^ +(API|Events) +(http:\/\/\S+)$/.exec(line) ?? [];
      if (name !== undefined && url !== undefined) found.set(name, url);
      const [api, events] = [found.get("API"), found.get("Events")];
      if (api !== undefined && events !== undefined) resolve({ api, events });
    });
    lines.on("close", () => reject(new Error("the service ended before it was ready")));
  });
}
