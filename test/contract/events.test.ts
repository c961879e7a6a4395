import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { createKeyText } from "../../src/control/key-text.ts";
import { revokeWriteKey } from "../../src/control/keys.ts";
import { decodeRequest } from "../../src/ingest/logged-request.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import { sampleEvent } from "../support/events.ts";
import { waitFor } from "../support/wait.ts";

let api: TestApi;
let sender: Awaited<ReturnType<TestApi["createWriteKey"]>>;
before(async () => {
  api = await startApi("sqlite");
  sender = await api.createWriteKey();
});
after(() => api.stop());

type Body = string | Uint8Array<ArrayBuffer>;
const post = (path: string, body: Body | ReadableStream, headers: Record<string, string> = {}) =>
  fetch(api.eventsUrl + path, {
    method: "POST",
    ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    headers: { authorization: `Bearer ${sender.text}`, "content-type": "application/json", ...headers },
    body,
  });
const events = (body: unknown, headers: Record<string, string> = {}) =>
  post("/v0/events?name=raw_events", JSON.stringify(body), headers);
const raw = (body: unknown, headers: Record<string, string> = {}) =>
  post("/v0/raw_events", JSON.stringify(body), headers);

/** The records that one call appends to the log. */
async function logged(
  call: () => Promise<Response>,
): Promise<{ answer: Response; bodies: string[]; refused: (string | undefined)[] }> {
  const from = api.log.end();
  const answer = await call();
  const { records } = await api.log.read(from, { maxBytes: 50_000_000, maxRecords: 100 });
  const decoded = records.map((record) => decodeRequest(record.payload));
  return {
    answer,
    bodies: decoded.map(({ body }) => body.toString()),
    refused: decoded.map(({ request }) => request.refused?.why),
  };
}

