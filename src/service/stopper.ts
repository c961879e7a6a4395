import type { FastifyBaseLogger } from "fastify";

/** The time limit of draining, flushing and closing together. After it the process ends anyway. */
const STOP_DEADLINE_MS = 10_000;

/** Closes in reverse order of opening. A failed step is logged and does not keep the others open. */
export function createStopper(log: Pick<FastifyBaseLogger, "warn" | "info">) {
  const steps: { name: string; close: () => Promise<void> | void }[] = [];
  let stopping: Promise<boolean> | undefined;

  async function closeAll(): Promise<void> {
    for (const { name, close } of steps.reverse()) {
      try {
        await close();
      } catch (cause) {
        log.warn({ err: cause, step: name }, "a step of the shutdown failed");
      }
    }
  }

  async function withDeadline(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), STOP_DEADLINE_MS);
    });
    const inTime = await Promise.race([closeAll().then(() => true), late]);
    clearTimeout(timer);
    return inTime;
  }

  return {
    isStopping: () => stopping !== undefined,
    add(name: string, close: () => Promise<void> | void): void {
      steps.push({ name, close });
    },
    /** Resolves to false when the deadline passed. A second call waits for the same stop. */
    stop(): Promise<boolean> {
      stopping ??= withDeadline();
      return stopping;
    },
  };
}

export type Stopper = ReturnType<typeof createStopper>;
