import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findRetryAfterMs, readExcerpt } from "./answer.ts";

const NOW_MS = Date.parse("1994-11-06T08:49:00Z");
const DAY_MS = 86_400_000;

describe("Retry-After", () => {
  const table: [header: string | string[] | undefined, ms: number | undefined][] = [
    ["0", 0],
    ["120", 120_000],
    [" 7 ", 7000],
    ["86400", DAY_MS],
    ["86401", DAY_MS],
    ["9".repeat(400), DAY_MS],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 37_000],
    ["Sun Nov  6 08:49:37 1994", 37_000],
    ["Sun, 06 Nov 1994 08:48:00 GMT", 0],
    ["Sun, 06 Nov 2094 08:48:00 GMT", DAY_MS],
    [["5", "10"], 5000],
    [undefined, undefined],
    ["", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["soon", undefined],
    ["Sun, 99 Nov 1994 08:49:37 GMT", undefined],
    ["1994-11-06T08:49:37Z", undefined],
    ["2094", 2_094_000],
  ];
  for (const [header, ms] of table) {
    test(`${String(JSON.stringify(header)).slice(0, 40)} is ${ms} ms`, () =>
      assert.equal(findRetryAfterMs(header, NOW_MS), ms));
  }
});

describe("an excerpt", () => {
  const kept = (body: Uint8Array | string) => readExcerpt(Buffer.from(body));

  test("is a short body as it is", () => {
    for (const body of ["", "ok", "é💚", "\ud7ff"]) assert.equal(kept(body), body);
  });

  test("has at most 16 KiB and whole characters, wherever the cut falls", () => {
    for (const character of ["a", "é", "日", "💚"]) {
      for (const shift of ["", "a", "ab", "abc"]) {
        const excerpt = kept(shift + character.repeat(20_000));
        const bytes = Buffer.byteLength(excerpt);
        assert.ok(bytes <= 16_384 && bytes > 16_380, `${bytes} bytes`);
        assert.equal(excerpt, shift + character.repeat((excerpt.length - shift.length) / character.length));
      }
    }
  });

  test("of bytes that are no text has at most 16 KiB too", () => {
    const excerpt = kept(new Uint8Array(100_000).fill(0xff));
    assert.match(excerpt, /^\ufffd+$/);
    assert.equal(Buffer.byteLength(excerpt), 16_383);
  });

  test("holds no NUL, which PostgreSQL does not store", () => {
    assert.equal(kept("a\0b"), "a\ufffdb");
  });
});
