import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

/** What a wallet signs for `personal_sign` (EIP-191), as hex. */
export function hashMessage(message: string): string {
  return toHex(digest(message));
}

/** The address that signed a message. Throws for a text that is no signature. */
export function recoverAddress(message: string, signature: string): string {
  const bytes = fromHex(signature);
  if (bytes.length !== 65) throw new Error("a signature has 65 bytes");
  const last = bytes[64] ?? 0;
  // 0 and 1 of hardware wallets, 27 and 28 of the others.
  const recovery = last >= 27 ? last - 27 : last;
  if (recovery > 1) throw new Error("a signature ends in 0, 1, 27 or 28");
  const point = secp256k1.Signature.fromCompact(bytes.subarray(0, 64))
    .addRecoveryBit(recovery)
    .recoverPublicKey(digest(message));
  return toChecksum(toHex(keccak_256(point.toRawBytes(false).subarray(1)).subarray(-20)));
}

/** An address in the capitals that check its spelling (EIP-55). */
export function toChecksum(address: string): string {
  const text = address.toLowerCase().replace(/^0x/, "");
  if (!/^[0-9a-f]{40}$/.test(text)) throw new Error("an address has 40 hexadecimal digits");
  const hash = toHex(keccak_256(Buffer.from(text))).slice(2);
  return `0x${Array.from(text, (digit, i) => (Number.parseInt(hash[i] ?? "0", 16) >= 8 ? digit.toUpperCase() : digit)).join("")}`;
}

function digest(message: string): Uint8Array {
  const bytes = Buffer.from(message, "utf8");
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

function fromHex(text: string): Buffer {
  if (!/^0x([0-9a-f]{2})+$/i.test(text)) throw new Error("not hexadecimal");
  return Buffer.from(text.slice(2), "hex");
}
