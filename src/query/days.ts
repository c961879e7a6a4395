import { readFileSync } from "node:fs";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";

const DAYS = readFileSync(new URL("./reports/days.sql", import.meta.url), "utf8");

export interface Window {
  readonly projects: readonly string[];
  readonly first_day: string;
  readonly last_day: string;
}

/** The days of a window at one moment. A report relies on these builds alone: one that ends while it runs does not mix into it. */
export interface Days {
  /** Of closed days. */
  readonly builds: readonly number[];
  /** Open ones, as pairs of project and day, and where in the table their events are. */
  readonly days: readonly (readonly [project: string, day: string])[];
  readonly keys: readonly (readonly [project: string, keyDay: string])[];
  /** What open days held when they were closed last: the counts of later days rest on it. */
  readonly reopened: readonly number[];
  /**
   * Projects whose days begin within the window, and where. Days before were removed: a visitor who was seen on one of them is new to
   * the window, as if it began there.
   */
  readonly shortened: readonly (readonly [project: string, firstDay: string])[];
}

export async function readDays(
  engine: Pick<AnalyticsEngine, "selectJson">,
  window: Window,
  signal: AbortSignal,
): Promise<Days> {
  const { data } = await engine.selectJson<Days>(DAYS, { params: { ...window }, signal });
  return data[0] ?? { builds: [], days: [], keys: [], reopened: [], shortened: [] };
}

/** As parameters of a report. */
export function dayParams({ builds, days, keys, reopened, shortened }: Days): Record<string, unknown> {
  return {
    builds,
    days: days.map((pair) => tuple(...pair)),
    keys: keys.map((pair) => tuple(...pair)),
    reopened,
    short_projects: shortened.map(([project]) => project),
    short_days: shortened.map(([, day]) => day),
  };
}
