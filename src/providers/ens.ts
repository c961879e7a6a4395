/**
 * Names and pictures of the Ethereum Name Service, over a node that the operator chose. Anybody may write any name into
 * the reverse record of a wallet, so that a name counts only if it leads back to the wallet.
 */
import { createContract } from "micro-eth-signer/abi.js";
import type { JsonRpc } from "./json-rpc.ts";
import { isPlainName, namehash } from "./namehash.ts";
import { type Provider, ProviderFailed, type WalletFacts } from "./provider.ts";

const REGISTRY = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";
const NOBODY = `0x${"0".repeat(40)}`;
const MAINNET = 1;
/** As long as a profile counts as fresh; whoever has no name may get one soon. */
const KEPT_DAYS = { found: 30, nothing: 7 } as const;
const MOST_AVATAR_CHARS = 2048;

const node = { name: "node", type: "bytes32" } as const;
const returns = <Type extends "address" | "string">(type: Type) => [{ name: "", type }] as const;
const ABI = [
  { type: "function", name: "resolver", inputs: [node], outputs: returns("address") },
  { type: "function", name: "addr", inputs: [node], outputs: returns("address") },
  { type: "function", name: "name", inputs: [node], outputs: returns("string") },
  { type: "function", name: "text", inputs: [node, { name: "key", type: "string" }], outputs: returns("string") },
] as const;
const CONTRACT = createContract(ABI);
const NOTHING: WalletFacts = { ens: null, avatar: null };

export function createEns(rpc: JsonRpc): Provider {
  let checked: Promise<void> | undefined;

  /** A node of another chain would know no names, and all would be forgotten. */
  async function checkChain(signal: AbortSignal): Promise<void> {
    if ((await rpc.chainId(signal)) !== MAINNET)
      throw new ProviderFailed(`the RPC endpoint of chain ${MAINNET} is of another chain`);
  }

  async function ask<T>(to: string, data: Uint8Array, read: (bytes: Uint8Array) => T, signal: AbortSignal) {
    const bytes = await rpc.call(to, data, signal);
    // No contract at the address answers with no bytes.
    if (bytes === undefined || bytes.length === 0) return undefined;
    try {
      return read(bytes);
    } catch {
      // Whoever wrote the resolver may answer anything.
      return undefined;
    }
  }

  async function findResolver(of: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
    const { encodeInput, decodeOutput } = CONTRACT.resolver;
    const found = await ask(REGISTRY, encodeInput(of), decodeOutput, signal);
    return found === undefined || found === NOBODY ? undefined : found.toLowerCase();
  }

  async function findReverse(address: string, signal: AbortSignal): Promise<string | undefined> {
    const reverse = namehash(`${address.slice(2)}.addr.reverse`);
    const resolver = await findResolver(reverse, signal);
    if (resolver === undefined) return undefined;
    const { encodeInput, decodeOutput } = CONTRACT.name;
    const name = await ask(resolver, encodeInput(reverse), decodeOutput, signal);
    return name !== undefined && isPlainName(name) ? name : undefined;
  }

  async function findAvatar(resolver: string, of: Uint8Array, signal: AbortSignal): Promise<string | null> {
    const { encodeInput, decodeOutput } = CONTRACT.text;
    const text = await ask(resolver, encodeInput({ node: of, key: "avatar" }), decodeOutput, signal);
    return text !== undefined && isPicture(text) ? text : null;
  }

  return {
    name: "ens",
    keptDays: KEPT_DAYS,
    async find(address, signal) {
      checked ??= checkChain(signal).catch((cause: unknown) => {
        checked = undefined;
        throw cause;
      });
      await checked;
      const name = await findReverse(address, signal);
      if (name === undefined) return NOTHING;
      const forward = namehash(name);
      const resolver = await findResolver(forward, signal);
      if (resolver === undefined) return NOTHING;
      const { encodeInput, decodeOutput } = CONTRACT.addr;
      const owner = await ask(resolver, encodeInput(forward), decodeOutput, signal);
      if (owner?.toLowerCase() !== address) return NOTHING;
      return { ens: name, avatar: await findAvatar(resolver, forward, signal) };
    },
  };
}

/** Pictures inside of a contract (`eip155:`) would take more calls, and a `data:` URL may be anything. */
function isPicture(text: string): boolean {
  if (text.length > MOST_AVATAR_CHARS || /[\p{Cc}\p{Cs}\s]/u.test(text)) return false;
  if (text.startsWith("ipfs://")) return text.length > "ipfs://".length;
  const url = URL.parse(text);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}
