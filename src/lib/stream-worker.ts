/** The thread of stream-thread.ts. Streams take turns whenever one waits for its input. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { Encode, FromStreamThread, ToStreamThread } from "./stream-thread.ts";

// Linux applies this to the calling thread only: small requests have priority over large answers.
if (process.platform === "linux") setPriority(5);

interface Stream {
  pieces?: AsyncGenerator<Uint8Array, unknown, void>;
  /** Takes the input that it waits for. */
  give?: ((bytes: Uint8Array | undefined) => void) | undefined;
}

const streams = new Map<number, Stream>();

parentPort?.on("message", (message: ToStreamThread) => {
  const stream = streams.get(message.id) ?? {};
  if (message.type === "open") void open(message.id, message.module, message.options);
  else if (message.type === "next") void pull(message.id, stream);
  else if (message.type === "input") take(stream, message.bytes);
  else stop(message.id, stream);
});

async function open(id: number, module: string, options: unknown): Promise<void> {
  const stream: Stream = {};
  streams.set(id, stream);
  try {
    const { encode } = (await import(module)) as { encode: Encode<unknown, unknown> };
    stream.pieces = encode(readInput(id, stream), options);
  } catch (cause) {
    fail(id, cause);
    return;
  }
  await pull(id, stream);
}

async function pull(id: number, { pieces }: Stream): Promise<void> {
  try {
    const next = await pieces?.next();
    if (next === undefined) return;
    if (next.done) send({ id, type: "done", result: next.value });
    else send({ id, type: "piece", bytes: next.value }, ownMemoryOf(next.value));
  } catch (cause) {
    fail(id, cause);
  }
}

function take(stream: Stream, bytes: Uint8Array | undefined): void {
  const { give } = stream;
  stream.give = undefined;
  give?.(bytes);
}

function stop(id: number, stream: Stream): void {
  streams.delete(id);
  // One that waits for its input sees the end of it; nobody listens any more.
  take(stream, undefined);
  stream.pieces?.return(undefined).catch(() => undefined);
}

async function* readInput(id: number, stream: Stream): AsyncGenerator<Buffer, void, void> {
  for (;;) {
    const bytes = await new Promise<Uint8Array | undefined>((resolve) => {
      stream.give = resolve;
      send({ id, type: "wants" });
    });
    if (bytes === undefined) return;
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) as Buffer;
  }
}

function fail(id: number, cause: unknown): void {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  send({ id, type: "failed", kind: name, message });
}

/** To a stream that was stopped, too: the other side does not know it and ignores the message. */
function send(message: FromStreamThread, memory: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, memory);
}

/** Memory that can be transferred instead of copied, because nothing else is in it. */
function ownMemoryOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
