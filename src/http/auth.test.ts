import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientGroup, findKeyText } from "./auth.ts";

describe("clientGroup", () => {
  const table: [string, string][] = [
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "::ffff:203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::6", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::", "fe80:0:0:0"],
  ];
  for (const [address, group] of table) {
    test(`${address} counts as ${group}`, () => assert.equal(clientGroup(address), group));
  }
});

describe("findKeyText", () => {
  const table: [string, Record<string, string>, string | undefined][] = [
    ["/v0/x", { authorization: "Bearer a" }, "a"],
    ["/v0/x", { authorization: "bearer a" }, "a"],
    ["/v0/x", { "x-api-key": "b" }, "b"],
    ["/v0/x", { authorization: "Bearer a", "x-api-key": "b" }, "a"],
    ["/v0/x", { authorization: "Basic a", "x-api-key": "b" }, ""],
    ["/api/x", { authorization: "Bearer a", "x-api-key": "b" }, "b"],
    ["/api/x", { authorization: "Bearer a" }, "a"],
    ["/api/x", {}, undefined],
  ];
  for (const [path, headers, key] of table) {
    test(`${path} with ${JSON.stringify(headers)} gives ${key}`, () => assert.equal(findKeyText(path, headers), key));
  }
});
