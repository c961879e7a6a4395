import assert from "node:assert/strict";
import { Agent, get } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Fastify from "fastify";
import { drainServers } from "../../src/http/drain.ts";

async function serve(t: TestContext) {
  const app = Fastify({ forceCloseConnections: false, return503OnClosing: false });
  app.get("/", () => "ok");
  await app.listen({ port: 0, host: "127.0.0.1" });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const { port } = app.server.address() as AddressInfo;
  /** Resolves with the status, and the client's own port: the same one for the same connection. */
  const ask = () =>
    new Promise<{ status: number | undefined; from: number | undefined }>((resolve, reject) => {
      const request = get({ port, host: "127.0.0.1", agent }, (answer) => {
        const from = request.socket?.localPort;
        answer.resume().once("end", () => resolve({ status: answer.statusCode, from }));
      });
      request.once("error", reject);
    });
  return { app, ask };
}

describe("a stop of the servers", () => {
  test("waits for nobody where nobody is connected", async (t) => {
    // A busy machine delays one or another of them, a wait for clients each of them.
    let leastMs = Number.POSITIVE_INFINITY;
    for (let nth = 1; nth <= 5 && leastMs >= 900; nth += 1) {
      const { app } = await serve(t);
      const beganAt = performance.now();
      await drainServers([app]);
      leastMs = Math.min(leastMs, performance.now() - beganAt);
    }
    assert.ok(leastMs < 900, `${leastMs} ms`);
  });

  test("answers a client that is connected and asks again after half a second", async (t) => {
    const { app, ask } = await serve(t);
    const first = await ask();
    const stopped = drainServers([app]);
    await delay(500);
    assert.deepEqual(await ask(), first);
    await stopped;
  });
});
