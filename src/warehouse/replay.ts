import type { AnalyticsEngine } from "../engines/port.ts";
import type { ExportedRow } from "../engines/source-tables.ts";
import { createEnrich, type Enrich } from "../enrich/pipeline.ts";
import type { EventRules } from "../ingest/check-event.ts";
import { spareIdOf } from "../ingest/logged-request.ts";
import { readEvent } from "../ingest/read-body.ts";
import { type ParkedEvent, type ParkedFilter, readParked } from "./parked.ts";
import { toStoredRow } from "./stored-row.ts";

export interface ReplayResult {
  stored: number;
  stillInvalid: number;
}

/**
 * Replays parked events with the current rules and code, or with `rules` if given. A valid event is stored with its
 * original time of receipt, is no longer parked, and moves in the ledger from parked to stored. An invalid one stays
 * parked.
 */
export async function replayParked(
  engine: Pick<AnalyticsEngine, "select" | "replay">,
  projects: readonly string[],
  filter: ParkedFilter & { rules?: EventRules | undefined },
  onProgress: (result: ReplayResult) => void = () => undefined,
): Promise<ReplayResult> {
  const enrich = createEnrich();
  const result = { stored: 0, stillInvalid: 0 };
  // Oldest first: of several copies the first received is stored.
  for await (const waiting of readParked(engine, projects, { ...filter, oldestFirst: true })) {
    const good = waiting.flatMap((parked) => {
      const row = findRow(enrich, parked, filter.rules);
      return row === undefined ? [] : [{ parked: keyOf(parked), row }];
    });
    const { left } = await engine.replay(good);
    result.stored += left.length;
    result.stillInvalid += waiting.length - left.length;
    onProgress(result);
  }
  return result;
}

function keyOf({ id, project_id, received_at, reason }: ParkedEvent) {
  return { id, project_id, received_at, reason };
}

/** The row of an event, or undefined if the event is still invalid. */
function findRow(enrich: Enrich, parked: ParkedEvent, other: EventRules | undefined): ExportedRow | undefined {
  if (parked.rules === "row") return JSON.parse(parked.raw) as ExportedRow;
  const rules = other ?? (parked.rules as EventRules);
  const { event, invalid } = readEvent(parked.raw, rules);
  if (event === undefined || invalid !== undefined) return undefined;
  const origin = {
    projectId: parked.project_id,
    receivedAtMs: parked.received_at,
    ...(parked.country === "" ? {} : { country: parked.country }),
    // An event that a client sent twice is parked twice, both times with the same message id.
    repeatable: parked.message_id !== "",
  };
  const spareId = parked.message_id || spareIdOf({ idBase: parked.id }, 0);
  const outcome = enrich({ origin, spareId, raw: event });
  return outcome.kind === "keep" ? toStoredRow(outcome.row) : undefined;
}
