import type { AskContract } from "./siwe.ts";

const TIMEOUT_MS = 5_000;
/** `isValidSignature(bytes32,bytes)` of EIP-1271, and what it returns for a valid one. */
const SELECTOR = "1626ba7e";

/** Asks contract wallets by the JSON-RPC of one chain. Written by hand: it is one call, and viem would be 74 MB. */
export function createAskContract(rpcUrl: string): AskContract {
  const call = async (method: string, params: unknown[]): Promise<unknown> => {
    const answer = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return ((await answer.json()) as { result?: unknown }).result;
  };
  return async ({ address, chainId, hash, signature }) => {
    if (Number(await call("eth_chainId", [])) !== chainId) return false;
    const data = `0x${SELECTOR}${hash.slice(2)}${encodeBytes(signature.slice(2))}`;
    const result = await call("eth_call", [{ to: address, data }, "latest"]);
    return typeof result === "string" && result.toLowerCase().startsWith(`0x${SELECTOR}`);
  };
}

/** The second argument: where it begins, its length, and the bytes filled up to whole words of 32. */
function encodeBytes(hex: string): string {
  const word = (value: number) => value.toString(16).padStart(64, "0");
  return word(64) + word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, "0");
}
