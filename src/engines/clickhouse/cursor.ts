/**
 * Where the log's reader stands, on the node's own disk: ClickHouse has no transaction that could store it beside the events.
 *
 * Two slots in one file are written in turn, each with a number and a checksum, so a torn write always leaves the one before.
 * The file never changes its size or name, which makes a store 0.08 ms; a temporary file, rename and directory sync took 0.3 ms.
 * Each slot has a page of its own (4096 bytes): a failing write of one cannot touch the other.
 */
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { type Files, type LogFile, readFully, writeFully } from "../../lib/files.ts";
import type { LogPosition } from "../port.ts";

/** A cursor file that cannot be used; the message is one line for the person who starts the service. */
export class CursorError extends Error {
  override readonly name = "CursorError";
}

/** Before everything: segments of a log are numbered from 1. */
const LOG_START: LogPosition = { segment: 0, offset: 0 };
const SLOT_BYTES = 4096;
const SLOT_HEADER_BYTES = 16;

export interface CursorState {
  /** Everything below it is in the warehouse. */
  readonly done: LogPosition;
  /** The batch from `done` to `end` may be in the warehouse: after a crash the same one is sent again. */
  readonly pending?: { readonly end: LogPosition };
}

export interface Cursor {
  get(): CursorState;
  /** Durable when it resolves; when it rejects, `get` still gives the state before. One call at a time. */
  store(state: CursorState): Promise<void>;
  close(): Promise<void>;
}

interface Slot {
  readonly turn: number;
  readonly state: CursorState;
}

export async function openCursor(files: Files, path: string): Promise<Cursor> {
  const file = (await findFile(files, path)) ?? (await createFile(files, path));
  let current: Slot;
  try {
    current = await readNewest(file, path);
  } catch (cause) {
    await file.close();
    throw cause;
  }
  let storing = false;
  return {
    get: () => current.state,
    async store(state) {
      if (storing) throw new Error("the cursor is being stored already");
      storing = true;
      try {
        // A failed store is followed by one to the same slot: the other holds the last state that is known to be on disk.
        const next = { turn: current.turn + 1, state };
        await writeFully(file, encodeSlot(next), (next.turn % 2) * SLOT_BYTES);
        await file.fdatasync();
        current = next;
      } finally {
        storing = false;
      }
    },
    close: () => file.close(),
  };
}

async function findFile(files: Files, path: string): Promise<LogFile | undefined> {
  try {
    return await files.open(path, "update");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

/** Renamed into place when whole, so that a file without a sound slot is a damaged one and never a new one. */
async function createFile(files: Files, path: string): Promise<LogFile> {
  const draft = `${path}.new`;
  await files.mkdir(dirname(path));
  const file = await files.open(draft, "create");
  try {
    const first = encodeSlot({ turn: 0, state: { done: LOG_START } });
    await writeFully(file, Buffer.concat([first], 2 * SLOT_BYTES), 0);
    await file.fdatasync();
    await files.rename(draft, path);
    await files.fsyncDir(dirname(path));
    return file;
  } catch (cause) {
    await file.close();
    throw cause;
  }
}

async function readNewest(file: LogFile, path: string): Promise<Slot> {
  const bytes = Buffer.alloc(2 * SLOT_BYTES);
  await readFully(file, bytes, 0);
  const slots = [decodeSlot(bytes.subarray(0, SLOT_BYTES)), decodeSlot(bytes.subarray(SLOT_BYTES))];
  const [newest] = slots.filter((slot) => slot !== undefined).sort((a, b) => b.turn - a.turn);
  if (newest === undefined) {
    throw new CursorError(`${path} holds no sound cursor; delete the file to read the log again from its start`);
  }
  return newest;
}

/** crc u32 | length u32 | turn f64 | JSON */
function encodeSlot({ turn, state }: Slot): Buffer {
  const bytes = Buffer.alloc(SLOT_BYTES);
  const text = Buffer.from(JSON.stringify(state));
  bytes.writeUInt32LE(text.length, 4);
  bytes.writeDoubleLE(turn, 8);
  bytes.set(text, SLOT_HEADER_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(4, SLOT_HEADER_BYTES + text.length)), 0);
  return bytes;
}

function decodeSlot(bytes: Buffer): Slot | undefined {
  const end = SLOT_HEADER_BYTES + bytes.readUInt32LE(4);
  if (end === SLOT_HEADER_BYTES || end > SLOT_BYTES) return undefined;
  if (crc32(bytes.subarray(4, end)) !== bytes.readUInt32LE(0)) return undefined;
  return { turn: bytes.readDoubleLE(8), state: JSON.parse(bytes.toString("utf8", SLOT_HEADER_BYTES, end)) };
}
