/**
 * The events of a retention chart: `entryFilter` begins a cohort, and `retentionFilter` counts as a return. Without one,
 * any event does.
 */
import { BUILT_IN_KINDS, NAMED_KINDS } from "../contract/event-kinds.ts";
import { ANY_ENTRY } from "../contract/retention.ts";
import type { ChartSettings, ChartStep } from "./chart.ts";

type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly field: string; readonly problem: string };

interface Events {
  readonly type: string;
  readonly name?: string;
}

/** The parameters of the report. */
export function readActivity(settings: ChartSettings | null): Read<Record<string, string>> {
  const entry = readStep(settings?.entryFilter, "entryFilter");
  if (!entry.ok) return entry;
  const back = readStep(settings?.retentionFilter, "retentionFilter");
  if (!back.ok) return back;
  const acts = toParams("event", back.value);
  // The first activity of all begins a cohort.
  if (JSON.stringify(entry.value) === JSON.stringify(back.value)) return { ok: true, value: acts };
  return { ok: true, value: { ...acts, ...toParams("entry", entry.value ?? { type: ANY_ENTRY }) } };
}

function toParams(prefix: "event" | "entry", events: Events | undefined): Record<string, string> {
  if (events === undefined) return {};
  const { type, name } = events;
  return { [`${prefix}_type`]: type, ...(name === undefined ? {} : { [`${prefix}_name`]: name }) };
}

function readStep(step: ChartStep | null | undefined, field: string): Read<Events | undefined> {
  if (step === null || step === undefined) return { ok: true, value: undefined };
  const { type, event, filters, ...others } = step;
  const no = (at: string, problem: string): Read<never> => ({ ok: false, field: `${field}${at}`, problem });
  if (Array.isArray(filters) && filters.length > 0) return no(".filters", "has no conditions in a retention chart");
  if (Object.values(others).some((value) => typeof value === "object" && value !== null))
    return no("", "has no conditions in a retention chart");
  const [kind, name] = [toText(type), toText(event)];
  if (NAMED_KINDS.includes(kind))
    return name === ""
      ? no(".event", `must be the name of a ${kind} event`)
      : { ok: true, value: { type: kind, name } };
  const builtIn = kind === "event" ? name : kind;
  if (BUILT_IN_KINDS.includes(builtIn)) return { ok: true, value: { type: builtIn } };
  return no(".event", `must be one of ${BUILT_IN_KINDS.join(", ")}`);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
