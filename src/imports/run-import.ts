/**
 * Imports one file:
 *
 *   rows of the file -> map -> batches -> door (some at once) -> refused rows to their file -> cursor
 *
 * A cursor is saved once a second, of the rows before the oldest batch that is under way. After `kill -9` the next start
 * sends the batches behind it again: their ids are the same, so each event counts once.
 */
import { basename } from "node:path";
import type { Door, Sent } from "./door.ts";
import { ImportError } from "./import-error.ts";
import type { Cursor } from "./imports-table.ts";
import type { MappedRow, RowMapper } from "./map-rows.ts";
import { type FileRows, readFileRows } from "./read/read-file.ts";
import type { ReadRow } from "./read/read-row.ts";
import { type RefusedFile, type RefusedLine, toRefusedText } from "./refused-file.ts";

/** By what a wrong file is recognised, and how that is said. */
export interface Judged {
  readonly label: string;
  /** What the file should be. */
  readonly file: string;
  /** Fields that every row has. */
  readonly needs: readonly string[];
  /** What a row is: `an event`. */
  readonly item: string;
}

export interface ImportJob {
  readonly path: string;
  readonly judged: Judged;
  readonly mapper: RowMapper;
  readonly begin: Cursor;
  readonly door: Door;
  readonly refused: RefusedFile;
  save(cursor: Cursor): Promise<void>;
  onProgress(bytes: number, cursor: Cursor): void;
  readonly signal: AbortSignal;
}

/** At most what a request may have, and few enough that one is read while another is sent. */
const BATCH = { events: 2_000, bytes: 2 * 1024 * 1024, refused: 1_000 } as const;
/** The server takes one while the next is checked and the one after is on its way. */
const AT_ONCE = 4;
const SAVE_EVERY_MS = 1_000;
/** A file without an event among so many rows is another product's, or mapped wrongly. */
const ROWS_TO_JUDGE = 1_000;

interface Batch {
  readonly texts: string[];
  /** The row of each event. */
  readonly places: Pick<RefusedLine, "entry" | "line" | "row">[];
  /** The lines of refused rows. */
  readonly refused: string[];
  /** Of both. */
  bytes: number;
  /** The last row of it, and how much of the file was read then. */
  rows: number;
  fileBytes: number;
  hasKeyless: boolean;
}

export async function runImport(job: ImportJob): Promise<Cursor> {
  const queue = createQueue(job);
  try {
    await readAll(job, queue.push);
  } catch (cause) {
    // What was read before a damaged part is kept.
    await queue.stop();
    // A stream that was ended by the signal says less than the signal.
    job.signal.throwIfAborted();
    throw cause;
  }
  return queue.end();
}

/** Reads, maps and judges every row behind the cursor, and gives full batches away. */
async function readAll(job: ImportJob, push: (batch: Batch) => Promise<void>): Promise<void> {
  const { mapper, begin, signal } = job;
  const judge = createJudge(job);
  let batch = newBatch();
  let number = 0;
  // Without the rows before it an event without a key would not know which occurrence it is.
  for await (const part of readFileRows(job.path, begin.hasKeyless ? 0 : begin.rows, signal)) {
    for (const row of part.rows) {
      signal.throwIfAborted();
      number += 1;
      if (number <= begin.rows) {
        if (begin.hasKeyless) mapper.map(row, number);
        continue;
      }
      judge.look(row, part.unit);
      const mapped = mapper.map(row, number);
      judge.count(row, part.unit, mapped.texts.length > 0 ? undefined : mapped.refused);
      addRow(batch, mapped, placeOf(part, row), row);
      batch.rows = number;
      if (isFull(batch)) await flush(part.bytes);
    }
    batch.fileBytes = part.bytes;
  }
  judge.end(number);
  if (batch.rows > 0) await flush(batch.fileBytes);

  async function flush(fileBytes: number): Promise<void> {
    const full = batch;
    [full.fileBytes, full.hasKeyless] = [fileBytes, mapper.hasKeyless()];
    batch = newBatch();
    await push(full);
  }
}

function addRow(batch: Batch, { texts, refused }: MappedRow, place: Batch["places"][number], row: ReadRow): void {
  for (const text of texts) {
    batch.texts.push(text);
    batch.places.push(place);
    batch.bytes += text.length;
  }
  if (refused === undefined) return;
  const line = toRefusedText({ ...place, reason: refused, value: row.value ?? row.text ?? null });
  batch.refused.push(line);
  batch.bytes += line.length;
}

