import { Registry } from "prom-client";
import type { ReadyCheck } from "../../contract/ready-check.ts";
import { startTasks } from "../../control/run-tasks.ts";
import type { ControlStore } from "../../control/store.ts";
import { openWriteKeyRing, type WriteKeyRing } from "../../control/write-key-ring.ts";
import { demoTask } from "../../demo/task.ts";
import type { AnalyticsEngine } from "../../engines/port.ts";
import { createDaysWarehouse } from "../../imports/days/warehouse.ts";
import { importTask } from "../../imports/import-task.ts";
import type { UploadFiles } from "../../imports/upload-files.ts";
import type { AcceptDeps } from "../../ingest/accept.ts";
import { createBodyThread } from "../../ingest/body-thread.ts";
import { type Log, openLog } from "../../ingest/log.ts";
import { LogCorrupt } from "../../ingest/log-errors.ts";
import type { Position } from "../../ingest/log-position.ts";
import { createIngestMetrics, oldestSeconds } from "../../ingest/metrics.ts";
import { createRecentIds } from "../../ingest/recent-ids.ts";
import { createSendEvents, createSendJson } from "../../ingest/send-events.ts";
import { DataDirError, type DataPaths, readOrCreateId } from "../../installation/data-dir.ts";
import { systemClock } from "../../lib/clock.ts";
import { nodeFiles } from "../../lib/files.ts";
import { addGauges } from "../../lib/gauges.ts";
import { createSteadyClock } from "../../lib/steady-clock.ts";
import { tolerate, type WarnLog } from "../../lib/tolerate.ts";
import { createWriteWallets } from "../../profiles/write-wallets.ts";
import { createTransformThread } from "../../warehouse/transform-thread.ts";
import { startWriter, type Writer } from "../../warehouse/writer.ts";
import { createWriterMetrics } from "../../warehouse/writer-metrics.ts";
import type { OpenedRole } from "./role.ts";

export interface IngestRole extends OpenedRole {
  keys: WriteKeyRing;
  accept: AcceptDeps;
  /** Age of the oldest event that is not in the warehouse yet. */
  lagSeconds: () => number;
  /** Call after the events server has stopped. Events that are not stored stay in the log for the next start. */
  close(): Promise<void>;
}

interface IngestDeps {
  paths: DataPaths;
  store: ControlStore;
  secret: Buffer;
  engine: AnalyticsEngine;
  maxLogBytes: number;
  uploadFiles: UploadFiles;
  log: WarnLog;
}

/** Receives events: write keys and event log for the events server, and the writer that stores the events. */
export async function openIngest(deps: IngestDeps): Promise<IngestRole> {
  const { log: logger } = deps;
  const nodeId = readOrCreateId(deps.paths);
  const metrics = new Registry();
  const observe = createWriterMetrics(metrics);
  const onRetry = (cause: unknown) => {
    logger.warn({ err: cause }, "a batch could not be stored and is tried again");
    observe.retried();
  };
  const store = await deps.engine.openBatchStore({ nodeId, cursorFile: deps.paths.cursor, onRetry });
  const { done } = await store.position();
  const log = await openStored(deps, done);
  // A crash may leave batches only in the engine's own log. Flushing them now releases their part of the event log, so
  // that all of its space is free.
  const settle = async () => log.release(await store.flush(new AbortController().signal), done);
  await tolerate(settle(), logger, "the next batch releases the log");
  const keys = await openWriteKeyRing({ db: deps.store.read, secret: deps.secret, clock: systemClock, log: logger });
  const transform = createTransformThread(store.form);
  const writer = startWriter({
    nodeId,
    log,
    store,
    transform,
    clock: systemClock,
    logger,
    observe,
    crowdedBytes: deps.maxLogBytes / 2,
  });
  reportStalled(metrics, writer);
  const count = createIngestMetrics(metrics, log);
  const thread = createBodyThread();
  const accept = { log, clock: systemClock, recent: createRecentIds(), logger, thread, count };
  const tasks = await startSendingTasks(accept, deps);
  return {
    keys,
    accept,
    lagSeconds: () => oldestSeconds(log),
    metrics,
    checks: listChecks(log, writer),
    async close() {
      await tasks.stop();
      await keys.close();
      await thread.close();
      await writer.stop();
      await log.close();
      await transform.close();
      await store.close();
    },
  };
}

function reportStalled(metrics: Registry, writer: Writer): void {
  addGauges(metrics, [
    [
      "sextant_writer_stalled",
      "1 while the event log holds events and none was stored for a minute.",
      () => (writer.isStalled() ? 1 : 0),
    ],
  ]);
}

/** Tasks that send events run where the log is. */
function startSendingTasks(accept: AcceptDeps, { store, engine, log, uploadFiles }: IngestDeps) {
  const deps = { store, clock: systemClock, log };
  const kinds = [
    demoTask(createSendEvents(accept)),
    importTask({
      ...{ ...deps, sendJson: createSendJson(accept), files: uploadFiles },
      writeWallets: createWriteWallets(engine),
      days: createDaysWarehouse(engine),
    }),
  ];
  return startTasks(kinds, { ...deps, steady: createSteadyClock(systemClock) });
}

function listChecks(log: Log, writer: Writer): ReadyCheck[] {
  return [
    {
      name: "event log",
      neededBy: ["ingest"],
      async check() {
        const { trouble } = log.stats();
        if (trouble !== undefined) throw new Error(trouble);
      },
    },
    {
      // Storing is background work: the node still accepts events, so a load balancer need not send them elsewhere.
      name: "warehouse writer",
      neededBy: ["worker"],
      async check() {
        if (writer.isStalled()) throw new Error("nothing of the event log has reached the warehouse for over a minute");
      },
    },
  ];
}

/** Reports a log that cannot be opened in one line to the person who starts the service. */
async function openStored({ paths, log, maxLogBytes }: IngestDeps, consumed: Position): Promise<Log> {
  try {
    const options = { files: nodeFiles, clock: systemClock, logger: log, maxBytes: maxLogBytes };
    return await openLog({ ...options, dir: paths.log, consumed });
  } catch (cause) {
    if (cause instanceof LogCorrupt) throw cause;
    throw new DataDirError(`cannot open the event log in ${paths.root}: ${(cause as Error).message}`, cause);
  }
}
