/** An alert that is ready to be compared, and what it looks at. */
import type { Alert } from "../alerts-table.ts";
import { type Condition, type Held, meets, readCondition } from "../conditions.ts";
import type { NewEvent } from "./new-events.ts";

export interface ReadyAlert {
  readonly alert: Alert;
  readonly conditions: readonly Condition[];
}

/** History that was imported from files, and wallets. */
const IMPORTED = "import";

/** Throws where a condition cannot be compared: it was stored by another version. */
export function readyAlert(alert: Alert): ReadyAlert {
  const { trigger } = alert;
  if (trigger === "metric") throw new Error("a metric alert looks at no events");
  const conditions = alert.filters.map((filter, at) => {
    let problem = "";
    const read = readCondition(trigger, filter, `trigger_filters.${at}`, (path, reason) => {
      problem = `${path} ${reason}`;
    });
    if (read === undefined || problem !== "") throw new Error(problem);
    return trigger === "event" && read.kind === "text" && read.field === "address"
      ? { ...read, value: toStored(read.value) }
      : read;
  });
  return { alert, conditions };
}

/** Addresses of EVM are stored in lower case. */
function toStored(address: string): string {
  return /^0x[0-9a-f]*$/i.test(address) ? address.toLowerCase() : address;
}

export function isImported({ channel }: Pick<NewEvent, "channel">): boolean {
  return channel === IMPORTED;
}

/** Whether the alert looks at the event at all. */
function looksAt({ alert }: ReadyAlert, event: NewEvent): boolean {
  if (event.received_ms < alert.activeSinceMs) return false;
  return alert.includeImported || !isImported(event);
}

export function matchesEvent(ready: ReadyAlert, event: NewEvent): boolean {
  return looksAt(ready, event) && meets(ready.conditions, (field) => event[field as keyof NewEvent] as Held);
}
