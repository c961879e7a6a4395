import { keccak_256 } from "@noble/hashes/sha3";

/** The node of a name in ENS (EIP-137). The name is normalised. */
export function namehash(name: string): Uint8Array {
  let node: Uint8Array = new Uint8Array(32);
  for (const label of name.split(".").reverse())
    node = keccak_256(Buffer.concat([node, keccak_256(Buffer.from(label))]));
  return node;
}

const MOST_CHARS = 255;
const LABEL = /^_*[a-z0-9-]+$/;

/**
 * Whether a name is its own normal form (ENSIP-15), of the names that ASCII can write. Others are left out: which of
 * them look alike takes a table of 100 KB, and a name that looks like another's is worse than none.
 */
export function isPlainName(name: string): boolean {
  const labels = name.split(".");
  if (name.length > MOST_CHARS || labels.length < 2) return false;
  return labels.every((label) => LABEL.test(label) && label.slice(2, 4) !== "--");
}
