/** The report `flow` as the nodes and links of a Sankey diagram. */
import { valueName } from "../../format/names.ts";

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

/** The nodes that the shown paths go through: place -> name, the first node being place 0. */
export type Through = ReadonlyMap<number, string>;

/** `place:name` each, as in the URL. The report follows at most ten steps. */
export function parseThrough(texts: readonly string[]): Through {
  const places = new Map<number, string>();
  for (const text of texts) {
    const found = /^(\d|10):(.+)$/s.exec(text);
    if (found?.[2] !== undefined) places.set(Number(found[1]), found[2]);
  }
  return places;
}

export function throughTexts(through: Through): string[] {
  return [...through].sort(([one], [other]) => one - other).map(([place, name]) => `${place}:${name}`);
}

/** The parameter `through` of the report: names by their place, empty ones between. */
export function throughParameter(through: Through): string | undefined {
  if (through.size === 0) return undefined;
  return JSON.stringify(
    Array.from({ length: Math.max(...through.keys()) + 1 }, (_, place) => through.get(place) ?? ""),
  );
}

/** After a click on a box: the path goes on through it, or no longer. */
export function toggleThrough(through: Through, { column, name }: FlowNode): Through {
  const next = new Map(through);
  if (next.get(column) === name) next.delete(column);
  else next.set(column, name);
  return next;
}

/** A box without a name of its own cannot be chosen. */
export function isNamed({ name }: FlowNode): boolean {
  return name !== OTHERS;
}
