/**
 * Calls of contracts over a JSON-RPC endpoint. The endpoint is the operator's word, its name may be anybody's: it is
 * resolved and checked like the target of a webhook. Nothing of its URL, which often holds a key, is in any message.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type AddressPolicy, findAddresses } from "../webhooks/address-guard.ts";
import { startDeadline, untilAborted } from "../webhooks/deadline.ts";
import { exchange } from "../webhooks/exchange.ts";
import { ProviderFailed } from "./provider.ts";

export interface JsonRpc {
  /** Undefined: the contract reverted, also to point elsewhere (CCIP-read), which is not followed. */
  call(to: string, data: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined>;
  chainId(signal: AbortSignal): Promise<number>;
}

export interface JsonRpcOptions {
  readonly url: string;
  readonly policy: AddressPolicy;
  /** Of one request, from the lookup of its name to the last byte. */
  readonly timeoutMs?: number;
  readonly perSecond?: number;
}

/** What free plans of public nodes allow; a wallet needs up to five. */
const PER_SECOND = 10;
const TIMEOUT_MS = 10_000;
/** A name or a URL has some hundred bytes. The exchange itself reads at most 64 KiB. */
const MOST_RESULT_CHARS = 16 * 1024;
const HEX = /^0x(?:[0-9a-f]{2})*$/i;

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
}

export function createJsonRpc(options: JsonRpcOptions): JsonRpc {
  const { timeoutMs = TIMEOUT_MS, perSecond = PER_SECOND } = options;
  const takeTurn = createPace(1000 / perSecond);

  async function post(method: string, params: readonly unknown[], signal: AbortSignal): Promise<RpcAnswer> {
    await takeTurn(signal);
    const deadline = startDeadline(timeoutMs, [signal]);
    try {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const { status, text } = await send(options, body, deadline.signal);
      if (status !== 200) throw new ProviderFailed(`the RPC endpoint answered ${status}`);
      return readAnswer(text);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof ProviderFailed) throw cause;
      throw new ProviderFailed(
        deadline.signal.aborted ? "the RPC endpoint took too long" : "the RPC endpoint cannot be reached",
      );
    } finally {
      deadline.end();
    }
  }

  return {
    async call(to, data, signal) {
      const params = [{ to, data: `0x${Buffer.from(data).toString("hex")}` }, "latest"];
      const { result, error } = await post("eth_call", params, signal);
      if (error !== undefined && isRevert(error)) return undefined;
      if (error !== undefined) throw new ProviderFailed(`the RPC endpoint refused the call${codeOf(error)}`);
      return toBytes(result);
    },
    async chainId(signal) {
      const { result } = await post("eth_chainId", [], signal);
      return typeof result === "string" && HEX.test(`0x${result.slice(2).padStart(16, "0")}`) ? Number(result) : 0;
    },
  };
}

async function send({ url: text, policy }: JsonRpcOptions, body: string, signal: AbortSignal) {
  const url = new URL(text);
  const found = await untilAborted(findAddresses(url, policy), signal);
  if (found.kind === "refused")
    throw new ProviderFailed(
      "the RPC endpoint has an address that is not public; SEXTANT_RPC_ALLOW_NETWORKS allows networks",
    );
  if (found.kind === "unresolved") throw new ProviderFailed("the name of the RPC endpoint has no address");
  const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json" };
  if (url.username !== "") {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(user).toString("base64")}`;
  }
  const answer = await exchange({ url, addresses: found.addresses, headers, body, mayBegin: () => true, signal });
  return { status: answer.status, text: answer.body.toString() };
}

/** An answer that was cut because it is too long is no JSON. */
function readAnswer(text: string): RpcAnswer {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new ProviderFailed("the RPC endpoint answered something else than JSON, or too much of it");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new ProviderFailed("the RPC endpoint answered something else than JSON-RPC");
  const { result, error } = parsed as RpcAnswer;
  return { result, ...(typeof error === "object" && error !== null ? { error } : {}) };
}

/** Nodes agree on neither the code nor the words of it. */
function isRevert({ code, message }: NonNullable<RpcAnswer["error"]>): boolean {
  return code === 3 || (typeof message === "string" && /revert/i.test(message));
}

function codeOf({ code }: NonNullable<RpcAnswer["error"]>): string {
  return typeof code === "number" ? ` (${code})` : "";
}

function toBytes(result: unknown): Uint8Array {
  if (typeof result !== "string" || result.length > MOST_RESULT_CHARS || !HEX.test(result))
    throw new ProviderFailed("the RPC endpoint answered a call with something else than bytes");
  return Buffer.from(result.slice(2), "hex");
}

/** Resolves at most once in each step, in order. */
function createPace(stepMs: number): (signal: AbortSignal) => Promise<void> {
  let nextAt = 0;
  return async (signal) => {
    signal.throwIfAborted();
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + stepMs;
    if (at > now) await delay(at - now, undefined, { signal });
  };
}
