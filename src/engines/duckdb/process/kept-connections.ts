/**
 * Connections to the engine's process for reads: one call on each at a time, so that closing it cancels its call. The
 * last used one is taken first; at most as many stay open as the engine runs reads at once.
 */
import { request } from "node:http";
import type { Socket } from "node:net";
import { createSemaphore } from "../../../lib/semaphore.ts";
import { FRAMES, readFrames, writeFrame } from "./frames.ts";
import type { ClientOptions } from "./protocol.ts";

export interface KeptConnections {
  /** Resolves with the answer. Rejects with the reason of the signal, or when the connection ends before the answer. */
  ask(text: string, signal: AbortSignal | undefined): Promise<string>;
  /** Closes the idle ones: they lead to a process that ends. */
  leave(): void;
  close(): void;
}

/** The engine gave no connection of this kind. */
export class NoFrames extends Error {}

interface Connection {
  readonly url: string;
  readonly socket: Socket;
  answered: ((text: string) => void) | undefined;
}

const MOST_CALLS = 64;
const MOST_IDLE = 4;

export function keepConnections({ url, token }: ClientOptions): KeptConnections {
  const slots = createSemaphore({ perKey: MOST_CALLS });
  const open = new Set<Connection>();
  const idle: Connection[] = [];
  const closed = new AbortController();

  async function take(signal: AbortSignal | undefined): Promise<Connection> {
    const wanted = url();
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      if (last.url === wanted && !last.socket.destroyed) {
        last.socket.ref();
        return last;
      }
      last.socket.destroy();
    }
    const ends = signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]);
    const connection: Connection = { url: wanted, socket: await connect(wanted, token, ends), answered: undefined };
    open.add(connection);
    const { socket } = connection;
    readFrames(socket, (frame) => connection.answered?.(frame.toString("utf8")));
    // What is wrong with it, its end says, too.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      open.delete(connection);
      const at = idle.indexOf(connection);
      if (at !== -1) idle.splice(at, 1);
    });
    return connection;
  }

  function give(connection: Connection): void {
    connection.answered = undefined;
    if (closed.signal.aborted || idle.length >= MOST_IDLE) return void connection.socket.destroy();
    // An idle connection keeps no command of the CLI alive.
    connection.socket.unref();
    idle.push(connection);
  }

  function leave(): void {
    for (const { socket } of idle.splice(0)) socket.destroy();
  }

  return {
    async ask(text, signal) {
      const release = await slots.acquire("", signal);
      try {
        const connection = await take(signal);
        const answer = await askOn(connection, text, signal);
        give(connection);
        return answer;
      } finally {
        release();
      }
    },
    leave,
    close() {
      closed.abort(new Error("the connections to the engine are closed"));
      for (const { socket } of open) socket.destroy();
    },
  };
}

function askOn(connection: Connection, text: string, signal: AbortSignal | undefined): Promise<string> {
  const { socket } = connection;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      settle();
      socket.destroy();
      reject(signal?.reason as Error);
    };
    const onClose = () => {
      settle();
      reject(new Error("the connection to the engine ended"));
    };
    const settle = () => {
      signal?.removeEventListener("abort", onAbort);
      socket.off("close", onClose);
    };
    connection.answered = (answer) => {
      settle();
      resolve(answer);
    };
    if (signal?.aborted) return onAbort();
    if (socket.destroyed) return onClose();
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once("close", onClose);
    writeFrame(socket, text);
  });
}

function connect(url: string, token: string, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, connection: "Upgrade", upgrade: FRAMES };
    const asked = request(url, { path: "/select", headers });
    // Not the signal of the request: it would end the connection, too, which others use later.
    const onAbort = () => asked.destroy(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    const settled = () => signal.removeEventListener("abort", onAbort);
    asked.once("upgrade", (_response, socket: Socket) => {
      settled();
      socket.setNoDelay(true);
      resolve(socket);
    });
    asked.once("response", (response) => {
      settled();
      response.resume();
      reject(new NoFrames(`the engine answered an upgrade with ${response.statusCode}`));
    });
    asked.once("error", (cause) => {
      settled();
      reject(cause);
    });
    asked.end();
  });
}
