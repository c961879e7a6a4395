/** The report `flow` as the nodes and links of a Sankey diagram. */
import { valueName } from "../../format/names.ts";
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

/** The report's own name for what is left out. */
const OTHERS = "Others";

export function flowGraph(rows: readonly FlowRow[]): { nodes: FlowNode[]; links: FlowLink[] } {
  const first = Math.min(...rows.map(({ step }) => step));
  const nodes = new Map<string, FlowNode>();
  const links = rows.map(({ step, source, target, transitions }) => {
    const [from, to] = [source, target].map((name, index) => {
      const column = step - first + index;
      const node = { id: `${column} ${name}`, column, name };
      nodes.set(node.id, node);
      return node.id;
    });
    return { source: from ?? "", target: to ?? "", value: transitions };
  });
  return { nodes: [...nodes.values()], links };
}

/** A box as people know it: `connect` is "Wallet connected", `signature: requested` is "Signature: requested". */
export function nodeLabel(name: string): string {
  if (name.startsWith("/") || name === OTHERS) return name;
  const [type = "", ...status] = name.split(": ");
  const label = valueName("type", type);
  return label === type ? name : [label, ...status].join(": ");
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
