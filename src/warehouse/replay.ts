import type { AnalyticsEngine, ExportedRow } from "../engines/port.ts";
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
 * Another try for parked events: by today's rules and code, or by `rules` when given. What passes is stored under the time it
 * was received at and leaves the parking place; the ledger moves it from parked to stored. What does not pass stays.
 */
export async function replayParked(
  engine: Pick<AnalyticsEngine, "select" | "replay">,
  projects: readonly string[],
  filter: ParkedFilter & { rules?: EventRules | undefined },
  onProgress: (result: ReplayResult) => void = () => undefined,
): Promise<ReplayResult> {
  const enrich = createEnrich();
  const result = { stored: 0, stillInvalid: 0 };
  // Of copies the one that was received first is stored.
  for await (const waiting of readParked(engine, projects, { ...filter, oldestFirst: true })) {
    const good = waiting.flatMap((parked) => {
      const row = findRow(enrich, parked, filter.rules);
      return row === undefined ? [] : [{ parked: placeOf(parked), row }];
    });
    const { left } = await engine.replay(good);
    result.stored += left.length;
    result.stillInvalid += waiting.length - left.length;
    onProgress(result);
  }
  return result;
}

function placeOf({ id, project_id, received_at, reason }: ParkedEvent) {
  return { id, project_id, received_at, reason };
}

/** The row an event becomes now, or undefined while it still is not one. */
function findRow(enrich: Enrich, parked: ParkedEvent, other: EventRules | undefined): ExportedRow | undefined {
  if (parked.rules === "row") return JSON.parse(parked.raw) as ExportedRow;
  const rules = other ?? (parked.rules as EventRules);
  const { event, invalid } = readEvent(parked.raw, rules);
  if (event === undefined || invalid !== undefined) return undefined;
  const origin = {
    projectId: parked.project_id,
    receivedAtMs: parked.received_at,
    ...(parked.country === "" ? {} : { country: parked.country }),
    // An event that a client sent twice is parked twice, each time under the one id that both make.
    repeatable: parked.message_id !== "",
  };
  const spareId = parked.message_id || spareIdOf({ idBase: parked.id }, 0);
  const outcome = enrich({ origin, spareId, raw: event });
  return outcome.kind === "keep" ? toStoredRow(outcome.row) : undefined;
}
