/**
 * The load generator: a separate process, as cheap as Node allows, because it shares the machine with the service. It
 * uses plain sockets, requests built before the clock starts, and one request at a time per connection. Of an answer it
 * reads only the status and the length. 256 connections to the bare server use about half of one core.
 */
import { connect, type Socket } from "node:net";
import { makeTemplate, putIds, putVisitors, SHAPES, type Template } from "./bodies.ts";
import { Histogram } from "./histogram.ts";
import type { FromLoad, Load, LoadResult, ToLoad } from "./load-messages.ts";

const ANSWER_WITHIN_MS = 30_000;
const TIMELINE_MS = 50;
/** Shared by all sockets: each answer is parsed before the next one is read. */
const received = Buffer.alloc(64 * 1024);

/** Continues over all runs, so that no id is sent twice to one service. */
let nextNumber = 1;
let storedEvents = 0;

interface Connection {
  readonly socket: Socket;
  readonly template: Template;
  /** When its request was due; undefined while it is idle. */
  since: number | undefined;
  /** A partial answer. */
  pieces: Buffer;
}

async function run(load: Load): Promise<LoadResult> {
  const eventsEach = SHAPES[load.shape];
  const latencies = new Histogram();
  const failures: Record<string, number> = {};
  const sent: [number, number][] = [];
  const idle: Connection[] = [];
  const due: number[] = [];
  let sentEvents = 0;
  let okRequests = 0;
  let okInTime = 0;
  let inFlight = 0;
  let over = false;
  let onIdle: () => void = () => undefined;
  storedEvents = 0;

  const connections = await Promise.all(Array.from({ length: load.connections }, (_, i) => open(load, i, onAnswer)));
  idle.push(...connections);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const endsAt = startedAt + load.seconds * 1000;
  const timers = [setInterval(note, TIMELINE_MS)];
  let scheduled = 0;

  /** The due time of the next request; undefined if none may be sent now. */
  function takeDue(now: number): number | undefined {
    if (load.perSecond !== undefined) return due.shift();
    const backlog = okRequests * eventsEach - storedEvents;
    return load.window === undefined || backlog + inFlight * eventsEach < load.window ? now : undefined;
  }

  function send(connection: Connection, since: number): void {
    putIds(connection.template, nextNumber);
    if (load.visitors !== undefined) putVisitors(connection.template, nextNumber, load.visitors);
    nextNumber += eventsEach;
    sentEvents += eventsEach;
    inFlight += 1;
    connection.since = since;
    connection.socket.write(connection.template.bytes);
  }

  function sendIdle(): void {
    const now = performance.now();
    if (now >= endsAt) return;
    if (load.perSecond !== undefined) {
      for (; scheduled < ((now - startedAt) / 1000) * load.perSecond; scheduled += 1) {
        due.push(startedAt + (scheduled / load.perSecond) * 1000);
      }
    }
    while (idle.length > 0) {
      const since = takeDue(now);
      if (since === undefined) return;
      // In turns: the server closes a connection that is unused for a minute.
      const connection = idle.shift();
      if (connection) send(connection, since);
    }
  }

  function onAnswer(connection: Connection, status: number): void {
    const now = performance.now();
    inFlight -= 1;
    if (status === 200) {
      okRequests += 1;
      if (now < endsAt) okInTime += 1;
      latencies.add(now - (connection.since ?? now));
    } else {
      failures[status] = (failures[status] ?? 0) + 1;
    }
    connection.since = undefined;
    const since = now < endsAt ? takeDue(now) : undefined;
    if (since === undefined) idle.push(connection);
    else send(connection, since);
    if (over && inFlight === 0) onIdle();
  }

  function note(): void {
    sent.push([Date.now(), sentEvents]);
  }

  sendIdle();
  if (load.perSecond !== undefined || load.window !== undefined) timers.push(setInterval(sendIdle, 1));
  await new Promise((resolve) => setTimeout(resolve, load.seconds * 1000));
  over = true;
  if (inFlight > 0) {
    await new Promise<void>((resolve) => {
      onIdle = resolve;
      setTimeout(resolve, ANSWER_WITHIN_MS).unref();
    });
  }
  for (const timer of timers) clearInterval(timer);
  note();
  if (inFlight > 0) failures.unanswered = inFlight;
  for (const { socket } of connections) socket.destroy();
  const cpu = process.cpuUsage(cpuBefore);
  return {
    okEvents: okRequests * eventsEach,
    okPerSecond: okInTime / load.seconds,
    failures,
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    p999Ms: latencies.quantile(0.999),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    sent,
  };
}

function open(load: Load, number: number, onAnswer: (connection: Connection, status: number) => void) {
  return new Promise<Connection>((resolve, reject) => {
    const template = makeTemplate(load, number);
    const socket = connect({
      host: "127.0.0.1",
      port: load.port,
      noDelay: true,
      onread: {
        buffer: received,
        callback(bytes) {
          const chunk = received.subarray(0, bytes);
          const answer = connection.pieces.length === 0 ? chunk : Buffer.concat([connection.pieces, chunk]);
          const status = statusOf(answer);
          connection.pieces = status === undefined ? Buffer.from(answer) : NOTHING;
          if (status !== undefined) onAnswer(connection, status);
          return true;
        },
      },
    });
    const connection: Connection = { socket, template, since: undefined, pieces: NOTHING };
    socket.once("connect", () => resolve(connection));
    // After the connect the promise is settled: the request stays unanswered and is counted as such.
    socket.on("error", reject);
  });
}

const NOTHING = Buffer.alloc(0);
/** The end of `Content-Length`, which servers spell in different cases. */
const LENGTH = "ength: ";

/** The status of a complete answer; undefined for a partial one. */
function statusOf(answer: Buffer): number | undefined {
  const head = answer.indexOf("\r\n\r\n");
  if (head === -1) return undefined;
  const at = answer.indexOf(LENGTH);
  if (at === -1 || at > head) throw new Error(`an answer without a length: ${answer.toString("latin1", 0, head)}`);
  const length = Number.parseInt(answer.toString("latin1", at + LENGTH.length, at + LENGTH.length + 8), 10);
  if (answer.length < head + 4 + length) return undefined;
  return Number.parseInt(answer.toString("latin1", 9, 12), 10);
}

function report(message: FromLoad): void {
  process.send?.(message);
}

process.on("message", (message: ToLoad) => {
  if (message.type === "stored") {
    storedEvents = message.events;
    return;
  }
  run(message.load).then(
    (result) => report({ type: "done", result }),
    (cause: unknown) => report({ type: "failed", reason: cause instanceof Error ? cause.message : String(cause) }),
  );
});
process.on("disconnect", () => process.exit(0));
report({ type: "ready" });
