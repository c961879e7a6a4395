/**
 * The state of a metric alert after an evaluation. Pure: the evaluation and the preview call it.
 *
 *   ok --met--> pending --met, `pending` times in a row--> firing --unmet--> resolved --unmet--> ok
 *
 * An evaluation without a verdict (no_data, learning, error) shows as its state and changes nothing else: a firing goes on
 * after it, and a row of evaluations is not broken by it. Times are ends of windows, not of clocks, so that a repeated
 * evaluation gives the same state and the same ids.
 *
 * While it is quiet (muted, or a window that is looked at afterwards), nobody is told. The first evaluation that is not
 * tells what is different from what recipients heard last: a firing that still lasts, or the end of one that they know
 * of. What began and ended in the quiet is never told.
 */
import type { MetricState } from "../../contract/metric-alerts.ts";
import type { Span } from "../../query/windows/spans.ts";
import { firingId } from "../firing-id.ts";
import type { Verdict } from "./judge.ts";
import type { Metric } from "./metric.ts";

export interface Firing {
  /** Of the alert and the window with which it began. */
  readonly id: string;
  /** The end of that window. */
  readonly sinceMs: number;
  readonly isNotified: boolean;
}

export interface Memory {
  readonly state: MetricState;
  /** Evaluations in a row that met the condition. */
  readonly met: number;
  readonly firing: Firing | null;
  /** The end of the window of the last notification of a firing. */
  readonly notifiedMs: number | null;
  /** A firing that was told, and whose end in the quiet was not. */
  readonly untold?: Firing | null;
}

export const FIRST: Memory = { state: "ok", met: 0, firing: null, notifiedMs: null };

export interface Notification {
  readonly change: "firing" | "resolved";
  readonly firing: Firing;
}

export interface Advanced {
  readonly memory: Memory;
  /** Null: nobody is told. */
  readonly notification: Notification | null;
  /** The change that would be told if it were not quiet: the history shows it as muted. */
  readonly kept: Notification | null;
  /** The firing that began or ended with this evaluation, told or not. */
  readonly began: Firing | null;
  readonly ended: Firing | null;
}

type Rule = Pick<Metric, "pending" | "coolDownMs">;

interface Evaluated {
  readonly verdict: Verdict | "error";
  readonly window: Span;
  readonly isQuiet?: boolean;
}

export function advance(alertId: string, rule: Rule, memory: Memory, evaluated: Evaluated): Advanced {
  const { verdict, window, isQuiet = false } = evaluated;
  if (verdict === "unmet") return settle(memory, isQuiet);
  if (verdict !== "met") return { ...NOBODY, memory: { ...memory, state: verdict } };
  const met = memory.met + 1;
  const began = memory.firing === null && met >= rule.pending ? begin(alertId, window) : null;
  const firing = memory.firing ?? began;
  if (firing === null) return { ...NOBODY, memory: { ...memory, state: "pending", met } };
  const isDue = memory.notifiedMs === null || window.toMs >= memory.notifiedMs + rule.coolDownMs;
  const going: Memory = { ...memory, state: "firing", met, firing };
  if (firing.isNotified || !isDue) return { ...NOBODY, began, memory: going };
  const told = { ...firing, isNotified: true };
  const change = { change: "firing", firing: told } as const;
  if (isQuiet) return { ...NOBODY, began, memory: going, kept: change };
  return {
    // Whoever hears of this one need not hear of the end of the one before.
    memory: { state: "firing", met, firing: told, notifiedMs: window.toMs },
    notification: change,
    kept: null,
    began: began === null ? null : told,
    ended: null,
  };
}

const NOBODY = { notification: null, kept: null, began: null, ended: null } as const;

function settle(memory: Memory, isQuiet: boolean): Advanced {
  const { firing, untold = null } = memory;
  const known = firing?.isNotified === true ? firing : untold;
  const change = known === null ? null : ({ change: "resolved", firing: known } as const);
  const { untold: _, ...rest } = memory;
  return {
    memory: {
      ...rest,
      state: firing === null ? "ok" : "resolved",
      met: 0,
      firing: null,
      ...(isQuiet && known !== null ? { untold: known } : {}),
    },
    notification: isQuiet ? null : change,
    // The end of a firing is in the history once: with the evaluation that ended it.
    kept: isQuiet && firing !== null ? change : null,
    began: null,
    ended: firing,
  };
}

function begin(alertId: string, { fromMs, toMs }: Span): Firing {
  return { id: firingId(alertId, "metric", String(fromMs)), sinceMs: toMs, isNotified: false };
}
