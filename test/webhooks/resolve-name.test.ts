import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createLookup } from "../../src/webhooks/resolve-name.ts";

/** A name server on loopback: it knows some names and never answers queries for `*.silent.example`. */
async function startNameServer(known: Record<string, string>) {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    if (name.endsWith(".silent.example")) return;
    const address = type === 1 ? known[name] : undefined;
    const isKnown = known[name] !== undefined;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(address === undefined ? 0 : 1, 6);
    const answer =
      address === undefined ? [] : [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split(".").map(Number)];
    socket.send(Buffer.concat([head, query.subarray(12, end), Buffer.from(answer)]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

describe("the lookup of a webhook target", () => {
  let server: Awaited<ReturnType<typeof startNameServer>>;
  const dir = mkdtempSync(join(tmpdir(), "resolve-"));
  const hostsFile = join(dir, "hosts");
  const resolvFile = join(dir, "resolv.conf");
  const lookup = () => createLookup({ servers: [server.address], hostsFile, resolvFile });
  before(async () => {
    writeFileSync(hostsFile, "127.0.0.1 localhost\n10.1.2.3 Inside other # 10.9.9.9 nobody\n");
    writeFileSync(resolvFile, "nameserver 192.0.2.1\nsearch one.test two.test\noptions edns0 ndots:2\n");
    server = await startNameServer({ "shop.example": "192.0.2.7", "api.two.test": "192.0.2.8" });
  });
  after(() => {
    server.close();
    rmSync(dir, { recursive: true });
  });

  test("reads the hosts file, then queries the name server, with search domains by ndots", async () => {
    const find = lookup();
    assert.deepEqual(await find("shop.example"), [{ address: "192.0.2.7", family: 4 }]);
    assert.deepEqual(await find("INSIDE"), [{ address: "10.1.2.3", family: 4 }]);
    assert.deepEqual(await find("api"), [{ address: "192.0.2.8", family: 4 }]);
    await assert.rejects(find("nobody"));
    await assert.rejects(find("api.two.test.example"), { code: "ENOTFOUND" });
  });

  test("of names without a response delays no other lookup, however many they are, and ends by itself", async () => {
    const find = lookup();
    const silent = Array.from({ length: 64 }, (_, i) => find(`h${i}.silent.example`).catch((cause: unknown) => cause));
    const startedMs = performance.now();
    for (let i = 0; i < 20; i += 1) await find("shop.example");
    const tookMs = performance.now() - startedMs;
    // Whoever waits for the silent ones does so for 6 s.
    assert.ok(tookMs < 5_500, `20 lookups beside 64 silent ones took ${tookMs} ms`);
    const ended = await Promise.all(silent);
    assert.ok(performance.now() - startedMs < 14_500, "a silent name takes less than an attempt");
    assert.ok(ended.every((cause) => cause instanceof Error));
  });
});
