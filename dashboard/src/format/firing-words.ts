/** What a firing tells, in words: the bell shows it on every page. */
import { seenText, shortAddress } from "./names.ts";
import { full } from "./numbers.ts";

interface Told {
  kind: string;
  count: number;
  details: Readonly<Record<string, unknown>>;
}

/** What a firing tells, in one line. */
export function firingText({ kind, count, details }: Told): string {
  if (kind === "metric") {
    const value = typeof details.value === "number" ? full(details.value, "number") : "no data";
    return details.change === "resolved" ? `Resolved at ${value}` : `Fired at ${value}`;
  }
  const text = (name: string) => (typeof details[name] === "string" ? seenText(String(details[name])) : "");
  const who = text("address") === "" ? text("user_id") || text("anonymous_id") : shortAddress(text("address"));
  const what = text("event") || text("type");
  const told = [what, who].filter((part) => part !== "").join(", ");
  if (told !== "" && count <= 1) return told;
  return `${full(count, "count")} ${kind === "user" ? "wallets" : "events"}`;
}
