/**
 * A stream of Server-Sent Events. Written by hand: the format is five lines, and the libraries on npm neither bound what
 * a client leaves unread nor end a stream with its key.
 */
import { Readable } from "node:stream";
import { LIVE_STREAM } from "../contract/live.ts";
import type { Clock } from "../lib/clock.ts";
import { formatPosition, type Position } from "../query/activity/position.ts";
import { comparePositions, positionOf } from "../query/live/arrivals.ts";
import type { LiveHub } from "../query/live/hub.ts";
import type { ReportOwner } from "../query/report/question.ts";
import type { Spent } from "../query/run/in-slot.ts";

export interface LiveAccess {
  hub: LiveHub;
  clock: Clock;
  /** False when the credential of the request was revoked or has expired. */
  isStillAllowed(): Promise<boolean>;
  spent: Spent;
}

export const STREAM_HEADERS = {
  "Cache-Control": "no-store",
  // nginx would hold events back.
  "X-Accel-Buffering": "no",
} as const;

/** A revoked key ends its streams within a second: authenticating may use a key that is half a second old. */
const CHECK_MS = 500;
/** At a stop a client has this long to read the end. */
const FAREWELL_MS = 500;
/** A browser connects again after this time. */
const RETRY_MS = 2_000;

export async function openLiveStream(
  { hub, clock, isStillAllowed, spent }: LiveAccess,
  owner: ReportOwner,
  after: Position | undefined,
): Promise<Readable> {
  const out = createOutput(clock);
  let mark: Position = after ?? { ms: 0, key: 0n };
  out.write(`retry: ${RETRY_MS}\n\n`);
  const subscription = await hub.open(
    owner,
    {
      onEvents(events, skipped) {
        if (skipped > 0) out.write(format("skipped", { events: skipped }));
        for (const event of events) {
          // An event that was stored late does not move the place where the client resumes.
          if (comparePositions(positionOf(event), mark) > 0) mark = positionOf(event);
          out.write(`id: ${formatPosition(mark)}\n${format("event", event.data)}`);
        }
      },
      onCounts: (counts) => out.write(format("counts", counts)),
      onStop: () => out.end("stopping"),
    },
    spent,
    after,
  );
  const checking = setInterval(() => void check(), CHECK_MS);
  out.stream.once("close", () => {
    clearInterval(checking);
    subscription.close();
  });
  // The client may have left while the subscription was opened.
  if (out.stream.destroyed) subscription.close();

  async function check(): Promise<void> {
    out.beat();
    if (!(await isStillAllowed().catch(() => false))) out.end("key");
  }
  return out.stream;
}

type EndReason = "key" | "age" | "stopping";

function format(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function createUnread() {
  const texts: string[] = [];
  let bytes = 0;
  return {
    bytes: () => bytes,
    isEmpty: () => texts.length === 0,
    push(text: string): void {
      texts.push(text);
      bytes += Buffer.byteLength(text);
    },
    shift(): string {
      const text = texts.shift() ?? "";
      bytes -= Buffer.byteLength(text);
      return text;
    },
  };
}

/** The stream, and what the client has not read yet. */
function createOutput(clock: Clock) {
  const openedMs = clock.nowMs();
  const unread = createUnread();
  let isWanted = false;
  let isEnded = false;
  /** When something was last read or written. */
  let readMs = openedMs;
  let writtenMs = openedMs;

  const stream = new Readable({
    highWaterMark: 16 * 1024,
    read() {
      isWanted = true;
      readMs = clock.nowMs();
      flow();
    },
  });

  function flow(): void {
    while (isWanted && !unread.isEmpty()) isWanted = stream.push(unread.shift());
    if (isEnded && unread.isEmpty() && !stream.readableEnded) stream.push(null);
  }

  function write(text: string): void {
    if (isEnded || stream.destroyed) return;
    unread.push(text);
    writtenMs = clock.nowMs();
    if (unread.bytes() > LIVE_STREAM.unreadBytes) stream.destroy();
    else flow();
  }

  function end(reason: EndReason): void {
    if (isEnded || stream.destroyed) return;
    write(format("end", { reason }));
    isEnded = true;
    flow();
    setTimeout(() => stream.destroy(), FAREWELL_MS).unref();
  }

  /** Twice a second. */
  function beat(): void {
    const nowMs = clock.nowMs();
    if (nowMs - openedMs > LIVE_STREAM.longestMinutes * 60_000) end("age");
    else if (!unread.isEmpty() && nowMs - readMs > LIVE_STREAM.unreadSeconds * 1000) stream.destroy();
    else if (nowMs - writtenMs > LIVE_STREAM.heartbeatSeconds * 1000) write(":\n\n");
  }

  return { stream, write, end, beat };
}
