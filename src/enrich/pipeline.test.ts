import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ENRICH_REASONS } from "../contract/event-reasons.ts";
import { IS_LONG, SEED } from "../lib/testing.ts";
import { createEnrich } from "./pipeline.ts";
import type { ReceivedEvent } from "./received-event.ts";
import type { EventRow } from "./row.ts";
import { sampleEvent } from "./testing.ts";
import type { Fields } from "./text.ts";

const enrich = createEnrich();

function rowOf(event: ReceivedEvent): EventRow {
  const outcome = enrich(event);
  assert.equal(outcome.kind, "keep", JSON.stringify(outcome));
  return outcome.kind === "keep" ? outcome.row : assert.fail();
}

describe("enrich", () => {
  it("fills a complete row, the same whether bodies arrive as text or as objects", () => {
    const context = {
      user_agent:
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
      timezone: "Europe/Berlin",
      locale: "de-DE",
      referrer: "https://www.google.com/",
      page_url: "https://www.example.com/swap?utm_source=google&utm_medium=organic",
      page_title: "Swap",
      library_name: "Web SDK",
      library_version: "1.35.0",
    };
    const properties = { chain_id: 8453, rdns: "io.metamask", provider_name: "MetaMask", revenue: "2.5" };
    const asText = rowOf(sampleEvent({ context: JSON.stringify(context), properties: JSON.stringify(properties) }));
    const asObjects = rowOf(sampleEvent({ context, properties }));
    assert.deepEqual(asText, asObjects);
    const expected: Partial<EventRow> = {
      project_id: "project",
      day: "2026-03-10",
      timestamp: Date.parse("2026-03-10T11:59:59.000Z"),
      origin: "example.com",
      pathname: "/swap",
      referrer: "google.com",
      utm_source: "google",
      device: "desktop",
      browser: "safari",
      os: "macos",
      location: "DE",
      chain_id: "8453",
      revenue: 2.5,
      acquisition: "Organic Search",
      has_touch: 1,
      extra: "{}",
    };
    for (const [column, value] of Object.entries(expected))
      assert.equal(asText[column as keyof EventRow], value, column);
  });

  it("counts a visitor from the owner's own pages as direct", () => {
    const context = { page_url: "https://app.example.com/", referrer: "https://www.example.com/pricing" };
    const row = rowOf(sampleEvent({ context }));
    assert.deepEqual([row.referrer, row.referrer_url, row.acquisition, row.has_touch], ["", "", "Direct", 1]);
  });

  it("treats null and absent fields as empty", () => {
    const row = rowOf(sampleEvent({ user_id: null, address: null, event: null, properties: null, context: undefined }));
    assert.deepEqual([row.user_id, row.address, row.event, row.properties, row.context], ["", "", "", "{}", "{}"]);
  });

  it("parks an event with the first reason found", () => {
    const outcome = enrich(sampleEvent({ context: "{", original_timestamp: "never" }));
    assert.ok(outcome.kind === "park");
    assert.equal(outcome.why, "bad_json");
  });
});

/** Keys the steps read, so that hostile values reach them instead of being ignored. */
const READ_KEYS = [
  "session_id",
  "page_url",
  "page_path",
  "page_query",
  "referrer",
  "referrer_url",
  "ref",
  "referral",
  "utm_source",
  "utm_medium",
  "gclid",
  "fbclid",
  "user_agent",
  "device",
  "device_type",
  "os",
  "browser",
  "location",
  "timezone",
  "url",
  "path",
  "rdns",
  "provider_name",
  "chain_id",
  "builder_codes",
  "revenue",
  "volume",
  "points",
  "__proto__",
  "toString",
] as const;

const HOSTILE_TEXT = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "\ud800",
    "\0",
    "__proto__",
    "https://",
    "https://[",
    "//",
    "android-app://",
    "?",
    "%",
    "0x",
    "1e400",
    "x".repeat(20_000),
  ),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

const VALUE = fc.oneof(HOSTILE_TEXT, fc.jsonValue(), fc.double(), fc.constant(null));
const FIELDS = fc.dictionary(fc.oneof(fc.constantFrom(...READ_KEYS), fc.string()), VALUE, { maxKeys: 20 });
const BODY = fc.oneof(
  { weight: 4, arbitrary: FIELDS },
  { weight: 4, arbitrary: FIELDS.map((f) => JSON.stringify(f)) },
  VALUE,
);

const RAW = fc.oneof(
  fc.record({ context: BODY, properties: BODY }).map((bodies) => sampleEvent(bodies).raw),
  fc
    .record({
      context: BODY,
      properties: BODY,
      address: VALUE,
      anonymous_id: VALUE,
      type: VALUE,
      event: VALUE,
      extra: VALUE,
    })
    .map((fields) => sampleEvent(fields).raw),
  fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Fields>,
  fc
    .record({ original_timestamp: VALUE, sent_at: fc.date({ noInvalidDate: false }).map(String), message_id: VALUE })
    .map((fields) => sampleEvent(fields).raw),
);

const ORIGIN = { projectId: "p", receivedAtMs: 1_770_000_000_000 };

describe("arbitrary input", () => {
  it("never throws and yields rows that an engine accepts", () => {
    fc.assert(
      fc.property(RAW, fc.option(fc.string(), { nil: "" }), (raw, country) => {
        const outcome = enrich({ origin: { ...ORIGIN, country }, spareId: "spare", raw });
        if (outcome.kind === "park") {
          assert.ok(ENRICH_REASONS.includes(outcome.why));
          assert.notEqual(outcome.why, "enrich_failed", String(outcome.cause));
          return;
        }
        for (const [column, value] of Object.entries(outcome.row)) {
          if (typeof value === "string") {
            assert.ok(value.isWellFormed(), column);
            if (!["context", "properties", "extra"].includes(column)) assert.ok(value.length <= 4096, column);
          } else assert.ok(Number.isFinite(value), column);
        }
        for (const body of [outcome.row.context, outcome.row.properties, outcome.row.extra]) JSON.parse(String(body));
        assert.match(outcome.row.day, /^\d{4}-\d\d-\d\d$/);
        assert.deepEqual(JSON.parse(JSON.stringify(outcome.row)), outcome.row);
      }),
      { seed: SEED, numRuns: IS_LONG ? 3_000 : 600, endOnFailure: false },
    );
  });

  it("yields the same row for the same event", () => {
    const other = createEnrich();
    fc.assert(
      fc.property(RAW, (raw) => {
        const event = { origin: ORIGIN, spareId: "spare", raw };
        assert.deepEqual(enrich(event), other(event));
      }),
      { seed: SEED, numRuns: 500 },
    );
  });
});