describe("200", () => {
  test("one event succeeds, and the log has the body as it was sent", async () => {
    const event = sampleEvent("one");
    const { answer, bodies } = await logged(() => events(event));
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { success: true });
    assert.deepEqual(bodies, [JSON.stringify(event)]);
    assert.match(answer.headers.get("ratelimit-remaining") ?? "", /^\d+$/);
  });

  for (const path of ["/v0/raw_events", "/v0/events"])
    for (const slow of [false, true])
      test(`an older SDK's Basic header with the raw key is taken, once: ${path}, ${slow ? "slow" : "fast"} path`, async () => {
        const event = sampleEvent(`basic ${path} ${slow}`);
        const headers = {
          authorization: `Basic ${sender.text}`,
          ...(slow ? { "x-request-id": "older-sdk" } : {}),
        };
        const { answer, bodies } = await logged(() => post(path, JSON.stringify(event), headers));
        assert.equal(answer.status, 200, await answer.text());
        assert.deepEqual(bodies, [JSON.stringify(event)]);
        const again = await post(`${path}?detail=true`, JSON.stringify([event]), headers);
        const { results } = (await again.json()) as { results: { status: string }[] };
        assert.deepEqual(results, [{ ...results[0], status: "duplicate" }]);
      });

  test("a missing name, a trailing slash and all usual content types are accepted", async () => {
    assert.equal((await post("/v0/events", JSON.stringify(sampleEvent("a")))).status, 200);
    assert.equal((await post("/v0/events/?name=raw_events", JSON.stringify(sampleEvent("b")))).status, 200);
    for (const type of ["application/json; charset=utf-8", "text/plain;charset=UTF-8", "application/problem+json"]) {
      assert.equal((await events(sampleEvent("c"), { "content-type": type })).status, 200, type);
    }
  });

  test("a batch is counted under both names, and an invalid event does not block the others", async () => {
    const answer = await events([sampleEvent("d"), { ...sampleEvent("e"), type: 7 }, sampleEvent("f")]);
    assert.deepEqual(await answer.json(), {
      success: true,
      accepted: 2,
      parked: 1,
      successful_rows: 2,
      quarantined_rows: 1,
    });
  });

  test("detail=true lists the outcome of each event", async () => {
    const batch = [sampleEvent("g1"), sampleEvent("g1"), 5, sampleEvent("g2", { context: "{" })];
    const answer = await post("/v0/events?detail=true", JSON.stringify(batch));
    const { results } = (await answer.json()) as { results: { status: string; reason?: string }[] };
    assert.deepEqual(
      results.map(({ status, reason }) => reason ?? status),
      ["accepted", "duplicate", "not_an_object", "invalid_fields"],
    );
  });

  test("detail=true treats the same id on another client day as another event", async () => {
    const on = (day: number) => sampleEvent("g3", { original_timestamp: `2026-11-${day}T12:00:00.000Z` });
    const answer = await post("/v0/events?detail=true", JSON.stringify([on(14), on(15), on(14)]));
    const { results } = (await answer.json()) as { results: { status: string }[] };
    assert.deepEqual(
      results.map(({ status }) => status),
      ["accepted", "accepted", "duplicate"],
    );
  });

  test("JSON lines are recognized by content type or by content, and a bad line is parked", async () => {
    const lines = `${JSON.stringify(sampleEvent("h1"))}\n\n${JSON.stringify(sampleEvent("h2"))}\n`;
    const typed = await post("/v0/events", lines, { "content-type": "application/x-ndjson" });
    assert.equal(((await typed.json()) as { accepted: number }).accepted, 2);
    const plain = await post("/v0/events", lines);
    assert.equal(((await plain.json()) as { accepted: number }).accepted, 2);
    const broken = await post("/v0/events", `${lines}{oops\n`, { "content-type": "application/x-ndjson" });
    const counts = (await broken.json()) as { accepted: number; parked: number };
    assert.deepEqual([counts.accepted, counts.parked], [2, 1]);
  });

  for (const type of ["ndjson", "x-ndjson", "jsonl", "x-jsonl", "jsonlines", "json-lines", "x-json-lines"]) {
    test(`application/${type} is read as lines, whatever the first line contains`, async () => {
      const body = `{oops\n${JSON.stringify(sampleEvent(`lines as ${type}`))}\n`;
      const answer = await post("/v0/events", body, { "content-type": `application/${type}; charset=utf-8` });
      const { accepted, parked } = (await answer.json()) as { accepted: number; parked: number };
      assert.deepEqual([answer.status, accepted, parked], [200, 1, 1]);
    });
  }

  test("nesting depth is counted per JSON line: unclosed brackets of broken lines do not add up", async () => {
    const deepLine = `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`;
    const broken = Array.from({ length: 40 }, () => "[".repeat(30));
    for (const type of ["application/x-ndjson", "application/json"]) {
      const lines = [JSON.stringify(sampleEvent(`h3 ${type}`)), ...broken, deepLine];
      const answer = await post("/v0/events?detail=true", lines.join("\n"), { "content-type": type });
      const { results } = (await answer.json()) as { results: { status: string; reason?: string }[] };
      assert.deepEqual(
        [results[0]?.status, results[1]?.reason, results[41]?.reason],
        ["accepted", "bad_json", "too_deep"],
        type,
      );
    }
  });

  test("gzip, deflate, br and zstd bodies are accepted", async () => {
    const body = Buffer.from(JSON.stringify(sampleEvent("i")));
    const packed = {
      gzip: gzipSync(body),
      deflate: deflateSync(body),
      br: brotliCompressSync(body),
      zstd: zstdCompressSync(body),
    };
    for (const [encoding, bytes] of Object.entries(packed)) {
      const answer = await post("/v0/events", new Uint8Array(bytes), { "content-encoding": encoding });
      assert.equal(answer.status, 200, encoding);
    }
  });

  test("context and properties as object or text, null ids, times with a space or no zone are accepted", async () => {
    const changes = {
      context: { page_url: "https://a.example/" },
      properties: {},
      user_id: null,
      address: null,
      event: null,
    };
    const times = { original_timestamp: "2026-01-31 12:00:00", sent_at: "2026-01-31T12:00:01+02:00" };
    assert.equal((await events(sampleEvent("j", { ...changes, ...times }))).status, 200);
  });

  test("/v0/raw_events requires four fields and fills in the rest", async () => {
    const least = { type: "page", channel: "web", version: "0", anonymous_id: "v" };
    const nulls = { context: null, properties: null, message_id: null, original_timestamp: null, sent_at: null };
    assert.equal((await raw(least)).status, 200);
    assert.equal((await raw({ ...least, ...nulls })).status, 200);
    assert.equal((await events(least)).status, 400);
    for (const field of Object.keys(least)) {
      const { [field as keyof typeof least]: _left, ...rest } = least;
      assert.equal((await raw(rest)).status, 400, field);
    }
  });

  test("unusual but harmless content is accepted unchanged", async () => {
    const odd = {
      properties: { __proto__: { admin: true }, nul: "\u0000", lone: "\ud800", huge: 1e300 },
      extra_field: [1],
    };
    const answer = await post(
      "/v0/events",
      JSON.stringify(sampleEvent("k", odd)).replace('"huge":1e+300', '"huge":1e400'),
    );
    assert.equal(answer.status, 200);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });

  test("an Idempotency-Key replays the answer, and the log has the events once", async () => {
    const headers = { "idempotency-key": "once" };
    const event = { type: "page", channel: "web", version: "0", anonymous_id: "v" };
    const { bodies } = await logged(async () => {
      const first = await raw([event], headers);
      const again = await raw([event], headers);
      assert.equal(again.headers.get("idempotency-replayed"), "true");
      assert.equal(await again.text(), await first.text());
      return again;
    });
    assert.equal(bodies.length, 1);
    await expectError(await raw([event, event], headers), "events", 400, "INVALID_IDEMPOTENCY_KEY");
  });
});

