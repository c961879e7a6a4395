/** Limits of imports, without schemas: the dashboard reads them, too. */
export const IMPORT_LIMITS = {
  /** Of the list. */
  listed: 100,
  /** Of a workspace, whose import has not ended. */
  openUploads: 20,
  fileNameChars: 255,
  /** A part has to arrive within the 30 s of a request: 4 MiB at 1.1 Mbit/s. A lost one is sent again. */
  partBytes: 4 * 1024 * 1024,
  /** Rows of the file that a preview reads, as far as they come in time. */
  previewRows: 2_000,
  previewMs: 5_000,
  /** Until the first of them has come. */
  previewFirstMs: 12_000,
  shownEvents: 5,
  shownReasons: 20,
  shownColumns: 200,
  mappedFields: 100,
  fieldChars: 255,
  valueChars: 1_000,
  /** Of the list of refused rows of a file. */
  refusedBytes: 100 * 1024 * 1024,
  /** A file whose import has not begun or has failed is removed then, and the rows of an import that is done later. */
  idleDays: 7,
  keptDays: 30,
} as const;

export const IMPORT_STATES = ["receiving", "ready", "waiting", "running", "done", "failed", "cancelled"] as const;
export type ImportState = (typeof IMPORT_STATES)[number];
