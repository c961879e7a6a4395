import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { systemClock } from "../../src/lib/clock.ts";
import { createSender } from "../../src/webhooks/send.ts";
import { failed, fakeLookup, openSender, post, withoutTime } from "../support/sender.ts";
import { endless, startSocketTarget, startTarget, TARGET_CERTIFICATE, type Target } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";

const ok = { kind: "answered", status: 200, bodyExcerpt: "ok" } as const;

describe("a sender", () => {
  let target: Target;
  let silent: Target;

  before(async () => {
    target = await startTarget((response) => response.end("ok"));
    silent = await startSocketTarget(() => undefined);
  });
  after(async () => {
    await target.close();
    await silent.close();
  });

  test("posts exactly the body, the headers and the path it is given, with its own user agent", async () => {
    const sender = openSender();
    const request = post(`${target.url}/a%20b/?q=%F0%9F%91%8D&q=2#part`);
    await sender.send({ ...request, headers: { ...request.headers, "webhook-id": "msg_1" } });
    const { method, path, headers, body } = target.received.at(-1) ?? assert.fail("nothing came");
    assert.deepEqual([method, path, body], ["POST", "/a%20b/?q=%F0%9F%91%8D&q=2", request.body]);
    assert.equal(headers["user-agent"], "Sextant-Webhooks/1.2.3");
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["webhook-id"], "msg_1");
    assert.equal(headers["content-length"], String(Buffer.byteLength(request.body)));
    assert.equal(headers.host, `127.0.0.1:${target.port}`);
    assert.equal(headers.connection, "close");
  });

  test("tries the checked addresses of a name in turn until one connects, and sends the name to it", async () => {
    const sender = openSender({ lookup: fakeLookup({ "both.test": ["::1", "127.0.0.1"] }) });
    assert.deepEqual(withoutTime(await sender.send(post(`http://both.test:${target.port}/`))), ok);
    assert.equal(target.received.at(-1)?.headers.host, `both.test:${target.port}`);
  });

  test("uses the system's resolver by default", async () => {
    const sender = createSender({ allowNetworks: [], allowLoopback: true, clock: systemClock, version: "1.2.3" });
    assert.deepEqual(withoutTime(await sender.send(post(`http://localhost:${target.port}/`))), ok);
    assert.deepEqual(withoutTime(await sender.send(post("http://name.invalid/"))), failed("dns"));
  });

  test("fails without an address, and a slow resolver counts towards the deadline", async () => {
    const lookup = fakeLookup({ "empty.test": [], "hangs.test": "hangs" });
    const sender = openSender({ lookup });
    assert.deepEqual(withoutTime(await sender.send(post("http://absent.test/"))), failed("dns"));
    assert.deepEqual(withoutTime(await sender.send(post("http://empty.test/"))), failed("dns"));
    const startedMs = performance.now();
    assert.deepEqual(withoutTime(await sender.send(post("http://hangs.test/", 200))), failed("timeout"));
    assert.ok(performance.now() - startedMs < 5_000);
  });

  test("resolves a name once for parallel attempts, and again for the next one", async () => {
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      await delay(20);
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const sender = openSender({ lookup });
    const url = `http://shared.test:${target.port}/`;
    await Promise.all(Array.from({ length: 10 }, () => sender.send(post(url))));
    assert.equal(asked, 1);
    assert.deepEqual(withoutTime(await sender.send(post(url))), ok);
    assert.equal(asked, 2);
  });

  test("fails to connect if nothing listens", async () => {
    const gone = await startTarget((response) => response.end());
    await gone.close();
    const sender = openSender({ lookup: fakeLookup({ "both.test": ["127.0.0.1", "::1"] }) });
    assert.deepEqual(withoutTime(await sender.send(post(gone.url))), failed("connect"));
    assert.deepEqual(withoutTime(await sender.send(post(`http://both.test:${gone.port}/`))), failed("connect"));
  });

  test("never opens more connections than allowed; other attempts wait", async () => {
    const slow = await startTarget((response) => setTimeout(() => response.end("ok"), 30));
    const sender = openSender({ limits: { perTarget: 3, total: 4 } });
    try {
      let most = 0;
      const sent = Array.from({ length: 12 }, () => sender.send(post(slow.url)));
      const watch = setInterval(() => (most = Math.max(most, slow.connections().open)), 1);
      for (const outcome of await Promise.all(sent)) assert.deepEqual(withoutTime(outcome), ok);
      clearInterval(watch);
      assert.ok(most <= 3 && most > 0, `${most} connections at once`);
    } finally {
      await slow.close();
    }
  });

  test("reports that it was busy when no connection became free in time, and delays no other target", async () => {
    const sender = openSender({ limits: { perTarget: 1, total: 2 } });
    const stop = new AbortController();
    const first = sender.send({ ...post(silent.url, 60_000), signal: stop.signal });
    const made = () => silent.connections().made;
    const before = await waitFor("the first connection", () => made() > 0 && made());
    assert.deepEqual(withoutTime(await sender.send(post(silent.url, 50))), failed("busy"));
    assert.deepEqual(withoutTime(await sender.send(post(target.url))), ok);
    assert.equal(made(), before);
    stop.abort();
    assert.deepEqual(withoutTime(await first), failed("stopped"));
  });

  test("sends nothing when the connection is there after it might begin", async () => {
    const sender = openSender();
    const asked: number[] = [];
    const mayBegin = () => {
      asked.push(target.connections().made);
      return false;
    };
    const [requests, connections] = [target.received.length, target.connections().made];
    assert.deepEqual(withoutTime(await sender.send({ ...post(target.url), mayBegin })), failed("late"));
    await waitFor("the connection to close", () => target.connections().open === 0);
    assert.equal(asked.length, 1, "asked once");
    assert.equal(target.connections().made, connections + 1, "it was connected");
    assert.equal(target.received.length, requests, "and nothing was sent");
    assert.deepEqual(withoutTime(await sender.send({ ...post(target.url), mayBegin: () => true })), ok);
  });

  test("what was not sent because this process stood still is late, and no timeout of the target", async () => {
    const standStill = async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
      return new Promise<never>(() => undefined);
    };
    const sender = openSender({ lookup: standStill });
    assert.deepEqual(withoutTime(await sender.send(post("http://frozen.test/", 100))), failed("late"));
  });

  test("stops on the caller's signal, and stops all attempts when it is closed", async () => {
    const sender = openSender({ limits: { perTarget: 2, total: 2 } });
    const caller = new AbortController();
    const stopped = sender.send({ ...post(silent.url), signal: caller.signal });
    await waitFor("the connection", () => silent.connections().open === 1);
    caller.abort();
    assert.deepEqual(withoutTime(await stopped), failed("stopped"));
    const others = Array.from({ length: 5 }, () => sender.send(post(silent.url)));
    await waitFor("the connections", () => silent.connections().open === 2);
    await sender.close();
    for (const outcome of await Promise.all(others)) assert.deepEqual(withoutTime(outcome), failed("stopped"));
    assert.deepEqual(withoutTime(await sender.send(post(target.url))), failed("stopped"));
    await waitFor("the connections to close", () => silent.connections().open === 0);
  });

  test("never includes the URL in an outcome", async () => {
    const sender = openSender({ allowLoopback: false, lookup: fakeLookup({ "canary.test": ["127.0.0.1"] }) });
    const urls = [
      "http://canary.test/canary",
      "http://canary:canary@a.test/",
      "ftp://canary/",
      "canary",
      "http://no.canary/",
    ];
    for (const url of urls) {
      const outcome = await sender.send(post(`${url}?token=canary`));
      assert.ok(!JSON.stringify(outcome).includes("canary"), JSON.stringify(outcome));
    }
  });

  test("throws only for a bug of its caller", async () => {
    const sender = openSender();
    const request = { ...post(target.url), headers: { "bad name": "x" } };
    await assert.rejects(sender.send(request), /invalid header/i);
  });

  test("reads 100 endless bodies at once in less than 50 MB", async () => {
    const fountain = await startTarget(endless);
    const sender = openSender({ limits: { perTarget: 100, total: 100 } });
    try {
      await Promise.all(Array.from({ length: 10 }, () => sender.send(post(fountain.url))));
      globalThis.gc?.();
      const beforeBytes = process.memoryUsage().rss;
      let mostBytes = beforeBytes;
      const watch = setInterval(() => (mostBytes = Math.max(mostBytes, process.memoryUsage().rss)), 5);
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => sender.send(post(fountain.url))));
      clearInterval(watch);
      const grownMb = (mostBytes - beforeBytes) / 1e6;
      console.log(`100 endless bodies: ${grownMb.toFixed(1)} MB`);
      for (const outcome of outcomes) assert.equal(outcome.kind === "answered" && outcome.bodyExcerpt.length, 16_384);
      assert.ok(grownMb < 50, `grew by ${grownMb} MB`);
    } finally {
      await fountain.close();
    }
  });
});

