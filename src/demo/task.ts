/** Sending the demo as a task: it goes on after a restart, and its events have ids, so that each counts once. */
import { ApiError } from "../contract/errors.ts";
import type { TaskKind } from "../control/run-tasks.ts";
import type { SendEvents } from "../ingest/send-events.ts";
import { sendDemo } from "./send.ts";

export const DEMO_TASK = "demo";

export function demoTask(sendEvents: SendEvents): TaskKind {
  return {
    kind: DEMO_TASK,
    async run({ workspaceId, projectId, createdAtMs, cursor }, { signal, save }) {
      const trySend = async (events: readonly object[]) => {
        try {
          await sendEvents(workspaceId, projectId, events, signal);
          return undefined;
        } catch (cause) {
          if (cause instanceof ApiError && cause.code === "SERVICE_UNAVAILABLE") return cause.message;
          throw cause;
        }
      };
      const from = Number(cursor ?? 0);
      await sendDemo(trySend, { nowMs: createdAtMs, from, signal }, ({ done, total }) =>
        save({ done, total, cursor: String(done) }),
      );
    },
  };
}
