/** The report `flow` as the nodes and links of a Sankey diagram. */
import { STEP_KIND_NAMES, STEP_KINDS, type Step } from "../../state/steps.ts";

export interface FlowRow {
  step: number;
  source: string;
  target: string;
  transitions: number;
  percentage: number;
}

export interface FlowNode {
  /** The column and the name: the same page may be seen at several steps. */
  id: string;
  column: number;
  name: string;
}

export interface FlowLink {
  source: string;
  target: string;
  value: number;
}

/** More branches than this at one step cannot be told apart; the smaller ones are summed up. */
const SHOWN_TARGETS = 8;
const OTHERS = "Others";

export function flowGraph(rows: readonly FlowRow[]): { nodes: FlowNode[]; links: FlowLink[] } {
  const first = Math.min(...rows.map(({ step }) => step));
  const shown = new Map<number, Set<string>>();
  for (const step of new Set(rows.map((row) => row.step))) {
    const sums = new Map<string, number>();
    for (const row of rows) if (row.step === step) sums.set(row.target, (sums.get(row.target) ?? 0) + row.transitions);
    const largest = [...sums].sort(([, one], [, other]) => other - one).slice(0, SHOWN_TARGETS);
    shown.set(step, new Set(largest.map(([name]) => name)));
  }
  const nameAt = (column: number, name: string) =>
    column === first || shown.get(column - 1)?.has(name) ? name : OTHERS;
  const nodes = new Map<string, FlowNode>();
  const links = new Map<string, FlowLink>();
  const nodeId = (column: number, name: string) => {
    const node = { id: `${column} ${name}`, column: column - first, name };
    nodes.set(node.id, node);
    return node.id;
  };
  for (const { step, source, target, transitions } of rows) {
    const [from, to] = [nodeId(step, nameAt(step, source)), nodeId(step + 1, nameAt(step + 1, target))];
    const key = `${from}\n${to}`;
    const known = links.get(key);
    links.set(key, { source: from, target: to, value: (known?.value ?? 0) + transitions });
  }
  return { nodes: [...nodes.values()], links: [...links.values()] };
}

/** The step that a box stands for, so that a click can start from it. */
export function nodeStep(name: string): Step | undefined {
  if (name === OTHERS || name.endsWith("__END_MATCH__")) return undefined;
  if (name.startsWith("/")) return { kind: "page", value: name };
  const kind = STEP_KIND_NAMES.find((one) => one === name || STEP_KINDS[one].label === name);
  if (kind !== undefined) return { kind, value: "" };
  const [prefix = ""] = name.split(/[: ]/);
  if (prefix === "signature" || prefix === "transaction") return { kind: prefix, value: "" };
  return { kind: "track", value: name };
}
