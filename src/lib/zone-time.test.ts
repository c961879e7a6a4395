import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addDays, dayInZone, isTimeZone, timeInZone, weekdayOf } from "./zone-time.ts";

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
  assert.equal(dayInZone("Europe/Berlin", ms), "2026-06-02");
  assert.equal(dayInZone("UTC", ms), "2026-06-01");
  assert.equal(dayInZone("America/New_York", ms), "2026-06-01");
  assert.equal(dayInZone("Pacific/Auckland", ms), "2026-06-02");
});

test("zones have names", () => {
  for (const name of ["Europe/Berlin", "UTC", "Asia/Kolkata"]) assert.equal(isTimeZone(name), true, name);
  for (const name of ["", "+02:00", "Mars/Olympus", "Europe/Berlin\0", "02"])
    assert.equal(isTimeZone(name), false, name);
});

test("weekdays begin on Monday", () => {
  assert.deepEqual(["2026-11-16", "2026-11-22"].map(weekdayOf), [1, 7]);
});
