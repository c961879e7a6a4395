import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorStyle, errorBody } from "../contract/error-body.ts";
import { ApiError } from "../contract/errors.ts";
import { LogUnavailable } from "../ingest/log-errors.ts";
import { JSON_TYPE } from "./headers.ts";

/** Turns anything thrown into a public response: the only translator, at the edge. */
export interface ErrorEdge {
  send(request: FastifyRequest, reply: FastifyReply, cause: unknown): FastifyReply;
  /** Only the public failure, for responses other than the envelope. Logs failures that are our own fault. */
  translate(request: FastifyRequest, cause: unknown): ApiError;
  /** For the fast path (events/fast-path.ts). Returns the status. */
  sendPlain(request: IncomingMessage, response: ServerResponse, requestId: string, cause: unknown): number;
  /** For failures before there is a request: a broken or oversized header, or a request that never ends. */
  sendRaw(cause: NodeJS.ErrnoException, socket: Socket): void;
}

interface ErrorEdgeDeps {
  style: (path: string) => ErrorStyle;
  publicApiUrl: () => string;
  /** True when a cause means that a store or engine is unavailable. */
  isUnavailable: (cause: unknown) => boolean;
  newRequestId: () => string;
  log: { error(fields: object, message: string): void };
  /** Headers of every failure, also of those that no hook saw: a browser needs them to read the response. */
  headers: Record<string, string>;
}

export function createErrorEdge(deps: ErrorEdgeDeps): ErrorEdge {
  const translate = (request: FastifyRequest, cause: unknown) => {
    const failure = isGone(request.raw, cause)
      ? new ApiError("BAD_REQUEST", "The request ended early", { cause })
      : toApiError(cause, deps.isUnavailable);
    if (isOurFault(failure)) request.log.error({ err: cause }, "request failed");
    return failure;
  };
  return {
    translate,
    send(request, reply, cause) {
      const failure = translate(request, cause);
      const body = errorBody(deps.style(request.routeOptions.url ?? request.url), deps.publicApiUrl(), failure);
      return (
        reply
          .code(failure.status)
          // Set again, because no hook ran for a request that the router itself refused.
          .header("X-Request-Id", request.id)
          .headers({ ...deps.headers, ...failure.headers })
          .type(JSON_TYPE)
          .send(JSON.stringify(body))
      );
    },
    sendPlain(request, response, requestId, cause) {
      const failure = toApiError(cause, deps.isUnavailable);
      if (isOurFault(failure)) deps.log.error({ err: cause, requestId }, "request failed");
      const body = JSON.stringify(errorBody(deps.style(request.url ?? "/"), deps.publicApiUrl(), failure));
      const length = { "Content-Type": JSON_TYPE, "Content-Length": Buffer.byteLength(body) };
      response.writeHead(failure.status, { ...deps.headers, ...failure.headers, ...length });
      response.end(body);
      return failure.status;
    },
    sendRaw(cause, socket) {
      if (cause.code === "ECONNRESET" || !socket.writable) {
        socket.destroy();
        return;
      }
      const failure = fromParserError(cause);
      const body = JSON.stringify(errorBody(deps.style("/"), deps.publicApiUrl(), failure));
      socket.end(rawResponse(failure.status, { "X-Request-Id": deps.newRequestId(), ...deps.headers }, body));
    },
  };
}

/** The bytes of a response where there is no response object. */
function rawResponse(status: number, headers: Record<string, string>, body: string): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/**
 * Whether a failure is logged. The event log reports its own failures once, and reaching one of our limits is a 503
 * without a cause. A line for each such request would be thousands a second, on a disk that may be full. The metrics
 * count them.
 */
function isOurFault(failure: ApiError): boolean {
  if (failure.status === 503) return failure.cause !== undefined && !(failure.cause instanceof LogUnavailable);
  return failure.status >= 500;
}

/**
 * The client disconnected before the request or the response was complete; the latter shows as our abort of the work.
 * Other causes are ours.
 */
function isGone({ destroyed, complete, socket }: IncomingMessage, cause: unknown): boolean {
  return (destroyed && !complete) || (socket.destroyed && (cause as Partial<Error> | undefined)?.name === "AbortError");
}

function toApiError(cause: unknown, isUnavailable: (cause: unknown) => boolean): ApiError {
  if (cause instanceof ApiError) return cause;
  if (isUnavailable(cause)) {
    return new ApiError("SERVICE_UNAVAILABLE", "A part of the service is not available now; try again", {
      headers: { "Retry-After": "1" },
      cause,
    });
  }
  switch ((cause as Partial<FastifyError>).code ?? "") {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new ApiError("BAD_REQUEST", "The request body is too large", { status: 413 });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_INVALID_CONTENT_TYPE":
      return new ApiError("BAD_REQUEST", "The body must be sent as Content-Type: application/json", { status: 415 });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new ApiError("BAD_REQUEST", "The body is shorter or longer than its Content-Length");
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new ApiError("BAD_REQUEST", "The path is not a valid URL path");
    case "FST_ERR_ROUTE_REQUEST_TIMEOUT":
    case "FST_ERR_HANDLER_TIMEOUT":
      return new ApiError("SERVICE_UNAVAILABLE", "The request took too long", {
        headers: { "Retry-After": "1" },
        cause,
      });
    default:
      return new ApiError(
        "INTERNAL_SERVER_ERROR",
        "An unexpected error happened; the log has it under this request's X-Request-Id",
        { cause },
      );
  }
}

function fromParserError(cause: NodeJS.ErrnoException): ApiError {
  switch (cause.code ?? "") {
    case "HPE_HEADER_OVERFLOW":
      return new ApiError("BAD_REQUEST", "The request's URL and headers are too long", { status: 431 });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiError("BAD_REQUEST", "The request was not complete in time", { status: 408 });
    case "HPE_INVALID_EOF_STATE":
      // The parser gives no more detail: the request may also have ended within its headers.
      return new ApiError("BAD_REQUEST", "The request ended before all of its headers or its Content-Length was sent");
    default:
      return new ApiError("BAD_REQUEST", "The request is not valid HTTP");
  }
}
