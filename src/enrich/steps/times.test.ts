import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RECEIVED_AT, sampleDraft } from "../testing.ts";
import { putTimes } from "./times.ts";

interface Case {
  readonly name: string;
  readonly channel?: string;
  readonly original: string;
  readonly sent: string;
  readonly timestamp: string;
  readonly day: string;
}

// All events are received at 2026-03-10T12:00:00Z.
const CASES: Case[] = [
  {
    name: "a right clock: the age of the event is taken off the time of receipt",
    original: "2026-03-10T11:59:50Z",
    sent: "2026-03-10T11:59:55Z",
    timestamp: "2026-03-10T11:59:55.000Z",
    day: "2026-03-10",
  },
  {
    name: "a clock two days slow is corrected, its own day stays in the key",
    original: "2026-03-08T11:59:50Z",
    sent: "2026-03-08T11:59:55Z",
    timestamp: "2026-03-10T11:59:55.000Z",
    day: "2026-03-08",
  },
  {
    name: "a clock in 2100 is corrected, and its day is not believed",
    original: "2100-05-01T00:00:00Z",
    sent: "2100-05-01T00:00:01Z",
    timestamp: "2026-03-10T11:59:59.000Z",
    day: "1970-01-01",
  },
  {
    name: "a clock in 1970 is corrected",
    original: "1970-01-01T00:00:10Z",
    sent: "1970-01-01T00:00:20Z",
    timestamp: "2026-03-10T11:59:50.000Z",
    day: "1970-01-01",
  },
  {
    name: "a backfill of years is kept",
    original: "2021-06-01T10:00:00Z",
    sent: "2026-03-10T12:00:00Z",
    timestamp: "2021-06-01T10:00:00.000Z",
    day: "2021-06-01",
  },
  {
    name: "eight days old is kept",
    original: "2026-03-02T12:00:00Z",
    sent: "2026-03-10T12:00:00Z",
    timestamp: "2026-03-02T12:00:00.000Z",
    day: "2026-03-02",
  },
  {
    name: "an hour ahead is kept",
    original: "2026-03-10T13:00:00Z",
    sent: "2026-03-10T12:00:00Z",
    timestamp: "2026-03-10T13:00:00.000Z",
    day: "2026-03-10",
  },
  {
    name: "more than an hour ahead becomes the time of receipt",
    original: "2026-03-10T13:00:00.001Z",
    sent: "2026-03-10T12:00:00Z",
    timestamp: RECEIVED_AT,
    day: "2026-03-10",
  },
  {
    name: "an age of a thousand years ends at 1970",
    original: "0900-01-01T00:00:00Z",
    sent: "2026-03-10T12:00:00Z",
    timestamp: "1970-01-01T00:00:00.000Z",
    day: "1970-01-01",
  },
  ...["server", "api", "import"].map((channel) => ({
    name: `${channel}: the sender's clock is believed`,
    channel,
    original: "2020-01-02T03:04:05.678Z",
    sent: "2025-01-01T00:00:00Z",
    timestamp: "2020-01-02T03:04:05.678Z",
    day: "2020-01-02",
  })),
  {
    name: "server: also two hours ahead",
    channel: "server",
    original: "2026-03-10T14:00:00Z",
    sent: "2026-03-10T14:00:00Z",
    timestamp: "2026-03-10T14:00:00.000Z",
    day: "2026-03-10",
  },
  {
    name: "import: 2100 ends with 2099",
    channel: "import",
    original: "2100-01-01T00:00:00Z",
    sent: "2026-03-10T12:00:00Z",
    timestamp: "2099-12-31T23:59:59.999Z",
    day: "1970-01-01",
  },
  {
    name: "mobile is a visitor's device like web",
    channel: "mobile",
    original: "2020-01-01T00:00:00Z",
    sent: "2020-01-01T00:00:30Z",
    timestamp: "2026-03-10T11:59:30.000Z",
    day: "2020-01-01",
  },
];

describe("times", () => {
  for (const { name, channel = "web", original, sent, timestamp, day } of CASES) {
    it(name, () => {
      const draft = sampleDraft({ raw: { original_timestamp: original, sent_at: sent }, row: { channel } });
      assert.equal(putTimes(draft), undefined);
      assert.equal(new Date(draft.row.timestamp).toISOString(), timestamp);
      assert.equal(draft.row.day, day);
      assert.equal(new Date(draft.row.received_at).toISOString(), RECEIVED_AT);
    });
  }

  it("a retry after midnight keeps its dedupe day although its timestamp changes", () => {
    const raw = { original_timestamp: "2026-03-10T23:59:59.000Z", sent_at: "2026-03-10T23:59:59.500Z" };
    const first = sampleDraft({ raw, origin: { receivedAtMs: Date.parse("2026-03-10T23:59:59.900Z") } });
    const again = sampleDraft({
      raw: { ...raw, sent_at: "2026-03-11T00:00:05.000Z" },
      origin: { receivedAtMs: Date.parse("2026-03-11T00:00:09.000Z") },
    });
    putTimes(first);
    putTimes(again);
    assert.equal(again.row.day, first.row.day);
    assert.notEqual(again.row.timestamp, first.row.timestamp);
  });

  for (const bad of ["", "soon", 12, null, undefined, {}]) {
    it(`${JSON.stringify(bad)} as a time parks the event`, () => {
      assert.equal(putTimes(sampleDraft({ raw: { original_timestamp: bad } }))?.why, "bad_time");
      assert.equal(putTimes(sampleDraft({ raw: { sent_at: bad } }))?.why, "bad_time");
    });
  }
});
