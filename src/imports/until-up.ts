/** Repeats what needs the warehouse until it is there: an import is a task, which people can see and cancel. */
import { setTimeout as delay } from "node:timers/promises";
import { EngineBusy, EngineDown } from "../engines/failures.ts";

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [200, 5_000];

/** `work` is harmless when it is done twice. */
export async function untilUp<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof EngineDown || cause instanceof EngineBusy)) throw cause;
    }
    await delay(pauseMs, undefined, { signal });
  }
}
