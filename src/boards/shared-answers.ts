/**
 * Answers that several viewers share. A question that is being asked is not asked again: who comes later waits for the
 * same answer, unless it waits in a queue of others, and the work ends early only when everybody has left. An answer is kept while the data is the same, for
 * at most a minute, because a statement may read the clock, and in bounded memory.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import { type SharedWork, shareWork } from "../lib/shared-work.ts";
import { MINUTE_MS } from "../lib/time.ts";
import type { ChartAnswer } from "./answer.ts";

const KEPT_MS = MINUTE_MS;
/** Sixteen of the largest answers, or some thousands of usual ones. */
const KEPT_CHARS = 16 * 1024 ** 2;

export interface SharedAnswers {
  /** `question` is all that decides the answer, the version of the data included. */
  ask(question: unknown, waiter: Waiter, run: (signal: AbortSignal) => Promise<ChartAnswer>): Promise<ChartAnswer>;
}

export interface Waiter {
  readonly signal: AbortSignal;
  /** What a run of this waiter waits for. Only waiters of the same queue share a run; all share its answer. */
  readonly queue?: string | undefined;
}

interface Kept {
  readonly answer: ChartAnswer;
  readonly untilMs: number;
}

export function createSharedAnswers(clock: Clock, keptChars = KEPT_CHARS): SharedAnswers {
  /** In order of their age. */
  const kept = new Map<string, Kept>();
  /** By question and queue. */
  const running = new Map<string, SharedWork<ChartAnswer>>();
  let chars = 0;

  function drop(key: string): void {
    chars -= kept.get(key)?.answer.text.length ?? 0;
    kept.delete(key);
  }

  function keep(key: string, answer: ChartAnswer): void {
    drop(key);
    kept.set(key, { answer, untilMs: clock.nowMs() + KEPT_MS });
    chars += answer.text.length;
    for (const [oldest, { untilMs }] of kept)
      if (chars > keptChars || untilMs <= clock.nowMs()) drop(oldest);
      else break;
  }

  function start(place: string, key: string, run: (signal: AbortSignal) => Promise<ChartAnswer>) {
    const work = shareWork(
      async (signal) => {
        const found = await run(signal);
        keep(key, found);
        return found;
      },
      () => running.delete(place),
    );
    running.set(place, work);
    return work;
  }

  return {
    async ask(question, { signal, queue = "" }, run) {
      signal.throwIfAborted();
      const key = createHash("sha256").update(JSON.stringify(question)).digest("base64url");
      const known = kept.get(key);
      if (known !== undefined && known.untilMs > clock.nowMs()) return known.answer;
      const place = `${key} ${queue}`;
      return (running.get(place) ?? start(place, key, run)).wait(signal);
    },
  };
}
