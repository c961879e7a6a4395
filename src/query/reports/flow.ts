import { STEP_LIMITS } from "../../contract/steps.ts";
import { type Clause, type Condition, type Failures, joinClauses, readConditionList } from "../filters/condition.ts";
import { buildEventClause, EVENT_TERMS, isNamedEvent } from "../filters/event-terms.ts";
import { findJson } from "../filters/json.ts";
import { readOneStep, type Step, stepMark } from "../filters/steps.ts";
import { readParts, toCtes } from "../report/parts.ts";
import { defineReport } from "../report/report.ts";
import { keepSessions } from "./kept-sessions.ts";
import { datesOf, requireDates } from "./required-dates.ts";

const PARTS = readParts("flow");
const ONE_PASS = readParts("flow_one_pass");

interface Own {
  readonly start: Step | undefined;
  readonly end: Step | undefined;
  /** The node that a path must have at each place; empty for any. */
  readonly through: readonly string[];
  /** Also where paths end before `maxSteps`, as steps without a target. */
  readonly withExits: boolean;
  readonly conditions: readonly Condition[];
  readonly windowMs: number;
  readonly maxSteps: number;
  readonly nodesPerStep: number;
}

export const flow = defineReport<Own>({
  dates: datesOf,
  read(query, failures) {
    requireDates(query, failures);
    const { end_step, through, global_filters, include_exits, window_seconds, max_steps, nodes_per_step } = query;
    const { windowSeconds, pathSteps, pathNodes } = STEP_LIMITS;
    return {
      start: readOneStep(query.start_step, "query.start_step", failures),
      end: isGiven(end_step) ? readOneStep(end_step, "query.end_step", failures) : undefined,
      through: isGiven(through) ? readThrough(through, failures) : [],
      // Paths to an end step end there, and nowhere else.
      withExits: include_exits === true && !isGiven(end_step),
      conditions: isGiven(global_filters) ? readGlobal(global_filters, failures) : [],
      windowMs: 1000 * numberOr(window_seconds, windowSeconds.default),
      maxSteps: Math.min(Math.max(numberOr(max_steps, pathSteps.default), pathSteps.least), pathSteps.most),
      nodesPerStep: numberOr(nodes_per_step, pathNodes.default),
    };
  },
  plan(own, context) {
    const { start, end } = own;
    const kept = keepSessions(context, context.window);
    const isStart = start === undefined ? NEVER : stepMark(start, "start");
    const isEnd = end === undefined ? NEVER : stepMark(end, "end");
    const event = buildEventClause(own.conditions, "g");
    const walked = end === undefined ? "followed" : "converted";
    const places = placeClauses(own.through);
    const isThrough = places.length > 0;
    const passed = toCtes(PARTS, ["passed"], {
      node: NODE,
      is_start: isStart.sql,
      is_end: isEnd.sql,
      is_kept: kept.isKept,
      event_filter: event.sql,
    });
    const texts = { walked, is_through: places.map(({ sql }) => `(${sql})`).join(" OR "), ...exitTexts(own) };
    return {
      ctes: [
        ...kept.ctes,
        ...passed,
        ...toCtes(PARTS, sharedParts(end !== undefined, isThrough), {
          ...texts,
          paths: isThrough ? "passing" : walked,
          other_source: OTHERS,
          other_target: othersOf("target"),
        }),
      ],
      unshared: [
        ...kept.ctes,
        ...passed,
        ...toCtes(ONE_PASS, onePassParts(end !== undefined, isThrough), {
          ...texts,
          paths: isThrough ? "passing" : "placed",
          other: othersOf("node"),
        }),
      ],
      params: {
        ...kept.params,
        ...joinClauses([isStart, isEnd, event, ...places]).params,
        ...(isThrough ? { n_through: places.length } : {}),
        flow_ms: own.windowMs,
        max_steps: own.maxSteps,
        nodes_per_step: own.nodesPerStep,
      },
      columns: COLUMNS,
      order: ["step", "transitions DESC", "source", "target"],
    };
  },
});

const COLUMNS = [
  { name: "step", type: "UInt32" },
  { name: "source", type: "String" },
  { name: "target", type: "String" },
  { name: "transitions", type: "UInt64" },
  { name: "percentage", type: "Float64" },
] as const;

const NEVER = { sql: "0", params: {} };
const END = "__END_MATCH__";
const OTHERS = "'Others'";
const othersOf = (node: string) => `if(endsWith(${node}, '${END}'), 'Others${END}', 'Others')`;

function exitTexts({ withExits }: Own) {
  return { is_pair: withExits ? "1 = 1" : "target != ''", is_step: withExits ? "1 = 1" : "next_node != ''" };
}

function sharedParts(hasEnd: boolean, hasPlaces: boolean): string[] {
  const walking = hasEnd ? ["followed", "ended", "converted"] : ["followed"];
  return ["begun", ...walking, ...(hasPlaces ? ["matched", "passing"] : []), "pairs", "nodes", "counts"];
}

function onePassParts(hasEnd: boolean, hasPlaces: boolean): string[] {
  return ["followed", ...(hasEnd ? ["converted"] : []), "placed", ...(hasPlaces ? ["passing"] : []), "shown", "counts"];
}

/** Pages by their path, tracked and decoded events by their name, and all others by their type. Never empty. */
const NODE = `if(e.type = 'page', if(e.pathname = '', e.type, e.pathname),
        if(${isNamedEvent("e")}, if(e.event = '', e.type, e.event),
            if(e.type IN ('signature', 'transaction'),
                if(e.status = '', e.type, concat(e.type, ': ', e.status)), e.type)))`;

function isGiven(text: unknown): boolean {
  return text !== undefined && text !== "";
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function readThrough(text: unknown, failures: Failures): string[] {
  const list = typeof text === "string" ? findJson(text) : undefined;
  const { pathSteps } = STEP_LIMITS;
  // As long as the address allows: every node of an answer can be asked for.
  const isNode = (node: unknown) => typeof node === "string" && node.isWellFormed();
  if (Array.isArray(list) && list.length <= pathSteps.most + 1 && list.every(isNode)) return list as string[];
  failures.set("query.through", `must be a JSON array of at most ${pathSteps.most + 1} names of nodes`);
  return [];
}

function placeClauses(through: readonly string[]): Clause[] {
  return through.flatMap((node, index) =>
    node === ""
      ? []
      : [{ sql: `place = ${index + 1} AND node = {through_${index}:String}`, params: { [`through_${index}`]: node } }],
  );
}

function readGlobal(text: unknown, failures: Failures): Condition[] {
  const list = typeof text === "string" ? findJson(text) : undefined;
  return readConditionList(list, "query.global_filters", failures, EVENT_TERMS);
}
