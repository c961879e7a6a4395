/**
 * The event alerts that an event may match. Most alerts want one value of a field, as the name of an event: those are found by
 * the value, so that 200 alerts cost an event about as much as a few.
 */
import type { EventAlertField } from "../../contract/alert-fields.ts";
import type { NewEvent } from "./new-events.ts";
import type { ReadyAlert } from "./ready-alert.ts";

/** The fields with most values first: they leave out most. */
const SELECTIVE: readonly EventAlertField[] = [
  "address",
  "user_id",
  "anonymous_id",
  "event",
  "referrer",
  "location",
  "type",
];

export function createAlertIndex(alerts: readonly ReadyAlert[]): (event: NewEvent) => readonly ReadyAlert[] {
  const byField = new Map<EventAlertField, Map<string, ReadyAlert[]>>();
  const always: ReadyAlert[] = [];
  for (const ready of alerts) {
    const wanted = findWanted(ready);
    if (wanted === undefined) always.push(ready);
    else addTo(byField, wanted, ready);
  }
  const fields = [...byField];
  return (event) => {
    let found: ReadyAlert[] | undefined;
    for (const [field, byValue] of fields) {
      const some = byValue.get(event[field]);
      if (some !== undefined) found = (found ?? [...always]).concat(some);
    }
    return found ?? always;
  };
}

interface Wanted {
  readonly field: EventAlertField;
  readonly value: string;
}

function findWanted({ conditions }: ReadyAlert): Wanted | undefined {
  for (const field of SELECTIVE) {
    const exact = conditions.find((one) => one.kind === "text" && one.field === field && one.op === "equals");
    if (exact?.kind === "text") return { field, value: exact.value };
  }
  return undefined;
}

function addTo(
  byField: Map<EventAlertField, Map<string, ReadyAlert[]>>,
  { field, value }: Wanted,
  ready: ReadyAlert,
): void {
  const byValue = byField.get(field) ?? new Map<string, ReadyAlert[]>();
  byField.set(field, byValue);
  const list = byValue.get(value) ?? [];
  byValue.set(value, list);
  list.push(ready);
}
