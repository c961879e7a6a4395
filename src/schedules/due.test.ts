import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { daysBefore, latestRun, nextRun, type Rhythm } from "./due.ts";

const weekly = (timezone: string, hour: number, weekday = 1): Rhythm => ({ every: "week", weekday, hour, timezone });
const monthly = (timezone: string, hour: number): Rhythm => ({ every: "month", weekday: 1, hour, timezone });
const at = (text: string) => Date.parse(text);
const show = ({ from, to, dueAtMs }: ReturnType<typeof nextRun>) => [from, to, new Date(dueAtMs).toISOString()];

describe("the next run", () => {
  const CASES = [
    [
      "in winter",
      weekly("Europe/Berlin", 8),
      "2026-03-20T00:00:00Z",
      "2026-03-16",
      "2026-03-22",
      "2026-03-23T07:00:00.000Z",
    ],
    [
      "an hour earlier in summer",
      weekly("Europe/Berlin", 8),
      "2026-03-28T00:00:00Z",
      "2026-03-23",
      "2026-03-29",
      "2026-03-30T06:00:00.000Z",
    ],
    [
      "at an hour that is left out",
      weekly("Europe/Berlin", 2, 7),
      "2026-03-28T00:00:00Z",
      "2026-03-22",
      "2026-03-28",
      "2026-03-29T01:00:00.000Z",
    ],
    [
      "at an hour that comes twice",
      weekly("Europe/Berlin", 2, 7),
      "2026-10-24T00:00:00Z",
      "2026-10-18",
      "2026-10-24",
      "2026-10-25T00:00:00.000Z",
    ],
    [
      "left out in New York",
      weekly("America/New_York", 2, 7),
      "2026-03-07T00:00:00Z",
      "2026-03-01",
      "2026-03-07",
      "2026-03-08T07:00:00.000Z",
    ],
    [
      "twice in New York",
      weekly("America/New_York", 1, 7),
      "2026-10-31T00:00:00Z",
      "2026-10-25",
      "2026-10-31",
      "2026-11-01T05:00:00.000Z",
    ],
    [
      "half an hour off",
      weekly("Asia/Kolkata", 8),
      "2026-06-01T00:00:00Z",
      "2026-05-25",
      "2026-05-31",
      "2026-06-01T02:30:00.000Z",
    ],
    [
      "waits for the end of its days",
      weekly("Asia/Kolkata", 0),
      "2026-05-31T00:00:00Z",
      "2026-05-25",
      "2026-05-31",
      "2026-06-01T00:00:00.000Z",
    ],
    [
      "of a month",
      monthly("America/New_York", 9),
      "2026-02-11T00:00:00Z",
      "2026-02-01",
      "2026-02-28",
      "2026-03-01T14:00:00.000Z",
    ],
    [
      "of a leap month",
      monthly("UTC", 0),
      "2028-02-11T00:00:00Z",
      "2028-02-01",
      "2028-02-29",
      "2028-03-01T00:00:00.000Z",
    ],
    [
      "of a year's last month",
      monthly("Pacific/Auckland", 8),
      "2026-12-31T00:00:00Z",
      "2026-12-01",
      "2026-12-31",
      "2027-01-01T00:00:00.000Z",
    ],
  ] as const;
  for (const [name, rhythm, after, from, to, due] of CASES)
    test(name, () => assert.deepEqual(show(nextRun(rhythm, at(after))), [from, to, due]));

  test("is after the time, never at it", () => {
    const rhythm = weekly("UTC", 8);
    assert.deepEqual(show(nextRun(rhythm, at("2026-06-01T07:59:59.999Z")))[2], "2026-06-01T08:00:00.000Z");
    assert.deepEqual(show(nextRun(rhythm, at("2026-06-01T08:00:00Z")))[2], "2026-06-08T08:00:00.000Z");
  });
});

test("the latest run is the last that is due, however many were missed", () => {
  const rhythm = weekly("UTC", 8);
  assert.deepEqual(show(latestRun(rhythm, at("2026-06-24T12:00:00Z"))), [
    "2026-06-15",
    "2026-06-21",
    "2026-06-22T08:00:00.000Z",
  ]);
  assert.deepEqual(show(latestRun(rhythm, at("2026-06-22T08:00:00Z")))[2], "2026-06-22T08:00:00.000Z");
  assert.deepEqual(show(latestRun(rhythm, at("2026-06-22T07:59:59Z")))[2], "2026-06-15T08:00:00.000Z");
});

test("the runs of two years in three zones follow each other without a gap and without an overlap", () => {
  for (const timezone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
    for (const hour of [0, 1, 2, 3, 23])
      for (const rhythm of [weekly(timezone, hour, 7), monthly(timezone, hour)]) {
        let run = nextRun(rhythm, at("2026-01-01T00:00:00Z"));
        while (run.from < "2028-01-01") {
          const next = nextRun(rhythm, run.dueAtMs);
          assert.equal(at(next.from) - at(run.to), 86_400_000, `${timezone} ${hour} ${run.to} ${next.from}`);
          assert.deepEqual(latestRun(rhythm, next.dueAtMs - 1), run);
          assert.deepEqual(daysBefore(rhythm, next), { from: run.from, to: run.to });
          run = next;
        }
      }
});