describe("400, with nothing stored and the refusal in the log", () => {
  const wrong: [string, Record<string, unknown>, string][] = [
    ["a number for type", { type: 5 }, "body.type"],
    ["an empty channel", { channel: "" }, "body.channel"],
    ["a channel of 65 characters", { channel: "x".repeat(65) }, "body.channel"],
    ["an array as context", { context: [] }, "body.context"],
    ["context that is no JSON", { context: "{oops" }, "body.context"],
    ["context that is the text of a list", { context: "[]" }, "body.context"],
    [
      "properties nested too deep inside the text",
      { properties: `{"a":${"[".repeat(40)}${"]".repeat(40)}}` },
      "body.properties",
    ],
    ["a time that is none", { original_timestamp: "yesterday" }, "body.original_timestamp"],
    ["30 February", { sent_at: "2026-02-30T00:00:00Z" }, "body.sent_at"],
    ["a number as time", { sent_at: 1_700_000_000 }, "body.sent_at"],
    ["a missing message_id", { message_id: undefined }, "body.message_id"],
    ["an empty message_id", { message_id: "" }, "body.message_id"],
    ["an object as user_id", { user_id: {} }, "body.user_id"],
  ];
  for (const [what, changes, param] of wrong) {
    test(what, async () => {
      const { answer, bodies, refused } = await logged(() => events(sampleEvent("x", changes)));
      const error = await expectError(answer, "events", 400, "INVALID_VALIDATION_REQUEST");
      assert.equal(error.param, param);
      assert.deepEqual(bodies, [""]);
      assert.equal(refused.length, 1);
    });
  }

  const broken: [string, Body, RegExp][] = [
    ["an empty body", "", /empty/],
    ["malformed JSON", '{"a":', /not valid JSON/],
    ["a bare number", "5", /must be a JSON object/],
    ["an empty array", "[]", /holds no event/],
    ["bytes that are no UTF-8", new Uint8Array([123, 255, 125]), /UTF-8/],
    ["10,000 levels of JSON", "[".repeat(10_000) + "]".repeat(10_000), /deeper/],
    [
      "a valid event in an array with one of over 1,000 levels",
      `[${JSON.stringify(sampleEvent("beside"))},${'{"a":'.repeat(1_001)}1${"}".repeat(1_001)}]`,
      /deeper/,
    ],
    ["a body of brackets alone", "[".repeat(2_000_000), /deeper/],
  ];
  for (const [what, body, message] of broken) {
    test(what, async () => {
      const { answer, bodies, refused } = await logged(() => post("/v0/events", body));
      const text = await answer.clone().text();
      assert.equal(answer.status, 400);
      assert.match(text, message);
      assert.ok(text.length < 1_000);
      assert.deepEqual([bodies, refused.length], [[""], 1]);
    });
  }

  test("a batch without a valid event lists the failures of each event", async () => {
    const answer = await events([{ type: 1 }, 7]);
    const error = await expectError(answer, "events", 400, "INVALID_VALIDATION_REQUEST");
    assert.equal(error.details?.["body.0.type"], "must be a string");
    assert.equal(error.details?.["body.1"], "must be a JSON object");
  });

  test("damaged or truncated compressed data is refused", async () => {
    const packed = gzipSync(JSON.stringify(sampleEvent("y")));
    for (const bytes of [packed.subarray(0, 40), Buffer.from("not gzip")]) {
      const answer = await post("/v0/events", new Uint8Array(bytes), { "content-encoding": "gzip" });
      await expectError(answer, "events", 400, "BAD_REQUEST");
    }
  });

  test("detail must be true or false, like every boolean of a query; other values are refused", async () => {
    const batch = JSON.stringify([sampleEvent("d-1")]);
    const key = await api.createKey();
    for (const value of ["1", "0", "", "TRUE", "yes", "undefined"]) {
      const path = `?detail=${value}`;
      const error = await expectError(
        await post(`/v0/events${path}`, batch),
        "events",
        400,
        "INVALID_VALIDATION_REQUEST",
      );
      assert.deepEqual([error.param, error.details], ["query.detail", { "query.detail": "must be a boolean" }], path);
      const submissions = `${api.apiUrl}/api/forms/frm_x/submissions?spam=${value}`;
      const other = await fetch(submissions, { headers: { "x-api-key": key.text } });
      const same = await expectError(other, "api", 400, "INVALID_VALIDATION_REQUEST");
      assert.equal((same.details as Record<string, string>)["query.spam"], "must be a boolean");
    }
    const plain = (await (await post("/v0/events?detail=false", batch)).json()) as object;
    assert.equal(Object.hasOwn(plain, "results"), false);
  });

  test("duplicate query parameters are refused", async () => {
    await expectError(
      await post("/v0/events?name=raw_events&name=raw_events", "{}"),
      "events",
      400,
      "INVALID_VALIDATION_REQUEST",
    );
  });
});

