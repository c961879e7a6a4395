import assert from "node:assert/strict";
import { test } from "node:test";
import { pathPrefix, withoutPrefix } from "./path-prefix.ts";

test("the prefix is the path of the public URL", () => {
  assert.equal(pathPrefix("https://example.com"), "");
  assert.equal(pathPrefix("https://example.com/"), "");
  assert.equal(pathPrefix("https://example.com/a/b/"), "/a/b");
  assert.equal(pathPrefix(""), "");
});

test("a prefix that the proxy passes on is removed, and only that", () => {
  const cases: [url: string, prefix: string, rest: string][] = [
    ["/v0/x", "", "/v0/x"],
    ["/in/v0/x?a=/in", "/in", "/v0/x?a=/in"],
    ["/in", "/in", "/"],
    ["/in?a=1", "/in", "/?a=1"],
    ["/inner/x", "/in", "/inner/x"],
    ["/v0/x", "/in", "/v0/x"],
  ];
  for (const [url, prefix, rest] of cases) assert.equal(withoutPrefix(url, prefix), rest, `${url} ${prefix}`);
});
