import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EventRow, PaidSource } from "../row.ts";
import { sampleDraft } from "../testing.ts";
import { putPaidSource } from "./paid.ts";

const CASES: readonly (readonly [Partial<EventRow>, PaidSource])[] = [
  [{}, ""],
  [{ utm_medium: "email", utm_source: "google" }, ""],
  [{ utm_source: "paid" }, ""],
  [{ gclid: "1" }, "google"],
  [{ gad_source: "1" }, "google"],
  [{ fbclid: "1" }, "meta"],
  [{ msclkid: "1" }, "microsoft"],
  [{ ttclid: "1" }, "tiktok"],
  [{ twclid: "1" }, "twitter"],
  [{ li_fat_id: "1" }, "linkedin"],
  [{ rdt_cid: "1" }, "reddit"],
  [{ utm_medium: "cpc" }, "paid_utm"],
  [{ utm_medium: "Paid-Anything" }, "paid_utm"],
  [{ utm_medium: "RETARGETING" }, "paid_utm"],
  // The click id names the network, whatever the tags say.
  [{ utm_medium: "cpc", utm_source: "google", fbclid: "1" }, "meta"],
  [{ rdt_cid: "1", gclid: "1" }, "google"],
];

const IDS: readonly (readonly [Partial<EventRow>, string])[] = [
  [{}, ""],
  [{ utm_medium: "cpc" }, ""],
  [{ gclid: "g", gad_source: "1" }, "g"],
  [{ gad_source: "1" }, ""],
  [{ gad_source: "1", fbclid: "f" }, ""],
  [{ fbclid: "f", rdt_cid: "r" }, "f"],
];

describe("paid source", () => {
  for (const [signals, expected] of CASES) {
    it(`of ${JSON.stringify(signals)} is ${JSON.stringify(expected)}`, () => {
      const draft = sampleDraft({ row: signals });
      putPaidSource(draft);
      assert.equal(draft.row.paid_source, expected);
    });
  }
});

describe("click id of the paid source", () => {
  for (const [signals, expected] of IDS) {
    it(`of ${JSON.stringify(signals)} is ${JSON.stringify(expected)}`, () => {
      const draft = sampleDraft({ row: signals });
      putPaidSource(draft);
      assert.equal(draft.row.click_id, expected);
    });
  }
});
