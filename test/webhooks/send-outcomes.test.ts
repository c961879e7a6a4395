import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { after, describe, test } from "node:test";
import { failed, type Outcome, openSender, post, withoutTime } from "../support/sender.ts";
import { drip, endless, startSocketTarget, startTarget, type Target } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";

/** The outcome of an attempt for every kind of target. The clock stands at 2026-03-10T12:00:00Z. */
const reply = (status: number, headers: Record<string, string> = {}, body = "") => {
  return (response: ServerResponse) => response.writeHead(status, headers).end(body);
};

const raw = (text: string) => (socket: Socket) => {
  socket.once("data", () => socket.end(text));
};

interface Row {
  name: string;
  start: () => Promise<Target>;
  gives: Outcome;
  /** Rows that must run into their deadline. */
  slow?: true;
}

const answered = (status: number, bodyExcerpt = "", retryAfterMs?: number): Outcome => ({
  kind: "answered",
  status,
  bodyExcerpt,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const http = (name: string, respond: (response: ServerResponse) => unknown, gives: Outcome): Row => ({
  name,
  start: () => startTarget(respond),
  gives,
});
const tcp = (name: string, onConnection: (socket: Socket) => unknown, gives: Outcome): Row => ({
  name,
  start: () => startSocketTarget(onConnection),
  gives,
});
const slow = (row: Row): Row => ({ ...row, slow: true });

const OUTCOMES: Row[] = [
  http("200", reply(200, {}, "thanks"), answered(200, "thanks")),
  http("204", reply(204), answered(204)),
  http("301, not followed", reply(301, { location: "/elsewhere" }), answered(301)),
  http("307, not followed", reply(307, { location: "http://169.254.169.254/" }), answered(307)),
  http("404", reply(404, {}, "no"), answered(404, "no")),
  http("410", reply(410), answered(410)),
  http("429 with seconds", reply(429, { "retry-after": "120" }), answered(429, "", 120_000)),
  http("503 with a date", reply(503, { "retry-after": "Tue, 10 Mar 2026 12:05:00 GMT" }), answered(503, "", 300_000)),
  http("503 with a past date", reply(503, { "retry-after": "Mon, 09 Mar 2026 12:05:00 GMT" }), answered(503, "", 0)),
  http("503 with nonsense", reply(503, { "retry-after": "soon" }), answered(503)),
  http("a body of 1 MB", reply(200, {}, "y".repeat(1_000_000)), answered(200, "y".repeat(16_384))),
  http("an endless body", endless, answered(200, "x".repeat(16_384))),
  http("headers of 64 KB", reply(200, { "x-large": "z".repeat(64_000) }), failed("too_large")),
  http(
    "103 before 200",
    (response) => response.writeEarlyHints({ link: "</a>; rel=preload" }, () => response.end()),
    answered(200),
  ),
  tcp(
    "a gzip body kept as it is",
    raw("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nnot gzip"),
    answered(200, "not gzip"),
  ),
  tcp("NUL in the body", raw("HTTP/1.1 500 No\r\ncontent-length: 3\r\n\r\na\0b"), answered(500, "a\ufffdb")),
  tcp("immediate close", (socket) => socket.end(), failed("reset")),
  tcp("immediate reset", (socket) => socket.resetAndDestroy(), failed("reset")),
  tcp("reset after the request", (socket) => socket.once("data", () => socket.resetAndDestroy()), failed("reset")),
  tcp("close within the headers", raw("HTTP/1.1 200 OK\r\ncontent-"), failed("reset")),
  tcp("close within the body", raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes."), failed("reset")),
  tcp("close within a chunk", raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nab"), failed("reset")),
  tcp("not HTTP", raw("SSH-2.0-OpenSSH_9.9\r\n"), failed("protocol")),
  tcp(
    "an upgrade nobody asked for",
    raw("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    failed("reset"),
  ),
  slow(http("a body that drips", drip, failed("timeout"))),
  slow(http("headers that never come", () => undefined, failed("timeout"))),
  slow(
    tcp(
      "headers that stop half-way",
      (socket) => socket.once("data", () => socket.write("HTTP/1.1 200 ")),
      failed("timeout"),
    ),
  ),
];

describe("an attempt ends with the right outcome:", { concurrency: 8 }, () => {
  const sender = openSender();
  after(() => sender.close());

  for (const { name, start, gives, slow: isSlow } of OUTCOMES) {
    test(name, async () => {
      const target = await start();
      try {
        const deadlineMs = isSlow ? 1_000 : 10_000;
        const startedMs = performance.now();
        const outcome = await sender.send(post(`${target.url}/hook`, deadlineMs));
        const tookMs = performance.now() - startedMs;
        assert.deepEqual(withoutTime(outcome), gives);
        assert.ok(tookMs < deadlineMs + 5_000, `took ${tookMs} ms of ${deadlineMs}`);
        if (isSlow) assert.ok(tookMs >= deadlineMs - 5, `gave up after ${tookMs} ms of ${deadlineMs}`);
        await waitFor("its connection", () => target.connections().made > 0);
        assert.equal(target.connections().made, 1, "one attempt is one connection");
        await waitFor("the connection to be closed", () => target.connections().open === 0);
      } finally {
        await target.close();
      }
    });
  }
});
