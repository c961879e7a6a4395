/** The demos that this process is sending: one of a workspace at a time. A restart ends them. */
import { type DemoProgress, sendDemo } from "./send.ts";
import { createTrickles } from "./trickle.ts";

export interface DemoRun extends DemoProgress {
  readonly projectId: string;
  readonly state: "sending" | "sent" | "failed";
  readonly sentAtMs?: number;
  /** Why it failed. */
  readonly message?: string;
}

export interface DemoRuns {
  find(workspaceId: string): DemoRun | undefined;
  /** Begins in the next turn of the event loop: the write key may still be uncommitted. */
  start(workspaceId: string, projectId: string, writeKey: string, nowMs: number): void;
  /** Somebody looks at a demo: its events go on until the returned function is called. */
  watch(projectId: string, writeKey: string): () => void;
  close(): Promise<void>;
}

export function createDemoRuns(eventsUrl: () => string, warn: (cause: unknown) => void): DemoRuns {
  const runs = new Map<string, DemoRun>();
  const stop = new AbortController();
  const working = new Set<Promise<void>>();
  const trickles = createTrickles(Date.now);

  async function send(workspaceId: string, projectId: string, writeKey: string, nowMs: number): Promise<void> {
    const set = (change: Partial<DemoRun>) => {
      const known = runs.get(workspaceId);
      if (known?.projectId === projectId) runs.set(workspaceId, { ...known, ...change });
    };
    try {
      const target = { eventsUrl: eventsUrl(), writeKey };
      await sendDemo(target, nowMs, (progress) => set(progress), stop.signal);
      set({ state: "sent", sentAtMs: Date.now() });
    } catch (cause) {
      if (!stop.signal.aborted) warn(cause);
      set({ state: "failed", message: (cause as Error).message });
    }
  }

  return {
    find: (workspaceId) => runs.get(workspaceId),
    start(workspaceId, projectId, writeKey, nowMs) {
      runs.set(workspaceId, { projectId, state: "sending", done: 0, total: 1 });
      const work = send(workspaceId, projectId, writeKey, nowMs).finally(() => working.delete(work));
      working.add(work);
    },
    watch: (projectId, writeKey) => trickles.watch(projectId, () => ({ eventsUrl: eventsUrl(), writeKey })),
    async close() {
      stop.abort();
      await Promise.all([...working, trickles.close()]);
    },
  };
}
