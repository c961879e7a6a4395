/** The demos that somebody looks at by a stream of this process. Sending a whole demo is a task (task.ts). */
import { createTrickles } from "./trickle.ts";

export interface DemoRuns {
  /** Somebody looks at a demo: its events go on until the returned function is called. */
  watch(projectId: string, writeKey: string): () => void;
  close(): Promise<void>;
}

export function createDemoRuns(eventsUrl: () => string): DemoRuns {
  const trickles = createTrickles(Date.now);
  return {
    watch: (projectId, writeKey) => trickles.watch(projectId, () => ({ eventsUrl: eventsUrl(), writeKey })),
    close: trickles.close,
  };
}
