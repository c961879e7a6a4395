import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sampled } from "./testing.ts";
import { addDays } from "./time.ts";
import { dayIn, isTimeZone, offsetAt, shiftsBetween, startOfDay, timeInZone } from "./time-zones.ts";

const HOUR_MS = 3_600_000;
const ZONES = ["America/New_York", "Asia/Kolkata", "Pacific/Chatham", "Africa/Casablanca", "Australia/Lord_Howe"];

describe("time zones", () => {
  test("are known by their names alone", () => {
    for (const name of ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
      assert.ok(isTimeZone(name), name);
    for (const name of [
      "",
      "+02:00",
      "-05:00",
      "Europe/Nowhere",
      "Europe/Berlin\0",
      "02",
      " UTC",
      "UTC'",
      "a".repeat(65),
    ])
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

const at = (zone: string, day: string, hour: number) => new Date(timeInZone(zone, day, hour)).toISOString();

describe("an hour of a day in a zone", () => {
  // Clocks go forward at 02:00, back at 03:00 (Berlin) and at 02:00 (New York); on Lord Howe by half an hour.
  const CASES = [
    ["Europe/Berlin", "2026-03-28", 2, "2026-03-28T01:00:00.000Z", "winter"],
    ["Europe/Berlin", "2026-03-29", 2, "2026-03-29T01:00:00.000Z", "does not exist: 03:00 in summer"],
    ["Europe/Berlin", "2026-03-29", 3, "2026-03-29T01:00:00.000Z", "the first hour of summer"],
    ["Europe/Berlin", "2026-03-30", 2, "2026-03-30T00:00:00.000Z", "summer"],
    ["Europe/Berlin", "2026-10-25", 2, "2026-10-25T00:00:00.000Z", "exists twice: the first"],
    ["Europe/Berlin", "2026-10-25", 3, "2026-10-25T02:00:00.000Z", "after both"],
    ["America/New_York", "2026-03-08", 2, "2026-03-08T07:00:00.000Z", "does not exist: 03:00 in summer"],
    ["America/New_York", "2026-11-01", 1, "2026-11-01T05:00:00.000Z", "exists twice: the first"],
    ["America/New_York", "2026-11-01", 2, "2026-11-01T07:00:00.000Z", "after both"],
    ["Australia/Lord_Howe", "2026-10-04", 2, "2026-10-03T15:30:00.000Z", "does not exist: 02:30 in summer"],
    ["Australia/Lord_Howe", "2026-04-05", 2, "2026-04-04T15:30:00.000Z", "02:00 after half past one came twice"],
    ["Asia/Kolkata", "2026-06-01", 0, "2026-05-31T18:30:00.000Z", "half an hour"],
    ["Pacific/Apia", "2011-12-30", 8, "2011-12-30T18:00:00.000Z", "the day that Samoa left out"],
    ["UTC", "2026-06-01", 23, "2026-06-01T23:00:00.000Z", "UTC"],
  ] as const;
  for (const [zone, day, hour, expected, why] of CASES)
    test(`${zone} ${day} ${hour}:00 (${why})`, () => assert.equal(at(zone, day, hour), expected));

  test("the clocks show it for the first time, or, where it is left out, the time that follows", () => {
    for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham"]) {
      const shown = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
      for (let day = "2026-03-01"; day < "2026-11-05"; day = addDays(day, 1))
        for (const hour of [1, 2, 3]) {
          const ms = timeInZone(zone, day, hour);
          const wanted = `${day} 0${hour}:00`;
          const text = shown.format(ms);
          const isLeftOut = text > wanted && text <= `${day} 0${hour + 1}:00` && shown.format(ms - 3_600_000) < wanted;
          assert.ok(text === wanted || isLeftOut, `${zone} ${wanted}: ${text}`);
          assert.notEqual(shown.format(ms - 3_600_000), wanted, `${zone} ${wanted} has come an hour before`);
        }
    }
  });
});

test("a day in a zone is that of its wall clocks", () => {
  const ms = Date.parse("2026-06-01T22:30:00Z");
  assert.equal(dayIn("Europe/Berlin", ms), "2026-06-02");
  assert.equal(dayIn("UTC", ms), "2026-06-01");
  assert.equal(dayIn("America/New_York", ms), "2026-06-01");
  assert.equal(dayIn("Pacific/Auckland", ms), "2026-06-02");
});
