import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, type TestContext, test } from "node:test";
import { createHttpDoor } from "../../src/imports/http-door.ts";

const { signal } = new AbortController();

interface Request {
  key: string;
  items: unknown[];
}

type Answer = { status: number; body?: object; headers?: Record<string, string> };

/** An events server that answers as the test says. */
async function open(t: TestContext, answer: (request: Request, nth: number) => Answer) {
  const requests: Request[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void text(request).then((body) => {
      const got = { key: request.headers.authorization?.slice(7) ?? "", items: JSON.parse(body) as unknown[] };
      requests.push(got);
      const { status, body: said = {}, headers = {} } = answer(got, requests.length);
      response.writeHead(status, headers).end(JSON.stringify(said));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  let keys = 0;
  const door = createHttpDoor({
    eventsUrl: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    createKey: async () => {
      keys += 1;
      return `key-${keys}`;
    },
  });
  return { door, requests };
}

const OK: Answer = { status: 200, body: { success: true, accepted: 1, parked: 0 } };
const events = (count: number) => Array.from({ length: count }, (_, n) => JSON.stringify({ n }));

describe("sending an import", () => {
  test("waits while the service cannot take a batch, and then sends the same", async (t) => {
    const { door, requests } = await open(t, (_, nth) =>
      nth === 1 ? { status: 503 } : nth === 2 ? { status: 429 } : OK,
    );
    assert.equal((await door.send(events(3), signal)).refused.size, 0);
    assert.equal(requests.length, 3);
    assert.deepEqual(requests[0]?.items, requests[2]?.items);
  });

  test("a batch that is refused as a whole loses only the events that are the reason", async (t) => {
    const { door, requests } = await open(t, ({ items }) =>
      items.some((item) => [3, 6].includes((item as { n: number }).n))
        ? { status: 413, body: { error: { message: "too many values" } } }
        : OK,
    );
    const { refused } = await door.send(events(8), signal);
    assert.deepEqual(
      [...refused],
      [
        [3, "too many values"],
        [6, "too many values"],
      ],
    );
    const taken = requests.filter(({ items }) => !items.some((item) => [3, 6].includes((item as { n: number }).n)));
    assert.deepEqual(
      taken
        .flatMap(({ items }) => items.map((item) => (item as { n: number }).n))
        .toSorted((one, other) => one - other),
      [0, 1, 2, 4, 5, 7],
    );
  });

  test("a key that has worked and is refused is replaced, one that is not known yet is tried again", async (t) => {
    const { door, requests } = await open(t, (_, nth) => ([1, 4].includes(nth) ? { status: 401 } : OK));
    for (let batch = 0; batch < 3; batch += 1) await door.send(events(1), signal);
    assert.deepEqual(
      requests.map(({ key }) => key),
      ["key-1", "key-1", "key-1", "key-1", "key-2"],
    );
  });

  test("requests wait for each other until the key is known", async (t) => {
    let known = false;
    let early = 0;
    const { door } = await open(t, (_, nth) => {
      if (!known) early += 1;
      known ||= nth === 3;
      return known ? OK : { status: 401 };
    });
    await Promise.all(Array.from({ length: 4 }, () => door.send(events(1), signal)));
    assert.equal(early, 3, "only one batch tries the new key");
  });

  test("refused rows are counted and nothing of them is sent", async (t) => {
    const { door, requests } = await open(t, () => ({ status: 400 }));
    await door.refuse(3, signal);
    assert.deepEqual(requests[0]?.items, [null, null, null]);
  });

  test("an answer that no repetition helps ends the import with what the server says", async (t) => {
    const { door } = await open(t, () => ({ status: 403, body: { error: { message: "not yours" } } }));
    await assert.rejects(door.send(events(1), signal), { name: "ImportError", message: /answered 403: not yours/ });
  });
});
