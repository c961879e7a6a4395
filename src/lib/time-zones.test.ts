import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sampled } from "./testing.ts";
import { dayIn, isTimeZone, offsetAt, shiftsBetween, startOfDay } from "./time-zones.ts";

const HOUR_MS = 3_600_000;
const ZONES = ["America/New_York", "Asia/Kolkata", "Pacific/Chatham", "Africa/Casablanca", "Australia/Lord_Howe"];

describe("time zones", () => {
  test("are known by their names alone", () => {
    for (const name of ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
      assert.ok(isTimeZone(name), name);
    for (const name of ["", "+02:00", "-05:00", "Europe/Nowhere", " UTC", "UTC'", "a".repeat(65)])
      assert.ok(!isTimeZone(name), name);
  });

  test("have the offset of each moment, with halves and quarters of hours", () => {
    const at = (zone: string, time: string) => offsetAt(zone, Date.parse(time)) / HOUR_MS;
    assert.equal(at("Europe/Berlin", "2026-03-29T00:59:59.999Z"), 1);
    assert.equal(at("Europe/Berlin", "2026-03-29T01:00:00Z"), 2);
    assert.equal(at("Asia/Kolkata", "2026-03-29T01:00:00Z"), 5.5);
    assert.equal(at("Pacific/Chatham", "2026-01-01T00:00:00Z"), 13.75);
    assert.equal(at("America/New_York", "1970-01-01T00:00:00.001Z"), -5);
  });

  test("change their clocks at the moments that a search by the hour finds", () => {
    for (const zone of sampled(ZONES.slice(0, 4), 2))
      for (const year of [1970, 2026]) {
        const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1) - 1];
        const found: number[] = [];
        for (let ms = from + HOUR_MS, before = offsetAt(zone, from); ms <= to; ms += HOUR_MS) {
          const offset = offsetAt(zone, ms);
          if (offset !== before) found.push(ms);
          before = offset;
        }
        const { changes, offsets } = shiftsBetween(zone, from, to);
        assert.equal(changes.length, found.length, `${zone} ${year}`);
        changes.forEach((at, nth) => {
          assert.ok(at <= (found[nth] ?? 0) && at > (found[nth] ?? 0) - HOUR_MS, `${zone} ${at}`);
          assert.equal(offsets[nth], offsetAt(zone, at - 1), `${zone} before ${at}`);
          assert.equal(offsets[nth + 1], offsetAt(zone, at), `${zone} at ${at}`);
        });
      }
  });

  test("begin a day at its first moment, also where clocks skip midnight or a whole day", () => {
    const start = (zone: string, day: string) => new Date(startOfDay(zone, day)).toISOString();
    assert.equal(start("UTC", "2026-03-29"), "2026-03-29T00:00:00.000Z");
    assert.equal(start("Europe/Berlin", "2026-03-30"), "2026-03-29T22:00:00.000Z");
    assert.equal(start("America/Sao_Paulo", "2018-11-04"), "2018-11-04T03:00:00.000Z");
    // Samoa had no 30th of December 2011.
    assert.equal(start("Pacific/Apia", "2011-12-30"), "2011-12-30T10:00:00.000Z");
    assert.equal(start("Pacific/Apia", "2011-12-31"), "2011-12-30T10:00:00.000Z");
    for (const zone of ZONES)
      for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2027, 0, 1); ms += 24 * HOUR_MS) {
        const day = dayIn(zone, ms);
        const first = startOfDay(zone, day);
        assert.equal(dayIn(zone, first), day, `${zone} ${day}`);
        assert.ok(dayIn(zone, first - 1) < day, `${zone} before ${day}`);
      }
  });
});