describe("401", () => {
  const cases: [string, () => Promise<Record<string, string>>][] = [
    ["no key", async () => ({ authorization: "" })],
    ["an API key", async () => ({ authorization: `Bearer ${(await api.createKey()).text}` })],
    ["a well-formed key nobody made", async () => ({ authorization: `Bearer ${createKeyText("write")}` })],
    ["a damaged key", async () => ({ authorization: `Bearer ${sender.text.slice(0, -1)}` })],
    [
      "an expired key",
      async () => ({ authorization: `Bearer ${(await api.createWriteKey({ expiresAtMs: Date.now() - 1 })).text}` }),
    ],
  ];
  for (const [what, headers] of cases) {
    test(`${what} is refused, with the CORS headers browsers need to read it`, async () => {
      const answer = await events(sampleEvent("z"), await headers());
      await expectError(answer, "events", 401, "UNAUTHORIZED");
      assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    });
  }

  test("a write key is refused by the API server", async () => {
    const answer = await fetch(`${api.apiUrl}/api/validate-api-key`, {
      method: "POST",
      headers: { "x-api-key": sender.text },
    });
    await expectError(answer, "api", 401, "UNAUTHORIZED");
  });

  test("a revoked key stops within a second", async () => {
    const key = await api.createWriteKey();
    const call = async () => (await events(sampleEvent("r"), { authorization: `Bearer ${key.text}` })).status;
    assert.equal(await call(), 200);
    await api.store.write((tx) => revokeWriteKey(tx, key.workspaceId, key.id, Date.now()));
    await waitFor("the key to stop", async () => (await call()) === 401, 1_000);
  });
});

const errorsOf = ({ logs }: TestApi) => logs.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);

