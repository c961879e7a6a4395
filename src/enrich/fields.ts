/**
 * The fields of an event that steps read. Of an event whose text is stored as it was sent only these are built, so a
 * step can read no others: the compiler refuses it.
 */
import type { TextBytes } from "../lib/text-bytes.ts";
import { CLICK_IDS, UTM_FIELDS } from "./tags.ts";
import type { Fields } from "./text.ts";

export const EVENT_FIELDS = [
  "channel",
  "type",
  "anonymous_id",
  "user_id",
  "address",
  "event",
  "context",
  "properties",
  "version",
  "original_timestamp",
  "sent_at",
  "message_id",
] as const;

const WALLET_FIELDS = [
  "rdns",
  "provider_name",
  "providerName",
  "chain_id",
  "chainId",
  "builder_codes",
  "builderCodes",
] as const;

export const CONTEXT_FIELDS = [
  "session_id",
  "page_url",
  "page_path",
  "page_query",
  "referrer",
  "referrer_url",
  ...UTM_FIELDS,
  ...CLICK_IDS,
  "ref",
  "referral",
  "refcode",
  "user_agent",
  "browser",
  "os",
  "os_name",
  "device",
  "device_type",
  "location",
  "timezone",
  ...WALLET_FIELDS,
] as const;

export const PROPERTY_FIELDS = ["url", "path", "volume", "revenue", "points", ...WALLET_FIELDS] as const;

type Some<Name extends string> = Readonly<Partial<Record<Name, unknown>>>;
export type WalletFields = Some<(typeof WALLET_FIELDS)[number]>;
export type ContextFields = Some<(typeof CONTEXT_FIELDS)[number]>;
export type PropertyFields = Some<(typeof PROPERTY_FIELDS)[number]>;

/** `context` or `properties`: its fields, and its text as it is stored. */
export interface Body<Known = Fields> {
  readonly kind: "body";
  readonly fields: Known;
  readonly text: string | TextBytes;
}
