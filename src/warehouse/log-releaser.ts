/** Releases the disk space of the log: events that the engine holds durably need not stay in the log. */
import type { BatchStore } from "../engines/port.ts";
import type { Log } from "../ingest/log.ts";
import type { Position } from "../ingest/log-position.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";

/** After this time without new events, the stored ones are made durable in the engine and the log is released. */
const FLUSH_IDLE_MS = 2_000;

export interface LogReleaserDeps {
  log: Pick<Log, "release" | "stats">;
  store: Pick<BatchStore, "flush">;
  logger: WarnLog;
  /** A larger log is released immediately, at the cost of a checkpoint. */
  crowdedBytes: number;
}

export class LogReleaser {
  readonly #deps: LogReleaserDeps;
  readonly #signal: AbortSignal;

  constructor(deps: LogReleaserDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /**
   * Call it after a batch was stored up to `stored`. The engine holds everything below `durable` even after a power
   * loss.
   */
  async afterBatch(durable: Position, stored: Position): Promise<void> {
    const { log, crowdedBytes } = this.#deps;
    await this.#release(durable, stored);
    if (log.stats().bytes > crowdedBytes) await this.#flush(stored);
  }

  /** Runs in the background: events that arrive meanwhile wait for at most one checkpoint. */
  flushWhenIdle(stored: Position): { cancel(): void } {
    const timer = setTimeout(() => void this.#flush(stored), FLUSH_IDLE_MS);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  }

  async #flush(stored: Position): Promise<void> {
    const { store, logger } = this.#deps;
    const flush = async () => this.#release(await store.flush(this.#signal), stored);
    const unlessStopping = (cause: unknown) => {
      if (!this.#signal.aborted) throw cause;
    };
    await tolerate(flush().catch(unlessStopping), logger, "events without a checkpoint stay in the event log");
  }

  async #release(durable: Position, stored: Position): Promise<void> {
    const { log, logger } = this.#deps;
    await tolerate(log.release(durable, stored), logger, "the next batch releases the segment");
  }
}
