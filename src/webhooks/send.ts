import type { Clock } from "../lib/clock.ts";
import { createSemaphore } from "../lib/semaphore.ts";
import { type AddressPolicy, findAddresses, type Problem, readTarget, shareLookups } from "./address-guard.ts";
import { findRetryAfterMs, readExcerpt } from "./answer.ts";
import { type Deadline, startDeadline, untilAborted } from "./deadline.ts";
import { ConnectError, exchange } from "./exchange.ts";

/**
 * One attempt to deliver: read the URL -> wait for a slot -> find and check the addresses -> exchange -> outcome. What the other
 * side does is always a value; only a bug of ours throws. No outcome holds a part of the URL: it may carry a secret.
 */
export type AttemptOutcome =
  | { kind: "answered"; status: number; retryAfterMs?: number; bodyExcerpt: string; durationMs: number }
  /** Not allowed to go there; nothing was connected. */
  | { kind: "refused"; reason: Problem["reason"]; durationMs: number }
  | { kind: "failed"; reason: FailureReason; durationMs: number };

export type FailureReason =
  /** The name has no address. */
  | "dns"
  /** No address took the connection. */
  | "connect"
  /** Connected, but to no secure channel: certificate, protocol. */
  | "tls"
  /** The connection ended before the answer did. */
  | "reset"
  /** The whole attempt was not over in time. */
  | "timeout"
  /** Headers beyond 16 KiB. */
  | "too_large"
  /** What came back is not HTTP. */
  | "protocol"
  /** No connection became free in time: nothing was tried. */
  | "busy"
  /** Ended by us: the caller's signal or close(). */
  | "stopped";

export interface AttemptRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** For everything from the wait for a slot to the last byte read. */
  deadlineMs: number;
  signal?: AbortSignal;
}

/** How many connections may be open at once. Each attempt has one of its own, so this counts attempts. */
interface ConnectionLimits {
  perTarget: number;
  total: number;
}

export interface SenderDeps extends AddressPolicy {
  /** Dates in `Retry-After` are compared with it. */
  clock: Clock;
  version: string;
  limits?: ConnectionLimits;
}

export interface Sender {
  send(request: AttemptRequest): Promise<AttemptOutcome>;
  /** Ends what is under way (`stopped`) and resolves when it has ended. */
  close(): Promise<void>;
}

/** 256 sockets are far below the usual limit of 1,024 files; one host gets a quarter of them, as in slots.ts. */
const DEFAULT_LIMITS: ConnectionLimits = { perTarget: 64, total: 256 };

type Result =
  | { kind: "answered"; status: number; retryAfterMs?: number; bodyExcerpt: string }
  | { kind: "refused"; reason: Problem["reason"] }
  | { kind: "failed"; reason: FailureReason };

export function createSender(deps: SenderDeps): Sender {
  const { perTarget, total } = deps.limits ?? DEFAULT_LIMITS;
  const slots = createSemaphore({ perKey: perTarget, total });
  const sharing = { ...deps, lookup: shareLookups(deps.lookup) };
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  async function attempt(request: AttemptRequest, deadline: Deadline): Promise<Result> {
    const target = readTarget(request.url);
    if (!target.ok) return { kind: "refused", reason: target.problem.reason };
    // Nothing but the signal ends this wait.
    const release = await slots.acquire(target.url.origin, deadline.signal).catch(() => undefined);
    if (release === undefined) return failed(deadline.endReason() === "stopped" ? "stopped" : "busy");
    try {
      return await deliver(sharing, target.url, request, deadline.signal);
    } catch (cause) {
      return failed(deadline.endReason() ?? reasonOf(cause));
    } finally {
      release();
    }
  }

  async function run(request: AttemptRequest): Promise<AttemptOutcome> {
    const startedMs = performance.now();
    const deadline = startDeadline(request.deadlineMs, [closing.signal, request.signal]);
    try {
      const result = await attempt(request, deadline);
      return { ...result, durationMs: Math.round(performance.now() - startedMs) };
    } finally {
      deadline.end();
    }
  }

  return {
    async send(request) {
      const attempted = run(request);
      running.add(attempted);
      try {
        return await attempted;
      } finally {
        running.delete(attempted);
      }
    },
    async close() {
      closing.abort();
      await Promise.allSettled(running);
    },
  };
}

async function deliver(deps: SenderDeps, url: URL, request: AttemptRequest, signal: AbortSignal): Promise<Result> {
  const found = await untilAborted(findAddresses(url, deps), signal);
  if (found.kind === "refused") return { kind: "refused", reason: "address" };
  if (found.kind === "unresolved") return failed("dns");
  const headers = { ...request.headers, "user-agent": `Sextant-Webhooks/${deps.version}` };
  const answer = await exchange({ url, addresses: found.addresses, headers, body: request.body, signal });
  const retryAfterMs = findRetryAfterMs(answer.headers["retry-after"], deps.clock.nowMs());
  return {
    kind: "answered",
    status: answer.status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    bodyExcerpt: readExcerpt(answer.body),
  };
}

function failed(reason: FailureReason): Result {
  return { kind: "failed", reason };
}

const RESETS = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"]);

/** Every fault of the other side has a reason; what undici refuses to send at all is a bug of ours. */
function reasonOf(cause: unknown): FailureReason {
  if (cause instanceof ConnectError) return cause.reason;
  const code = String((cause as { code?: unknown }).code);
  if (RESETS.has(code)) return "reset";
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "too_large";
  // An alert after the handshake, as TLS 1.3 sends it when it asks for a client certificate in vain.
  if (code.startsWith("ERR_SSL_")) return "tls";
  if (cause instanceof TypeError || code === "UND_ERR_INVALID_ARG") throw cause;
  return "protocol";
}
