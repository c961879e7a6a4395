/** Steps of funnels and flows, as the reports take them, and their short text in the URL: `kind` or `kind:value`. */
export const STEP_KINDS = {
  page: { label: "Page view", value: "Path, or empty for any page", field: "page" },
  track: { label: "Custom event", value: "Name of the event", field: "event" },
  connect: { label: "Wallet connected", value: undefined, field: undefined },
  chain: { label: "Chain changed", value: undefined, field: undefined },
  signature: { label: "Signature", value: undefined, field: undefined },
  transaction: { label: "Transaction", value: undefined, field: undefined },
  decoded_log: { label: "Contract event", value: "Name of the event", field: "event" },
  identify: { label: "Identified", value: undefined, field: undefined },
} as const;
export type StepKind = keyof typeof STEP_KINDS;
export const STEP_KIND_NAMES = Object.keys(STEP_KINDS) as readonly StepKind[];

export interface Step {
  kind: StepKind;
  /** A path or a name; empty for any page. */
  value: string;
}

export function parseStep(text: string): Step | undefined {
  const at = text.indexOf(":");
  const kind = STEP_KIND_NAMES.find((name) => name === (at === -1 ? text : text.slice(0, at)));
  return kind === undefined ? undefined : { kind, value: at === -1 ? "" : text.slice(at + 1) };
}

export function stepText({ kind, value }: Step): string {
  return value === "" ? kind : `${kind}:${value}`;
}

/** True if a report can count it: custom and contract events need a name. */
export function isComplete({ kind, value }: Step): boolean {
  return value !== "" || (kind !== "track" && kind !== "decoded_log");
}

export function stepLabel({ kind, value }: Step): string {
  return value === "" ? STEP_KINDS[kind].label : value;
}

/** A step of the reports `funnel` and `flow`. A page is a built-in event, or a path in its place. */
export function stepParameter({ kind, value }: Step): { type: string; event?: string } {
  switch (kind) {
    case "page":
      return { type: "event", event: value === "" ? "page" : value };
    case "track":
    case "decoded_log":
      return { type: kind, event: value };
    case "signature":
    case "transaction":
      return { type: kind };
    case "connect":
    case "chain":
    case "identify":
      return { type: "event", event: kind };
  }
}
