import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ControlStore } from "./control/store.ts";
import { openWriteKeyRing, type WriteKeyRing } from "./control/write-key-ring.ts";
import { DataDirError, type DataPaths, readOrCreateId } from "./engines/data-dir.ts";
import type { AnalyticsEngine } from "./engines/port.ts";
import type { ReadyCheck } from "./http/routes/ops.ts";
import type { AcceptDeps } from "./ingest/accept.ts";
import { type Log, openLog } from "./ingest/log.ts";
import { LogCorrupt } from "./ingest/log-errors.ts";
import type { Position } from "./ingest/log-position.ts";
import { createRecentIds } from "./ingest/recent-ids.ts";
import { REFUSED_REASONS } from "./ingest/refused-reasons.ts";
import { systemClock } from "./lib/clock.ts";
import { nodeFiles } from "./lib/files.ts";
import { tolerate, type WarnLog } from "./lib/tolerate.ts";
import { PARKED_REASONS } from "./warehouse/parked-reasons.ts";
import { createTransformThread } from "./warehouse/transform-thread.ts";
import { startWriter, type Writer, type WriterMetrics } from "./warehouse/writer.ts";

export interface Ingest {
  keys: WriteKeyRing;
  accept: AcceptDeps;
  checks: readonly ReadyCheck[];
  /** Call after the events server has stopped: drains nothing more, keeps what is not yet stored for the next start. */
  close(): Promise<void>;
}

/** The way of an event on this node: key ring and log for the events server, writer for what the log holds. */
export async function openIngest(deps: {
  paths: DataPaths;
  store: ControlStore;
  secret: Buffer;
  engine: AnalyticsEngine;
  maxLogBytes: number;
  registry: Registry;
  logger: WarnLog;
}): Promise<Ingest> {
  const { paths, logger } = deps;
  const clock = systemClock;
  const nodeId = readOrCreateId(paths);
  const metrics = createIngestMetrics(deps.registry);
  const onRetry = (cause: unknown) => {
    logger.warn({ err: cause }, "a batch could not be stored and is tried again");
    metrics.writer.retried();
  };
  const store = await deps.engine.openBatchStore({ nodeId, cursorFile: paths.cursor, onRetry });
  const { done } = await store.position();
  const log = await openStored(deps, done);
  // What a crash left in the engine's own log becomes durable now, so that ours has all of its room.
  const settle = async () => log.release(await store.flush(new AbortController().signal), done);
  await tolerate(settle(), logger, "the log is released with the next batch");
  const keys = await openWriteKeyRing({ db: deps.store.read, secret: deps.secret, clock, log: logger });
  const transform = createTransformThread();
  const writer = startWriter({
    nodeId,
    log,
    store,
    transform,
    clock,
    logger,
    observe: metrics.writer,
    crowdedBytes: deps.maxLogBytes / 2,
  });
  addGauges(deps.registry, log, writer);
  return {
    keys,
    accept: { log, clock, recent: createRecentIds(), logger, count: metrics.count },
    checks: [
      {
        name: "event log",
        neededBy: ["ingest"],
        async check() {
          const { trouble } = log.stats();
          if (trouble !== undefined) throw new Error(trouble);
        },
      },
      {
        // Background work: events are taken meanwhile, so that it is no reason to send them elsewhere.
        name: "warehouse writer",
        neededBy: ["worker"],
        async check() {
          if (writer.isStalled())
            throw new Error("nothing of the event log has reached the warehouse for over a minute");
        },
      },
    ],
    async close() {
      await keys.close();
      await writer.stop();
      await log.close();
      await transform.close();
      await store.close();
    },
  };
}

/** What cannot be opened is one line for the person who starts the service. */
async function openStored(
  deps: { paths: DataPaths; logger: WarnLog; maxLogBytes: number },
  consumed: Position,
): Promise<Log> {
  const { paths, logger } = deps;
  try {
    const options = { files: nodeFiles, clock: systemClock, logger, maxBytes: deps.maxLogBytes };
    return await openLog({ ...options, dir: paths.log, consumed });
  } catch (cause) {
    if (cause instanceof LogCorrupt) throw cause;
    throw new DataDirError(`cannot open the event log in ${paths.root}: ${(cause as Error).message}`, cause);
  }
}

function createIngestMetrics(registry: Registry): { count: AcceptDeps["count"]; writer: WriterMetrics } {
  const registers = [registry];
  const events = new Counter({
    name: "sextant_events_total",
    help: "Events by what became of them at the door.",
    labelNames: ["outcome"],
    registers,
  });
  const stored = new Counter({
    name: "sextant_events_stored_total",
    help: "Events stored in the warehouse, each message once.",
    registers,
  });
  const duplicates = new Counter({
    name: "sextant_events_duplicate_total",
    help: "Copies of events that were stored before.",
    registers,
  });
  const parked = new Counter({
    name: "sextant_events_parked_total",
    help: "Events parked, by reason.",
    labelNames: ["reason"],
    registers,
  });
  const refused = new Counter({
    name: "sextant_events_refused_total",
    help: "Events refused, by reason.",
    labelNames: ["reason"],
    registers,
  });
  // From 0 on, so that the first one is a rise.
  for (const reason of PARKED_REASONS) parked.inc({ reason }, 0);
  for (const reason of REFUSED_REASONS) refused.inc({ reason }, 0);
  const retries = new Counter({
    name: "sextant_writer_retries_total",
    help: "Batches that could not be stored and were tried again.",
    registers,
  });
  const freshness = new Histogram({
    name: "sextant_event_freshness_seconds",
    help: "From receipt of a batch's oldest event to its place in the warehouse.",
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 120],
    registers,
  });
  return {
    count: (outcome, amount) => events.inc({ outcome }, amount),
    writer: {
      stored(entries) {
        for (const { outcome, reason, events } of entries) {
          if (outcome === "stored") stored.inc(events);
          else if (outcome === "duplicate") duplicates.inc(events);
          else (outcome === "parked" ? parked : refused).inc({ reason }, events);
        }
      },
      fresh: (seconds) => freshness.observe(seconds),
      retried: () => retries.inc(),
    },
  };
}

function addGauges(registry: Registry, log: Log, writer: Writer): void {
  const registers = [registry];
  const gauges: [string, string, () => number][] = [
    ["sextant_log_bytes", "Bytes of the event log on disk.", () => log.stats().bytes],
    ["sextant_log_queued_bytes", "Bytes that wait for their fsync.", () => log.stats().queuedBytes],
    ["sextant_log_ok", "1 while the log takes events.", () => (log.stats().trouble === undefined ? 1 : 0)],
    [
      "sextant_log_oldest_seconds",
      "Age of the oldest event that is not in the warehouse yet.",
      () => oldestSeconds(log),
    ],
    [
      "sextant_writer_stalled",
      "1 while the log has more and nothing of it was stored for a minute.",
      () => (writer.isStalled() ? 1 : 0),
    ],
  ];
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
}

function oldestSeconds(log: Log): number {
  const at = log.stats().oldestRecordAtMs;
  return at === undefined ? 0 : Math.max(0, (Date.now() - at) / 1000);
}
