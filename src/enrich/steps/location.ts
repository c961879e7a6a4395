import { readList } from "../csv.ts";
import type { Draft, Step } from "../draft.ts";
import { columnText, LIMIT } from "../text.ts";

export interface Places {
  readonly countries: ReadonlySet<string>;
  readonly countryOfZone: ReadonlyMap<string, string>;
}

/** Uninhabited islands without a time zone, and Kosovo, whose code is in use but not in the standard. */
const WITHOUT_ZONE = ["BV", "HM", "XK"];

export function loadPlaces(): Places {
  const countryOfZone = new Map(readList("time-zones", ["zone", "country"]));
  return { countries: new Set([...countryOfZone.values(), ...WITHOUT_ZONE]), countryOfZone };
}

/** For these channels the proxy sees the customer's own backend, so its country is not the visitor's. */
const SENT_BY_BACKENDS: ReadonlySet<string> = new Set(["server", "api", "import"]);

/** ISO alpha-2, from the most reliable source that the event has. No step reads an IP address. */
export function makePutLocation({ countries, countryOfZone }: Places): Step {
  function findCountry(value: unknown): string {
    if (typeof value !== "string" || value.length !== 2) return "";
    const code = value.toUpperCase();
    // Proxies also send XX (unknown) and T1 (Tor).
    return countries.has(code) ? code : "";
  }

  return function putLocation({ origin, raw, context, row }: Draft): undefined {
    const seenByProxy = SENT_BY_BACKENDS.has(row.channel) ? "" : findCountry(origin.country);
    row.location =
      seenByProxy ||
      findCountry(context.location) ||
      findCountry(raw.location) ||
      (countryOfZone.get(columnText(context.timezone, LIMIT.short)) ?? "");
  };
}
