import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ERROR_CODES, ERRORS } from "../../src/contract/errors.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import { createKeyText } from "../../src/control/key-text.ts";
import { revokeApiKey } from "../../src/control/keys.ts";
import { createProject } from "../../src/control/tenants.ts";
import { readRoute, writeRoute } from "../../src/http/route.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { createCuttableControl } from "../support/control.ts";
import { expectError } from "../support/envelope.ts";
import { sendRaw } from "../support/raw-http.ts";
import { waitFor } from "../support/wait.ts";

let api: TestApi;
let key: TestKey;

before(async () => {
  api = await startApi("sqlite");
  key = await api.createKey();
});
after(() => api.stop());

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
const json = (body: unknown) => ({
  method: "POST",
  headers: { "x-api-key": key.text, "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

describe("200", () => {
  test("the paths below /v0 and /api accept both key headers", async () => {
    const answers = await Promise.all([
      fetch(`${api.apiUrl}/v0/test_reads`, { headers: bearer(key.text) }),
      fetch(`${api.apiUrl}/v0/test_reads`, { headers: { "x-api-key": key.text } }),
      fetch(`${api.apiUrl}/api/validate-api-key`, { method: "POST", headers: { "x-api-key": key.text } }),
      fetch(`${api.apiUrl}/api/validate-api-key`, { method: "POST", headers: bearer(key.text) }),
    ]);
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 200, 200, 200],
    );
  });

  test("the documented header wins", async () => {
    const bad = createKeyText("api");
    const v0 = await fetch(`${api.apiUrl}/v0/test_reads`, { headers: { ...bearer(bad), "x-api-key": key.text } });
    assert.equal(v0.status, 401);
    const apiSide = { method: "POST", headers: { ...bearer(bad), "x-api-key": key.text } };
    assert.equal((await fetch(`${api.apiUrl}/api/validate-api-key`, apiSide)).status, 200);
  });

  test("a trailing slash changes nothing and redirects nowhere", async () => {
    const answer = await fetch(`${api.apiUrl}/v0/test_reads/`, { headers: bearer(key.text), redirect: "error" });
    assert.equal(answer.status, 200);
  });

  test("a JSON content type without a body is accepted on GET and on an empty POST", async () => {
    const headers = { ...bearer(key.text), "content-type": "application/json" };
    assert.equal((await fetch(`${api.apiUrl}/v0/test_reads`, { headers })).status, 200);
    assert.equal((await fetch(`${api.apiUrl}/api/validate-api-key`, { method: "POST", headers })).status, 200);
  });

  test("every authenticated answer carries the three rate limit headers and a request id", async () => {
    const answer = await fetch(`${api.apiUrl}/v0/test_reads`, {
      headers: { ...bearer(key.text), "x-request-id": "my-id.1" },
    });
    for (const name of ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"])
      assert.match(answer.headers.get(name) ?? "", /^\d+$/);
    assert.equal(answer.headers.get("x-request-id"), "my-id.1");
  });
});

describe("400", () => {
  test("every failure of every part is listed at once, with the first as param", async () => {
    const answer = await fetch(`${api.apiUrl}/v0/test_reads?limit=0&offset=x&day=2026-02-30`, {
      headers: bearer(key.text),
    });
    const error = await expectError(answer, "plain", 400, "INVALID_VALIDATION_REQUEST");
    assert.deepEqual(Object.keys(error.details ?? {}).sort(), ["query.day", "query.limit", "query.offset"]);
    assert.equal(error.details?.["query.limit"], "must be at least 1");
    assert.ok(error.param !== undefined && error.param in (error.details ?? {}));
  });

  test("failures in a body have dotted paths", async () => {
    const answer = await fetch(`${api.apiUrl}/api/test-projects`, json({ eventTypes: ["A", "C"] }));
    const error = await expectError(answer, "api", 400, "INVALID_VALIDATION_REQUEST");
    assert.deepEqual(error.details, { "body.name": "is required", "body.eventTypes.1": "must be one of A, B" });
  });

  test("at most 50 failures are listed", async () => {
    const answer = await fetch(`${api.apiUrl}/api/test-projects`, json({ name: "x", eventTypes: Array(80).fill("C") }));
    const error = await expectError(answer, "api", 400, "INVALID_VALIDATION_REQUEST");
    assert.equal(Object.keys(error.details ?? {}).length, 50);
  });

  test("a duplicate query parameter is a validation error", async () => {
    const answer = await fetch(`${api.apiUrl}/v0/test_reads?limit=1&limit=2`, { headers: bearer(key.text) });
    const error = await expectError(answer, "plain", 400, "INVALID_VALIDATION_REQUEST");
    assert.deepEqual(error.details, { "query.limit": "must be given once" });
  });

  const broken: [string, string | Uint8Array][] = [
    ["malformed JSON", '{"name": '],
    ["JSON nested 10,000 deep", "[".repeat(10_000) + "]".repeat(10_000)],
    ["bytes that are no UTF-8", new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
  ];
  for (const [what, body] of broken) {
    test(`${what} is refused, and the message does not repeat it`, async () => {
      const answer = await fetch(`${api.apiUrl}/api/test-projects`, { ...json(""), body: body as string });
      const error = await expectError(answer, "api", 400, "BAD_REQUEST");
      assert.equal(error.param, "body");
      assert.ok(error.message.length < 100);
    });
  }

  test("a missing body is reported as missing", async () => {
    const answer = await fetch(`${api.apiUrl}/api/test-projects`, json(""));
    await expectError(answer, "api", 400, "INVALID_VALIDATION_REQUEST");
  });

  test("bytes that are not HTTP get the error envelope", async () => {
    await expectError(await sendRaw(api.apiUrl, "nonsense\r\n\r\n"), "plain", 400, "BAD_REQUEST");
    await expectError(await sendRaw(api.eventsUrl, "nonsense\r\n\r\n"), "events", 400, "BAD_REQUEST");
  });

  test("a path that cannot be decoded gets the error envelope", async () => {
    await expectError(await fetch(`${api.apiUrl}/v0/%E0%A4%A`), "plain", 400, "BAD_REQUEST");
  });
});

describe("401", () => {
  const altered = (text: string) => text.slice(0, 10) + (text[10] === "a" ? "b" : "a") + text.slice(11);
  const cases: [string, () => Promise<Record<string, string>>][] = [
    ["no key", async () => ({})],
    ["an empty key", async () => ({ "x-api-key": "" })],
    ["another scheme", async () => ({ authorization: `Basic ${key.text}` })],
    ["Bearer without a token", async () => ({ authorization: "Bearer" })],
    ["a key with a wrong check tail", async () => bearer(altered(key.text))],
    ["a truncated key", async () => bearer(key.text.slice(0, -1))],
    ["a well-formed key nobody made", async () => bearer(createKeyText("api"))],
    ["a write key", async () => bearer(createKeyText("write"))],
    ["an unknown key without our prefix", async () => bearer("formo_0123456789abcdef0123456789abcdef")],
    ["an expired key", async () => bearer((await api.createKey({ expiresAtMs: Date.now() - 1 })).text)],
    ["a revoked key", async () => bearer((await revoked()).text)],
    ["a key of 600 characters", async () => bearer("k".repeat(600))],
  ];
  async function revoked(): Promise<TestKey> {
    const made = await api.createKey();
    await api.store.write((tx) => revokeApiKey(tx, made.workspaceId, made.id, Date.now()));
    return made;
  }

  for (const [what, headers] of cases) {
    test(`${what} is refused on both sides, with WWW-Authenticate`, async () => {
      const sent = await headers();
      for (const [path, style] of [
        ["/v0/test_reads", "plain"],
        ["/api/validate-api-key", "api"],
      ] as const) {
        const answer = await fetch(api.apiUrl + path, { method: style === "api" ? "POST" : "GET", headers: sent });
        const error = await expectError(answer, style, 401, "UNAUTHORIZED");
        assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/);
        assert.ok(!error.message.includes(key.text.slice(4)));
      }
    });
  }

  test("a revoked key stops within a second although it was in use", async () => {
    const made = await api.createKey();
    const call = async () => (await fetch(`${api.apiUrl}/v0/test_reads`, { headers: bearer(made.text) })).status;
    assert.equal(await call(), 200);
    await api.store.write((tx) => revokeApiKey(tx, made.workspaceId, made.id, Date.now()));
    const revokedAt = performance.now();
    // When it was sent: on a busy machine an answer may take a second.
    for (let sentAt = revokedAt; (await call()) === 200; sentAt = performance.now())
      assert.ok(sentAt - revokedAt < 1_000, "still valid after a second");
  });

  test("a large body without a valid key is not read", async () => {
    const head = `POST /api/test-projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{`;
    await expectError(
      await sendRaw(api.apiUrl, head.replace("Host: x", "Host: x\r\nConnection: close")),
      "api",
      401,
      "UNAUTHORIZED",
    );
  });
});

describe("403", () => {
  test("the message names the scope; a write scope includes its read scope", async () => {
    const reader = await api.createKey({ scopes: ["forms:read"] });
    const answer = await fetch(`${api.apiUrl}/v0/test_reads`, { headers: bearer(reader.text) });
    assert.match((await expectError(answer, "plain", 403, "FORBIDDEN")).message, /query:read/);
    assert.match(answer.headers.get("ratelimit-remaining") ?? "", /^\d+$/);
    const write = {
      method: "POST",
      headers: { "x-api-key": reader.text, "content-type": "application/json" },
      body: '{"name":"n"}',
    };
    const refused = await fetch(`${api.apiUrl}/api/test-projects`, write);
    assert.match((await expectError(refused, "api", 403, "FORBIDDEN")).message, /forms:write/);
  });
});

describe("404", () => {
  test("an unknown path on each server gets that server's error envelope", async () => {
    await expectError(await fetch(`${api.apiUrl}/v0/nothing`), "plain", 404, "NOT_FOUND");
    await expectError(await fetch(`${api.apiUrl}/nothing`), "plain", 404, "NOT_FOUND");
    await expectError(await fetch(`${api.apiUrl}/api/nothing`), "api", 404, "NOT_FOUND");
    await expectError(await fetch(`${api.apiUrl}/api`), "api", 404, "NOT_FOUND");
    await expectError(await fetch(`${api.eventsUrl}/v0/nothing`), "events", 404, "NOT_FOUND");
    await expectError(await fetch(`${api.opsUrl}/nothing`), "plain", 404, "NOT_FOUND");
  });
});

describe("405", () => {
  test("a wrong method on a known path lists the allowed ones", async () => {
    const answer = await fetch(`${api.apiUrl}/api/validate-api-key`);
    await expectError(answer, "api", 405, "BAD_REQUEST");
    assert.equal(answer.headers.get("allow"), "POST");
    const other = await fetch(`${api.apiUrl}/v0/test_reads/`, { method: "DELETE", headers: bearer(key.text) });
    await expectError(other, "plain", 405, "BAD_REQUEST");
    assert.equal(other.headers.get("allow"), "GET, HEAD");
    const query = "QUERY /api/validate-api-key HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    await expectError(await sendRaw(api.apiUrl, query), "api", 405, "BAD_REQUEST");
    await expectError(
      await sendRaw(api.apiUrl, "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n"),
      "plain",
      400,
      "BAD_REQUEST",
    );
  });
});

describe("413, 414, 415, 417, 431", () => {
  test("a body over the limit is refused", async () => {
    await expectError(
      await fetch(`${api.apiUrl}/api/test-projects`, json({ name: "x".repeat(1_100_000) })),
      "api",
      413,
      "BAD_REQUEST",
    );
  });
  test("a URL over the limit is refused", async () => {
    const long = (chars: number) => `/v0/test_reads?day=${"x".repeat(chars)}`;
    const answer = await fetch(api.apiUrl + long(LIMITS.apiUrlChars));
    const { message } = await expectError(answer, "plain", 414, "BAD_REQUEST");
    assert.match(message, new RegExp(`${LIMITS.apiUrlChars} bytes`));
    await expectError(await fetch(api.eventsUrl + long(9_000)), "events", 414, "BAD_REQUEST");
    await expectError(await fetch(api.opsUrl + long(9_000)), "plain", 414, "BAD_REQUEST");
    // So long that Node does not even read it to its end.
    const raw = `GET ${long(LIMITS.apiUrlChars + LIMITS.headerBytes)} HTTP/1.1\r\nHost: x\r\n\r\n`;
    await expectError(await sendRaw(api.apiUrl, raw), "plain", 431, "BAD_REQUEST");
  });
  test("a body with a wrong or missing content type is refused", async () => {
    const init = json({ name: "x" });
    const typed = { ...init, headers: { ...init.headers, "content-type": "text/plain" } };
    await expectError(await fetch(`${api.apiUrl}/api/test-projects`, typed), "api", 415, "BAD_REQUEST");
    const untyped = { ...init, headers: { "x-api-key": key.text }, body: new Uint8Array([123, 125]) };
    await expectError(await fetch(`${api.apiUrl}/api/test-projects`, untyped), "api", 415, "BAD_REQUEST");
  });
  test("an unknown Expect header is refused", async () => {
    const raw =
      "POST /api/test-projects HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: a-miracle\r\nContent-Length: 0\r\n\r\n";
    await expectError(await sendRaw(api.apiUrl, raw), "api", 417, "BAD_REQUEST");
  });
  test("headers over the limit are refused on every server", async () => {
    const raw = `GET /v0/x HTTP/1.1\r\nHost: x\r\nX-Big: ${"y".repeat(20_000)}\r\n\r\n`;
    await expectError(await sendRaw(api.apiUrl, raw), "plain", 431, "BAD_REQUEST");
    await expectError(await sendRaw(api.eventsUrl, raw), "events", 431, "BAD_REQUEST");
    await expectError(await sendRaw(api.opsUrl, raw), "plain", 431, "BAD_REQUEST");
  });
  test("a request with two lengths (smuggling) is refused", async () => {
    const raw =
      "POST /api/test-projects HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    await expectError(await sendRaw(api.apiUrl, raw), "plain", 400, "BAD_REQUEST");
  });
});

describe("5xx", () => {
  test("an unexpected error does not reveal its cause; the log has it under the request id", async (t) => {
    const failing = await startApi("sqlite", {}, [
      readRoute({
        method: "GET",
        path: "/v0/test_reads",
        operationId: "testBug",
        tag: "Test",
        summary: "A bug",
        access: "any",
        answers: {},
        handle: async () => {
          throw new Error("the password is hunter2");
        },
      }),
    ]);
    t.after(() => failing.stop());
    const made = await failing.createKey();
    const answer = await fetch(`${failing.apiUrl}/v0/test_reads`, { headers: bearer(made.text) });
    const error = await expectError(answer, "plain", 500, "INTERNAL_SERVER_ERROR");
    assert.doesNotMatch(JSON.stringify(error), /hunter2/);
    assert.ok(
      failing.logs.some((line) => line.includes("hunter2") && line.includes(answer.headers.get("x-request-id") ?? "-")),
    );
  });

  test("an unavailable control store is a 503 with Retry-After, and requests work again once it is back", async (t) => {
    const control = await createCuttableControl();
    const lost = await startApi(control);
    t.after(() => lost.stop());
    const made = await lost.createKey();
    const call = () => fetch(`${lost.apiUrl}/v0/test_reads`, { headers: bearer(made.text) });
    control.cut();
    const answer = await call();
    await expectError(answer, "plain", 503, "SERVICE_UNAVAILABLE");
    assert.equal(answer.headers.get("retry-after"), "1");
    control.mend();
    assert.equal((await call()).status, 200);
  });
});

describe("a PostgreSQL connection lost in the middle of a write", () => {
  test("is a 503 for that request, does not end the process, and the same key works afterwards", async (t) => {
    const control = await createCuttableControl();
    let cut = () => control.cut();
    const route = writeRoute({
      method: "POST",
      path: "/api/cut",
      operationId: "testCut",
      tag: "Test",
      summary: "Loses its connection in the middle",
      access: "any",
      answers: {},
      handle: async ({ key: { workspaceId } }, tx) => {
        cut();
        const project = await createProject(tx, workspaceId, "after the cut", 1);
        return { status: 201, body: { id: project.id } };
      },
    });
    let laterMs = 0;
    const lost = await startApi(control, {}, [route], { clock: { nowMs: () => Date.now() + laterMs } });
    t.after(() => lost.stop());
    const made = await lost.createKey();
    const call = () =>
      fetch(`${lost.apiUrl}/api/cut`, {
        method: "POST",
        headers: { "x-api-key": made.text, "idempotency-key": "cut" },
      });
    await expectError(await call(), "api", 503, "SERVICE_UNAVAILABLE");
    cut = () => undefined;
    control.mend();
    await waitFor("a connection", async () => (await call()).status === 409);
    laterMs = 30_000;
    assert.equal((await call()).status, 201, "its lease has ended");
  });
});

describe("the errors page", () => {
  test("has one anchor per code, and loads nothing from another host", async () => {
    const answer = await fetch(`${api.apiUrl}/docs/errors`);
    const page = await answer.text();
    assert.equal(answer.status, 200);
    for (const code of ERROR_CODES) {
      assert.equal(page.split(`id="${code.toLowerCase()}"`).length, 2, code);
      assert.ok(page.includes(`HTTP ${ERRORS[code].status}`));
    }
    assert.doesNotMatch(page, /(src|href)="(https?:)?\/\//);
  });
});
