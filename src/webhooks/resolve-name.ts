/**
 * Resolves a name without occupying a thread. `getaddrinfo` runs on two threads for the whole process, and a name whose
 * server does not answer occupies one for 10 s or more: eight such targets stopped all webhooks. The c-ares resolver
 * waits on sockets instead. It reads neither the hosts file nor search domains, which define the names inside a
 * cluster, so both are read here. Hand-written (60 lines): npm has parsers of hosts files, but none that also handles
 * `ndots`.
 */
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";

export interface Address {
  address: string;
  family: number;
}

/** Returns all addresses of a name; rejects if it has none. */
export type LookupLike = (hostname: string) => Promise<readonly Address[]>;

/** Per server, doubled for the second try: 6 s in all, well below the 15 s of an attempt. */
const QUERY = { timeout: 2_000, tries: 2 } as const;
/** Both files change rarely. A change must not need a restart. */
const REREAD_MS = 5_000;
const LOOPBACKS: readonly Address[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];
const isWindows = process.platform === "win32";
const HOSTS_FILE = isWindows
  ? join(process.env.SystemRoot ?? "C:\\Windows", "System32\\drivers\\etc\\hosts")
  : "/etc/hosts";
const RESOLV_FILE = "/etc/resolv.conf";

interface Sources {
  readonly resolver: Pick<Resolver, "resolve4" | "resolve6">;
  readonly hosts: ReadonlyMap<string, readonly Address[]>;
  readonly search: Search;
}

export interface Search {
  readonly domains: readonly string[];
  /** A name with fewer dots is tried with the search domains first. */
  readonly ndots: number;
}

export interface ResolverOptions {
  /** Replaces the system's name servers, for example `127.0.0.1:5353`. */
  servers?: readonly string[];
  hostsFile?: string;
  resolvFile?: string;
}

export function createLookup(options: ResolverOptions = {}): LookupLike {
  const { hostsFile = HOSTS_FILE, resolvFile = RESOLV_FILE } = options;
  let sources: Promise<Sources> | undefined;
  let readAtMs = 0;

  async function readSources(): Promise<Sources> {
    const [hosts, resolv] = await Promise.all([readText(hostsFile), readText(resolvFile)]);
    // A new resolver each time: c-ares reads the system's name servers only when it starts.
    const resolver = new Resolver(QUERY);
    if (options.servers) resolver.setServers([...options.servers]);
    return { resolver, hosts: parseHosts(hosts), search: parseSearch(resolv) };
  }

  return async (hostname) => {
    const name = hostname.toLowerCase();
    if (sources === undefined || performance.now() - readAtMs > REREAD_MS) {
      readAtMs = performance.now();
      sources = readSources();
    }
    const { resolver, hosts, search } = await sources;
    const listed = hosts.get(name.replace(/\.$/, ""));
    if (listed) return listed;
    if (/(^|\.)localhost\.?$/.test(name)) return LOOPBACKS;
    return findFirst(resolver, spellingsOf(name, search));
  };
}

/** The names to query, in the order of `getaddrinfo`. */
export function spellingsOf(name: string, { domains, ndots }: Search): string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const below = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split(".").length - 1;
  return dots >= ndots ? [name, ...below] : [...below, name];
}

async function findFirst(resolver: Sources["resolver"], names: readonly string[]): Promise<readonly Address[]> {
  let failure: unknown;
  for (const name of names) {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (found.length > 0) return found.map((address) => ({ address, family: isIP(address) }));
    failure = answers.find((answer) => answer.status === "rejected")?.reason;
    // A timeout says nothing about the name, and the next spelling would wait as long.
    if (isTimeout(failure)) break;
  }
  throw failure instanceof Error ? failure : new Error("the name has no address");
}

function isTimeout(cause: unknown): boolean {
  return (cause as { code?: unknown } | undefined)?.code === "ETIMEOUT";
}

export function parseHosts(text: string): Map<string, readonly Address[]> {
  const hosts = new Map<string, Address[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }]);
    }
  }
  return hosts;
}

/** `search` and `domain` replace each other: the last one counts. `options ndots:N` is read, too. */
export function parseSearch(text: string): Search {
  let domains: string[] = [];
  let ndots = 1;
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    if (keyword === "search" || keyword === "domain") domains = values.map((value) => value.replace(/\.$/, ""));
    const option = values.map((value) => /^ndots:(\d{1,2})$/.exec(value)?.[1]).find((value) => value !== undefined);
    if (keyword === "options" && option !== undefined) ndots = Number(option);
  }
  return { domains: domains.filter((domain) => domain !== ""), ndots };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // Both files are optional.
    return "";
  }
}
