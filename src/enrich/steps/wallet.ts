import type { Draft } from "../draft.ts";
import type { WalletFields } from "../fields.ts";
import { columnText, firstText, LIMIT } from "../text.ts";

const PROVIDER_NAMES = ["provider_name", "providerName"] as const;
const CHAIN_NAMES = ["chain_id", "chainId"] as const;
const BUILDER_NAMES = ["builder_codes", "builderCodes"] as const;
const MOST_CODES = 50;

/** Wallet and chain: from the event itself, else from its context. */
export function putWallet({ properties, context, row }: Draft): undefined {
  row.rdns = columnText(properties.rdns, LIMIT.short) || columnText(context.rdns, LIMIT.short);
  row.provider_name =
    firstText(properties, PROVIDER_NAMES, LIMIT.short) || firstText(context, PROVIDER_NAMES, LIMIT.short);
  row.chain_id = findChain(properties) || findChain(context);
  row.builder_codes = findCodes(properties) || findCodes(context);
}

function findChain(fields: WalletFields): string {
  for (const name of CHAIN_NAMES) {
    const chain = chainText(fields[name]);
    if (chain !== "") return chain;
  }
  return "";
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

function findCodes(fields: WalletFields): string {
  for (const name of BUILDER_NAMES) {
    const codes = codesText(fields[name]);
    if (codes !== "") return codes;
  }
  return "";
}

/** Turns a list, or a text that is a comma list already, into a comma list. */
export function codesText(value: unknown): string {
  if (value === undefined || value === null) return "";
  const parts = Array.isArray(value) ? value.slice(0, MOST_CODES) : columnText(value, LIMIT.tag).split(",");
  const codes = parts.map((part) => columnText(part, LIMIT.short)).filter((code) => code !== "");
  return columnText(codes.join(","), LIMIT.tag);
}
