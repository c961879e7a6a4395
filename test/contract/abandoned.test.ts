import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { after, before, describe, test } from "node:test";
import { readRoute } from "../../src/http/route.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { waitFor } from "../support/wait.ts";

const common = { method: "GET", tag: "Test", summary: "Ends when its client goes away", access: "any" } as const;
const bodies: PassThrough[] = [];
const seen = { begun: 0, ended: 0 };

async function untilGone(signal: AbortSignal): Promise<unknown> {
  seen.begun += 1;
  await once(signal, "abort");
  seen.ended += 1;
  return signal.reason;
}

const ROUTES = [
  readRoute({
    ...common,
    path: "/v0/test_waits",
    operationId: "testWaits",
    answers: {},
    handle: async ({ signal }) => {
      throw await untilGone(signal);
    },
  }),
  readRoute({
    ...common,
    path: "/v0/test_breaks",
    operationId: "testBreaks",
    answers: {},
    handle: async ({ signal }) => {
      await untilGone(signal);
      throw new TypeError("a bug that shows itself late");
    },
  }),
  readRoute({
    ...common,
    path: "/v0/test_streams",
    operationId: "testStreams",
    answers: {},
    handle: async () => {
      const stream = new PassThrough();
      stream.write("[");
      bodies.push(stream);
      return { status: 200, stream };
    },
  }),
];

describe("a read that its client abandons", () => {
  let api: TestApi;
  let key: TestKey;
  before(async () => {
    api = await startApi("sqlite", {}, ROUTES);
    key = await api.createKey();
  });
  after(() => api.stop());

  // Not by fetch: its pool opens connections anew after an abort, and the server would wait for them at its end.
  const ask = (path: string) => {
    const request = get(api.apiUrl + path, { agent: false, headers: { authorization: `Bearer ${key.text}` } });
    return request.on("error", () => undefined);
  };
  /** What the log calls wrong, once a later request has been answered: by then whatever came before is written. */
  async function findWrong(): Promise<[level: number, message: string][]> {
    await (await fetch(`${api.apiUrl}/docs/errors`)).text();
    const lines = api.logs.map((line) => JSON.parse(line) as { level: number; msg: string });
    return lines.filter(({ level }) => level >= 40).map(({ level, msg }) => [level, msg]);
  }

  async function leave(path: string, times: number): Promise<void> {
    const { begun, ended } = { ...seen };
    const asked = Array.from({ length: times }, () => ask(path));
    await waitFor("the handlers to run", () => seen.begun === begun + times);
    for (const request of asked) request.destroy();
    await waitFor("the handlers to end", () => seen.ended === ended + times);
  }

  test("before the response is not logged as an error", async () => {
    await leave("/v0/test_waits", 20);
    assert.deepEqual(await findWrong(), []);
  });

  test("during the response is not logged as an error", async () => {
    const request = ask("/v0/test_streams");
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    assert.equal(answer.statusCode, 200);
    request.destroy();
    await waitFor("the stream to be given up", () => bodies[0]?.destroyed);
    assert.deepEqual(await findWrong(), []);
  });

  test("does not hide a failure of the service", async () => {
    await leave("/v0/test_breaks", 1);
    assert.deepEqual(await findWrong(), [[50, "request failed"]]);
  });
});
