import { join } from "node:path";
import type { AnalyticsEngine, BatchStore } from "../../src/engines/port.ts";
import type { Log } from "../../src/ingest/log.ts";
import { encodeRequest, type LoggedRequest } from "../../src/ingest/logged-request.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { createTransformThread } from "../../src/warehouse/transform-thread.ts";
import { startWriter, type Writer, type WriterMetrics } from "../../src/warehouse/writer.ts";
import { quietLog } from "./control.ts";
import { sampleEvent } from "./events.ts";
import { openTestLog } from "./faulty-files.ts";

export interface WriterNode {
  log: Log;
  store: BatchStore;
  writer: Writer;
  /** One request with one event for each id, all of the same length when the ids are. */
  append(projectId: string, ids: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface NodeOptions {
  clock?: Clock;
  observe?: Partial<WriterMetrics>;
  /** Wraps the engine's store for the writer. */
  wrap?: (store: BatchStore) => BatchStore;
  segmentBytes?: number;
  crowdedBytes?: number;
}

/** Log and writer of one node on a directory, as the service runs them. */
export async function startNode(
  dir: string,
  engine: Pick<AnalyticsEngine, "openBatchStore">,
  options: NodeOptions = {},
): Promise<WriterNode> {
  const {
    clock = systemClock,
    wrap = (store) => store,
    segmentBytes,
    crowdedBytes = Number.MAX_SAFE_INTEGER,
  } = options;
  const observe = { stored: () => undefined, fresh: () => undefined, retried: () => undefined, ...options.observe };
  const onRetry = () => observe.retried();
  const store = wrap(await engine.openBatchStore({ nodeId: "node", cursorFile: join(dir, "cursor"), onRetry }));
  const log = await openTestLog(join(dir, "log"), {
    clock,
    consumed: (await store.position()).done,
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  });
  const transform = createTransformThread(store.form);
  const logger = quietLog;
  const writer = startWriter({ nodeId: "node", log, store, transform, clock, logger, observe, crowdedBytes });
  return {
    log,
    store,
    writer,
    async append(projectId, ids) {
      const request: LoggedRequest = {
        projectId,
        workspaceId: "w",
        receivedAtMs: Date.UTC(2026, 10, 15, 12, 0, 30),
        rules: "tracked",
        lines: false,
        idBase: "msg_x",
      };
      await log.append(encodeRequest(request, Buffer.from(JSON.stringify(ids.map((id) => sampleEvent(id))))));
    },
    async stop() {
      await writer.stop();
      await log.close();
      await transform.close();
      await store.close();
    },
  };
}