describe("a sender over TLS", () => {
  let target: Target;
  const trusted = getCACertificates("default");

  before(async () => {
    target = await startTarget((response) => response.end("ok"), { secure: true });
  });
  after(async () => {
    setDefaultCACertificates(trusted);
    await target.close();
  });

  test("refuses an untrusted certificate", async () => {
    assert.deepEqual(withoutTime(await openSender().send(post(target.url))), failed("tls"));
    assert.equal(target.received.length, 0);
  });

  test("accepts a trusted certificate for its names and addresses, and for no other name", async () => {
    setDefaultCACertificates([...trusted, TARGET_CERTIFICATE]);
    const lookup = fakeLookup({ localhost: ["127.0.0.1"], "other.test": ["127.0.0.1"] });
    const sender = openSender({ lookup });
    assert.deepEqual(withoutTime(await sender.send(post(target.url))), ok);
    assert.deepEqual(withoutTime(await sender.send(post(`https://localhost:${target.port}/`))), ok);
    assert.deepEqual(withoutTime(await sender.send(post(`https://other.test:${target.port}/`))), failed("tls"));
  });

  test("ends a handshake that hangs, and closes its connection", async () => {
    const silent = await startSocketTarget(() => undefined, { secure: true });
    try {
      const startedMs = performance.now();
      assert.deepEqual(withoutTime(await openSender().send(post(silent.url, 1_000))), failed("timeout"));
      assert.ok(performance.now() - startedMs < 6_000);
      await waitFor("the connection it made", () => silent.connections().made === 1);
      await waitFor("the connection to close", () => silent.connections().open === 0);
    } finally {
      await silent.close();
    }
  });

  test("fails if the server speaks plain HTTP or aborts the handshake", async () => {
    const plain = await startTarget((response) => response.end());
    const closing = await startSocketTarget((socket) => socket.once("data", () => socket.end()), { secure: true });
    try {
      const asSecure = plain.url.replace("http:", "https:");
      assert.deepEqual(withoutTime(await openSender().send(post(asSecure))), failed("tls"));
      assert.deepEqual(withoutTime(await openSender().send(post(closing.url))), failed("tls"));
    } finally {
      await plain.close();
      await closing.close();
    }
  });
});
