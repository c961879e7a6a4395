/** People by what they have done: the field `events` of conditions, and its words. */
import { EVENT_KINDS, type EventKind } from "../../../src/contract/event-kinds.ts";
import { PEOPLE_FIELD, type PEOPLE_PRESETS } from "../../../src/contract/people.ts";
import type { Condition } from "../format/condition.ts";

export const TIMES_OPERATORS = {
  gte: "at least",
  eq: "exactly",
  lte: "at most",
  gt: "more than",
  lt: "fewer than",
  neq: "other than",
} as const;
export type TimesOperator = keyof typeof TIMES_OPERATORS;

export type Preset = keyof typeof PEOPLE_PRESETS;
export const PRESETS: Readonly<Record<Preset, string>> = {
  last_24h: "in the last 24 hours",
  last_7d: "in the last 7 days",
  last_30d: "in the last 30 days",
  last_90d: "in the last 90 days",
  all_time: "ever",
  custom: "between two days",
};

export interface Behaviour {
  /** A type of events, or the name of a custom one. */
  event: string;
  operator: TimesOperator;
  times: number;
  preset?: Preset;
  date_from?: string;
  date_to?: string;
  readonly [other: string]: unknown;
}

export const FIRST_BEHAVIOUR: Behaviour = { event: "transaction", operator: "gte", times: 1, preset: "last_30d" };

/** The names of events are in any script, and base64 is of bytes. */
export function behavioursCondition(behaviours: readonly Behaviour[]): Condition {
  const bytes = new TextEncoder().encode(JSON.stringify(behaviours));
  return { field: PEOPLE_FIELD, op: "eq", value: btoa(String.fromCharCode(...bytes)) };
}

/** Undefined for another condition, and for a text that is no list. */
export function readBehaviours({ field, value }: Condition): readonly Behaviour[] | undefined {
  if (field !== PEOPLE_FIELD || typeof value !== "string") return undefined;
  try {
    const bytes = Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
    const list = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
    return Array.isArray(list) ? (list as Behaviour[]) : undefined;
  } catch {
    return undefined;
  }
}

/** `did Swap at least 2 times in the last 30 days` */
export function behaviourWords({ event, operator, times, preset, date_from, date_to }: Behaviour): string {
  const name = Object.hasOwn(EVENT_KINDS, event) ? EVENT_KINDS[event as EventKind].label : event;
  const often = `${TIMES_OPERATORS[operator] ?? operator} ${times === 1 ? "1 time" : `${times} times`}`;
  const days = date_from === undefined ? PRESETS[preset ?? "all_time"] : `from ${date_from} to ${date_to ?? "now"}`;
  return `did ${name} ${often} ${days}`;
}

/** Whether the service would take it. */
export function isWhole({ event, times, preset, date_from, date_to }: Behaviour): boolean {
  const hasDays =
    preset !== "custom" || (Boolean(date_from) && Boolean(date_to) && String(date_from) <= String(date_to));
  return event.trim() !== "" && Number.isInteger(times) && times >= 0 && hasDays;
}
