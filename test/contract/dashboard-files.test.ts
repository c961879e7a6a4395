import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { listDashboardFiles } from "../../src/http/dashboard/files.ts";
import { startApi, type TestApi } from "../support/api.ts";

const SCRIPT = `console.log("${"a".repeat(2_000)}");`;
const INDEX = '<!doctype html><base href="/"><meta name="csp-nonce" content="__CSP_NONCE__"><title>Sextant</title>';

function makeDist(): string {
  const dir = mkdtempSync(join(tmpdir(), "dist-"));
  mkdirSync(join(dir, "dist/assets"), { recursive: true });
  const put = (name: string, bytes: string | Buffer) => writeFileSync(join(dir, name), bytes);
  put("secret.txt", "outside");
  put("dist/index.html", INDEX);
  put("dist/icon.svg", "<svg/>");
  put("dist/assets/main-1234.js", SCRIPT);
  put("dist/assets/main-1234.js.br", brotliCompressSync(SCRIPT));
  put("dist/assets/main-1234.js.gz", gzipSync(SCRIPT));
  put("dist/assets/main-1234.js.map", "{}");
  put("dist/assets/bare-1234.js", SCRIPT);
  return dir;
}

/** Sends the path as it is; fetch would resolve the dots. */
async function get(api: TestApi, path: string, headers: Record<string, string> = {}, method = "GET") {
  const { hostname, port } = new URL(api.apiUrl);
  const sent = request({ hostname, port, path, method, headers });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

describe("the dashboard's files", () => {
  let dir: string;
  let api: TestApi;
  let prefixed: TestApi;
  before(async () => {
    dir = makeDist();
    const dashboard = listDashboardFiles(join(dir, "dist"));
    api = await startApi("sqlite", {}, [], { dashboard });
    prefixed = await startApi("sqlite", { apiUrl: () => "https://example.com/stats/in" }, [], { dashboard });
  });
  after(async () => {
    await api.stop();
    await prefixed.stop();
    rmSync(dir, { recursive: true });
  });

  test("every path that the page routes gets index.html, with a policy that allows no inline script", async () => {
    for (const path of ["/", "/setup", "/sign-in", "/invite", "/reset", "/app", "/app/live", "/app/a/b?x=1"]) {
      const { status, headers, body } = await get(api, path);
      assert.equal(status, 200, path);
      assert.equal(headers["content-type"], "text/html; charset=utf-8");
      assert.equal(headers["cache-control"], "no-cache");
      assert.equal(headers["x-content-type-options"], "nosniff");
      const policy = headers["content-security-policy"] ?? "";
      assert.match(String(policy), /default-src 'none'; script-src 'self';/);
      assert.match(String(policy), /frame-ancestors 'none'/);
      assert.equal(headers["x-frame-options"], "DENY");
      assert.doesNotMatch(String(policy), /unsafe/);
      const [, nonce] = /'nonce-([^']+)'/.exec(String(policy)) ?? [];
      assert.ok(nonce !== undefined && body.toString().includes(`content="${nonce}"`));
    }
  });

  test("a browser gets the page for a path that does not exist, with a 404; a program gets the error", async () => {
    const accept = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const page = await get(api, "/nonsense?x=1", accept);
    assert.equal(page.status, 404);
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    assert.ok(page.body.toString().includes("<base"));
    for (const [path, headers] of [
      ["/nonsense", {}],
      ["/api/nonsense", accept],
      ["/v0/nonsense", accept],
      ["/assets/nonsense.js", accept],
    ] as const) {
      const { status, body } = await get(api, path, headers);
      assert.equal(status, 404, path);
      assert.equal((JSON.parse(body.toString()) as { error: { code: string } }).error.code, "NOT_FOUND");
    }
  });

  test("the page may connect to its own server and to the events server only", async () => {
    const { headers } = await get(api, "/");
    const [, allowed] = /connect-src ([^;]+)/.exec(String(headers["content-security-policy"])) ?? [];
    assert.equal(allowed, `'self' ${api.eventsUrl}`);
  });

  test("two responses have different nonces", async () => {
    const [one, two] = [await get(api, "/"), await get(api, "/")];
    assert.notEqual(one.body.toString(), two.body.toString());
  });

  test("an asset is immutable and sent in the smallest encoding that the client accepts", async () => {
    const decode = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes };
    const cases: [accepted: string, encoding: keyof typeof decode][] = [
      ["gzip, deflate, br, zstd", "br"],
      ["gzip", "gzip"],
      ["br;q=0, gzip;q=0.5", "gzip"],
      ["identity", "none"],
    ];
    // The second has no copies on disk: they are made at the first request, and kept.
    const paths = ["/assets/main-1234.js", "/assets/bare-1234.js", "/assets/bare-1234.js"];
    for (const [accepted, encoding, path] of paths.flatMap((path) => cases.map((one) => [...one, path] as const))) {
      const { status, headers, body } = await get(api, path, { "accept-encoding": accepted });
      assert.equal(status, 200);
      assert.equal(headers["content-encoding"] ?? "none", encoding, accepted);
      assert.equal(headers["content-type"], "text/javascript; charset=utf-8");
      assert.match(headers["cache-control"] ?? "", /immutable/);
      assert.equal(headers.vary, "Accept-Encoding");
      assert.equal(decode[encoding](body).toString(), SCRIPT);
    }
  });

  test("HEAD has the headers of GET and no body; another method gets 405", async () => {
    for (const path of ["/", "/assets/main-1234.js", "/icon.svg"]) {
      const [got, head] = [await get(api, path), await get(api, path, {}, "HEAD")];
      assert.equal(head.status, 200, path);
      assert.equal(head.headers["content-length"], String(got.body.length));
      assert.equal(head.body.length, 0);
    }
    const post = await get(api, "/app/live", {}, "POST");
    assert.equal(post.status, 405);
    assert.equal(post.headers.allow, "GET, HEAD");
  });

  test("nothing but the listed files is served, whatever the path", async () => {
    for (const path of [
      "/assets/other.js",
      "/assets/main-1234.js.map",
      "/assets/main-1234.js.br",
      "/assets/",
      "/assets/../index.html",
      "/assets/../../secret.txt",
      "/assets/..%2f..%2fsecret.txt",
      "/assets/%2e%2e/%2e%2e/secret.txt",
      "/assets/__proto__",
      "/secret.txt",
      "/unknown",
    ])
      assert.equal((await get(api, path)).status, 404, path);
  });

  test("a path prefix is in the page's base, and requests work with and without it", async () => {
    const { body } = await get(prefixed, "/");
    assert.match(body.toString(), /<base href="\/stats\/in\/">/);
    for (const path of ["/app/live", "/assets/main-1234.js", "/docs", "/openapi.json"])
      for (const prefix of ["", "/stats/in"])
        assert.equal((await get(prefixed, `${prefix}${path}`)).status, 200, `${prefix}${path}`);
    assert.equal((await get(prefixed, "/stats/in")).status, 200);
    assert.equal((await get(prefixed, "/stats/inner")).status, 404);
  });
});
