/** The report `flow` as the nodes and links of a Sankey diagram. */
import { pathText, seenText, valueName } from "../format/names.ts";

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

/** How many of a box's visitors did nothing more. */
export interface Exits {
  count: number;
  /** Of the visitors at the box. */
  share: number;
}

/** The report's own name for what is left out. */
const OTHERS = "Others";

/** The end of `name` at the step that paths are asked to reach. */
const END = "__END_MATCH__";

export interface FlowGraph {
  nodes: FlowNode[];
  links: FlowLink[];
  /** By the id of a box. */
  exits: ReadonlyMap<string, Exits>;
}

/** A row without a target is of visitors who left. */
export function flowGraph(rows: readonly FlowRow[]): FlowGraph {
  const first = Math.min(...rows.map(({ step }) => step));
  const nodes = new Map<string, FlowNode>();
  const put = (column: number, name: string) => {
    const node = { id: `${column} ${name}`, column, name };
    nodes.set(node.id, node);
    return node.id;
  };
  const links: FlowLink[] = [];
  const left = new Map<string, number>();
  const seen = new Map<string, number>();
  for (const { step, source, target, transitions } of rows) {
    const from = put(step - first, source);
    seen.set(from, (seen.get(from) ?? 0) + transitions);
    if (target === "") left.set(from, transitions);
    else links.push({ source: from, target: put(step - first + 1, target), value: transitions });
  }
  const exits = [...left].map(([id, count]) => [id, { count, share: count / (seen.get(id) ?? count) }] as const);
  return { nodes: [...nodes.values()], links, exits: new Map(exits) };
}

/** Of all who reach a step, those who leave there, in the order of the steps. */
export function exitsByStep(rows: readonly FlowRow[]): Exits[] {
  const steps = [...new Set(rows.map(({ step }) => step))].sort((one, other) => one - other);
  return steps.map((step) => {
    const own = rows.filter((row) => row.step === step);
    const sum = (some: readonly FlowRow[]) => some.reduce((all, { transitions }) => all + transitions, 0);
    const count = sum(own.filter(({ target }) => target === ""));
    return { count, share: count / sum(own) };
  });
}

/** A box as people know it: `connect` is "Wallet connected", `signature: requested` is "Signature: requested". */
export function nodeLabel(name: string): string {
  if (name === "") return "Left";
  if (name.endsWith(END)) return nodeLabel(name.slice(0, -END.length) || OTHERS);
  if (name.startsWith("/")) return pathText(name);
  if (name === OTHERS) return name;
  const [type = "", ...status] = name.split(": ");
  const label = valueName("type", type);
  return label === type ? seenText(name) : [label, ...status].join(": ");
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
  return name !== OTHERS && name !== `${OTHERS}${END}`;
}
