import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LogShares } from "./log-shares.ts";

const at = (offset: number) => ({ segment: 1, offset });

describe("the share of a workspace in the log", () => {
  test("a workspace may fill the log alone, and hold a quarter of it while another one writes", () => {
    const shares = new LogShares(1_000);
    shares.add("a", 600, 0);
    assert.equal(shares.isExceeded("a", 100, 0), false);
    shares.add("b", 10, 0);
    assert.equal(shares.isExceeded("a", 1, 59_999), true);
    assert.equal(shares.isExceeded("b", 240, 59_999), false);
    assert.equal(shares.isExceeded("b", 241, 59_999), true);
    assert.equal(shares.isExceeded("a", 1, 60_000), false, "b has stopped");
  });

  test("what is stored is given back", () => {
    const shares = new LogShares(1_000);
    shares.add("b", 10, 0);
    shares.add("a", 200, 0);
    shares.settle(at(210));
    shares.add("a", 50, 0);
    assert.equal(shares.isExceeded("a", 1, 0), true);
    shares.release(at(209), at(260));
    assert.equal(shares.isExceeded("a", 1, 0), true);
    shares.release(at(210), at(260));
    assert.equal(shares.isExceeded("a", 200, 0), false);
    shares.release(at(260), at(260));
    assert.equal(shares.isExceeded("a", 250, 0), false);
  });
});
