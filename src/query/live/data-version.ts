/**
 * A text that changes when events of the projects are stored. No column says when an event was stored: an event that is
 * stored later than five minutes after its receipt, as a replayed one, does not change it before the next minute.
 */
import { readSqlParts, withParts } from "../../lib/sql.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import type { Lookup, LookupContext } from "../run/run-lookup.ts";

const PARTS = readSqlParts(new URL("./data-version.sql", import.meta.url));
const BACK_MS = 5 * MINUTE_MS;

export const findDataVersion: Lookup<string> = { name: "data_version", run: queryVersion };

async function queryVersion({ engine, owner, nowMs, signal }: LookupContext): Promise<string> {
  const sinceMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS - BACK_MS;
  const projects = owner.projects.map(({ id }) => id);
  const { ctes, params, reads } = engine.relations.arrivals(projects, sinceMs);
  const { rows } = await engine.select<VersionRow>(withParts(ctes, PARTS("version")), { params, reads, signal });
  const [row] = rows;
  return [sinceMs, row?.n_events ?? 0, row?.newest_ms ?? 0].join(":");
}

interface VersionRow {
  readonly n_events: number;
  /** Null if there is none. */
  readonly newest_ms: number | null;
}
