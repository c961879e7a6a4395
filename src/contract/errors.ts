/**
 * The table of error codes: the code that clients branch on, its HTTP status, and its text on the errors page. Adding a
 * code also adds its anchor under /docs/errors; a test keeps table, page and OpenAPI in step.
 */
export const ERRORS = {
  BAD_REQUEST: {
    status: 400,
    title: "The request is wrong in a way no schema can express",
    advice:
      "Read the message: it names the rule. Malformed JSON, a method the path does not take (405, see the Allow " +
      "header), a body that is too large (413), a URL that is too long (414), a content type the endpoint does " +
      "not read (415) and oversized headers (431) come with this code too.",
    retry: false,
  },
  INVALID_VALIDATION_REQUEST: {
    status: 400,
    title: "One or more fields failed validation",
    advice:
      "error.details maps each offending field (for example query.limit or body.eventTypes.0) to what is wrong " +
      "with it, all of them at once, at most 50. error.param is the first.",
    retry: false,
  },
  UNAUTHORIZED: {
    status: 401,
    title: "The key is missing, malformed, revoked or expired",
    advice:
      "Send a workspace API key as `Authorization: Bearer <key>` on /v0/ or `x-api-key: <key>` on /api/, and an " +
      "SDK write key as `Authorization: Bearer <key>` on the events server. The two kinds are not " +
      "interchangeable.",
    retry: false,
  },
  FORBIDDEN: {
    status: 403,
    title: "The key is valid but lacks a scope",
    advice: "The message names the scope. Scopes cannot be added to an existing key: create a new one.",
    retry: false,
  },
  NOT_FOUND: {
    status: 404,
    title: "There is no such resource or path",
    advice: "A resource of another workspace gives the same answer as one that does not exist.",
    retry: false,
  },
  CONFLICT: {
    status: 409,
    title: "The request conflicts with the current state",
    advice: "For example a unique name already exists. Read the resource, then decide.",
    retry: false,
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    title: "A request with this Idempotency-Key is still running",
    advice: "Wait a moment and send the same request again: once the first one ends you get its stored answer.",
    retry: true,
  },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    title: "The Idempotency-Key cannot be used",
    advice:
      "It is empty, longer than 255 characters, or was used within 24 hours for another method, path, query or " +
      "body. Use a new key for a new request.",
    retry: false,
  },
  INVALID_CHAIN_ID: {
    status: 400,
    title: "The chain is not a supported EVM chain id",
    advice: "Send the decimal chain id of a supported chain.",
    retry: false,
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    title: "The rate limit is exceeded",
    advice:
      "Wait for RateLimit-Reset seconds (Retry-After says the same), then retry with exponential backoff and " +
      "jitter. The limit is shared by all keys of a workspace.",
    retry: true,
  },
  CONTEXT_LIMIT_EXCEEDED: {
    status: 400,
    title: "An AI request carried more tokens than the model accepts",
    advice: "Send a shorter request.",
    retry: false,
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: "A part of the service is down or overloaded",
    advice: "Retry with exponential backoff; Retry-After gives the first wait where it is known.",
    retry: true,
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    title: "Something unexpected went wrong on our side",
    advice:
      "Retry with exponential backoff. If it stays, look for the X-Request-Id of the answer in the service's log.",
    retry: true,
  },
} as const satisfies Record<string, { status: number; title: string; advice: string; retry: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** The anchor of a code on the errors page, the same on every server. */
export function docUrl(publicApiUrl: string, code: ErrorCode): string {
  return `${publicApiUrl}/docs/errors#${code.toLowerCase()}`;
}

export interface ApiErrorOptions {
  /** Differs from the table's status only if HTTP has a more exact one for the same code (405, 413, 414, 415, 431). */
  status?: number;
  param?: string;
  details?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An answer other than 2xx, thrown anywhere below the HTTP layer. The message is public; the cause is only logged. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.status = options.status ?? ERRORS[code].status;
    this.param = options.param;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}
