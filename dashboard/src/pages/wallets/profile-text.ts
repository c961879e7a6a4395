/** The values of a profile as people read them. What is not known is a dash. */
import type { Label, Profile } from "../../api/profiles.ts";
import { momentText, shortDayText } from "../../format/dates.ts";
import { valueName } from "../../format/names.ts";
import { type Format, full } from "../../format/numbers.ts";

export const UNKNOWN = "–";

export function timeOf(time: string | null): string {
  return time === null ? UNKNOWN : `${momentText(Date.parse(time))}, ${time.slice(0, 4)}`;
}

export function dayOf(time: string): string {
  return `${shortDayText(time.slice(0, 10))}, ${time.slice(0, 4)}`;
}

/** The numbers of a wallet that was never seen are not known; for others a zero is a number. */
export function numberOf({ first_seen }: Profile, value: number, format: Format): string {
  return first_seen === null ? UNKNOWN : full(value, format);
}

export function textOf(column: string, value: unknown): string {
  return typeof value === "string" && value !== "" ? valueName(column, value) : UNKNOWN;
}

/** Where the wallet came from first: the campaign or the site, and the channel. */
export function firstSource(profile: Profile): string {
  const [column = "", name] =
    ["utm_source", "ref", "referrer"].map((one) => [one, profile[`first_${one}`]] as const).find(([, one]) => one) ??
    [];
  const parts = [textOf(column, name), textOf("channel", profile.first_channel)];
  return [...new Set(parts.filter((part) => part !== UNKNOWN))].join(" · ") || UNKNOWN;
}

export function labelText({ id, value, chain_id }: Label): string {
  const named = value === "" ? id : `${id}: ${value}`;
  return chain_id === "-" ? named : `${named} (${valueName("chain_id", chain_id)})`;
}
