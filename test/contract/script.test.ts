import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { startApi, type TestApi } from "../support/api.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const BUILT = readFileSync(join(ROOT, "script/dist/script.js"), "utf8");
const MOST_BYTES = 4_096;

describe("GET /script.js of the events server", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi("sqlite");
  });
  after(() => api.stop());

  test("needs no key, may be loaded by any site and is kept for an hour", async () => {
    const answer = await fetch(`${api.eventsUrl}/script.js`);
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), BUILT);
    assert.equal(answer.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.equal(answer.headers.get("cross-origin-resource-policy"), "cross-origin");
    assert.match(answer.headers.get("cache-control") ?? "", /max-age=3600/);
    const etag = answer.headers.get("etag") ?? "";
    const again = await fetch(`${api.eventsUrl}/script.js`, { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
  });

  test("another method is told which one there is", async () => {
    const answer = await fetch(`${api.eventsUrl}/script.js`, { method: "POST" });
    assert.equal(answer.status, 405);
    assert.match(answer.headers.get("allow") ?? "", /GET/);
  });
});

test(`the script has at most ${MOST_BYTES} bytes packed`, () => {
  const { length } = gzipSync(BUILT, { level: 9 });
  assert.ok(length <= MOST_BYTES, `${length} bytes`);
});

test("the committed script is built from these sources: npm run build:script", () => {
  const dir = mkdtempSync(join(tmpdir(), "script-"));
  try {
    execFileSync(process.execPath, [join(ROOT, "dashboard/scripts/build-script.ts"), dir], { timeout: 60_000 });
    assert.equal(readFileSync(join(dir, "script.js"), "utf8"), BUILT);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
