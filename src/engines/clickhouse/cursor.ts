/**
 * The cursor of the event log, on the node's own disk: ClickHouse has no transaction that could store it with the
 * events.
 *
 * The file has two slots, written alternately, each with a number and a checksum. A torn write leaves the other slot
 * valid. The file keeps its size and name, so that a store takes 0.08 ms; a temporary file, a rename and a directory
 * sync took 0.3 ms. Each slot has its own page (4096 bytes): a failed write of one cannot damage the other.
 */
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { type Files, type LogFile, readFully, writeFully } from "../../lib/files.ts";
import type { LogPosition } from "../batch.ts";

/** The cursor file cannot be used. The message is one line for the operator who starts the service. */
export class CursorError extends Error {
  override readonly name = "CursorError";
}

/** Precedes every record: segments are numbered from 1. */
const LOG_START: LogPosition = { segment: 0, offset: 0 };
const SLOT_BYTES = 4096;
const SLOT_HEADER_BYTES = 16;

export interface CursorState {
  /** The warehouse holds everything below it. */
  readonly done: LogPosition;
  /** The warehouse may hold the batch from `done` to `end`. After a crash the same batch is sent again. */
  readonly pending?: { readonly end: LogPosition };
}

export interface Cursor {
  get(): CursorState;
  /** Durable when it resolves. When it rejects, `get` still returns the previous state. One call at a time. */
  store(state: CursorState): Promise<void>;
  close(): Promise<void>;
}

interface Slot {
  readonly sequence: number;
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
        // After a failed store the next one writes the same slot: the other slot holds the last durable state.
        const next = { sequence: current.sequence + 1, state };
        await writeFully(file, encodeSlot(next), (next.sequence % 2) * SLOT_BYTES);
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

/** Written completely, then renamed: a file without a valid slot is damaged, never new. */
async function createFile(files: Files, path: string): Promise<LogFile> {
  const draft = `${path}.new`;
  await files.mkdir(dirname(path));
  const file = await files.open(draft, "create");
  try {
    const first = encodeSlot({ sequence: 0, state: { done: LOG_START } });
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
  const [newest] = slots.filter((slot) => slot !== undefined).sort((a, b) => b.sequence - a.sequence);
  if (newest === undefined) {
    throw new CursorError(`${path} holds no valid cursor; delete the file to read the log again from its start`);
  }
  return newest;
}

/** crc u32 | length u32 | sequence f64 | JSON */
function encodeSlot({ sequence, state }: Slot): Buffer {
  const bytes = Buffer.alloc(SLOT_BYTES);
  const text = Buffer.from(JSON.stringify(state));
  bytes.writeUInt32LE(text.length, 4);
  bytes.writeDoubleLE(sequence, 8);
  bytes.set(text, SLOT_HEADER_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(4, SLOT_HEADER_BYTES + text.length)), 0);
  return bytes;
}

function decodeSlot(bytes: Buffer): Slot | undefined {
  const end = SLOT_HEADER_BYTES + bytes.readUInt32LE(4);
  if (end === SLOT_HEADER_BYTES || end > SLOT_BYTES) return undefined;
  if (crc32(bytes.subarray(4, end)) !== bytes.readUInt32LE(0)) return undefined;
  return { sequence: bytes.readDoubleLE(8), state: JSON.parse(bytes.toString("utf8", SLOT_HEADER_BYTES, end)) };
}
