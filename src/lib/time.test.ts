import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addDays, clampTime, dayOf, findTime, findTimeIn, LATEST_MS, weekdayOf } from "./time.ts";

describe("findTime", () => {
  const read: [text: string, same: string][] = [
    ["2026-03-10T11:59:58.000Z", "2026-03-10T11:59:58.000Z"],
    ["2026-03-31T11:59:58.123Z", "2026-03-31T11:59:58.123Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["2026-03-10 11:59:58", "2026-03-10T11:59:58.000Z"],
    ["2026-03-10 11:59:58.5", "2026-03-10T11:59:58.500Z"],
    ["2026-03-10T11:59:58", "2026-03-10T11:59:58.000Z"],
    ["2026-03-10T11:59:58+02:00", "2026-03-10T09:59:58.000Z"],
    ["2026-03-10T23:30:00-05:30", "2026-03-11T05:00:00.000Z"],
    ["2026-03-10T11:59:58+0200", "2026-03-10T09:59:58.000Z"],
    ["2026-03-10t11:59:58z", "2026-03-10T11:59:58.000Z"],
    ["2026-03-10T11:59:58.123456789Z", "2026-03-10T11:59:58.123Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["2026-03-10T11:59Z", "2026-03-10T11:59:00.000Z"],
    ["2026-03-10", "2026-03-10T00:00:00.000Z"],
    ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"],
    ["2100-01-01T00:00:00.000Z", "2100-01-01T00:00:00.000Z"],
    ["0050-06-01T00:00:00Z", "0050-06-01T00:00:00.000Z"],
  ];
  for (const [text, same] of read) {
    it(`reads ${text}`, () => assert.equal(new Date(findTime(text) ?? Number.NaN).toISOString(), same));
  }

  it("reads the common form as any other, and the bytes of a text as the text, whatever was read before", () => {
    const texts = [...read.map(([text]) => text), ...refused.map(String), "0000-00-00T00:00:00.000Z"];
    const common = "2026-03-10T11:59:58.123Z";
    for (let at = 0; at < common.length; at += 1)
      for (const char of "0139/:-TZ x\xff") texts.push(common.slice(0, at) + char + common.slice(at + 1));
    for (const day of [
      "2026-02-28",
      "2026-02-29",
      "2026-03-31",
      "2026-04-31",
      "2024-02-29",
      "1926-03-00",
      "0050-01-01",
    ])
      for (const clock of ["00:00:00.000", "23:59:59.999", "24:00:00.000", "23:59:60.000"])
        texts.push(`${day}T${clock}Z`);
    for (const text of texts) {
      const bytes = Buffer.from(`"${text}"`, "latin1");
      assert.equal(findTimeIn(bytes, 1, bytes.length - 1), findTime(text), text);
      assert.equal(findTimeIn(bytes, 1, bytes.length - 1), findTime(text), `${text} again`);
      if (text.endsWith("Z")) assert.equal(findTime(text), findTime(text.replace(/Z$/, "+00:00")), text);
    }
  });

  const refused: unknown[] = [
    "",
    "yesterday",
    "2026-02-30T00:00:00.000Z",
    "2026-06-31T00:00:00Z",
    "2025-02-29T00:00:00.000Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-01-01T25:00:00Z",
    "2026-01-01T24:30:00Z",
    "2026-01-01T00:61:00Z",
    "2026-01-01T00:00:00Z; x",
    "Tue, 10 Mar 2026 12:00:00 GMT",
    `2026-01-01T00:00:00.${"0".repeat(10_000)}Z`,
    1_770_000_000_000,
    null,
    undefined,
    {},
  ];
  for (const value of refused) {
    it(`refuses ${String(JSON.stringify(value)).slice(0, 40)}`, () => assert.equal(findTime(value), undefined));
  }
});

describe("days", () => {
  it("are UTC days", () => {
    assert.equal(dayOf(Date.parse("2026-03-10T23:59:59.999Z")), "2026-03-10");
    assert.equal(dayOf(Date.parse("2026-03-11T00:00:00.000Z")), "2026-03-11");
    assert.equal(dayOf(0), "1970-01-01");
    assert.equal(dayOf(LATEST_MS), "2099-12-31");
  });

  it("stay within the range of the columns", () => {
    assert.equal(clampTime(-1), 0);
    assert.equal(clampTime(Date.UTC(2100, 0, 1)), LATEST_MS);
  });

  it("stay correct after more different days than the cache holds", () => {
    for (let day = 0; day < 10_000; day++) dayOf(day * 86_400_000);
    assert.equal(dayOf(86_400_000), "1970-01-02");
  });

  it("follow each other over the ends of months, and begin weeks on Monday", () => {
    assert.equal(addDays("2026-02-28", 1), "2026-03-01");
    assert.equal(addDays("2026-03-01", -1), "2026-02-28");
    assert.deepEqual(["2026-11-16", "2026-11-22"].map(weekdayOf), [1, 7]);
  });
});
