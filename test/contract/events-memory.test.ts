import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { startApi, type TestApi } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import { sampleEvent } from "../support/events.ts";
import { sendRaw } from "../support/raw-http.ts";
import { waitFor } from "../support/wait.ts";

const MIB = 1024 * 1024;

describe("a body that comes slowly", () => {
  describe("408", () => {
    test("is ended after five seconds below 1 KiB a second, long before the time of a whole request", async (t) => {
      const api = await startApi("sqlite");
      t.after(() => api.stop());
      const { text } = await api.createWriteKey();
      const head = `POST /v0/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${text}\r\nContent-Type: application/json\r\n`;
      const startedAt = performance.now();
      const answers = [
        sendRaw(api.eventsUrl, `${head}Content-Length: 1000\r\n\r\n{`),
        sendRaw(api.eventsUrl, `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`),
      ];
      for (const answer of await Promise.all(answers)) await expectError(answer, "events", 408, "BAD_REQUEST");
      assert.ok(performance.now() - startedAt < 20_000);
    });
  });
});

describe("the memory budget of request bodies", () => {
  let api: TestApi;
  let key: { text: string };
  before(async () => {
    api = await startApi("sqlite");
    key = await api.createWriteKey();
  });
  after(() => api.stop());
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${api.eventsUrl}/v0/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.text}`, "content-type": "application/json", ...headers },
      body,
    });
  const padded = (id: string, bytes: number) => JSON.stringify(sampleEvent(id)).padEnd(bytes, " ");
  const packed = (id: string, bytes: number) => new Uint8Array(gzipSync(padded(id, bytes)));

  describe("503", () => {
    test("of 60 requests that unpack from 10 KB to 10 MiB a few run, others get 503; small ones all run", async () => {
      const bomb = packed("bomb", 10 * MIB);
      assert.ok(bomb.length < 12 * 1024);
      const bombs = Array.from({ length: 60 }, () => post(bomb, { "content-encoding": "gzip" }));
      const small = Array.from({ length: 60 }, async (_, i) => [
        (await post(padded(`small-${i}`, 2_000))).status,
        (await post(padded(`plain-${i}`, 2_000), { "content-type": "text/plain" })).status,
        (await post(packed(`packed-${i}`, 2_000), { "content-encoding": "gzip" })).status,
      ]);
      assert.deepEqual(new Set((await Promise.all(small)).flat()), new Set([200]));
      const answers = await Promise.all(bombs);
      const refused = answers.filter((answer) => answer.status !== 200);
      assert.ok(refused.length > 0 && refused.length < 60, `${refused.length} of 60 were turned away`);
      for (const answer of refused) {
        assert.equal(answer.headers.get("retry-after"), "1");
        assert.equal(answer.headers.get("access-control-allow-origin"), "*");
        await expectError(answer, "events", 503, "SERVICE_UNAVAILABLE");
      }
      assert.equal((await post(bomb, { "content-encoding": "gzip" })).status, 200, "there is room again");
    });

    test("an unfinished body holds only the bytes it has sent, and frees them when its client leaves", async (t) => {
      const { hostname, port } = new URL(api.eventsUrl);
      const head = `POST /v0/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.text}\r\nContent-Type: application/json\r\nContent-Length: ${10 * MIB}\r\n\r\n`;
      const sockets: Socket[] = [];
      const leave = () => sockets.forEach((socket) => void socket.destroy());
      t.after(leave);
      const stall = (sent: number) =>
        new Promise<void>((resolve) => {
          const socket = connect(Number(port), hostname);
          socket.on("error", () => undefined);
          socket.write(head + " ".repeat(sent), () => resolve());
          sockets.push(socket);
        });
      const large = async () => (await post(padded("large", 9 * MIB))).status;
      for (let i = 0; i < 10; i += 1) await stall(1);
      assert.equal(await large(), 200, "what is only announced takes no room");
      await waitFor("the room to be taken", async () => {
        await stall(9 * MIB);
        return (await large()) === 503;
      });
      assert.equal((await post(padded("beside them", 2_000))).status, 200);
      leave();
      await waitFor("the room to be free", async () => (await large()) === 200);
    });
  });
});
