import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { hashMessage } from "../../src/accounts/ethereum.ts";

export interface SoftWallet {
  address: string;
  sign(message: string): string;
}

/** An ordinary account whose key the test knows. */
export function makeWallet(privateKey: Uint8Array = secp256k1.utils.randomPrivateKey()): SoftWallet {
  const point = secp256k1.getPublicKey(privateKey, false);
  return {
    address: `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(-20)).toString("hex")}`,
    sign(message) {
      const signed = secp256k1.sign(hashMessage(message).slice(2), privateKey);
      return `0x${signed.toCompactHex()}${(27 + signed.recovery).toString(16)}`;
    },
  };
}
