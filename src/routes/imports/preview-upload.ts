/** What would become of a file that was sent. Nothing is stored. */
import { ApiError } from "../../contract/errors.ts";
import { IMPORT_LIMITS } from "../../contract/import-limits.ts";
import { lookAtDays } from "../../imports/days/days-file.ts";
import { DAYS_SOURCE } from "../../imports/days/plausible.ts";
import { looksLikeDays } from "../../imports/days/read-days.ts";
import { NO_MAPPING } from "../../imports/from/generic.ts";
import { ImportError } from "../../imports/import-error.ts";
import { type Preview, type PreviewOptions, previewFile } from "../../imports/preview.ts";
import { NotInTime, type PreviewLimits, startPreviewDeadline } from "../../imports/preview-deadline.ts";
import {
  detectRows,
  isUploadSource,
  readingOf,
  targetsOf,
  UPLOAD_SOURCES,
  type UploadSource,
} from "../../imports/upload-sources.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import type { Reading } from "./read-reading.ts";

interface SentFile {
  readonly path: string;
  readonly fileName: string;
}

interface Asking {
  readonly workspaceId: string;
  readonly nowMs: number;
  /** The client has gone. */
  readonly signal: AbortSignal;
}

interface Looking extends Asking {
  /** The first day with events of the project itself. */
  findFirstDay(): Promise<string | undefined>;
}

export interface PreviewUpload {
  look(file: SentFile, reading: Reading, asking: Looking): Promise<ReturnType<typeof view>>;
  /** What it is, by its content. */
  findSource(file: SentFile, asking: Asking): Promise<UploadSource>;
}

/** Together with the wait for a turn it is less than the 20 s for which a key of idempotency is held. */
const LIMITS: PreviewLimits = { mostMs: IMPORT_LIMITS.previewMs, firstMs: IMPORT_LIMITS.previewFirstMs };

/**
 * Some formats are read by a process of their own, which takes up to 1 GB: two at once, one of a workspace, and others
 * wait a little.
 */
const AT_ONCE = { perKey: 1, total: 2, waitingPerKey: 10, waitMs: IMPORT_LIMITS.previewMs } as const;

export function createPreviews(limits: PreviewLimits = LIMITS): PreviewUpload {
  const turns = createSemaphore(AT_ONCE);
  async function inTurn<T>({ workspaceId, signal }: Asking, work: () => Promise<T>): Promise<T> {
    const leave = await turns.acquire(workspaceId, signal).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new ApiError("SERVICE_UNAVAILABLE", "Other files are being looked at: try again in a moment", { cause });
    });
    try {
      return await work();
    } catch (cause) {
      throw translate(cause);
    } finally {
      leave();
    }
  }
  return {
    look: (file, reading, asking) =>
      inTurn(asking, async () => {
        const source = reading.source ?? (isMapped(reading) ? "generic" : await findDays(file));
        const found = await (source === DAYS_SOURCE
          ? previewDays(file, asking, limits)
          : previewRows(file, { source, mapping: reading.mapping, rows: IMPORT_LIMITS.previewRows }, asking, limits));
        return view(found);
      }),
    findSource: (file, asking) =>
      inTurn(asking, async () => {
        const days = await findDays(file);
        if (days !== undefined) return days;
        const reading = { source: undefined, mapping: NO_MAPPING, rows: ROWS_TO_KNOW_IT };
        const { source } = await previewRows(file, reading, asking, limits);
        return isUploadSource(source) ? source : "generic";
      }),
  };
}

/** The first row that can be read says what a file is. */
const ROWS_TO_KNOW_IT = 100;

const isMapped = ({ mapping: { columns, values } }: Reading) => columns.size + values.size > 0;

async function findDays({ path, fileName }: SentFile): Promise<typeof DAYS_SOURCE | undefined> {
  return (await looksLikeDays(path, fileName)) ? DAYS_SOURCE : undefined;
}

interface RowsReading extends Reading {
  readonly source: Exclude<UploadSource, typeof DAYS_SOURCE> | undefined;
  /** How many are read. */
  readonly rows: number;
}

async function previewRows(
  { path }: SentFile,
  { source, mapping, rows }: RowsReading,
  { nowMs, signal: gone }: Asking,
  limits: PreviewLimits,
): Promise<Preview> {
  const detect: PreviewOptions["detect"] = (row) => readingOf(detectRows(row), mapping);
  const reading = readingOf(source ?? "generic", mapping);
  const options = { reading, ...(source === undefined ? { detect } : {}) };
  const deadline = startPreviewDeadline(limits);
  const signal = AbortSignal.any([gone, deadline.signal]);
  const most = { rows, shown: IMPORT_LIMITS.shownEvents };
  try {
    const found = await previewFile(path, { ...options, ...most, nowMs, signal, onRows: deadline.came });
    // What was read until a client went away says nothing: a start would take the file for something else.
    gone.throwIfAborted();
    if (found.rows === 0 && deadline.signal.aborted) throw new NotInTime("no row of the file was read");
    return found;
  } finally {
    deadline.end();
  }
}

/** Days take the place of rows; those that are left out are the refused ones. */
async function previewDays(
  { path }: SentFile,
  { signal, findFirstDay }: Looking,
  limits: PreviewLimits,
): Promise<Preview> {
  const { days, first, isWhole } = await lookAtDays(path, { signal, limits });
  const native = await findFirstDay();
  const left = days.filter((day) => native === undefined || day < native);
  const reason = `the project has events of its own from ${native} on`;
  const leftOut = days.length - left.length;
  return {
    ...{ source: DAYS_SOURCE, rows: days.length, events: left.length, isWhole, first, columns: [], unread: [] },
    refused: leftOut === 0 ? [] : [{ reason, rows: leftOut, at: `day ${days[left.length]}` }],
    earliest: startOf(left[0]),
    latest: startOf(left.at(-1)),
  };
}

const startOf = (day: string | undefined) => (day === undefined ? undefined : `${day}T00:00:00.000Z`);

function view({ earliest, latest, columns, unread, refused, source, ...preview }: Preview) {
  return {
    ...preview,
    source,
    sources: UPLOAD_SOURCES.map(({ name, label, file, gives }) => ({ name, label, file, gives })),
    fields: isUploadSource(source) ? [...targetsOf(source)] : [],
    columns: columns.slice(0, IMPORT_LIMITS.shownColumns),
    unread: unread.slice(0, IMPORT_LIMITS.shownColumns),
    refused: refused.slice(0, IMPORT_LIMITS.shownReasons),
    earliest: earliest ?? null,
    latest: latest ?? null,
  };
}

function translate(cause: unknown): unknown {
  if (cause instanceof NotInTime)
    return new ApiError("SERVICE_UNAVAILABLE", "The file could not be read in time: try again in a moment", { cause });
  if (cause instanceof ImportError) return new ApiError("BAD_REQUEST", sentence(cause.message), { cause });
  if ((cause as NodeJS.ErrnoException).code === "ENOENT")
    return new ApiError("BAD_REQUEST", "The file is not on this machine: send it again", { cause });
  return cause;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
