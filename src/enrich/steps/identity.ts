import type { Draft } from "../draft.ts";
import { type Park, park } from "../outcome.ts";
import { columnText, identifierText, LIMIT } from "../text.ts";

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The kind of the event and the ids of the person it is about. */
export function putIdentity({ raw, row }: Draft): Park | undefined {
  row.message_id = identifierText(raw.message_id);
  if (row.message_id === "") return park("no_message_id", "message_id: absent, empty or not text");
  row.channel = columnText(raw.channel, LIMIT.short);
  row.type = columnText(raw.type, LIMIT.short);
  row.event = columnText(raw.event, LIMIT.tag);
  row.version = columnText(raw.version, LIMIT.short);
  row.anonymous_id = identifierText(raw.anonymous_id);
  row.user_id = identifierText(raw.user_id);
  row.address_raw = identifierText(raw.address);
  row.address = normalAddress(row.address_raw);
  return undefined;
}

/** EVM addresses ignore case: mixed case is only a checksum. Addresses of other chains, such as Solana, do not. */
export function normalAddress(address: string): string {
  const bare = address.trim();
  return bare.length === 42 && EVM_ADDRESS.test(bare) ? bare.toLowerCase() : bare;
}
