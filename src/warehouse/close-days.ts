/**
 * Closes days that are over, in order, because the visitors of one are counted by when they were last seen. A day that got events since,
 * or whose earlier days did, is closed again.
 */
import { readFileSync } from "node:fs";
import { type BuildEngine, buildDay, type ProjectDay } from "./build-day.ts";
import { SETTLE_S } from "./day-book.ts";

/** A day is over this long after midnight UTC: clocks of nodes differ, and events of the last second are still on their way. */
export const GRACE_S = 15 * 60;
/** Their names go with every statement; a thousand are about 40 KB of it. */
export const PROJECTS_AT_ONCE = 1_000;

export interface DueDay extends ProjectDay {
  started_ms: number;
}

export interface CloseOptions {
  settleS?: number;
  signal?: AbortSignal;
}

const DUE_DAYS = readFileSync(new URL("./sql/due_days.sql", import.meta.url), "utf8");

/** Rows of all projects that have events. `ask` gets a part of them at a time. */
export async function askAboutProjects<T>(
  engine: BuildEngine,
  signal: AbortSignal | undefined,
  ask: (projects: readonly string[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const found = await engine.selectJson<{ project_id: string }>(
    "SELECT DISTINCT toString(project_id) AS project_id FROM event_days ORDER BY project_id",
    signal ? { signal } : {},
  );
  const all = found.data.map((row) => row.project_id);
  const rows: T[] = [];
  for (let at = 0; at < all.length; at += PROJECTS_AT_ONCE)
    rows.push(...(await ask(all.slice(at, at + PROJECTS_AT_ONCE))));
  return rows;
}

/** The days that can be closed now, oldest first. */
export async function findDueDays(engine: BuildEngine, options: CloseOptions = {}): Promise<DueDay[]> {
  const due = await askAboutProjects(engine, options.signal, async (projects) => {
    const params = { projects, grace_s: GRACE_S, settle_s: options.settleS ?? SETTLE_S };
    return (await engine.selectJson<DueDay>(DUE_DAYS, { params, ...signalOf(options) })).data;
  });
  return due.sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)));
}

/**
 * Closes what is due, one day at a time and its projects together, until nothing is. `onDue` hears how many days are due,
 * before each of them and at the end; `onDay` of the days built and of how many are left. A day is built once: what opens it again meanwhile waits for the next call.
 */
export async function closeDueDays(
  engine: BuildEngine,
  options: CloseOptions & { onDue?: (days: number) => void; onDay?: (built: DueDay[], left: number) => void } = {},
): Promise<number> {
  const built = new Set<string>();
  for (;;) {
    options.signal?.throwIfAborted();
    const due = (await findDueDays(engine, options)).filter((one) => !built.has(nameOf(one)));
    options.onDue?.(due.length);
    const [first] = due;
    if (first === undefined) return built.size;
    const now = due.filter(({ day }) => day === first.day).slice(0, PROJECTS_AT_ONCE);
    const startedMs = Math.min(...now.map(({ started_ms }) => started_ms));
    await buildDay(engine, { day: first.day, projects: now, startedMs, signal: options.signal });
    for (const one of now) built.add(nameOf(one));
    options.onDay?.(now, due.length - now.length);
  }
}

const nameOf = ({ project_id, day }: ProjectDay) => `${project_id} ${day}`;
const signalOf = ({ signal }: CloseOptions) => (signal ? { signal } : {});
