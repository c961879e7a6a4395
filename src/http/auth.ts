import { ApiError } from "../contract/errors.ts";
import { allows } from "../contract/scopes.ts";
import type { Authenticate } from "../control/authenticate.ts";
import type { ApiKey } from "../control/keys.ts";
import type { RateLimiter, RatePolicy } from "../control/rate-limit.ts";
import { type ActingMember, requireRole } from "./account/principal.ts";
import { rateHeaders } from "./rate-limit.ts";
import type { ReadRoute, WriteRoute } from "./route.ts";

type Headers = Record<string, string | string[] | undefined>;

/** The key of a request. People confuse the two headers, so every path reads both; its documented one wins. */
export function findKeyText(path: string, headers: Headers): string | undefined {
  const apiKey = one(headers["x-api-key"]);
  const bearer = bearerOf(headers);
  const sentBearer = headers.authorization !== undefined;
  if (path.startsWith("/api/")) return apiKey ?? bearer;
  // An Authorization header without a Bearer token is a malformed credential, not a missing one.
  return sentBearer ? (bearer ?? "") : apiKey;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function bearerOf(headers: Headers): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(one(headers.authorization) ?? "")?.[1];
}

/**
 * The write key of an events request. Eight months of releases of the web SDK sent the key itself as `Basic <key>`,
 * without a colon and not in base64. Their events would be lost: an SDK does not repeat what gets a 401.
 */
export function writeKeyOf(headers: Headers): string | undefined {
  return /^(?:Bearer|Basic) +(\S+) *$/i.exec(one(headers.authorization) ?? "")?.[1];
}

/** Counts failures per client address, only in this process's memory: the address is not stored. */
export interface FailedAuth {
  /** The 401 for this failure or, after too many from one address, a 429. */
  refuse(sent: string | undefined, client: string, what: "API key" | "write key" | "BI token"): Promise<ApiError>;
}

export function createFailedAuth(limiter: RateLimiter, policy: RatePolicy): FailedAuth {
  return {
    async refuse(sent, client, what) {
      const verdict = await limiter.take(clientGroup(client), policy);
      if (!verdict.allowed) {
        return new ApiError("TOO_MANY_REQUESTS", "Too many failed authentications from this address", {
          headers: rateHeaders(verdict),
        });
      }
      const message = sent === undefined ? `${what === "API key" ? "An" : "A"} ${what} is required` : `Invalid ${what}`;
      return new ApiError("UNAUTHORIZED", message, { headers: { "WWW-Authenticate": 'Bearer realm="sextant"' } });
    },
  };
}

export interface AuthDeps {
  authenticate: Authenticate;
  failures: FailedAuth;
}

/** Returns the key of a request. Throws 401 or, after too many failures from one address, 429. */
export async function getKey(deps: AuthDeps, text: string | undefined, client: string): Promise<ApiKey> {
  const key = text === undefined || text === "" ? undefined : await deps.authenticate(text);
  if (key === undefined) throw await deps.failures.refuse(text, client, "API key");
  return key;
}

/** Throws 403 if the key or the member may not use the route. */
export function requireScope(
  key: ApiKey,
  member: ActingMember | undefined,
  { access, role, method }: Pick<ReadRoute | WriteRoute, "access" | "role" | "method">,
): void {
  if (member !== undefined) requireRole(member, role ?? (method === "GET" ? "viewer" : "editor"));
  else if (access === "member") throw new ApiError("FORBIDDEN", "This is for signed-in users, not for API keys");
  if (access === "any" || access === "open" || access === "member" || allows(key.scopes, access)) return;
  throw new ApiError("FORBIDDEN", `API key missing required scope: ${access}`);
}

/** An IPv6 customer owns at least a /64, so a /64 counts as one client. */
export function clientGroup(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - left.length - (tail === "" ? 0 : tail.split(":").length);
  return [...left, ...Array<string>(Math.max(0, missing)).fill("0")].slice(0, 4).join(":");
}
