import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { LookupLike } from "./resolve-name.ts";

/** Interfaces and DNS change while the service runs; a change may go unnoticed for this long. */
const REFRESH_MS = 30_000;

/**
 * The addresses of this machine's interfaces and of its public URLs. A webhook to one of them would travel over
 * loopback or through our own proxy, behind the firewall that protects other services there.
 */
export function createOwnAddresses(
  publicUrls: readonly string[],
  lookup: LookupLike,
): () => Promise<ReadonlySet<string>> {
  let known: Promise<ReadonlySet<string>> | undefined;
  let readAtMs = 0;
  return () => {
    if (known === undefined || performance.now() - readAtMs > REFRESH_MS) {
      readAtMs = performance.now();
      known = readOwn(publicUrls, lookup);
    }
    return known;
  };
}

async function readOwn(publicUrls: readonly string[], lookup: LookupLike): Promise<ReadonlySet<string>> {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const hosts = publicUrls.filter((url) => url !== "").map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ""));
  const resolved = await Promise.all(hosts.map((host) => resolve(host, lookup)));
  return new Set([...interfaces.map(({ address }) => address), ...resolved.flat()]);
}

/** A name without an address adds nothing to refuse. */
async function resolve(host: string, lookup: LookupLike): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return (await lookup(host)).map(({ address }) => address);
  } catch {
    return [];
  }
}
