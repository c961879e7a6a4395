/** The query of an events request. */
import { ApiError } from "../../contract/errors.ts";
import { validationError } from "../../contract/validation-error.ts";
import type { EventsRoute } from "../route.ts";

const PIPELINE = "raw_events";
/** As on the API server: a boolean that cannot be parsed must not count as absent. */
const BOOLEANS = new Set<unknown>([undefined, "true", "false"]);

export function findWrongQuery(query: Record<string, unknown>, route: EventsRoute): ApiError | undefined {
  const failures = new Map<string, string>();
  for (const field of ["name", "detail"])
    if (Array.isArray(query[field])) failures.set(`query.${field}`, "must be given once");
  if (!Array.isArray(query.detail) && !BOOLEANS.has(query.detail)) failures.set("query.detail", "must be a boolean");
  if (failures.size > 0) return validationError(failures);
  if (!namesPipeline(route) || query.name === undefined || query.name === PIPELINE) return undefined;
  const message = `There is no such event pipeline; the one there is: ${PIPELINE}`;
  return new ApiError("NOT_FOUND", message, { param: "query.name" });
}

/** The valid URLs without options, which the fast path serves. */
export function plainUrls(route: EventsRoute): string[] {
  return namesPipeline(route) ? [route.path, `${route.path}?name=${PIPELINE}`] : [route.path];
}

/** The contract's path has the name of a pipeline in its query; the path of today's SDKs ignores it. */
function namesPipeline({ rules }: EventsRoute): boolean {
  return rules === "tracked";
}
