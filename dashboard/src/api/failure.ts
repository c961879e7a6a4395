/** Requests that failed, and what to tell people about them. */

/** An answer other than 2xx, or none at all (status 0). */
export class RequestFailed extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;

  constructor(status: number, code: string, message: string, more: Partial<FailureParts> = {}) {
    super(message);
    this.name = "RequestFailed";
    this.status = status;
    this.code = code;
    this.param = more.param;
    this.details = more.details ?? {};
    this.requestId = more.requestId;
  }
}

interface FailureParts {
  param: string | undefined;
  details: Readonly<Record<string, unknown>>;
  requestId: string | undefined;
}

/**
 * What went wrong, for people. The service names the first field by its path and repeats it in the details; a form shows
 * one field of each name, so that its name alone says which: "Password must have at least 10 characters."
 */
export function failureText(failure: unknown): string {
  if (!(failure instanceof Error)) return "Something went wrong.";
  if (!(failure instanceof RequestFailed) || failure.code !== "INVALID_VALIDATION_REQUEST") return failure.message;
  const fields = Object.entries(failure.details).slice(0, MOST_FIELDS);
  return fields.length === 0
    ? failure.message
    : fields.map(([path, what]) => `${fieldName(path)} ${String(what)}.`).join(" ");
}

const MOST_FIELDS = 3;

/** "body.targetUrl" is "Target url", and "query.filters.0.op" "Filters 1 op". */
function fieldName(path: string): string {
  const parts = path.replace(/^(body|query|params|headers)\./, "").split(".");
  const words = parts.map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part)).join(" ");
  const spaced = words
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Nothing is wrong with the request itself: the same one may succeed soon. */
export function isPassing(failure: unknown): boolean {
  if (!(failure instanceof RequestFailed)) return false;
  return failure.status === 0 || failure.status === 429 || failure.status >= 500;
}

/** Says what a person can do about a failure. */
export function adviceFor(failure: unknown): string {
  if (!(failure instanceof RequestFailed)) return "Reload the page. If it stays, tell whoever runs this Sextant.";
  if (failure.status === 0) return "Check that Sextant runs and that this device is online, then try again.";
  if (failure.status === 401) return "Sign in again.";
  if (failure.status === 403) return "Your role does not include this. Ask an owner or admin of the workspace.";
  if (failure.status === 404) return "It may have been deleted, or belong to another project.";
  if (failure.status === 429) return "Too many requests at once. Wait a few seconds, then try again.";
  if (failure.status === 503) return "The service is starting or busy. Events are still accepted; try again soon.";
  if (failure.status >= 500) {
    const id = failure.requestId === undefined ? "" : ` The service's log names this request ${failure.requestId}.`;
    return `Try again.${id}`;
  }
  if (failure.param === "body.query") return "Change the statement, then run it again.";
  return "Change the filters or the period, then try again.";
}
