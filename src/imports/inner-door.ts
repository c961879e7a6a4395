/** Sends the events of an import to the log of this node, without a write key and its limits. */
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "../contract/errors.ts";
import type { SendJson } from "../ingest/send-events.ts";
import type { Door, Sent } from "./door.ts";
import { createRest } from "./rest.ts";

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [200, 5_000];

/** Waits as long as the log takes nothing: an import is a task, which people can see and cancel. */
export function createInnerDoor(sendJson: SendJson, workspaceId: string, projectId: string): Door {
  const rest = createRest();
  const post = (json: string, signal: AbortSignal) => rest(signal, () => tryPost(json, signal));

  async function tryPost(json: string, signal: AbortSignal): Promise<ApiError | { parked: number }> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        const { parked = 0 } = await sendJson(workspaceId, projectId, json, signal);
        return { parked };
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause;
        if (cause.code !== "SERVICE_UNAVAILABLE") return cause;
      }
      await delay(pauseMs, undefined, { signal });
    }
  }

  /** A batch that is refused as a whole is halved until the event is found that is the reason. */
  async function send(texts: readonly string[], from: number, refused: Map<number, string>, signal: AbortSignal) {
    const answer = await post(`[${texts.join(",")}]`, signal);
    if (!(answer instanceof ApiError)) {
      if (answer.parked > 0) throw new Error(`${answer.parked} events were parked that the import had checked`);
      return;
    }
    if (answer.status !== 400 && answer.status !== 413) throw answer;
    if (texts.length === 1) {
      refused.set(from, answer.message);
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
