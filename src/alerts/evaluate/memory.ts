/**
 * Which events were looked at, of the last minutes of receipt: so that each is looked at once. It is lost with the
 * process, and whatever another node or a changed alert has done makes it worthless: then a minute is read again, and
 * the rows of the control store tell what of it is new.
 */

export interface SeenMinute {
  /** Events received from `floorMs` on, and when. */
  readonly keys: ReadonlyMap<string, number>;
  readonly floorMs: number;
  /** How many were received before. */
  readonly before: number;
  /** How many more the ledger counts, where copies count. */
  readonly surplus: number;
}

/** An event may be stored after others that were received so much later. What comes later is found by its number. */
const OUT_OF_ORDER_MS = 10_000;

/** Keeps the keys of the last seconds, and counts the others. */
export function seenOf(
  keys: ReadonlyMap<string, number>,
  { minuteMs, before, events }: { minuteMs: number; before: number; events: number },
): SeenMinute {
  let lastMs = minuteMs;
  for (const receivedMs of keys.values()) lastMs = Math.max(lastMs, receivedMs);
  const floorMs = Math.max(minuteMs, lastMs - OUT_OF_ORDER_MS);
  const kept = new Map([...keys].filter(([, receivedMs]) => receivedMs >= floorMs));
  const surplus = Math.max(0, events - before - keys.size);
  return { keys: kept, floorMs, before: before + keys.size - kept.size, surplus };
}

interface SeenProject {
  /** Of the cursor that the last commit left. */
  version: number;
  readonly minutes: Map<number, SeenMinute>;
}

/** Ten seconds of 12,000 events a second, and 20 MB. */
const MOST_KEYS = 120_000;
/** Events of the minute before may still come. */
const MOST_MINUTES = 2;

export interface Memory {
  /** Undefined: the minute is to be read as a whole. */
  find(projectId: string, version: number, minuteMs: number): SeenMinute | undefined;
  /** After a commit. */
  keep(projectId: string, version: number, minuteMs: number, seen: SeenMinute): void;
  forget(projectId: string): void;
}

export function createMemory(): Memory {
  const projects = new Map<string, SeenProject>();
  let keys = 0;

  function drop(project: SeenProject, minuteMs: number): void {
    keys -= project.minutes.get(minuteMs)?.keys.size ?? 0;
    project.minutes.delete(minuteMs);
  }

  function forget(projectId: string): void {
    const project = projects.get(projectId);
    if (project !== undefined) for (const minuteMs of [...project.minutes.keys()]) drop(project, minuteMs);
    projects.delete(projectId);
  }

  return {
    forget,
    find(projectId, version, minuteMs) {
      const project = projects.get(projectId);
      if (project !== undefined && project.version !== version) forget(projectId);
      return projects.get(projectId)?.minutes.get(minuteMs);
    },
    keep(projectId, version, minuteMs, seen) {
      const project = projects.get(projectId) ?? { version, minutes: new Map<number, SeenMinute>() };
      // The longest unused project is the first that goes.
      projects.delete(projectId);
      projects.set(projectId, project);
      project.version = version;
      drop(project, minuteMs);
      project.minutes.set(minuteMs, seen);
      keys += seen.keys.size;
      for (const old of [...project.minutes.keys()].sort((a, b) => a - b).slice(0, -MOST_MINUTES)) drop(project, old);
      for (const other of projects.keys()) {
        if (keys <= MOST_KEYS) break;
        forget(other);
      }
    },
  };
}
