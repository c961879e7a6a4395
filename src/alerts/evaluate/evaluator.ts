/**
 * Looks at newly stored events for all alerts. A round asks once how many events there are in the last minutes, of all
 * projects. Then each project with new ones reads them once for all of its alerts, in turns of a page, so that nobody
 * waits for a large project for longer than a page.
 */
import { listProjectsWithoutBots } from "../../control/report-projects.ts";
import type { Clock } from "../../lib/clock.ts";
import { HOUR_MS, MINUTE_MS } from "../../lib/time.ts";
import { type Alert, listActiveAlerts } from "../alerts-table.ts";
import { noteFailure } from "../failures.ts";
import type { AlertMetrics } from "../metrics.ts";
import { type CommitDeps, commitMinute } from "./commit-minute.ts";
import { findChanged, readVersions } from "./looked-at.ts";
import { createMemory, type Memory } from "./memory.ts";
import { countWritten, type MinuteCount } from "./new-events.ts";
import { type MinuteQuestion, readMinute } from "./read-minute.ts";
import { type ReadyAlert, readyAlert } from "./ready-alert.ts";
import { tellCounts } from "./storms.ts";

/** Events are stored within seconds of their receipt. Those of a log that waited for the engine are found by longer looks. */
const SHORT_MS = 5 * MINUTE_MS;
/** An event that is stored later than this after its receipt is not looked at. */
export const LONG_MS = 48 * HOUR_MS;
const LONG_EVERY = 20;

export interface EvaluatorDeps extends CommitDeps {
  clock: Clock;
  /** Wakes the delivery worker. */
  wakeDelivery: () => void;
  observe: AlertMetrics;
  /** Which projects this one evaluates. */
  isMine: (projectId: string) => boolean;
}

export interface Evaluator {
  /** Looks at all that is new. Resolves with the number of events. */
  round(signal: AbortSignal): Promise<number>;
}

interface Project {
  readonly id: string;
  readonly workspaceId: string;
  readonly alerts: readonly ReadyAlert[];
  readonly sinceMs: number;
  readonly withoutBots: boolean;
}

export function createEvaluator(deps: EvaluatorDeps): Evaluator {
  const memory = createMemory();
  let rounds = 0;
  return {
    async round(signal) {
      const isLong = rounds % LONG_EVERY === 0;
      const nowMs = deps.clock.nowMs();
      if ((await tellCounts(deps.store, nowMs, deps.pageUrl)) > 0) deps.wakeDelivery();
      const projects = await listProjects(deps);
      if (projects.size === 0) return 0;
      const sinceMs = Math.max(
        nowMs - (isLong ? LONG_MS : SHORT_MS),
        Math.min(...[...projects.values()].map((project) => project.sinceMs)),
      );
      const counts = await countWritten(deps.engine, [...projects.keys()].sort(), sinceMs, signal);
      const changed = await findChanged(
        deps.store.read,
        counts.filter(({ project_id, minute_ms }) => isWanted(projects.get(project_id), minute_ms)),
      );
      const looked = await takeTurns(deps, memory, projects, changed, signal);
      // Counted after success: a long look that failed is made up for.
      rounds += 1;
      return looked;
    },
  };
}

function isWanted(project: Project | undefined, minuteMs: number): boolean {
  return project !== undefined && minuteMs + MINUTE_MS > project.sinceMs;
}

async function listProjects({ store, clock, isMine }: EvaluatorDeps): Promise<Map<string, Project>> {
  const alerts = (await listActiveAlerts(store.read, ["event", "user"])).filter(({ projectId }) => isMine(projectId));
  if (alerts.length === 0) return new Map();
  const withoutBots = new Set(await listProjectsWithoutBots(store.read));
  const found = new Map<string, Project>();
  for (const [id, ofProject] of Map.groupBy(alerts, ({ projectId }) => projectId)) {
    const ready: ReadyAlert[] = [];
    for (const alert of ofProject) {
      const read = await readOrNote(store, alert, clock.nowMs());
      if (read !== undefined) ready.push(read);
    }
    const [first] = ready;
    if (first === undefined) continue;
    const sinceMs = Math.min(...ready.map(({ alert }) => alert.activeSinceMs));
    const { workspaceId } = first.alert;
    found.set(id, { id, workspaceId, alerts: ready, sinceMs, withoutBots: withoutBots.has(id) });
  }
  return found;
}

async function readOrNote(store: CommitDeps["store"], alert: Alert, nowMs: number): Promise<ReadyAlert | undefined> {
  try {
    return readyAlert(alert);
  } catch (cause) {
    await noteFailure(store, alert, cause, nowMs);
    return undefined;
  }
}

/** Round robin: each project reads a page, or commits a part of a minute. Throws at the end what has failed. */
async function takeTurns(
  deps: EvaluatorDeps,
  memory: Memory,
  projects: ReadonlyMap<string, Project>,
  changed: readonly MinuteCount[],
  signal: AbortSignal,
): Promise<number> {
  const versions = await readVersions(deps.store.read, [...new Set(changed.map(({ project_id }) => project_id))]);
  let waiting = [...Map.groupBy(changed, ({ project_id }) => project_id)].flatMap(([id, minutes]) => {
    const project = projects.get(id);
    const version = versions.get(id);
    if (project === undefined || version === undefined) return [];
    const sorted = minutes.toSorted((a, b) => a.minute_ms - b.minute_ms);
    return [readProject(deps, memory, project, { minutes: sorted, version }, signal)];
  });
  let looked = 0;
  const failures: unknown[] = [];
  while (waiting.length > 0) {
    const left = [];
    for (const turns of waiting) {
      signal.throwIfAborted();
      try {
        const { value, done } = await turns.next();
        looked += value ?? 0;
        if (done !== true) left.push(turns);
      } catch (cause) {
        // What fails in one project must not keep the others from their turns.
        failures.push(cause);
      }
    }
    waiting = left;
  }
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  return looked;
}

/** Each `next` is a turn; its value is the number of events that a commit has looked at. */
async function* readProject(
  deps: EvaluatorDeps,
  memory: Memory,
  project: Project,
  { minutes, version: first }: { minutes: readonly MinuteCount[]; version: number },
  signal: AbortSignal,
): AsyncGenerator<number, number> {
  let version = first;
  for (const { minute_ms: minuteMs, events } of minutes) {
    const question: MinuteQuestion = {
      projectId: project.id,
      minuteMs,
      events,
      alerts: project.alerts,
      withoutBots: project.withoutBots,
      known: memory.find(project.id, version, minuteMs),
    };
    const reading = readMinute(deps.engine, question, signal);
    let turn = await reading.next();
    for (; turn.done !== true; turn = await reading.next()) yield 0;
    const read = turn.value;
    const nowMs = deps.clock.nowMs();
    const committing = commitMinute(deps, project.workspaceId, question, read, { version, nowMs, signal });
    let step = await committing.next();
    for (; step.done !== true; step = await committing.next()) {
      for (const { kind, count } of step.value) deps.observe.fired(kind, count);
      if (step.value.length > 0) deps.wakeDelivery();
      yield 0;
    }
    if (step.value === undefined) {
      // The next round reads what is left, with the alerts of then.
      memory.forget(project.id);
      return 0;
    }
    version = step.value;
    memory.keep(project.id, version, minuteMs, read.seen);
    deps.observe.looked(read.looked);
    yield read.looked;
  }
  return 0;
}
