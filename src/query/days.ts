import { readFileSync } from "node:fs";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";

const OPEN_DAYS = readFileSync(new URL("./reports/open_days.sql", import.meta.url), "utf8");

interface OpenDay {
  project: string;
  open_day: string;
  build: number;
  key_days: string[];
  known_build: number;
  first_kept: string;
}

/**
 * What is open at this moment, as parameters of a report. A report relies on the builds known here and on no later one, so a day
 * that is built while it runs does not mix into its answer.
 */
export async function readDays(
  engine: Pick<AnalyticsEngine, "selectJson">,
  window: { projects: readonly string[]; first_day: string; last_day: string },
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>> {
  const options = { params: window, ...(signal ? { signal } : {}) };
  const { data } = await engine.selectJson<OpenDay>(OPEN_DAYS, options);
  const open = data.filter(({ open_day }) => open_day !== "");
  // Days before these are gone: a visitor who was seen on one of them is new to the window, as if it began here.
  const shortened = data.filter(({ first_kept }) => first_kept > window.first_day);
  return {
    days: open.map(({ project, open_day }) => tuple(project, open_day)),
    keys: open.flatMap(({ project, key_days }) => key_days.map((key) => tuple(project, key))),
    reopened: open
      .filter(({ build }) => build > 0)
      .map(({ project, open_day, build }) => tuple(project, open_day, build)),
    short_projects: shortened.map(({ project }) => project),
    short_days: shortened.map(({ first_kept }) => first_kept),
    known_build: Math.max(0, ...data.map(({ known_build }) => known_build)),
  };
}
