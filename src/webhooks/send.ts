import type { Clock } from "../lib/clock.ts";
import { createSemaphore, type Semaphore } from "../lib/semaphore.ts";
import { type AddressPolicy, findAddresses, type Problem, readTarget, shareLookups } from "./address-guard.ts";
import { findRetryAfterMs, readExcerpt } from "./answer.ts";
import { type Deadline, startDeadline, untilAborted } from "./deadline.ts";
import { ConnectError, exchange } from "./exchange.ts";

/**
 * One delivery attempt: read the URL -> wait for a slot -> resolve and check the addresses -> exchange -> outcome.
 * Every fault of the target is a value; only a bug of ours throws. No outcome contains any part of the URL, which may
 * hold a secret.
 */
export type AttemptOutcome =
  | {
      kind: "answered";
      status: number;
      retryAfterMs?: number;
      /** True where the same attempt would never get another answer: a mailbox that does not exist. */
      isFinal?: boolean;
      bodyExcerpt: string;
      durationMs: number;
    }
  /** The address is not allowed; no connection was opened. */
  | { kind: "refused"; reason: Problem["reason"] | MailRefusal; durationMs: number }
  | { kind: "failed"; reason: FailureReason; durationMs: number };

export type MailRefusal =
  /** The installation has no mail server. */
  | "no_mail_server"
  /** The owner of the address has not confirmed it yet. */
  | "unconfirmed"
  /** The owner of the address wants no more of it. */
  | "unsubscribed"
  /** The workspace has sent as many mails as it may in 24 hours. */
  | "limited";

export type FailureReason =
  /** The name has no address. */
  | "dns"
  /** No address accepted the connection. */
  | "connect"
  /** Connected, but without a secure channel: wrong certificate or protocol. */
  | "tls"
  /** The mail server refuses our sign-in. */
  | "sign_in"
  /** The connection ended before the answer was complete. */
  | "reset"
  /** The attempt exceeded its time limit. */
  | "timeout"
  /** Headers beyond 16 KiB. */
  | "too_large"
  /** The answer is not HTTP. */
  | "protocol"
  /** No connection slot became free in time; nothing was attempted. */
  | "busy"
  /** Too late to begin, because this process was frozen or waited for its store; nothing was sent. */
  | "late"
  /** We ended it: the caller's signal, or close(). */
  | "stopped";

export interface AttemptRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The time limit from the wait for a slot to the last byte read. */
  deadlineMs: number;
  /** Asked at the last moment, when the connection is there and nothing is sent. Timers are late after a freeze. */
  mayBegin?: () => boolean;
  signal?: AbortSignal;
}

/** How many connections may be open at once. Each attempt has its own, so these limits count attempts. */
interface ConnectionLimits {
  perTarget: number;
  total: number;
}

export interface SenderDeps extends AddressPolicy {
  /** `Retry-After` dates are compared with it. */
  clock: Clock;
  version: string;
  limits?: ConnectionLimits;
}

export interface Sender {
  send(request: AttemptRequest): Promise<AttemptOutcome>;
  /** Ends running attempts (`stopped`) and resolves when all have ended. */
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

  async function run(request: AttemptRequest): Promise<AttemptOutcome> {
    const startedMs = performance.now();
    const deadline = startDeadline(request.deadlineMs, [closing.signal, request.signal]);
    try {
      const result = await attempt(sharing, slots, request, deadline);
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

async function attempt(
  deps: SenderDeps,
  slots: Semaphore,
  request: AttemptRequest,
  deadline: Deadline,
): Promise<Result> {
  const target = readTarget(request.url);
  if (!target.ok) return { kind: "refused", reason: target.problem.reason };
  // Only the signal ends this wait.
  const release = await slots.acquire(target.url.origin, deadline.signal).catch(() => undefined);
  if (release === undefined) return failed(deadline.endReason() === "stopped" ? "stopped" : "busy");
  let begun = false;
  const mayBegin = () => {
    begun = request.mayBegin?.() ?? true;
    return begun;
  };
  try {
    return await deliver(deps, target.url, { ...request, mayBegin }, deadline.signal);
  } catch (cause) {
    const ended = deadline.endReason();
    return failed(ended === "timeout" && !begun && deadline.wasFrozen() ? "late" : (ended ?? reasonOf(cause)));
  } finally {
    release();
  }
}

async function deliver(
  deps: SenderDeps,
  url: URL,
  { headers: given, body, mayBegin }: Required<Pick<AttemptRequest, "headers" | "body" | "mayBegin">>,
  signal: AbortSignal,
): Promise<Result> {
  const found = await untilAborted(findAddresses(url, deps), signal);
  if (found.kind === "refused") return { kind: "refused", reason: "address" };
  if (found.kind === "unresolved") return failed("dns");
  const headers = { "user-agent": `Sextant-Webhooks/${deps.version}`, ...given };
  const answer = await exchange({ url, addresses: found.addresses, headers, body, mayBegin, signal });
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

/** Every fault of the target has a reason. A request that undici refuses to send is a bug of ours. */
function reasonOf(cause: unknown): FailureReason {
  if (cause instanceof ConnectError) return cause.reason;
  const code = String((cause as { code?: unknown }).code);
  if (RESETS.has(code)) return "reset";
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "too_large";
  // A TLS alert after the handshake. TLS 1.3 sends one when the client certificate it requires is missing.
  if (code.startsWith("ERR_SSL_")) return "tls";
  if (cause instanceof TypeError || code === "UND_ERR_INVALID_ARG") throw cause;
  return "protocol";
}
