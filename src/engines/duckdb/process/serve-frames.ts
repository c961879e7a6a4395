/** The engine's side of kept connections: one call at a time on each, and its end is the end of the call. */
import type { Duplex } from "node:stream";
import { FRAMES, readFrames, writeFrame } from "./frames.ts";
import type { Line } from "./protocol.ts";

export interface ServedFrames {
  accept(socket: Duplex): void;
  /** Ends connections without a call. */
  endIdle(): void;
  endAll(): void;
  /** Answers all that wait, and ends their connections. */
  tell(line: Line): Promise<void>;
}

const ACCEPTED = `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${FRAMES}\r\n\r\n`;

/** `answer` resolves with the text of a line, and never rejects. */
export function serveFrames(answer: (body: Buffer, signal: AbortSignal) => Promise<string>): ServedFrames {
  const idle = new Set<Duplex>();
  const busy = new Map<Duplex, AbortController>();

  async function serve(socket: Duplex, body: Buffer): Promise<void> {
    if (!idle.delete(socket)) return void socket.destroy(new Error("a call came before the answer of the last one"));
    const ended = new AbortController();
    busy.set(socket, ended);
    const text = await answer(body, ended.signal);
    // Told or closed meanwhile.
    if (!busy.delete(socket)) return;
    idle.add(socket);
    writeFrame(socket, text);
  }

  return {
    accept(socket) {
      idle.add(socket);
      socket.once("close", () => {
        idle.delete(socket);
        busy.get(socket)?.abort(new Error("the caller closed the connection"));
        busy.delete(socket);
      });
      // Ends with its caller, also while a call runs.
      socket.once("end", () => socket.destroy());
      socket.write(ACCEPTED);
      readFrames(socket, (frame) => void serve(socket, frame));
    },
    endIdle() {
      for (const socket of idle) socket.end();
    },
    endAll() {
      for (const socket of [...idle, ...busy.keys()]) socket.destroy();
    },
    async tell(line) {
      const told = [...busy.keys()].map((socket) => {
        busy.delete(socket);
        writeFrame(socket, JSON.stringify(line));
        return new Promise<void>((resolve) => socket.end(resolve));
      });
      await Promise.all(told);
    },
  };
}
