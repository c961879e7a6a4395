import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { createTrickles } from "../../src/demo/trickle.ts";
import { waitFor } from "../support/wait.ts";

describe("the events of a demo while somebody looks", () => {
  let server: Server;
  let status = 200;
  let batches: { message_id: string }[][] = [];
  before(async () => {
    server = createServer((request, response) => {
      void json(request).then((events) => {
        batches.push(events as { message_id: string }[]);
        response.writeHead(status).end();
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const target = () => ({ eventsUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, writeKey: "sxw_x" });
  const sent = () => batches.flat();
  const begin = (mostEvents: number) => {
    batches = [];
    status = 200;
    return createTrickles(Date.now, { everyMs: 5, mostEvents });
  };

  test("are one to three at a time, each with an id of its own, and as many for two who look", async (t) => {
    const trickles = begin(10_000);
    t.after(() => trickles.close());
    const [one, two] = [trickles.watch("prj_a", target), trickles.watch("prj_a", target)];
    assert.equal(trickles.count(), 1);
    await waitFor("some events", () => batches.length > 40);
    one();
    // A stream may tell of its end more than once.
    one();
    const known = batches.length;
    await waitFor("more events for the other", () => batches.length > known + 5);
    assert.ok(batches.every(({ length }) => length >= 1 && length <= 3));
    assert.equal(new Set(sent().map(({ message_id }) => message_id)).size, sent().length);
    two();
    assert.equal(trickles.count(), 0);
  });

  test("end at the most of a day, and do not begin again on it", async () => {
    const trickles = begin(20);
    const leave = trickles.watch("prj_a", target);
    await waitFor("the end", () => trickles.count() === 0);
    const known = sent().length;
    assert.ok(known >= 20 && known < 23, `${known} events`);
    leave();
    trickles.watch("prj_a", target);
    await waitFor("the end", () => trickles.count() === 0);
    assert.equal(sent().length, known);
    await trickles.close();
  });

  test("end with the write key of a deleted demo", async () => {
    const trickles = begin(10_000);
    trickles.watch("prj_a", target);
    await waitFor("some events", () => batches.length > 3);
    status = 401;
    await waitFor("the end", () => trickles.count() === 0);
    await trickles.close();
  });
});
