import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Origin } from "../received-event.ts";
import { sampleDraft } from "../testing.ts";
import { loadPlaces, makePutLocation } from "./location.ts";

const places = loadPlaces();
const putLocation = makePutLocation(places);

interface Witnesses {
  readonly proxy?: string;
  readonly context?: unknown;
  readonly top?: unknown;
  readonly zone?: string;
  readonly channel?: string;
}

const CASES: [witnesses: Witnesses, country: string][] = [
  [{ proxy: "FR", context: "DE", top: "IT", zone: "Asia/Tokyo" }, "FR"],
  [{ proxy: "fr" }, "FR"],
  [{ proxy: "XX", context: "DE" }, "DE"],
  [{ proxy: "T1", zone: "Asia/Tokyo" }, "JP"],
  [{ proxy: "", context: "de" }, "DE"],
  [{ context: "Germany", top: "IT" }, "IT"],
  [{ context: "Europe/Berlin", zone: "Europe/Berlin" }, "DE"],
  [{ context: "EU", zone: "Europe/Paris" }, "FR"],
  [{ context: ["DE"], top: 49, zone: "Europe/Rome" }, "IT"],
  [{ zone: "America/New_York" }, "US"],
  [{ zone: "Asia/Calcutta" }, "IN"],
  [{ zone: "Asia/Kolkata" }, "IN"],
  [{ zone: "Europe/Kiev" }, "UA"],
  [{ zone: "Europe/Kyiv" }, "UA"],
  [{ zone: "Asia/Saigon" }, "VN"],
  [{ zone: "America/Buenos_Aires" }, "AR"],
  [{ zone: "Asia/Rangoon" }, "MM"],
  [{ zone: "US/Pacific" }, "US"],
  [{ zone: "Iceland" }, "IS"],
  [{ zone: "Africa/Asmera" }, "ER"],
  [{ zone: "America/Coral_Harbour" }, "CA"],
  [{ zone: "Atlantic/Reykjavik" }, "IS"],
  [{ zone: "Europe/Amsterdam" }, "NL"],
  [{ zone: "UTC" }, ""],
  [{ zone: "Etc/GMT+5" }, ""],
  [{ zone: "EST" }, ""],
  [{ zone: "Nowhere/Land" }, ""],
  [{ zone: "__proto__" }, ""],
  [{}, ""],
  // A backend's IP address is not its visitor's.
  [{ channel: "server", proxy: "US", context: "DE" }, "DE"],
  [{ channel: "api", proxy: "US", zone: "Asia/Tokyo" }, "JP"],
  [{ channel: "import", proxy: "US" }, ""],
  [{ channel: "mobile", proxy: "US", context: "DE" }, "US"],
];

describe("location", () => {
  for (const [{ proxy, context, top, zone = "", channel = "web" }, country] of CASES) {
    it(`${JSON.stringify({ channel, proxy, context, top, zone })} is ${country || "unknown"}`, () => {
      const origin: Partial<Origin> = proxy === undefined ? {} : { country: proxy };
      const draft = sampleDraft({
        origin,
        raw: { location: top },
        context: { location: context, timezone: zone },
        row: { channel },
      });
      putLocation(draft);
      assert.equal(draft.row.location, country);
    });
  }

  it("every time zone of this runtime maps to a country, unless it belongs to none", () => {
    const missing = Intl.supportedValuesOf("timeZone").filter((zone) => !places.countryOfZone.has(zone));
    assert.deepEqual(
      missing.filter((zone) => !/^(Etc\/|[A-Z]{3})/.test(zone)),
      [],
    );
  });

  it("the list has each zone once, sorted, with an ISO country code", () => {
    const zones = [...places.countryOfZone.keys()];
    assert.ok(zones.length >= 500);
    assert.deepEqual(zones, zones.toSorted());
    for (const country of places.countryOfZone.values()) assert.match(country, /^[A-Z]{2}$/);
  });
});