function newBatch(): Batch {
  return { texts: [], places: [], refused: [], bytes: 0, rows: 0, fileBytes: 0, hasKeyless: false };
}

function isFull({ texts, refused, bytes }: Batch): boolean {
  return texts.length >= BATCH.events || bytes >= BATCH.bytes || refused.length >= BATCH.refused;
}

function placeOf({ entry, unit }: Pick<FileRows, "entry" | "unit">, { at }: ReadRow) {
  return { ...(entry === undefined ? {} : { entry }), [unit]: at };
}

/** Sends batches, some at once, and settles them in their order. */
function createQueue({ begin, door, refused, save, onProgress, signal: stopped }: ImportJob) {
  const failed = new AbortController();
  const signal = AbortSignal.any([stopped, failed.signal]);
  const sending: { batch: Batch; sent: Promise<Sent> }[] = [];
  let cursor = begin;
  let savedAt = performance.now();

  async function sendBatch({ texts, refused: lines }: Batch): Promise<Sent> {
    const sent = texts.length === 0 ? { refused: new Map() } : await door.send(texts, signal);
    if (lines.length > 0) await door.refuse(lines.length, signal);
    return sent;
  }

  async function settleOldest(): Promise<void> {
    const oldest = sending.shift();
    if (oldest === undefined) return;
    const { batch } = oldest;
    const late = [...(await oldest.sent).refused].map(([index, reason]) => {
      const value: unknown = JSON.parse(batch.texts[index] ?? "null");
      return toRefusedText({ ...batch.places[index], reason, value });
    });
    const refusedBytes = await refused.append([...batch.refused, ...late]);
    cursor = {
      rows: batch.rows,
      events: cursor.events + batch.texts.length - late.length,
      refused: cursor.refused + batch.refused.length + late.length,
      refusedBytes,
      hasKeyless: cursor.hasKeyless || batch.hasKeyless,
    };
    onProgress(batch.fileBytes, cursor);
    if (performance.now() - savedAt > SAVE_EVERY_MS) await saveNow();
  }

  async function saveNow(): Promise<void> {
    await refused.sync();
    await save(cursor);
    savedAt = performance.now();
  }

  async function end(): Promise<Cursor> {
    while (sending.length > 0) await settleOldest();
    await saveNow();
    return cursor;
  }

  return {
    async push(batch: Batch): Promise<void> {
      const sent = sendBatch(batch);
      // Settled in its turn; until then nobody waits for it. The others need not try for ten minutes.
      sent.catch((cause: unknown) => failed.abort(cause));
      sending.push({ batch, sent });
      if (sending.length >= AT_ONCE) await settleOldest();
    },
    end,
    /** Saves what can be saved; the reason why it stops is known. */
    async stop(): Promise<void> {
      await end().catch(() => undefined);
    },
  };
}

/** Stops before a wrong file fills a disk with refused rows. */
function createJudge({ path, judged, begin }: Pick<ImportJob, "path" | "judged" | "begin">) {
  const { label, file, needs, item } = judged;
  let seen = 0;
  let first: string | undefined;
  let isRight = begin.rows > 0;
  let isLookedAt = isRight;
  const wrong = (why: string) => new ImportError(`${basename(path)}, ${why}; expected ${file}`);

  return {
    /** The first row that can be read shows whose file it is. */
    look({ at, value }: ReadRow, unit: string): void {
      if (isLookedAt || value === undefined) return;
      isLookedAt = true;
      const missing = needs.filter((name) => !(name in value));
      if (missing.length > 0) throw wrong(`${unit} ${at}: no export of ${label}, ${missing.join(", ")} missing`);
    },
    count({ at }: ReadRow, unit: string, refused: string | undefined): void {
      if (isRight) return;
      seen += 1;
      if (refused === undefined) isRight = true;
      else first ??= `${unit} ${at}: ${refused}`;
      if (!isRight && seen >= ROWS_TO_JUDGE) throw wrong(`${first}; none of the first ${seen} rows is ${item}`);
    },
    end(rows: number): void {
      if (rows === 0) throw wrong("no rows");
      if (!isRight) throw wrong(`${first}; none of its ${seen} rows is ${item}`);
    },
  };
}
