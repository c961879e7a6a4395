import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { startDeadline, untilAborted } from "./deadline.ts";
import { createOwnAddresses } from "./own-addresses.ts";
import { type Address, createLookup, type LookupLike } from "./resolve-name.ts";

/**
 * Which addresses a webhook may go to. A target is checked when its subscription is created (`checkTargetUrl`) and
 * again at every attempt. An attempt connects only to the addresses that were just checked (`findAddresses`,
 * `exchange.ts`).
 */
export interface AddressPolicy {
  /** CIDRs or addresses that are allowed although they are not public; see `networkProblem`. */
  allowNetworks: readonly string[];
  allowLoopback: boolean;
  /** The addresses of this machine and of its public URLs. They are refused even if they are public. */
  ownAddresses?: () => Promise<ReadonlySet<string>>;
  /** Replaced in tests; otherwise the system's resolver. */
  lookup?: LookupLike;
}

export function createTargetPolicy(
  options: { allowNetworks: readonly string[]; allowLoopback: boolean; publicUrls: readonly string[] },
  lookup: LookupLike = lookupAll,
): AddressPolicy {
  const { allowNetworks, allowLoopback, publicUrls } = options;
  return { allowNetworks, allowLoopback, ownAddresses: createOwnAddresses(publicUrls, lookup), lookup };
}

export interface Problem {
  reason: "length" | "url" | "scheme" | "user_info" | "address";
  /** Shown to the client. It depends only on the URL and the kind of its addresses, never on what listens there. */
  message: string;
}

export type Addresses =
  | { kind: "allowed"; addresses: readonly Address[] }
  | { kind: "refused" }
  /** The name has no address at the moment. */
  | { kind: "unresolved" };

const lookupAll = createLookup();

/** A length that browsers and proxies support. */
const MAX_URL_CHARS = 2048;
/** The longest wait for DNS when a subscription is created. Every attempt resolves the name again. */
const CHECK_MS = 3000;

const REFUSED: Problem = { reason: "address", message: "must lead to a public address" };

/** Global unicast: all other IPv6 ranges are special or unassigned. ipaddr.js calls ::7f00:1 and 4000::1 unicast. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** Numerically public, but inside every Azure network the platform itself answers there. */
const AZURE_PLATFORM = "168.63.129.16";
const LOOPBACKS = ["127.0.0.1", "::1"] as const;

/**
 * Returns the problem of a target URL, if any. A name without an address passes: its DNS may be briefly unavailable.
 */
export async function checkTargetUrl(url: string, policy: AddressPolicy): Promise<Problem | undefined> {
  const target = readTarget(url);
  if (!target.ok) return target.problem;
  const deadline = startDeadline(CHECK_MS);
  try {
    const found = await untilAborted(findAddresses(target.url, policy), deadline.signal);
    return found.kind === "refused" ? REFUSED : undefined;
  } catch (cause) {
    if (deadline.signal.aborted) return undefined;
    throw cause;
  } finally {
    deadline.end();
  }
}

/** The part of the check that needs no network. Later steps use only the parsed URL, never the text. */
export function readTarget(text: string): { ok: true; url: URL } | { ok: false; problem: Problem } {
  if (text.length > MAX_URL_CHARS) return wrong("length", `must have at most ${MAX_URL_CHARS} characters`);
  const url = isUrlText(text) ? URL.parse(text) : null;
  if (url === null) return wrong("url", "must be a URL such as https://example.com/hook");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return wrong("scheme", "must start with https:// or http://");
  if (url.username !== "" || url.password !== "") return wrong("user_info", "must not hold a user name or password");
  return { ok: true, url };
}

/**
 * Refuses control characters and lone surrogates. The parser would drop or encode them, but the text itself is stored
 * and compared, and PostgreSQL does not accept NUL.
 */
export function isUrlText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}

/** All addresses of the target's host. One address that is not allowed refuses the target. */
export async function findAddresses(url: URL, policy: AddressPolicy): Promise<Addresses> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  // Needs no DNS: a private address is refused at once, also while name servers hang.
  if (family !== 0 && !isAllowed(host, policy)) return { kind: "refused" };
  const own = (await policy.ownAddresses?.()) ?? NOTHING;
  if (family !== 0) return judge([{ address: host, family }], policy, own);
  if (isLocalhost(host) && !LOOPBACKS.some((address) => isAllowed(address, policy))) return { kind: "refused" };
  let answers: readonly Address[];
  try {
    answers = await (policy.lookup ?? lookupAll)(host);
  } catch {
    // The caller treats every cause alike: an absent name, an unavailable name server, an invalid name.
    return { kind: "unresolved" };
  }
  return answers.length === 0 ? { kind: "unresolved" } : judge(answers, policy, own);
}

const NOTHING: ReadonlySet<string> = new Set();

function judge(addresses: readonly Address[], policy: AddressPolicy, own: ReadonlySet<string>): Addresses {
  const allowed = addresses.every(({ address }) => isAllowed(address, policy, own));
  return allowed ? { kind: "allowed", addresses } : { kind: "refused" };
}

export function isAllowed(text: string, policy: AddressPolicy, own: ReadonlySet<string> = NOTHING): boolean {
  // A zone (fe80::1%eth0) picks an interface of this machine; no public target needs one.
  if (isIP(text) === 0 || text.includes("%")) return false;
  // Not `process`: an IPv4-mapped IPv6 address stays mapped and is refused, whichever address it maps.
  const address = ipaddr.parse(text);
  if (policy.allowNetworks.some((network) => contains(network, address))) return true;
  const range = address.range();
  if (range === "loopback") return policy.allowLoopback;
  if (range !== "unicast" || text === AZURE_PLATFORM || own.has(address.toString())) return false;
  return address.kind() === "ipv4" || address.match(GLOBAL_V6);
}

function contains(network: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const [base, bits] = parseNetwork(network);
  return base.kind() === address.kind() && address.match(base, bits);
}

/**
 * Why a text is not a network, phrased to follow the setting's name; undefined for `10.0.0.0/8`, `fd00::/8` or a single
 * address.
 */
export function networkProblem(text: string): string | undefined {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || rest.length > 0) return `must list IP addresses or CIDRs, not ${text}`;
  const most = family === 4 ? 32 : 128;
  if (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)) return undefined;
  return `must list CIDRs of 0 to ${most} bits, not ${text}`;
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const problem = networkProblem(text);
  if (problem !== undefined) throw new Error(`allowed networks: ${problem}`);
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** Loopback by name (RFC 6761), regardless of what a resolver answers. */
function isLocalhost(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}

/** Concurrent attempts to one name share one lookup, so that the name server is queried once. */
export function shareLookups(lookup: LookupLike = lookupAll): LookupLike {
  const running = new Map<string, Promise<readonly Address[]>>();
  return (hostname) => {
    const shared = running.get(hostname) ?? lookup(hostname).finally(() => running.delete(hostname));
    running.set(hostname, shared);
    return shared;
  };
}

function wrong(reason: Problem["reason"], message: string): { ok: false; problem: Problem } {
  return { ok: false, problem: { reason, message } };
}
