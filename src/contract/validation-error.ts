import { ApiError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

/** All failures at once, by dotted path (`body.fields.0.label`). The first path is the error's `param`. */
export function validationError(failures: ReadonlyMap<string, string>): ApiError {
  const listed = [...failures].slice(0, LIMITS.validationFailures);
  const [first] = listed;
  const more = failures.size > 1 ? ` (and ${failures.size - 1} more, see details)` : "";
  return new ApiError("INVALID_VALIDATION_REQUEST", `Invalid request data: ${first?.[0]} ${first?.[1]}${more}`, {
    ...(first ? { param: first[0] } : {}),
    details: Object.fromEntries(listed),
  });
}
