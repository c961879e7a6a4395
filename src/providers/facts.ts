/**
 * What providers tell, as properties of wallets. Their time is far in the past, so that every word of the app counts
 * before them, also that a property is unset (contract/profile-fields.ts).
 */
import { askedMark, NET_WORTH, TOKENS } from "../contract/profile-fields.ts";
import type { WalletProperty } from "../engines/wallet-rows.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/time.ts";
import type { Provider, WalletFacts } from "./provider.ts";

type Property = Omit<WalletProperty, "project_id">;

/** A provider that could not be asked is asked again soon. */
const FAILED_MS = HOUR_MS;

/** Minutes since 1970: later answers have a later time, and all are before 1970-04-26. */
export function toProviderTime(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

export function toFactRows(address: string, provider: Provider, facts: WalletFacts, nowMs: number): Property[] {
  const changed_ms = toProviderTime(nowMs);
  const row = (name: string, value: string | null): Property => ({
    address,
    name,
    value: value ?? "",
    is_deleted: value === null ? 1 : 0,
    changed_ms,
  });
  const texts: readonly (readonly [string, string | null | undefined])[] = [
    ["ens", facts.ens],
    ["avatar", facts.avatar],
    [NET_WORTH, toText(facts.net_worth_usd)],
    [TOKENS, toText(facts.tokens)],
  ];
  const told = texts.flatMap(([name, value]) => (value === undefined ? [] : [row(name, value)]));
  const hasAny = told.some(({ is_deleted }) => is_deleted === 0);
  const { found, nothing } = provider.keptDays;
  return [...told, askedRow(address, provider, nowMs, (hasAny ? found : nothing) * DAY_MS)];
}

/** What was known before stays. */
export function toFailedRows(address: string, provider: Provider, nowMs: number): Property[] {
  return [askedRow(address, provider, nowMs, FAILED_MS)];
}

/** Its value is the minute from which the provider is asked again. */
function askedRow(address: string, { name }: Provider, nowMs: number, keptMs: number): Property {
  const until = String(toProviderTime(nowMs + keptMs));
  return { address, name: askedMark(name), value: until, is_deleted: 0, changed_ms: toProviderTime(nowMs) };
}

function toText(value: unknown): string | null | undefined {
  return value === undefined || value === null ? value : JSON.stringify(value);
}
