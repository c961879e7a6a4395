/**
 * The state of a metric alert after an evaluation. Pure: the evaluation and the preview call it.
 *
 *   ok --met--> pending --met, `pending` times in a row--> firing --unmet--> resolved --unmet--> ok
 *
 * An evaluation without a verdict (no_data, learning, error) shows as its state and changes nothing else: a firing goes on
 * after it, and a row of evaluations is not broken by it. Times are ends of windows, not of clocks, so that a repeated
 * evaluation gives the same state and the same ids.
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
  /** The firing that began or ended with this evaluation, told or not. */
  readonly began: Firing | null;
  readonly ended: Firing | null;
}

type Rule = Pick<Metric, "pending" | "coolDownMs">;

export function advance(
  alertId: string,
  rule: Rule,
  memory: Memory,
  { verdict, window }: { verdict: Verdict | "error"; window: Span },
): Advanced {
  if (verdict === "unmet") return settle(memory);
  if (verdict !== "met") return { ...NOBODY, memory: { ...memory, state: verdict } };
  const met = memory.met + 1;
  const began = memory.firing === null && met >= rule.pending ? begin(alertId, window) : null;
  const firing = memory.firing ?? began;
  if (firing === null) return { ...NOBODY, memory: { ...memory, state: "pending", met } };
  const isDue = memory.notifiedMs === null || window.toMs >= memory.notifiedMs + rule.coolDownMs;
  if (firing.isNotified || !isDue) return { ...NOBODY, began, memory: { ...memory, state: "firing", met, firing } };
  const told = { ...firing, isNotified: true };
  return {
    memory: { state: "firing", met, firing: told, notifiedMs: window.toMs },
    notification: { change: "firing", firing: told },
    began: began === null ? null : told,
    ended: null,
  };
}

const NOBODY = { notification: null, began: null, ended: null } as const;

function settle(memory: Memory): Advanced {
  const { firing } = memory;
  if (firing === null) return { ...NOBODY, memory: { ...memory, state: "ok", met: 0 } };
  return {
    memory: { ...memory, state: "resolved", met: 0, firing: null },
    notification: firing.isNotified ? { change: "resolved", firing } : null,
    began: null,
    ended: firing,
  };
}

function begin(alertId: string, { fromMs, toMs }: Span): Firing {
  return { id: firingId(alertId, "metric", String(fromMs)), sinceMs: toMs, isNotified: false };
}
