// The independent implementation of paths: each session's events in a list, cut and counted.
import {
  compareBytes,
  isAskedSession,
  meetsEventFilters,
  type OracleAnswer,
  type OracleEvent,
  type OracleFilter,
  type OracleQuery,
  propertyText,
  sessionsOf,
} from "./oracle.ts";
import { matchesFilter, matchesStep, type OracleStep } from "./oracle-steps.ts";

export interface FlowQuery extends Pick<OracleQuery, "projects" | "from" | "to" | "filters" | "excludeBots"> {
  start_step: OracleStep;
  end_step?: OracleStep;
  through?: string[];
  global_filters?: OracleFilter[];
  include_exits?: boolean;
  window_seconds: number;
  max_steps: number;
  nodes_per_step: number;
}

interface Row {
  step: number;
  source: string;
  target: string;
  transitions: number;
  percentage: number;
}

export function answerFlow(events: readonly OracleEvent[], query: FlowQuery): OracleAnswer {
  const steps = Math.min(10, Math.max(2, query.max_steps));
  const isThrough = (path: string[]) => (query.through ?? []).every((node, at) => node === "" || path[at] === node);
  const paths = pathsOf(events, query).filter(isThrough);
  const hasExits = query.include_exits === true && query.end_step === undefined;
  const walked = paths.map((path) => path.slice(0, steps + 1)).filter(({ length }) => hasExits || length > 1);
  const shown = Array.from({ length: steps + 1 }, (_, place) => topNodes(walked, place, query.nodes_per_step));
  const name = (node: string, place: number) => {
    if (shown[place]?.has(node)) return node;
    return node.endsWith("__END_MATCH__") ? "Others__END_MATCH__" : "Others";
  };
  const rows: Row[] = [];
  for (let step = 1; step <= steps; step += 1) {
    const counts = new Map<string, number>();
    for (const path of walked) {
      const [source, target] = [path[step - 1], path[step]];
      if (source === undefined || (target === undefined && !hasExits)) continue;
      const key = JSON.stringify([name(source, step - 1), target === undefined ? "" : name(target, step)]);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const all = [...counts.values()].reduce((sum, one) => sum + one, 0);
    const ofStep = [...counts].map(([key, transitions]) => {
      const [source = "", target = ""] = JSON.parse(key) as string[];
      return { step, source, target, transitions, percentage: (transitions * 100) / all };
    });
    rows.push(...ofStep.sort(compareRows));
  }
  return {
    columns: ["step", "source", "target", "transitions", "percentage"],
    rows: rows as unknown as OracleAnswer["rows"],
    rowsBeforeLimit: rows.length,
  };
}

function compareRows(a: Row, b: Row): number {
  return b.transitions - a.transitions || compareBytes(a.source, b.source) || compareBytes(a.target, b.target);
}

function pathsOf(events: readonly OracleEvent[], query: FlowQuery): string[][] {
  const paths: string[][] = [];
  for (const session of sessionsOf(events, query)) {
    if (!isAskedSession(query, session)) continue;
    if (!session.events.some((event) => meetsEventFilters(query, event))) continue;
    const own = session.events
      .filter((event) => (query.global_filters ?? []).every((filter) => matchesFilter(filter, event)))
      .sort((a, b) => a.timestamp - b.timestamp || compareBytes(a.tie ?? a.message_id, b.tie ?? b.message_id));
    const from = own.findIndex((event) => matchesStep(query.start_step, event));
    if (from === -1) continue;
    const start = own[from]?.timestamp ?? 0;
    const followed = own.slice(from).filter(({ timestamp }) => timestamp - start <= query.window_seconds * 1000);
    const { end_step } = query;
    if (end_step === undefined) {
      paths.push(followed.map(nodeOf));
      continue;
    }
    const end = followed.findIndex((event, at) => at > 0 && matchesStep(end_step, event));
    if (end === -1) continue;
    paths.push(followed.slice(0, end + 1).map((event, at) => `${nodeOf(event)}${at === end ? "__END_MATCH__" : ""}`));
  }
  return paths;
}

export function nodeOf(event: OracleEvent): string {
  const { type, event: name, pathname } = event;
  if (type === "page") return pathname || "page";
  if (type === "track" || type === "decoded_log") return name || type;
  const status = type === "signature" || type === "transaction" ? propertyText(event, "status") : "";
  return status === "" ? type : `${type}: ${status}`;
}

function topNodes(paths: string[][], place: number, limit: number): Set<string> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const node = path[place];
    if (node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, ofA], [b, ofB]) => ofB - ofA || compareBytes(a, b));
  return new Set(sorted.slice(0, limit).map(([node]) => node));
}