describe("404, 405, 413, 415, 429, 503", () => {
  test("another pipeline or another method is refused", async () => {
    const error = await expectError(await post("/v0/events?name=other", "{}"), "events", 404, "NOT_FOUND");
    assert.equal(error.param, "query.name");
    const get = await fetch(`${api.eventsUrl}/v0/events`);
    await expectError(get, "events", 405, "BAD_REQUEST");
    assert.equal(get.headers.get("allow"), "POST");
  });

  test("11 MiB as sent or unpacked, 300 KiB in one event, and 6,000 events are refused", async () => {
    const large = JSON.stringify(sampleEvent("l", { properties: { x: "y".repeat(11 * 1024 * 1024) } }));
    await expectError(await post("/v0/events", large), "events", 413, "BAD_REQUEST");
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(200 * 1024 * 1024, 0x20)));
    await expectError(await post("/v0/events", bomb, { "content-encoding": "gzip" }), "events", 413, "BAD_REQUEST");
    const fat = await events(sampleEvent("m", { properties: { x: "y".repeat(300 * 1024) } }));
    assert.equal(fat.status, 413);
    await expectError(await events(Array.from({ length: 6_000 }, () => 1)), "events", 413, "BAD_REQUEST");
    const mixed = await events([sampleEvent("n"), sampleEvent("o", { properties: { x: "y".repeat(300 * 1024) } })]);
    assert.deepEqual(((await mixed.json()) as { accepted: number; parked: number }).parked, 1);
  });

  test("an unsupported content type or encoding is refused", async () => {
    await expectError(await events(sampleEvent("p"), { "content-type": "image/png" }), "events", 415, "BAD_REQUEST");
    await expectError(await events(sampleEvent("p"), { "content-encoding": "lzma" }), "events", 415, "BAD_REQUEST");
  });

  test("each refusal is in the log, with its number of events if known", async () => {
    const event = sampleEvent("p");
    const space = new Uint8Array(Buffer.alloc(11 * 1024 * 1024, 0x20));
    const chunked = () => new Blob([space]).stream();
    const cases: [why: string, count: number, call: () => Promise<Response>][] = [
      ["body_too_large", 1, () => post("/v0/events", space)],
      ["body_too_large", 1, () => post("/v0/events", chunked())],
      ["body_too_large", 1, () => post("/v0/events", new Uint8Array(gzipSync(space)), { "content-encoding": "gzip" })],
      ["bad_packing", 1, () => events(event, { "content-encoding": "gzip" })],
      ["bad_packing", 1, () => events(event, { "content-encoding": "lzma" })],
      ["bad_content_type", 1, () => events(event, { "content-type": "image/png" })],
      ["bad_query", 1, () => post("/v0/events?name=other", JSON.stringify(event))],
      ["bad_query", 1, () => post("/v0/events?name=raw_events&name=raw_events", JSON.stringify(event))],
      ["bad_query", 1, () => post("/v0/raw_events?detail=true&detail=true", JSON.stringify(event))],
      ["bad_query", 1, () => post("/v0/raw_events?detail=1", JSON.stringify(event))],
      ["bad_idempotency_key", 1, () => events(event, { "idempotency-key": "" })],
      ["bad_idempotency_key", 1, () => events([event, event], { "idempotency-key": "k".repeat(256) })],
      ["too_many", 6_000, () => events(Array.from({ length: 6_000 }, () => 1))],
      ["not_an_object", 3, () => events([1, 2, 3])],
    ];
    for (const [why, count, call] of cases) {
      const from = api.log.end();
      const { status } = await call();
      const { records } = await api.log.read(from, { maxBytes: 1_000_000, maxRecords: 10 });
      assert.deepEqual(
        records.map(({ payload }) => decodeRequest(payload).request.refused),
        [{ why, count }],
        `${status} ${why}`,
      );
    }
  });

  test("an Idempotency-Key reused for other events is logged as refused, a replay is not", async () => {
    const event = sampleEvent("first");
    const send = (body: object) => logged(() => events(body, { "idempotency-key": "of the first" }));
    assert.equal((await send(event)).answer.status, 200);
    const other = await send(sampleEvent("other"));
    await expectError(other.answer, "events", 400, "INVALID_IDEMPOTENCY_KEY");
    assert.deepEqual(other.refused, ["bad_idempotency_key"]);
    assert.deepEqual(other.bodies, [""]);
    const again = await send(event);
    assert.deepEqual([again.answer.status, again.refused], [200, []]);
  });

  test("a client that disconnects within its body leaves nothing", async () => {
    const from = api.log.end();
    const { hostname, port } = new URL(api.eventsUrl);
    const head = `POST /v0/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sender.text}\r\nContent-Type: application/json\r\n`;
    const socket = connect(Number(port), hostname);
    // The server's 100 shows that it has read the head and waits for the body on the same connection.
    socket.write(`${head}Expect: 100-continue\r\nContent-Length: 5000\r\n\r\n`);
    await once(socket, "data");
    await new Promise((resolve) => socket.write(JSON.stringify(sampleEvent("cut")), resolve));
    socket.end();
    const [told] = (await once(socket, "data")) as [Buffer];
    assert.match(
      told.toString(),
      /^HTTP\/1.1 400 .*The request ended before all of its headers or its Content-Length/s,
    );
    await once(socket, "close");
    assert.equal((await events(sampleEvent("after the cut"))).status, 200);
    const { records } = await api.log.read(from, { maxBytes: 1_000_000, maxRecords: 10 });
    assert.deepEqual(
      records.map((record) => /after the cut|"cut"/.exec(decodeRequest(record.payload).body.toString())?.[0]),
      ["after the cut"],
    );
  });

  // The first takes the fast path (http/events/fast-path.ts). The handler serves the second, which has no content type:
  // fetch adds none to bytes.
  for (const headers of [{ "content-type": "application/json" }, {}] as Record<string, string>[]) {
    const way = headers["content-type"] ?? "no content type";
    const call = ({ eventsUrl }: TestApi, key: string) =>
      fetch(`${eventsUrl}/v0/events`, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${key}`, origin: "https://dapp.example" },
        body: new Uint8Array(Buffer.from(JSON.stringify(sampleEvent("q")))),
      });
    const common = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
    const expectHeaders = (answer: Response, numbers: readonly string[]) => {
      for (const name of numbers) assert.match(answer.headers.get(name) ?? "", /^\d+$/, name);
      assert.match(answer.headers.get("x-request-id") ?? "", /^req_/);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      assert.match(answer.headers.get("access-control-expose-headers") ?? "", /Retry-After/);
      assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
    };

    test(`a request beyond the rate gets 429 with the headers (${way})`, async (t) => {
      // So slow that nothing comes back during the test.
      const slow = await startApi("sqlite", { eventsRate: { perSecond: 0.001, burst: 2 } });
      t.after(() => slow.stop());
      const key = await slow.createWriteKey();
      const answers = [await call(slow, key.text), await call(slow, key.text), await call(slow, key.text)];
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [200, 200, 429],
      );
      for (const answer of answers) expectHeaders(answer, answer.status === 429 ? [...common, "retry-after"] : common);
      await expectError(answers[2] as Response, "events", 429, "TOO_MANY_REQUESTS");
    });

    test(`a log that rejects writes causes a 503 with Retry-After, and nothing is accepted (${way})`, async (t) => {
      const closed = await startApi("sqlite");
      t.after(() => closed.stop());
      const key = await closed.createWriteKey();
      const end = closed.log.end();
      await closed.log.close();
      const answer = await call(closed, key.text);
      expectHeaders(answer, [...common, "retry-after"]);
      await expectError(answer, "events", 503, "SERVICE_UNAVAILABLE");
      assert.deepEqual(closed.log.end(), end);
      assert.deepEqual(errorsOf(closed), [], "the log tells of its state by itself, not with every request");
    });
  }
});

describe("CORS", () => {
  test("a preflight from any origin allows what the SDK needs", async () => {
    for (const path of ["/v0/events", "/v0/raw_events"]) {
      const answer = await fetch(api.eventsUrl + path, {
        method: "OPTIONS",
        headers: {
          origin: "https://dapp.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type,idempotency-key",
        },
      });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      for (const name of ["authorization", "content-type", "idempotency-key"]) {
        assert.ok(answer.headers.get("access-control-allow-headers")?.includes(name));
      }
    }
  });
});
