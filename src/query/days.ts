import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { placeOf } from "../definitions/sessions.ts";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";
import { Recent } from "../lib/recent.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";

const DAYS = readFileSync(new URL("./reports/days.sql", import.meta.url), "utf8");

export interface Window {
  readonly projects: readonly string[];
  readonly first_day: string;
  readonly last_day: string;
}

/** The first day that a project keeps, of those with a limit. Reports show no day before. */
export type KeptFrom = ReadonlyMap<string, string>;

type Pair = readonly [project: string, day: string];

/** The days of a window at one moment. A report relies on these builds alone: one that ends while it runs does not mix into it. */
export interface Days {
  /** Of closed days. */
  readonly builds: readonly number[];
  /** Open ones, and where in the table their events are. */
  readonly days: readonly Pair[];
  readonly keys: readonly Pair[];
  /** What open days held when they were closed last: the counts of later days rest on it. */
  readonly reopened: readonly number[];
  /**
   * Projects of which days were removed, or are no longer shown, within the window, and where those end: a visitor who was last seen on
   * one of them is new to the window, as if it began there.
   */
  readonly shortened: readonly Pair[];
}

interface ProjectDay {
  project_id: string;
  day: string;
  build: number;
  is_open: 0 | 1;
  key_days: string[];
}

export interface DaysReader {
  read(window: Window, keptFrom: KeptFrom): Promise<Days>;
  /** As of the last look at these projects, however old: good enough to begin with, not to answer with. */
  recall(window: Window, keptFrom: KeptFrom): Days | undefined;
}

/**
 * The state of a project's days changes when a day ends or a late event comes, and asking for it takes 15 ms. So the charts of one dashboard
 * share a look, for a quarter of the second within which an event is promised to show up.
 */
const SHARED_MS = 250;
/** Days of projects that are remembered in all: about 20 MB. What was asked about longest ago goes first. */
const MOST_ROWS = 100_000;

/** Windows of the same projects that are asked about by turns. */
const MOST_WINDOWS = 8;

/** As long as days stay as they were, looks see the same object, and what was made of it for a window is not made again. */
interface Seen {
  rows: readonly ProjectDay[];
  made: Recent<Days>;
}

interface Look {
  atMs: number;
  sees: Promise<Seen>;
  seen?: Seen;
}

export function createDaysReader(engine: Pick<AnalyticsEngine, "selectJson">, mostRows = MOST_ROWS): DaysReader {
  /** In the order of their last use. */
  const looks = new Map<string, Look>();
  const keyOf = ({ projects }: Window) => projects.join("\n");

  function look(window: Window): Promise<Seen> {
    const key = keyOf(window);
    const nowMs = performance.now();
    const known = looks.get(key);
    looks.delete(key);
    if (known && nowMs - known.atMs < SHARED_MS) {
      looks.set(key, known);
      return known.sees;
    }
    const seen = known?.seen;
    const fresh: Look = { atMs: nowMs, sees: ask(window.projects, seen), ...(seen ? { seen } : {}) };
    looks.set(key, fresh);
    fresh.sees.then(
      (sees) => {
        fresh.seen = sees;
        forgetOldest();
      },
      // A look that failed is not kept: the next report tries again.
      () => {
        if (looks.get(key) === fresh) looks.delete(key);
      },
    );
    return fresh.sees;
  }

  function forgetOldest(): void {
    let rows = [...looks.values()].reduce((sum, { seen }) => sum + (seen?.rows.length ?? 0) + 1, 0);
    for (const [key, { seen }] of looks) {
      if (rows <= mostRows) return;
      looks.delete(key);
      rows -= (seen?.rows.length ?? 0) + 1;
    }
  }

  async function ask(projects: readonly string[], last: Seen | undefined): Promise<Seen> {
    const { data } = await engine.selectJson<ProjectDay>(DAYS, { params: { projects } });
    return last && isDeepStrictEqual(data, last.rows) ? last : { rows: data, made: new Recent(MOST_WINDOWS) };
  }

  function daysOf({ rows, made }: Seen, window: Window, keptFrom: KeptFrom): Days {
    const key = JSON.stringify([window.first_day, window.last_day, ...keptFrom]);
    return made.get(key, () => toDays(rows, window, keptFrom));
  }

  return {
    read: async (window, keptFrom) =>
      window.projects.length === 0 ? NO_DAYS : daysOf(await look(window), window, keptFrom),
    recall(window, keptFrom) {
      const seen = looks.get(keyOf(window))?.seen;
      return seen && daysOf(seen, window, keptFrom);
    },
  };
}

const NO_DAYS: Days = { builds: [], days: [], keys: [], reopened: [], shortened: [] };

function toDays(rows: readonly ProjectDay[], { first_day, last_day }: Window, keptFrom: KeptFrom): Days {
  const kept = rows.filter(({ project_id, day }) => day >= (keptFrom.get(project_id) ?? ""));
  const isThere = ({ day, key_days }: ProjectDay) => day >= first_day && day <= last_day && key_days.length > 0;
  const inWindow = kept.filter(isThere);
  const open = inWindow.filter(({ is_open }) => is_open);
  const keys = new Map(
    open.flatMap(({ project_id, key_days }) =>
      key_days.map((key) => [`${project_id} ${key}`, [project_id, key] as const]),
    ),
  );
  const begins = new Map([...keptFrom, ...endsOfRemoved(kept)]);
  return {
    builds: inWindow.filter(({ is_open, build }) => !is_open && build > 0).map(({ build }) => build),
    days: open.map(({ project_id, day }) => [project_id, day] as const),
    keys: [...keys.values()],
    reopened: open.filter(({ build }) => build > 0).map(({ build }) => build),
    shortened: [...begins].filter(([, day]) => day > first_day),
  };
}

/**
 * Under a limit that is longer or gone by now there may be removed days still: the day after the last of them, by project. What such a day
 * has left is its build alone. Late events may have made a day before it since. Until that is closed, the days after it are as they were
 * built with the removed one. Afterwards they are built anew without; a removed day is not, so that its build is older than the earlier one's.
 */
function endsOfRemoved(rows: readonly ProjectDay[]): Map<string, string> {
  const ends = new Map<string, string>();
  const lastBuilds = new Map<string, number>();
  // In order of the days.
  for (const { project_id, day, build, key_days } of rows) {
    if (key_days.length > 0) lastBuilds.set(project_id, Math.max(build, lastBuilds.get(project_id) ?? 0));
    else if (build > (lastBuilds.get(project_id) ?? 0)) ends.set(project_id, dayOf(Date.parse(day) + DAY_MS));
  }
  return ends;
}

/** As parameters of a report. */
export function dayParams({ builds, days, keys, reopened, shortened }: Days): Record<string, unknown> {
  return {
    builds,
    days: days.map((pair) => tuple(...pair)),
    keys: keys.map((pair) => tuple(...pair)),
    ...placeOf(days, keys).params,
    reopened,
    short_projects: shortened.map(([project]) => project),
    short_days: shortened.map(([, day]) => day),
  };
}
