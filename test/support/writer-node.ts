import { join } from "node:path";
import type { AnalyticsEngine } from "../../src/engines/analytics.ts";
import { type Cursor, openCursor } from "../../src/engines/clickhouse/cursor.ts";
import { type Files, nodeFiles } from "../../src/lib/files.ts";
import { type Log, openLog } from "../../src/ingest/log.ts";
import { encodeRecord, type RequestRecord } from "../../src/ingest/record.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { createTransformThread } from "../../src/warehouse/transform-thread.ts";
import { startWriter, type Writer, type WriterMetrics } from "../../src/warehouse/writer.ts";
import { quietLog } from "./control.ts";
import { sampleEvent } from "./events.ts";

export interface WriterNode {
  log: Log;
  cursor: Cursor;
  writer: Writer;
  /** One request with one event for each id, all of the same length when the ids are. */
  append(projectId: string, ids: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface NodeOptions {
  files?: Files;
  clock?: Clock;
  observe?: Partial<WriterMetrics>;
}

/** Log, cursor and writer of one node on a directory, as the service runs them. */
export async function startNode(
  dir: string,
  engine: Pick<AnalyticsEngine, "insert" | "selectJson">,
  options: NodeOptions = {},
): Promise<WriterNode> {
  const { files = nodeFiles, clock = systemClock } = options;
  const cursor = await openCursor(files, join(dir, "cursor"));
  const consumed = cursor.get().done;
  const log = await openLog({ dir: join(dir, "log"), files, clock, logger: quietLog, consumed });
  const transform = createTransformThread();
  const observe = { stored: () => undefined, fresh: () => undefined, retried: () => undefined, ...options.observe };
  const writer = startWriter({ nodeId: "node", log, cursor, engine, transform, clock, logger: quietLog, observe });
  return {
    log,
    cursor,
    writer,
    async append(projectId, ids) {
      const record: RequestRecord = {
        projectId,
        workspaceId: "w",
        receivedAtMs: Date.UTC(2026, 10, 15, 12, 0, 30),
        rules: "tracked",
        lines: false,
        idBase: "msg_x",
      };
      await log.append(encodeRecord(record, Buffer.from(JSON.stringify(ids.map((id) => sampleEvent(id))))));
    },
    async stop() {
      await writer.stop();
      await log.close();
      await transform.close();
      await cursor.close();
    },
  };
}
