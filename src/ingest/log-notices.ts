import type { WarnLog } from "../lib/tolerate.ts";
import type { LogRefusal } from "./log-errors.ts";

const BEGINNING = {
  log_full: "the log is full; it refuses events until the warehouse has taken some",
  share_full: "a workspace holds a quarter of the log while others write; it is refused until some of it is stored",
  full_queue: "the disk is too slow; the log refuses events until those that wait are on it",
} as const;
type Shortage = keyof typeof BEGINNING;

export interface Notices {
  /** `workspaceId` is that of the refused record. */
  refused(reason: LogRefusal, bytes: number, workspaceId?: string): void;
  /**
   * Logs the end of a shortage. `fits` is asked for the largest refused record: with smaller ones, sizes near the limit
   * would log an end and a beginning in turn.
   */
  reportEnd(reason: Shortage, fits: (bytes: number) => boolean): void;
}

/**
 * Logs one line when the log or its queue is full and begins to refuse, and one when it accepts again. A line for each
 * refused request would be thousands a second, on a disk that may be full.
 */
export function createNotices(logger: WarnLog): Notices {
  const shortages = new Map<Shortage, { refused: number; largest: number }>();
  return {
    refused(reason, bytes, workspaceId) {
      // The log itself reports a broken disk.
      if (!isShortage(reason)) return;
      const known = shortages.get(reason);
      if (known === undefined) logger.warn({ reason, bytes, workspaceId }, BEGINNING[reason]);
      shortages.set(reason, {
        refused: (known?.refused ?? 0) + 1,
        largest: Math.max(known?.largest ?? 0, bytes),
      });
    },
    reportEnd(reason, fits) {
      const known = shortages.get(reason);
      if (known === undefined || !fits(known.largest)) return;
      shortages.delete(reason);
      logger.warn({ reason, refused: known.refused }, "the log has room again");
    },
  };
}

function isShortage(reason: LogRefusal): reason is Shortage {
  return Object.hasOwn(BEGINNING, reason);
}
