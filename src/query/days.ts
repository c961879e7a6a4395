import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { placeOf } from "../definitions/event-sources.ts";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";
import { Recent } from "../lib/recent.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";

const readSql = (name: string) => readFileSync(new URL(`./reports/${name}.sql`, import.meta.url), "utf8");
const DAYS = readSql("days");
const RECEIVED = readSql("received");

export interface Window {
  readonly projects: readonly string[];
  readonly first_day: string;
  readonly last_day: string;
}

/** The first day that a project keeps, of those with a limit. Reports show no day before. */
export type KeptFrom = ReadonlyMap<string, string>;

type Pair = readonly [project: string, day: string];

interface RunningDay {
  readonly project: string;
  readonly day: string;
  readonly build: number;
  readonly cut: number;
  readonly keyDays: readonly string[];
}

/** The days of a window at one moment. A report relies on these builds alone: one that ends while it runs does not mix into it. */
export interface Days {
  /** Of closed days, and of running ones as they were when they were built. */
  readonly builds: readonly number[];
  /** Those of the latter for which something was received since they were built, and where in the table it is. */
  readonly running: readonly RunningDay[];
  /** The partitions that all of these builds are in. */
  readonly snapshots: readonly number[];
  /** Whether some of what their projects received stands under the key of another day. */
  readonly hasStrays: boolean;
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
  /** 0 unless it runs, and so is the next. */
  cut: number;
  snapshot: number;
  is_open: 0 | 1;
  key_days: string[];
  /** Events since the cut. */
  received?: number;
  /** How many of its project are strays, of whatever day: a copy of one may be of this day, and must not count. */
  strays?: number;
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
/** Days of projects that are remembered in all: 20 MB, and as much again for what was made of them. What was asked about longest ago goes first. */
const MOST_ROWS = 100_000;

/** Of a report: as rows of a statement more would take longer to plan than to read the day's events. */
const MOST_RECEIVED = 10_000;

/** Windows of the same projects that are asked about by turns. */
const MOST_WINDOWS = 8;

/** As long as days stay as they were, looks see the same object, and what was made of it for a window is not made again. */
interface Seen {
  rows: readonly ProjectDay[];
  made: Recent<Days>;
  /** What was made of the look before: events come all the time, and mostly make no difference to it. */
  madeBefore?: Recent<Days>;
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
    const rows = await askRows(projects);
    if (last && isDeepStrictEqual(rows, last.rows)) return last;
    return { rows, made: new Recent(MOST_WINDOWS), ...(last ? { madeBefore: last.made } : {}) };
  }

  async function askRows(projects: readonly string[]): Promise<readonly ProjectDay[]> {
    const rows = (await engine.selectJson<ProjectDay>(DAYS, { params: { projects } })).data;
    const running = rows.filter(({ is_open, cut }) => !is_open && cut > 0);
    if (running.length === 0) return rows;
    const params = runningParams(running.map(toRunning));
    const { data } = await engine.selectJson<Received>(RECEIVED, { params });
    const counts = new Map(data.map(({ project, day, received }) => [`${project} ${day}`, received]));
    const strays = new Map<string, number>();
    for (const each of data) strays.set(each.project, (strays.get(each.project) ?? 0) + each.strays);
    for (const row of running) {
      row.received = counts.get(`${row.project_id} ${row.day}`) ?? 0;
      row.strays = strays.get(row.project_id) ?? 0;
    }
    return rows;
  }

  function daysOf({ rows, made, madeBefore }: Seen, window: Window, keptFrom: KeptFrom): Days {
    const key = JSON.stringify([window.first_day, window.last_day, ...keptFrom]);
    return made.get(key, () => {
      const days = toDays(rows, window, keptFrom);
      const before = madeBefore?.peek(key);
      return before && isDeepStrictEqual(days, before) ? before : days;
    });
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

interface Received {
  project: string;
  day: string;
  received: number;
  strays: number;
}

const toRunning = ({ project_id, day, build, cut, key_days }: ProjectDay): RunningDay => ({
  ...{ project: project_id, day, build, cut },
  keyDays: key_days,
});

function runningParams(running: readonly RunningDay[]) {
  const cuts = new Map<string, number>();
  for (const { project, cut } of running) cuts.set(project, Math.max(cut, cuts.get(project) ?? 0));
  return {
    running_projects: [...cuts.keys()],
    running_cuts: [...cuts.values()],
    running_key_days: [...new Set(running.flatMap(({ keyDays }) => keyDays))],
    cut: Math.max(0, ...cuts.values()),
  };
}

const NO_DAYS: Days = {
  builds: [],
  running: [],
  snapshots: [],
  hasStrays: false,
  days: [],
  keys: [],
  reopened: [],
  shortened: [],
};

function toDays(rows: readonly ProjectDay[], { first_day, last_day }: Window, keptFrom: KeptFrom): Days {
  const kept = rows.filter(({ project_id, day }) => day >= (keptFrom.get(project_id) ?? ""));
  const isThere = ({ day, key_days }: ProjectDay) => day >= first_day && day <= last_day && key_days.length > 0;
  const inWindow = kept.filter(isThere);
  const tooMuch = findTooMuch(inWindow);
  const isOpen = (day: ProjectDay) => day.is_open === 1 || tooMuch.has(day);
  const open = inWindow.filter(isOpen);
  const keys = new Map(
    open.flatMap(({ project_id, key_days }) =>
      key_days.map((key) => [`${project_id} ${key}`, [project_id, key] as const]),
    ),
  );
  const begins = new Map([...keptFrom, ...endsOfRemoved(kept)]);
  const built = inWindow.filter((day) => !isOpen(day) && day.build > 0);
  const running = built.filter(({ received = 0 }) => received > 0);
  return {
    builds: built.map(({ build }) => build),
    running: running.map(toRunning),
    snapshots: [...new Set([0, ...inWindow.map(({ snapshot }) => snapshot)])],
    hasStrays: running.some(({ strays = 0 }) => strays > 0),
    days: open.map(({ project_id, day }) => [project_id, day] as const),
    keys: [...keys.values()],
    reopened: open.filter(({ build }) => build > 0).map(({ build }) => build),
    shortened: [...begins].filter(([, day]) => day > first_day),
  };
}

/** The days whose new events are read where they are, so that those of the others fit into a statement: the largest. */
function findTooMuch(days: readonly ProjectDay[]): Set<ProjectDay> {
  const tooMuch = new Set<ProjectDay>();
  const largestFirst = days
    .filter(({ received = 0 }) => received > 0)
    .sort((a, b) => (b.received ?? 0) - (a.received ?? 0));
  let left = largestFirst.reduce((sum, { received = 0 }) => sum + received, 0);
  for (const day of largestFirst) {
    if (left <= MOST_RECEIVED) break;
    tooMuch.add(day);
    left -= day.received ?? 0;
  }
  return tooMuch;
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
export function dayParams({
  builds,
  running,
  snapshots,
  days,
  keys,
  reopened,
  shortened,
}: Days): Record<string, unknown> {
  return {
    builds,
    snapshots,
    running: running.map(({ build }) => build),
    running_days: running.map(({ project, day }) => tuple(project, day)),
    running_dates: [...new Set(running.map(({ day }) => day))],
    ...runningParams(running),
    days: days.map((pair) => tuple(...pair)),
    keys: keys.map((pair) => tuple(...pair)),
    ...placeOf(days, keys).params,
    reopened,
    short_projects: shortened.map(([project]) => project),
    short_days: shortened.map(([, day]) => day),
  };
}
