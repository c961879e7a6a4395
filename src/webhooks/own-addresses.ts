import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { LookupLike } from "./resolve-name.ts";

/** Interfaces and DNS change while the service runs; a change may go unnoticed for this long. */
const REFRESH_MS = 30_000;

/**
 * The addresses of this machine's interfaces and of its public URLs. A webhook to one of them would travel over
 * loopback or through our own proxy, behind the firewall that protects other services there.
 *
 * Only the first call waits for DNS; later ones get the last known addresses while they are refreshed. A name that
 * cannot be resolved keeps its last addresses: otherwise a fault of our DNS would open them to webhooks.
 */
export function createOwnAddresses(
  publicUrls: readonly string[],
  lookup: LookupLike,
  timerMs: () => number = () => performance.now(),
): () => Promise<ReadonlySet<string>> {
  const hosts = publicUrls.filter((url) => url !== "").map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ""));
  const resolved = new Map<string, readonly string[]>();
  let interfaces: readonly string[] = [];
  let first: Promise<void> | undefined;
  let readAtMs = 0;
  return async () => {
    if (first === undefined || timerMs() - readAtMs > REFRESH_MS) {
      readAtMs = timerMs();
      interfaces = listInterfaces();
      const refreshed = resolveAll(hosts, lookup, resolved);
      first ??= refreshed;
    }
    await first;
    return new Set([...interfaces, ...[...resolved.values()].flat()]);
  };
}

function listInterfaces(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}

/** Never rejects: a name that never had an address adds nothing to refuse. */
async function resolveAll(
  hosts: readonly string[],
  lookup: LookupLike,
  resolved: Map<string, readonly string[]>,
): Promise<void> {
  await Promise.allSettled(
    hosts.map(async (host) => {
      const addresses = isIP(host) === 0 ? (await lookup(host)).map(({ address }) => address) : [host];
      if (addresses.length > 0) resolved.set(host, addresses);
    }),
  );
}
