import type { Draft } from "../draft.ts";
import type { WalletFields } from "../fields.ts";
import { columnText, LIMIT } from "../text.ts";

const MOST_CODES = 50;

/** Wallet and chain: from the event itself, else from its context. */
export function putWallet({ properties, context, row }: Draft): undefined {
  row.rdns = columnText(properties.rdns, LIMIT.short) || columnText(context.rdns, LIMIT.short);
  row.provider_name = findProvider(properties) || findProvider(context);
  row.chain_id = findChain(properties) || findChain(context);
  row.builder_codes = findCodes(properties) || findCodes(context);
}

function findProvider({ provider_name, providerName }: WalletFields): string {
  return columnText(provider_name, LIMIT.short) || columnText(providerName, LIMIT.short);
}

function findChain({ chain_id, chainId }: WalletFields): string {
  return chainText(chain_id) || chainText(chainId);
}

/** Gives each chain one spelling: 1, "1", "0x1" and "eip155:1" are all Ethereum. There is no chain 0. */
export function chainText(value: unknown): string {
  const text = columnText(value, LIMIT.short);
  if (text === "") return "";
  const id = text.startsWith("eip155:") ? text.slice("eip155:".length) : text;
  if (!/^(?:0x[0-9a-f]{1,64}|\d{1,78})$/i.test(id)) return id;
  const number = BigInt(id);
  return number === 0n ? "" : number.toString();
}

function findCodes({ builder_codes, builderCodes }: WalletFields): string {
  return codesText(builder_codes) || codesText(builderCodes);
}

/** Turns a list, or a text that is a comma list already, into a comma list. */
export function codesText(value: unknown): string {
  if (value === undefined || value === null) return "";
  const parts = Array.isArray(value) ? value.slice(0, MOST_CODES) : columnText(value, LIMIT.tag).split(",");
  const codes = parts.map((part) => columnText(part, LIMIT.short)).filter((code) => code !== "");
  return columnText(codes.join(","), LIMIT.tag);
}
