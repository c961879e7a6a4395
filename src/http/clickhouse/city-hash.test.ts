import assert from "node:assert/strict";
import { test } from "node:test";
import { cityHash128 } from "./city-hash.ts";

test("CityHash128 is that of version 1.0.2, for every path of the algorithm", () => {
  // Published values of other implementations.
  const table: [string | Buffer, bigint, bigint][] = [
    ["", 0x3df09dfc64c09a2bn, 0x3cb540c392e51e29n],
    ["a", 15163964786936388304n, 18266194243813403894n],
    ["abcd", 15137505341054233748n, 14767571255030181100n],
    ["abcdefgh", 5450273043562147764n, 18090582611594380852n],
    ["Hello, World!", 0x703dabf8d081ec00n, 0xa196e28f28c3ee09n],
    ["0123456789'01234", 5376997234998077898n, 10566044557984082456n],
    ["0123456789+0123456", 16695864222237453375n, 13870199499492916551n],
    ["size:  a.out:  bad magic", 18153091936184608554n, 14295249992360344248n],
    ["The quick brown fox jumps over the lazy dog", 0x69102202d326a2fdn, 0xe4b1346bbee531a1n],
    [Buffer.alloc(200, 0xab), 0xb29e1d196fe650dfn, 0x3dae10d6a77e0432n],
  ];
  for (const [input, low, high] of table)
    assert.deepEqual(cityHash128(Buffer.from(input)), [low, high], JSON.stringify(input.toString("latin1")));
});
