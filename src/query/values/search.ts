/** One statement over the days of a project, for somebody who types and waits. */
import { ApiError } from "../../contract/errors.ts";
import { EngineBusy } from "../../engines/failures.ts";
import type { Cte } from "../../engines/relations.ts";
import { type PeoplePlan, planPeople } from "../report/people.ts";
import { scopeOf } from "../report/question.ts";
import { type Days, hullOf } from "../report/window.ts";
import type { LookupContext } from "../run/run-lookup.ts";
import { withRelations } from "../run/with-relations.ts";

const SEARCH_MS = 5_000;

interface Search {
  readonly ctes: readonly Cte[];
  readonly answer: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The people that its conditions speak of. */
  readonly people?: PeoplePlan;
}

const NOBODY_ASKED = planPeople([]);

export async function searchIn<Row extends object>(
  window: Days & { readonly zone: string },
  { ctes, answer, params: own, people = NOBODY_ASKED }: Search,
  { engine, owner, nowMs, signal }: LookupContext,
): Promise<readonly Row[]> {
  const scope = scopeOf(owner, hullOf(window, people.days), nowMs, window.zone);
  if (scope.projects.length === 0) return [];
  const relations = await engine.relations.forReport(scope, signal);
  const sql = withRelations([...relations.ctes, ...people.ctes, ...ctes], answer);
  const params = {
    ...relations.params,
    projects: scope.projects.map(({ id }) => id),
    first_day: window.firstDay,
    last_day: window.lastDay,
    without_bots: withoutBots(owner),
    ...people.params,
    ...own,
  };
  try {
    return (await engine.select<Row>(sql, { params, reads: relations.reads, signal, timeoutMs: SEARCH_MS })).rows;
  } catch (cause) {
    if (!(cause instanceof EngineBusy)) throw cause;
    throw new ApiError("SERVICE_UNAVAILABLE", "The search for values takes too long: choose fewer days", {
      headers: { "Retry-After": "5" },
      cause,
    });
  }
}

type Owner = LookupContext["owner"];

function withoutBots({ projects }: Owner): string[] {
  return projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id);
}

/** SQL: a session or event counts although its device may be a bot. */
export function keepsBots(owner: Owner, of = "v"): string {
  if (withoutBots(owner).length === 0) return "1 = 1";
  return `(${of}.project_id NOT IN {without_bots:Array(String)} OR ${of}.device != 'bot')`;
}
